//! Reports the progress of a check to its caller, and lets the caller cancel it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::{Error, Result};

/// Watches one check, and can cancel it.
#[derive(Debug, Default)]
pub struct CheckWatch {
    chunks: Count,
    bytes: Count,
    cancelled: AtomicBool,
}

#[derive(Debug, Default)]
struct Count {
    done: AtomicU64,
    total: AtomicU64,
}

impl Count {
    fn get(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }
}

impl CheckWatch {
    /// The number of chunks whose references have been compared, and the number of all chunks. Both are 0 before the chunks
    /// are counted.
    pub fn chunks(&self) -> (u64, u64) {
        self.chunks.get()
    }

    /// The number of bytes of frames that were read and verified, and of those that are referenced.
    pub fn bytes(&self) -> (u64, u64) {
        self.bytes.get()
    }

    /// Asks the check to end soon with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn expect(&self, chunks: u64, bytes: u64) {
        self.chunks.total.store(chunks, Ordering::Relaxed);
        self.bytes.total.store(bytes, Ordering::Relaxed);
    }

    /// Counts a compared chunk.
    pub(crate) fn compared(&self) {
        self.chunks.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a frame of this many bytes.
    pub(crate) fn read(&self, bytes: u64) {
        self.bytes.done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn go_on(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}
