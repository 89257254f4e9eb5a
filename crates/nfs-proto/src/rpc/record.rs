//! Record marking (RFC 5531 §11): the boundaries of RPC messages in a TCP stream.
//!
//! A record is one or more fragments, each preceded by four bytes with its length and a flag for the last
//! one. A record of one fragment, which is what clients send, is returned without copying. Small records are
//! slices of a shared buffer; large ones have their own buffer ([`Buffers`]), so that a payload that is kept
//! for long does not keep other records in memory.
//!
//! A record that is only announced takes no memory: a record over the limit is refused by its header, and a
//! buffer is allocated only when the first [`OWN_BUFFER_BYTES_MIN`] bytes have arrived. A connection that has
//! a buffer, sends slowly and blocks others is closed.

use std::io::{self, IoSlice};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use forebay_net::memory::{Buffer, Buffers, Taken};

const LAST_FRAGMENT: u32 = 0x8000_0000;
/// Size of a fragment's header.
pub const MARK_BYTES: usize = 4;
/// Size of the shared buffer.
const BUFFER_BYTES: usize = 64 << 10;
/// Minimum free space in the shared buffer before a read.
const READ_BYTES_MIN: usize = 4 << 10;
/// Records of at least this size get their own buffer.
const OWN_BUFFER_BYTES_MIN: usize = 16 << 10;
/// While others wait for memory, this much of a large record must arrive per interval.
const PROGRESS_TIME: Duration = Duration::from_secs(1);
const PROGRESS_BYTES_MIN: usize = 64 << 10;
/// Maximum number of fragments of a record. Real clients send few, and each costs the server work.
const FRAGMENTS_MAX: usize = 64;
/// Maximum number of pieces in one vectored write.
const SLICES_MAX: usize = 64;

/// Reads records from a stream.
pub struct RecordReader<R> {
    stream: R,
    buffer: BytesMut,
    record_bytes_max: usize,
    buffers: Buffers,
    progress_time: Duration,
}

/// A record, and the memory that it takes until the caller drops it.
pub struct Received {
    /// The record, without its marks.
    pub record: Bytes,
    /// The memory, if the record has a buffer of its own.
    pub room: Option<Taken>,
}

impl From<Buffer> for Received {
    fn from(buffer: Buffer) -> Self {
        let (record, room) = buffer.freeze();
        Received { record, room: Some(room) }
    }
}

/// A stream that can report available data without being given memory for it.
pub trait Readable {
    /// Waits until data is available or the stream has ended; may wake up spuriously. Cancel safe.
    fn readable(&self) -> impl Future<Output = io::Result<()>> + Send;

    /// Releases as much memory as possible until data arrives.
    fn rest(&mut self);
}

impl<R: AsyncRead + Unpin> RecordReader<R> {
    /// Reads from `stream`. A record of more than `record_bytes_max` bytes is an error.
    pub fn new(stream: R, record_bytes_max: usize) -> Self {
        RecordReader::with_buffers(stream, record_bytes_max, Buffers::default())
    }

    /// Like [`RecordReader::new`], with buffers that several connections share.
    pub fn with_buffers(stream: R, record_bytes_max: usize, buffers: Buffers) -> Self {
        let buffer = BytesMut::new();
        RecordReader { stream, buffer, record_bytes_max, buffers, progress_time: PROGRESS_TIME }
    }

    /// Whether a small record has already arrived, so that [`RecordReader::next`] need not wait.
    pub fn has_record(&self) -> bool {
        let Some((header, body)) = self.buffer.split_first_chunk() else { return false };
        let header = u32::from_be_bytes(*header);
        let length = (header & !LAST_FRAGMENT) as usize;
        header & LAST_FRAGMENT != 0 && length < OWN_BUFFER_BYTES_MIN && length <= body.len()
    }

    /// The next record; `None` if the stream ends before it begins.
    ///
    /// Not cancel safe: if the call is dropped, part of a record is lost.
    pub async fn next(&mut self) -> io::Result<Option<Bytes>> {
        Ok(self.receive().await?.map(|received| received.record))
    }

