//! The real binary, as an operator or a script uses it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod admin;
mod configuration;
mod daemon;
mod export;
mod nfs;
mod nfs_state;
mod reference;
mod serve;
mod snapshot;
mod tls;
mod volume;
