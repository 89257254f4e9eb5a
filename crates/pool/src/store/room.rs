//! Room below the pool.
//!
//! The file system's own free space bounds what is really written. A reserve of it is never given to writes, so that removals and
//! the metadata store always have room: a metadata store that meets a full disk stops for good.

use std::path::PathBuf;

use crate::{Error, Result};

/// Bounds of the reserve, which is otherwise a 20th of the file system.
const RESERVE_BYTES_MIN: u64 = 64 << 20;
const RESERVE_BYTES_MAX: u64 = 2 << 30;

/// Room below the pool.
pub(crate) trait Room: Send + Sync + 'static {
    /// Bytes in all, and bytes that are free.
    fn bytes(&self) -> Result<(u64, u64)>;
}

/// Room in the file system that holds a directory.
pub(crate) struct FileSystemRoom(pub(crate) PathBuf);

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

/// Room in memory: as much as anyone asks for.
pub(crate) struct UnlimitedRoom;

impl Room for UnlimitedRoom {
    fn bytes(&self) -> Result<(u64, u64)> {
        Ok((1 << 40, 1 << 40))
    }
}
