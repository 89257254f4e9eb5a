//! Reports on the data of Kafka in a pool. One program, because each would link the pool once more.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

mod common;
mod questions;
mod report;
mod sampling;
mod snapshot;
