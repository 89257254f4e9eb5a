//! The fuzz targets, one module for each. A target takes any bytes and panics when something does not hold.
//!
//! [`record`] splits a stream into records, [`rpc`] reads the headers of calls and replies, [`compound`] decodes operations and
//! results, [`execute`] has a server execute them, [`s3`] parses requests to the S3 server. `fuzz/` links the targets with libFuzzer
//! and coverage, and has the corpus; `tests/corpus.rs` runs them without either.

#![allow(clippy::expect_used, clippy::panic, reason = "a target fails by panicking")]

pub mod compound;
pub mod execute;
pub mod record;
pub mod rpc;
pub mod s3;
pub mod script;

/// A target.
pub type Target = fn(&[u8]);

/// The targets, by the names of their folders in the corpus.
pub const TARGETS: [(&str, Target); 8] = [
    ("record", record::run),
    ("rpc", rpc::run),
    ("compound", compound::run),
    ("execute", execute::run),
    ("s3_guard", s3::guard),
    ("s3_chunks", s3::chunks),
    ("s3_policy", s3::policy),
    ("s3_ranges", s3::ranges),
];
