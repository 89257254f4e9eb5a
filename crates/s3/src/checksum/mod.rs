//! Checksums of objects and parts, and ETags.
//!
//! A request is read into [`ExpectedChecksums`]. Its body passes through [`Digests`], and
//! [`ExpectedChecksums::verify`] compares the result, [`Sums`], with what the caller sent. `multipart` has the
//! rules for uploads in parts.

mod algorithm;
mod content_md5;
mod digests;
mod expected;
mod payload_hash;
mod value;

pub mod multipart;

pub use algorithm::{Algorithm, ChecksumType};
pub use digests::{Digests, Running, Sums};
pub use expected::{ExpectedChecksums, refuse_several};
pub use value::Checksum;
