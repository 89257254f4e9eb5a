//! How far a check is, seen from outside, and the wish that it ends.

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
    /// Chunks whose references were compared, and all there are; 0 before they were counted.
    pub fn chunks(&self) -> (u64, u64) {
        self.chunks.get()
    }

    /// Bytes of frames that were read and verified, and those that are referenced.
    pub fn bytes(&self) -> (u64, u64) {
        self.bytes.get()
    }

    /// Has the check end soon, with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(crate) fn expect(&self, chunks: u64, bytes: u64) {
        self.chunks.total.store(chunks, Ordering::Relaxed);
        self.bytes.total.store(bytes, Ordering::Relaxed);
    }

    /// A chunk was compared.
    pub(crate) fn compared(&self) {
        self.chunks.done.fetch_add(1, Ordering::Relaxed);
    }

    /// A frame of that many bytes was read.
    pub(crate) fn read(&self, bytes: u64) {
        self.bytes.done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn go_on(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}
