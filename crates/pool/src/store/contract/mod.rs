//! What every implementation of a seam must do, as tests that other crates can run. They panic where an implementation breaks the contract.

#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

pub mod metadata;
pub mod segments;
