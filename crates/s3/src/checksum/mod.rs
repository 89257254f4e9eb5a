//! Checksums of objects and parts, and ETags.

mod algorithm;
mod value;

pub use algorithm::{Algorithm, ChecksumType};
pub use value::Checksum;
