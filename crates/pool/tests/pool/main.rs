//! The pool's interface, as its users call it. One program, because each would link the pool with all that it needs once more.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "in tests a panic is the report")]

mod backup;
mod common;
mod concurrency;
mod copies;
mod counters;
mod damages;
mod data;
mod efficiency;
mod format;
mod headers;
mod inline;
mod kill;
mod log;
mod metadata_copies;
mod model;
mod namespace;
mod orphans;
mod ranges;
mod recovery;
mod salvage;
mod sizes;
mod snapshot_model;
mod snapshots;
mod space;
mod survey;
mod table_damages;
mod volumes;
mod xattrs;
