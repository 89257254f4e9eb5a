//! Segments in a bucket.

#![allow(clippy::unwrap_used, clippy::panic, reason = "functions of tests")]

mod contract;
mod joining;
mod losses;
mod named_bucket;
