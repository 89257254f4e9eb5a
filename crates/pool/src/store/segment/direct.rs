//! Writes that bypass the page cache (O_DIRECT).
//!
//! A large write is copied into an aligned buffer and written to the disk from there. That costs half as much as a write
//! through the page cache, and leaves the cache to readers. The last block is filled with zeros; the writer places nothing else
//! in it, so no block with acknowledged bytes is ever written again. As with other writes, data is durable only after the file
//! is synced: the disk has a cache, and the file system has its own metadata.
//!
//! If a file system refuses direct writes (tmpfs, some overlays), all later writes go through the cache.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rustix::fs::OFlags;

use super::LARGE_BYTES;
use crate::base::sync;
use crate::format::frames::BLOCK_BYTES;
use crate::format::keys::SegmentId;

/// Bytes written to the disk at once.
const BUFFER_BYTES: usize = 2 << 20;
const BLOCK: usize = BLOCK_BYTES as usize;
/// Buffers kept for later writes.
const BUFFERS_KEPT_MAX: usize = 4;

/// Segments that are open for direct writes.
#[derive(Default)]
pub(super) struct DirectFiles {
    refused: AtomicBool,
    files: Mutex<HashMap<SegmentId, Arc<File>>>,
    buffers: Mutex<Vec<Buffer>>,
}

/// Memory that contains [`BUFFER_BYTES`] starting at a multiple of the block size.
struct Buffer {
    memory: Vec<u8>,
    start: usize,
}

impl Buffer {
    fn new() -> Buffer {
        let memory = vec![0; BUFFER_BYTES + BLOCK];
        let start = memory.as_ptr().align_offset(BLOCK);
        Buffer { memory, start }
    }

    fn bytes(&mut self) -> io::Result<&mut [u8]> {
        let end = self.start.saturating_add(BUFFER_BYTES);
        self.memory.get_mut(self.start..end).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }
}

impl DirectFiles {
    /// Writes the parts, and zeros up to the end of the last block. Returns false if nothing was written, because the write is
    /// small or not aligned, or the file system refuses direct writes.
    pub(super) fn write(&self, id: SegmentId, path: &Path, offset: u64, parts: &[Bytes]) -> io::Result<bool> {
        let total: u64 = parts.iter().map(|part| part.len() as u64).sum();
        if total < LARGE_BYTES || !offset.is_multiple_of(BLOCK_BYTES) || self.refused.load(Ordering::Relaxed)
        {
            return Ok(false);
        }
        let written = self.file(id, path).and_then(|file| self.write_to(&file, offset, parts));
        match written {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                tracing::info!(path = %path.display(), "the file system does not support direct writes: using its cache");
                self.refused.store(true, Ordering::Relaxed);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Closes the segment's file: it gets no more large writes.
    pub(super) fn forget(&self, id: SegmentId) {
        sync::lock(&self.files).remove(&id);
    }

    fn file(&self, id: SegmentId, path: &Path) -> io::Result<Arc<File>> {
        if let Some(file) = sync::lock(&self.files).get(&id) {
            return Ok(file.clone());
        }
        let flags = OFlags::DIRECT.bits().cast_signed();
        let file = Arc::new(OpenOptions::new().write(true).custom_flags(flags).open(path)?);
        sync::lock(&self.files).insert(id, file.clone());
        Ok(file)
    }

    fn write_to(&self, file: &File, offset: u64, parts: &[Bytes]) -> io::Result<()> {
        let mut buffer = sync::lock(&self.buffers).pop().unwrap_or_else(Buffer::new);
        let outcome = write_through(buffer.bytes()?, file, offset, parts);
        let mut buffers = sync::lock(&self.buffers);
        if buffers.len() < BUFFERS_KEPT_MAX {
            buffers.push(buffer);
        }
        outcome
    }
}

/// Fills the buffer with the parts, and writes it, until all parts are written.
fn write_through(buffer: &mut [u8], file: &File, offset: u64, parts: &[Bytes]) -> io::Result<()> {
    let (mut at, mut used) = (offset, 0);
    for part in parts {
        let mut rest = &part[..];
        while !rest.is_empty() {
            let free = buffer.get_mut(used..).unwrap_or_default();
            let count = rest.len().min(free.len());
            let (now, later) = rest.split_at(count);
            if let Some(place) = free.get_mut(..count) {
                place.copy_from_slice(now);
            }
            used += count;
            rest = later;
            if used == buffer.len() {
                file.write_all_at(buffer, at)?;
                at += used as u64;
                used = 0;
            }
        }
    }
    let end = used.next_multiple_of(BLOCK);
    if let Some(padding) = buffer.get_mut(used..end) {
        padding.fill(0);
    }
    file.write_all_at(buffer.get(..end).unwrap_or_default(), at)
}
