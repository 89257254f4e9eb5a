//! Reusable buffers for large records, with a limit.
//!
//! Receiving a payload of 1 MiB into fresh memory costs a page fault for every 4 KiB, which is a large part
//! of the total cost. So a buffer returns here when the last slice of its record is dropped, wherever that
//! happens, and is reused. While a record is being received, and until there is room in the memory for
//! requests in progress, its buffer is charged to a share ([`Share`]): a client that sends many large records
//! slowly can take no more than its share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};

use super::shares::{Share, Taken};

/// Payload capacity of the smallest buffer class: 64 KiB plus headers. Each class doubles the previous one.
const PAYLOAD_BYTES_MIN: usize = 64 << 10;
const AROUND_BYTES: usize = 4 << 10;
/// The largest class holds a payload of 1 MiB.
const KINDS: usize = 5;
/// Default limit of idle buffers.
const IDLE_BYTES_MAX: usize = 4 << 20;

/// A source of buffers. Clones share the idle buffers and the limit.
#[derive(Clone)]
pub struct Buffers {
    home: Arc<Home>,
    room: Share,
}

struct Home {
    idle_bytes_max: usize,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    kinds: [Vec<BytesMut>; KINDS],
    bytes: usize,
}

impl Default for Buffers {
    /// Any number of buffers; only a few stay idle for reuse.
    fn default() -> Self {
        Buffers::new(IDLE_BYTES_MAX)
    }
}

impl Buffers {
    /// Any number of buffers, of which at most `idle_bytes_max` bytes stay idle for reuse.
    pub fn new(idle_bytes_max: usize) -> Self {
        Buffers { home: Arc::new(Home { idle_bytes_max, idle: Mutex::default() }), room: Share::unbounded() }
    }

    /// The same buffers, charged to this share.
    pub fn counted_in(&self, room: Share) -> Self {
        Buffers { home: self.home.clone(), room }
    }

    /// An empty buffer for this many bytes; waits for room if necessary.
    pub async fn take(&self, bytes: usize) -> std::io::Result<Buffer> {
        let room = self.room.take(bytes, || ()).await?;
        let content = self.home.idle().take(bytes);
        let content = content.unwrap_or_else(|| BytesMut::with_capacity(capacity(bytes)));
        Ok(Buffer { content: Lent { content, home: self.home.clone() }, room })
    }

    /// Whether a caller waits for room that these or other buffers use.
    pub fn are_wanted(&self) -> bool {
        self.room.is_wanted()
    }
}

impl Home {
    /// Idle buffers change by single calls on the lists, so a panic elsewhere leaves no harmful partial
    /// change.
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

/// The smallest class that holds this many bytes; `None` if the largest does not.
fn kind(bytes: usize) -> Option<usize> {
    (0..KINDS).find(|kind| capacity_of(*kind) >= bytes)
}

fn capacity_of(kind: usize) -> usize {
    (PAYLOAD_BYTES_MIN << kind) + AROUND_BYTES
}

/// The capacity of a new buffer for this many bytes.
fn capacity(bytes: usize) -> usize {
    kind(bytes).map_or(bytes, capacity_of)
}

/// A buffer into which a record is being received.
pub struct Buffer {
    content: Lent,
    room: Taken,
}

impl Buffer {
    /// The bytes received so far.
    pub fn content(&mut self) -> &mut BytesMut {
        &mut self.content.content
    }

    /// Completes the record. It stays charged until the second value is dropped.
    pub fn freeze(self) -> (Bytes, Taken) {
        (Bytes::from_owner(self.content), self.room)
    }
}

/// Bytes whose buffer is returned when they are dropped.
struct Lent {
    content: BytesMut,
    home: Arc<Home>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let content = std::mem::take(&mut self.content);
        self.home.idle().give_back(content, self.home.idle_bytes_max);
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::Poll;

    use bytes::BufMut;

    use super::super::shares::Shares;
    use super::*;

    async fn record(buffers: &Buffers, bytes: usize) -> Bytes {
        let mut buffer = buffers.take(bytes).await.unwrap();
        buffer.content().put_bytes(7, bytes);
        buffer.freeze().0
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
        let buffers = Buffers::new(3 << 20);
        let mut records = Vec::new();
        for _ in 0..10 {
            records.push(record(&buffers, 1 << 20).await);
        }
        // Of no class, so never kept.
        records.push(record(&buffers, 8 << 20).await);
        drop(records);
        let idle = buffers.home.idle();
        assert_eq!(idle.bytes, 2 * capacity_of(KINDS - 1));
        assert_eq!(idle.kinds.iter().map(Vec::len).sum::<usize>(), 2);
    }

    #[tokio::test]
    async fn records_beyond_the_limit_wait_until_others_are_complete_and_in_work() {
        let shares = Shares::new(4 << 20);
        let buffers = Buffers::new(0).counted_in(shares.of([192, 0, 2, 1].into()));
        let slow = [buffers.take(1 << 20).await.unwrap(), buffers.take(1 << 20).await.unwrap()];
        let mut next = Box::pin(buffers.take(64 << 20));
        assert!(poll_once(&mut next).await.is_pending());
        assert!(buffers.are_wanted());
        let complete = slow.map(Buffer::freeze);
        assert!(poll_once(&mut next).await.is_pending());
        drop(complete.map(|(_, room)| room));
        next.await.unwrap();
    }

    async fn poll_once<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Poll<T> {
        std::future::poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context))).await
    }
}
