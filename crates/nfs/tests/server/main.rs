//! The server as clients see it: a real server on a real pool, driven by the test client over TCP.
//!
//! One module for each subject; [`harness`] starts, stops and restarts the server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking"
)]

mod attributes;
mod back_channel;
mod connections;
mod contention;
mod counters;
mod crash;
mod directories;
mod exports;
mod grace;
mod harness;
mod hostile;
mod identities;
mod io;
mod locking;
mod mounting;
mod opening;
mod preserve_unlinked;
mod ranges;
mod recorder;
mod recovery;
mod referrals;
mod registration;
mod replies;
mod scale;
mod sessions;
mod snapshots;
mod state;
mod state_memory;
mod throttle;
mod tls;
mod xattrs;
