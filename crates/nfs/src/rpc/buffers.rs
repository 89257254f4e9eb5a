//! Buffers for large records: used again and again, and bounded.
//!
//! A payload of a MiB in fresh memory costs a page fault for every 4 KiB, which is a good part of what it costs to receive it. So a
//! buffer comes back here when the last slice of its record is dropped, wherever that is, and waits for the next record.
//! While records are being received their buffers are counted: whoever sends many large records slowly has others wait for room,
//! for as long as a record may take, and does not take more memory.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Capacity of the smallest kind of buffer: a payload of 64 KiB and what is around it. Each kind has twice the payload of the last.
const PAYLOAD_BYTES_MIN: usize = 64 << 10;
const AROUND_BYTES: usize = 4 << 10;
/// The largest holds a payload of 1 MiB.
const KINDS: usize = 5;
/// What waits to be used again, if nobody says otherwise.
const IDLE_BYTES_MAX: usize = 4 << 20;

/// Where buffers come from. Clones share what is in it.
#[derive(Clone)]
pub struct Buffers(Arc<Shared>);

struct Shared {
    /// In KiB; what records may take while they are received.
    room: Arc<Semaphore>,
    room_total: u32,
    idle_bytes_max: usize,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    kinds: [Vec<BytesMut>; KINDS],
    bytes: usize,
}

impl Default for Buffers {
    /// Buffers of any number; few of them wait to be used again.
    fn default() -> Self {
        Buffers::new(usize::MAX, IDLE_BYTES_MAX)
    }
}

impl Buffers {
    /// At most `receiving_bytes_max` for records that are being received, and `idle_bytes_max` waiting to be used again.
    pub fn new(receiving_bytes_max: usize, idle_bytes_max: usize) -> Self {
        let limit = u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX);
        let room_total = u32::try_from(receiving_bytes_max >> 10).unwrap_or(limit).clamp(1, limit);
        Buffers(Arc::new(Shared {
            room: Arc::new(Semaphore::new(room_total as usize)),
            room_total,
            idle_bytes_max,
            idle: Mutex::default(),
        }))
    }

    /// An empty buffer for that many bytes; waits for room if need be.
    pub(super) async fn take(&self, bytes: usize) -> std::io::Result<Buffer> {
        let wanted = u32::try_from(bytes >> 10).unwrap_or(u32::MAX).clamp(1, self.0.room_total);
        let room = self.0.room.clone().acquire_many_owned(wanted).await.map_err(std::io::Error::other)?;
        let content = self.0.idle().take(bytes).unwrap_or_else(|| BytesMut::with_capacity(capacity(bytes)));
        Ok(Buffer { content: Lent { content, home: self.clone() }, room })
    }
}

impl Shared {
    /// What is idle changes by single calls of the lists, so a panic elsewhere leaves no half-done change that matters.
    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
    fn take(&mut self, bytes: usize) -> Option<BytesMut> {
        let buffer = self.kinds.get_mut(kind(bytes)?)?.pop()?;
        self.bytes = self.bytes.saturating_sub(buffer.capacity());
        Some(buffer)
    }

    fn give_back(&mut self, mut buffer: BytesMut, bytes_max: usize) {
        buffer.clear();
        let capacity = buffer.capacity();
        let kind = kind(capacity).filter(|kind| capacity_of(*kind) == capacity);
        if let Some(list) = kind.and_then(|kind| self.kinds.get_mut(kind))
            && self.bytes.saturating_add(capacity) <= bytes_max
        {
            self.bytes += capacity;
            list.push(buffer);
        }
    }
}

/// The smallest kind that holds so many bytes; `None` if the largest does not.
fn kind(bytes: usize) -> Option<usize> {
    (0..KINDS).find(|kind| capacity_of(*kind) >= bytes)
}

fn capacity_of(kind: usize) -> usize {
    (PAYLOAD_BYTES_MIN << kind) + AROUND_BYTES
}

/// The capacity of a new buffer for so many bytes.
fn capacity(bytes: usize) -> usize {
    kind(bytes).map_or(bytes, capacity_of)
}

/// A buffer that a record is being received into.
pub(super) struct Buffer {
    content: Lent,
    room: OwnedSemaphorePermit,
}

impl Buffer {
    /// What has been received.
    pub(super) fn content(&mut self) -> &mut BytesMut {
        &mut self.content.content
    }

    /// The record is complete, and no longer counted.
    pub(super) fn freeze(self) -> Bytes {
        drop(self.room);
        Bytes::from_owner(self.content)
    }
}

/// Bytes that go home when they are dropped.
struct Lent {
    content: BytesMut,
    home: Buffers,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let content = std::mem::take(&mut self.content);
        self.home.0.idle().give_back(content, self.home.0.idle_bytes_max);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::BufMut;

    use super::*;

    async fn record(buffers: &Buffers, bytes: usize) -> Bytes {
        let mut buffer = buffers.take(bytes).await.unwrap();
        buffer.content().put_bytes(7, bytes);
        buffer.freeze()
    }

    #[tokio::test]
    async fn a_buffer_is_used_again_once_its_last_slice_is_gone() {
        let buffers = Buffers::default();
        let first = record(&buffers, 1 << 20).await;
        let at = first.as_ptr();
        let slice = first.slice(100..200);
        drop(first);
        let second = record(&buffers, 1 << 20).await;
        assert_ne!(second.as_ptr(), at, "a slice is still in use");
        assert!(slice.iter().all(|byte| *byte == 7));
        drop(slice);
        let third = record(&buffers, 900 << 10).await;
        assert_eq!(third.as_ptr(), at);
        assert_eq!(third.len(), 900 << 10);
    }

    #[tokio::test]
    async fn no_more_than_allowed_waits_to_be_used_again() {
        let buffers = Buffers::new(usize::MAX, 3 << 20);
        let mut records = Vec::new();
        for _ in 0..10 {
            records.push(record(&buffers, 1 << 20).await);
        }
        // Of no kind, so never kept.
        records.push(record(&buffers, 8 << 20).await);
        drop(records);
        let idle = buffers.0.idle();
        assert_eq!(idle.bytes, 2 * capacity_of(KINDS - 1));
        assert_eq!(idle.kinds.iter().map(Vec::len).sum::<usize>(), 2);
    }

    #[tokio::test]
    async fn records_beyond_the_limit_wait_until_others_are_complete() {
        let buffers = Buffers::new(2 << 20, 0);
        let slow = [buffers.take(1 << 20).await.unwrap(), buffers.take(1 << 20).await.unwrap()];
        let waiting = tokio::time::timeout(Duration::from_millis(20), buffers.take(1 << 20));
        assert!(waiting.await.is_err());
        let complete: Vec<Bytes> = slow.into_iter().map(Buffer::freeze).collect();
        buffers.take(64 << 20).await.unwrap();
        drop(complete);
    }
}
