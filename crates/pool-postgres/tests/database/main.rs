//! Pools in a real PostgreSQL.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;
mod contract;
mod cut;
mod lease;
mod mistakes;
mod ownership;
mod standby;
