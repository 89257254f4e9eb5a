//! Bad input over the wire: each row has the exact status and code of S3, and stores nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod bodies;
mod documents;
mod keys;
mod parts;
mod signatures;
#[path = "../common/signer.rs"]
mod signer;
mod testbed;

/// The CRC-32 of "hello", and another.
const CRC32: &str = "NhCmhg==";
const OTHER_CRC32: &str = "sOO8/Q==";
