//! What Kafka stores in a pool, as reports show it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

mod common;
mod questions;
mod report;
mod sampling;
mod snapshot;
