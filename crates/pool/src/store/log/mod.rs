//! The files of the intent log: the third of the pool's seams. A pool without one makes every flush durable in chunks.
//!
//! The files are a ring of equal length. What they hold is in [`crate::format::log`]; when they are written is in
//! [`crate::parts::log`].

mod copies;
mod file;

pub(crate) use copies::{LogFiles, OpenSecond};
pub(crate) use file::FileLog;

use crate::Result;

/// A ring of files of equal length, numbered from 0.
///
/// One thread at a time calls `prepare` and `remove`, and one thread at a time calls `write` and `sync`, for other files. A write
/// that was not synced may be lost, in any of its sectors, when the power fails.
pub(crate) trait LogStore: Send + Sync + 'static {
    /// The length of each file in bytes.
    fn file_bytes(&self) -> u64;
    /// The number of files, for a ring that is new.
    fn files(&self) -> u32;
    /// The content of a file up to `bytes`; `None` if it does not exist.
    fn read(&self, file: u32, bytes: u64) -> Result<Option<Vec<u8>>>;
    /// Creates a file if it does not exist. When this returns, the whole file is allocated and durable.
    fn prepare(&self, file: u32) -> Result<()>;
    /// Writes to a file that was prepared.
    fn write(&self, file: u32, offset: u64, bytes: &[u8]) -> Result<()>;
    /// Makes the writes to a file durable.
    fn sync(&self, file: u32) -> Result<()>;
    /// Removes a file, if it exists.
    fn remove(&self, file: u32) -> Result<()>;
}
