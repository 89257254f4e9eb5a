//! Memory that segments are read into. It is used again once nobody reads from it any more.
//!
//! New memory is expensive: the kernel clears each page when it is first used, which can take longer than the read
//! itself. A buffer returns only when the last [`Bytes`] of it is dropped, so its content never changes while a chunk is in
//! the cache, or a reply waits for a slow client.

use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::base::sync;

/// The sizes of buffers, in KiB. At most about a fifth of a buffer is unused. They are size classes of jemalloc, which
/// would round up to them anyway.
const SIZES_KIB: [usize; 14] = [64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640];
/// Shorter reads use memory of their own.
const BYTES_MIN: usize = 52 << 10;
/// The total size of the buffers that are kept for later reads.
const FREE_BYTES_MAX: usize = 8 << 20;

/// See the module.
#[derive(Clone, Default)]
pub(super) struct Buffers(Arc<Mutex<Free>>);

/// Buffers that nobody uses, the last returned one last.
#[derive(Default)]
struct Free {
    buffers: Vec<Vec<u8>>,
    bytes: usize,
}

/// A buffer in use. What is in it is old until it is written.
pub(super) struct Buffer {
    memory: Vec<u8>,
    /// How many bytes were read into it.
    length: usize,
    home: Buffers,
}

impl Buffers {
    /// A buffer of at least `length` bytes, or `None` if buffers do not pay off for such a length.
    pub(super) fn take(&self, length: usize) -> Option<Buffer> {
        let size = SIZES_KIB
            .iter()
            .map(|kib| kib << 10)
            .find(|size| *size >= length)
            .filter(|_| length >= BYTES_MIN)?;
        let free = sync::lock(&self.0).take(size);
        let memory = free.unwrap_or_else(|| vec![0; size]);
        Some(Buffer { memory, length: 0, home: self.clone() })
    }
}

impl Free {
    fn take(&mut self, size: usize) -> Option<Vec<u8>> {
        let at = self.buffers.iter().rposition(|memory| memory.len() == size)?;
        self.bytes -= size;
        Some(self.buffers.remove(at))
    }

    fn add(&mut self, memory: Vec<u8>) {
        self.bytes += memory.len();
        self.buffers.push(memory);
        while self.bytes > FREE_BYTES_MAX {
            // The oldest: perhaps its size is no longer in demand.
            self.bytes -= self.buffers.remove(0).len();
        }
    }
}

impl Buffer {
    /// The first `length` bytes.
    pub(super) fn space(&mut self, length: usize) -> &mut [u8] {
        self.memory.get_mut(..length).unwrap_or_default()
    }

    /// The first `length` bytes. The buffer returns when the last slice of them is dropped.
    pub(super) fn freeze(mut self, length: usize) -> Bytes {
        self.length = length;
        Bytes::from_owner(self)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.memory.get(..self.length).unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        sync::lock(&self.home.0).add(std::mem::take(&mut self.memory));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(buffers: &Buffers, length: usize, byte: u8) -> Bytes {
        let mut buffer = buffers.take(length).unwrap();
        buffer.space(length).fill(byte);
        buffer.freeze(length)
    }

    #[test]
    fn a_buffer_is_used_again_only_when_its_last_slice_is_dropped() {
        let buffers = Buffers::default();
        let whole = filled(&buffers, 300_000, 1);
        let (place, slice) = (whole.as_ptr(), whole.slice(250_000..250_010));
        drop(whole);
        for byte in 2..50 {
            assert_ne!(filled(&buffers, 300_000, byte).as_ptr(), place);
            assert_eq!(slice, [1; 10][..]);
        }
        drop(slice);
        assert_eq!(filled(&buffers, 290_000, 3).as_ptr(), place);
    }

    #[test]
    fn buffers_are_hardly_larger_than_needed() {
        let buffers = Buffers::default();
        for length in [BYTES_MIN, 70_000, 131_072, 131_073, 524_288 + 72, 640 << 10] {
            let bytes = filled(&buffers, length, 1);
            assert_eq!(bytes.len(), length);
            assert!(buffers.take(length).unwrap().memory.len() <= length + length / 4);
        }
        assert!(buffers.take(0).is_none() && buffers.take(BYTES_MIN - 1).is_none());
        assert!(buffers.take((640 << 10) + 1).is_none() && buffers.take(usize::MAX).is_none());
    }

    #[test]
    fn no_more_free_memory_is_kept_than_allowed() {
        let buffers = Buffers::default();
        let all: Vec<Bytes> = (0..200).map(|n| filled(&buffers, 60_000 + n * 2_000, 1)).collect();
        drop(all);
        let free = sync::lock(&buffers.0);
        let kept: usize = free.buffers.iter().map(Vec::len).sum();
        assert!(kept == free.bytes && kept <= FREE_BYTES_MAX && kept > FREE_BYTES_MAX / 2);
    }
}