    /// Like [`RecordReader::next`], but the record's memory stays charged as long as the caller keeps the record.
    pub async fn receive(&mut self) -> io::Result<Option<Received>> {
        let Some((length, is_last)) = self.fragment_header().await? else {
            return Ok(None);
        };
        self.require_limit(length)?;
        self.await_first_bytes(length).await?;
        let received = if !is_last {
            self.fragments(length).await?
        } else if length < OWN_BUFFER_BYTES_MIN {
            Received { record: self.buffer.split_to(length).freeze(), room: None }
        } else {
            let mut own = self.buffers.take(length).await?;
            self.append(own.content(), length).await?;
            own.into()
        };
        Ok(Some(received))
    }

    /// A record with further fragments. Its final size is unknown, so memory for the largest record is
    /// reserved.
    async fn fragments(&mut self, first: usize) -> io::Result<Received> {
        let mut own = self.buffers.take(self.record_bytes_max).await?;
        self.append(own.content(), first).await?;
        for _ in 1..FRAGMENTS_MAX {
            let (length, is_last) = self.next_fragment_header().await?;
            self.require_limit(length.saturating_add(own.content().len()))?;
            self.append(own.content(), length).await?;
            if is_last {
                return Ok(own.into());
            }
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "RPC record in too many fragments"))
    }

    async fn fragment_header(&mut self) -> io::Result<Option<(usize, bool)>> {
        while self.buffer.len() < MARK_BYTES {
            if self.fill(MARK_BYTES).await? == 0 {
                return match self.buffer.len() {
                    0 => Ok(None),
                    _ => Err(io::ErrorKind::UnexpectedEof.into()),
                };
            }
        }
        let header = self.buffer.get_u32();
        Ok(Some(((header & !LAST_FRAGMENT) as usize, header & LAST_FRAGMENT != 0)))
    }

    /// The header of a fragment that must follow.
    async fn next_fragment_header(&mut self) -> io::Result<(usize, bool)> {
        loop {
            match timeout(self.progress_time, self.fragment_header()).await {
                Ok(header) => return header?.ok_or(io::ErrorKind::UnexpectedEof.into()),
                Err(_) => self.require_patience()?,
            }
        }
    }

    fn require_limit(&self, length: usize) -> io::Result<()> {
        if length > self.record_bytes_max {
            let message = format!("RPC record over the limit of {} bytes", self.record_bytes_max);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(())
    }

    /// Returns an error if others wait for memory.
    fn require_patience(&self) -> io::Result<()> {
        if self.buffers.are_wanted() {
            let message = "RPC record comes too slowly while others wait for memory";
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        Ok(())
    }

    /// Waits for the first bytes of a fragment, which show that the peer really sends it.
    async fn await_first_bytes(&mut self, length: usize) -> io::Result<()> {
        let first = length.min(OWN_BUFFER_BYTES_MIN);
        while self.buffer.len() < first {
            if self.fill(first).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(())
    }

    /// Appends the body of a fragment.
    async fn append(&mut self, content: &mut BytesMut, length: usize) -> io::Result<()> {
        let whole = content.len() + length;
        let buffered = self.buffer.len().min(length);
        content.extend_from_slice(&self.buffer.split_to(buffered));
        while content.len() < whole {
            let before = content.len();
            match timeout(self.progress_time, read_up_to(&mut self.stream, content, whole)).await {
                Ok(outcome) => outcome?,
                Err(_) if content.len() - before < PROGRESS_BYTES_MIN => self.require_patience()?,
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Reads the available data, with room for at least `needed` bytes in the buffer.
    async fn fill(&mut self, needed: usize) -> io::Result<usize> {
        let free = self.buffer.capacity() - self.buffer.len();
        if free < READ_BYTES_MIN || self.buffer.capacity() < needed {
            self.buffer.reserve(BUFFER_BYTES);
        }
        self.stream.read_buf(&mut self.buffer).await
    }
}

impl<R: AsyncRead + Readable + Unpin> RecordReader<R> {
    /// Waits until a byte of the next record is available, or the stream has ended. Cancel safe.
    pub async fn readable(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            self.stream.readable().await?;
            self.fill(MARK_BYTES).await?;
        }
        Ok(())
    }

    /// Releases as much memory as possible until data arrives.
    pub fn rest(&mut self) {
        if self.buffer.is_empty() {
            self.buffer = BytesMut::new();
        }
        self.stream.rest();
    }

    /// The first byte of the next record, if available.
    pub fn peek(&self) -> Option<u8> {
        self.buffer.first().copied()
    }

    /// Returns the stream and any buffered bytes that are not yet part of a record, so that the caller can
    /// take over the connection.
    pub fn take_over(&mut self) -> (&mut R, BytesMut) {
        (&mut self.stream, std::mem::take(&mut self.buffer))
    }
}

/// Reads until there are `length` bytes. Cancel safe: the bytes read so far are in `content`.
async fn read_up_to(
    stream: &mut (impl AsyncRead + Unpin),
    content: &mut BytesMut,
    length: usize,
) -> io::Result<()> {
    while content.len() < length {
        let missing = (length - content.len()) as u64;
        if (&mut *stream).take(missing).read_buf(content).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// The header of a record of this length in one fragment.
pub fn mark(length: usize) -> io::Result<[u8; MARK_BYTES]> {
    let header = u32::try_from(length).ok().filter(|length| length & LAST_FRAGMENT == 0);
    Ok((header.ok_or(io::ErrorKind::InvalidInput)? | LAST_FRAGMENT).to_be_bytes())
}

/// Writes one record made of `pieces`, without copying them into one buffer.
pub async fn write_record(stream: &mut (impl AsyncWrite + Unpin), pieces: &[Bytes]) -> io::Result<()> {
    let header = mark(pieces.iter().map(Bytes::len).sum())?;
    let mut slices = Vec::with_capacity(pieces.len() + 1);
    slices.push(IoSlice::new(&header));
    slices.extend(pieces.iter().map(|piece| IoSlice::new(piece)));
    let mut rest = slices.as_mut_slice();
    IoSlice::advance_slices(&mut rest, 0);
    while !rest.is_empty() {
        let some = rest.get(..rest.len().min(SLICES_MAX)).unwrap_or_default();
        let written = stream.write_vectored(some).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        IoSlice::advance_slices(&mut rest, written);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use forebay_net::memory::Shares;

    impl Readable for &[u8] {
        async fn readable(&self) -> io::Result<()> {
            Ok(())
        }

        fn rest(&mut self) {}
    }

    fn fragment(last: bool, body: &[u8]) -> Vec<u8> {
        let header = body.len() as u32 | if last { LAST_FRAGMENT } else { 0 };
        [&header.to_be_bytes(), body].concat()
    }

    async fn records_of(stream: &[u8], record_bytes_max: usize) -> io::Result<Vec<Bytes>> {
        let mut reader = RecordReader::new(stream, record_bytes_max);
        let mut records = Vec::new();
        while let Some(record) = reader.next().await? {
            records.push(record);
        }
        Ok(records)
    }

    #[tokio::test]
    async fn what_is_written_is_read_whatever_its_size() {
        let sizes = [0usize, 1, 4, 15 << 10, 16 << 10, 64 << 10, 1 << 20, 3];
        let mut stream = Vec::new();
        let mut sent = Vec::new();
        for (index, size) in sizes.into_iter().enumerate() {
            let body = Bytes::from(vec![index as u8; size]);
            let half = size / 2;
            write_record(&mut stream, &[body.slice(..half), body.slice(half..)]).await.unwrap();
            sent.push(body);
        }
        assert_eq!(records_of(&stream, 1 << 20).await.unwrap(), sent);
    }

    #[tokio::test]
    async fn a_record_that_has_arrived_is_known_before_it_is_taken() {
        let stream =
            [fragment(true, b"ab"), fragment(true, b"cd"), fragment(true, &[1; 100])[..50].to_vec()].concat();
        let mut reader = RecordReader::new(&stream[..], 1 << 20);
        assert!(!reader.has_record());
        reader.readable().await.unwrap();
        for expected in ["ab", "cd"] {
            assert!(reader.has_record());
            assert_eq!(reader.next().await.unwrap().unwrap(), expected);
        }
        assert!(!reader.has_record());
    }

    #[tokio::test]
    async fn fragments_make_one_record() {
        let stream = [fragment(false, b"ab"), fragment(false, b""), fragment(true, &[b'c'; 20_000])].concat();
        let records = records_of(&stream, 1 << 20).await.unwrap();
        assert_eq!(records, [[&b"ab"[..], &[b'c'; 20_000]].concat()]);
    }

    #[tokio::test]
    async fn a_record_over_the_limit_is_refused_before_it_is_read() {
        let header = (u32::MAX).to_be_bytes();
        let error = records_of(&header, 1 << 20).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let stream = [fragment(false, &[0; 600]), fragment(true, &[0; 600])].concat();
        assert_eq!(records_of(&stream, 1000).await.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    /// Takes a record if it has arrived: `None` while the rest is outstanding.
    async fn try_next<R: AsyncRead + Unpin>(
        reader: &mut RecordReader<R>,
    ) -> Option<io::Result<Option<Bytes>>> {
        let mut next = Box::pin(reader.next());
        match std::future::poll_fn(|context| std::task::Poll::Ready(next.as_mut().poll(context))).await {
            std::task::Poll::Ready(outcome) => Some(outcome),
            std::task::Poll::Pending => None,
        }
    }

    #[tokio::test]
    async fn what_is_only_announced_takes_nothing() {
        let shares = Shares::new(4 << 20);
        let buffers = Buffers::new(0).counted_in(shares.of([192, 0, 2, 1].into()));
        let mut begun = Vec::new();
        for _ in 0..100 {
            let (mut peer, stream) = tokio::io::duplex(64 << 10);
            peer.write_all(&fragment(true, &[0; 1 << 20])[..10_000]).await.unwrap();
            let mut reader = RecordReader::with_buffers(stream, 1 << 20, buffers.clone());
            assert!(try_next(&mut reader).await.is_none());
            begun.push((peer, reader));
        }
        assert!(!buffers.are_wanted());
        buffers.take(2 << 20).await.unwrap();
    }

    #[tokio::test]
    async fn who_sends_a_large_record_slowly_gives_way_when_others_wait() {
        let large = fragment(true, &vec![0; 2 << 20])[..20_000].to_vec();
        for begun in [large, fragment(false, &[0; 1000]), fragment(false, &[0; 20_000])] {
            let shares = Shares::new(4 << 20);
            let buffers = Buffers::new(0).counted_in(shares.of([192, 0, 2, 1].into()));
            let (mut peer, stream) = tokio::io::duplex(64 << 10);
            let mut reader = RecordReader::with_buffers(stream, 2 << 20, buffers.clone());
            peer.write_all(&begun).await.unwrap();
            reader.progress_time = Duration::from_millis(10);
            let mut slow = Box::pin(reader.next());
            assert!(timeout(Duration::from_millis(50), &mut slow).await.is_err(), "nobody minds");
            let other = tokio::spawn(async move { buffers.take(1 << 20).await.map(drop) });
            assert_eq!(slow.await.unwrap_err().kind(), io::ErrorKind::TimedOut);
            other.await.unwrap().unwrap();
            drop(peer);
        }
    }

    #[tokio::test]
    async fn endless_fragments_are_refused() {
        let stream = fragment(false, b"").repeat(1000);
        assert_eq!(records_of(&stream, 1000).await.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }

    #[tokio::test]
    async fn a_stream_that_ends_inside_a_record_is_an_error() {
        let whole = fragment(true, b"abcdef");
        for length in 1..whole.len() {
            let error = records_of(&whole[..length], 1000).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
    }
}
