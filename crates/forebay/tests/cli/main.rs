//! The real binary, as an operator or a script uses it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod admin;
mod alerts;
mod api;
mod backup;
mod bucket_pool;
mod cluster;
mod completion;
mod configuration;
mod copies;
mod daemon;
mod database;
mod database_standby;
mod deleted;
mod export;
mod http;
mod kafka;
mod lab;
mod logs;
mod manners;
mod metrics;
mod nfs;
mod nfs_state;
mod numbered;
mod place;
mod recovery;
mod reference;
mod refusals;
mod s3;
mod salvage;
mod serve;
mod set_back;
mod setup;
mod slow;
mod snapshot;
mod status;
mod support;
mod terminal;
mod tls;
mod traces;
mod volume;
