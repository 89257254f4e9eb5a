//! Bad input over the wire: each row has the exact status and code of S3, and stores nothing.

mod bodies;
mod documents;
mod keys;
mod parts;
mod signatures;
mod testbed;

/// The CRC-32 of "hello", and another.
const CRC32: &str = "NhCmhg==";
const OTHER_CRC32: &str = "sOO8/Q==";
