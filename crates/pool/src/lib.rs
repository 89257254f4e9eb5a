//! The storage engine: volumes, files, chunks, durability. Knows nothing of NFS, S3 or HTTP.

mod error;
mod pool;
mod types;

pub use error::{Error, Result};
pub use pool::{Pool, PoolOptions};
pub use types::*;

/// Largest size of a file, in bytes.
pub const FILE_SIZE_MAX: u64 = i64::MAX as u64;
/// Longest name of a directory entry, in bytes.
pub const NAME_BYTES_MAX: usize = 255;
