//! Free space below the pool.
//!
//! The free space of the file system limits what can be written. Writes never get the last part of it, the reserve, so that
//! removals and the metadata store always have room: a metadata store that meets a full disk stops for good.

use std::path::PathBuf;

use crate::{Error, Result};

/// Limits of the reserve, which is otherwise a 20th of the file system.
const RESERVE_BYTES_MIN: u64 = 64 << 20;
const RESERVE_BYTES_MAX: u64 = 2 << 30;

/// The space below the pool.
pub trait Room: Send + Sync + 'static {
    /// Total bytes and free bytes.
    fn bytes(&self) -> Result<(u64, u64)>;
}

/// The space of the file system that holds a directory.
pub struct FileSystemRoom(pub PathBuf);

impl Room for FileSystemRoom {
    fn bytes(&self) -> Result<(u64, u64)> {
        let answer = rustix::fs::statvfs(&self.0).map_err(|errno| Error::Io {
            path: self.0.clone(),
            action: "ask for the file system's free space",
            source: errno.into(),
        })?;
        let total = answer.f_blocks.saturating_mul(answer.f_frsize);
        let free = answer.f_bavail.saturating_mul(answer.f_frsize);
        let reserve = (total / 20).clamp(RESERVE_BYTES_MIN, RESERVE_BYTES_MAX);
        Ok((total.saturating_sub(reserve), free.saturating_sub(reserve)))
    }
}

/// The space of a pool in memory: unlimited.
pub struct UnlimitedRoom;

impl Room for UnlimitedRoom {
    fn bytes(&self) -> Result<(u64, u64)> {
        Ok((1 << 40, 1 << 40))
    }
}
