//! The outgoing replies of one connection.
//!
//! A task with a reply puts it into the queue and then writes the queue, unless another task is writing
//! already. So most replies are sent from the thread that made them, and replies made at the same time are
//! sent together. The rest that the socket does not accept immediately is left to a task, so that no other
//! caller waits for a slow client.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tokio::time::timeout;

use super::secure::Secure;
use forebay_net::memory::{Backlog, Waiting};
use forebay_nfs_proto::rpc::record::{MARK_BYTES, mark};

/// Maximum time for the client to accept outgoing replies.
pub(crate) const TRANSFER_TIME_MAX: Duration = Duration::from_secs(60);
/// While the backlog of this connection blocks others, the client must accept some data within this time.
const PROGRESS_TIME: Duration = Duration::from_secs(5);
/// Maximum number of pieces in one vectored write.
const SLICES_MAX: usize = 64;

/// See the module documentation.
pub(crate) struct Replies {
    stream: OwnedWriteHalf,
    /// Encrypts the output, once TLS is in use.
    tls: OnceLock<Arc<Secure>>,
    state: Mutex<State>,
    closed: Notify,
    backlog: Arc<Backlog>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Reply>,
    /// A task is writing and will check the queue again.
    writing: bool,
    /// No more replies follow those in the queue.
    ending: bool,
    /// Nothing more can be sent.
    closed: bool,
}

/// A reply as a record. The permit keeps the request counted as in progress until the reply is written.
struct Reply {
    /// Sent before the pieces; `None` if they are encrypted.
    mark: Option<[u8; MARK_BYTES]>,
    pieces: Vec<Bytes>,
    bytes: usize,
    _waiting: Waiting,
    _permit: OwnedSemaphorePermit,
}

impl Reply {
    fn slices(&self) -> impl Iterator<Item = &[u8]> {
        self.mark.iter().map(|mark| &mark[..]).chain(self.pieces.iter().map(|piece| &piece[..]))
    }

    fn seal(&mut self, secure: &Secure) -> io::Result<()> {
        let sealed = secure.seal(self.slices())?;
        self.bytes = sealed.len();
        self.mark = None;
        self.pieces = vec![sealed];
        Ok(())
    }
}

impl Replies {
    pub(crate) fn new(stream: OwnedWriteHalf, backlog: Arc<Backlog>) -> Arc<Self> {
        let (state, closed) = (Mutex::default(), Notify::new());
        Arc::new(Replies { stream, tls: OnceLock::new(), state, closed, backlog })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change leaves a valid state, so a panic elsewhere does no harm.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a reply to the queue. The caller must call [`Replies::flush`] afterwards.
    pub(crate) fn push(&self, pieces: Vec<Bytes>, permit: OwnedSemaphorePermit) {
        let length = pieces.iter().map(Bytes::len).sum::<usize>();
        let Ok(mark) = mark(length) else {
            tracing::error!(length, "a reply is too long for a record");
            return self.end();
        };
        let mut state = self.state();
        if !state.closed && !state.ending {
            let bytes = MARK_BYTES + length;
            let waiting = self.backlog.add(bytes);
            state.queue.push_back(Reply {
                mark: Some(mark),
                pieces,
                bytes,
                _waiting: waiting,
                _permit: permit,
            });
        }
    }

    /// The socket, for a handshake while no request is in progress.
    pub(crate) fn socket(&self) -> &OwnedWriteHalf {
        &self.stream
    }

    /// Encrypts everything from now on. There is only one handshake per connection.
    pub(crate) fn secure(&self, secure: Arc<Secure>) {
        // A second handshake is refused before this point.
        let _ = self.tls.set(secure);
    }

    /// The account of unread replies.
    pub(crate) fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    /// Closes the connection after the replies in the queue. The caller must call [`Replies::flush`]
    /// afterwards.
    pub(crate) fn end(&self) {
        self.state().ending = true;
    }

    /// Sends the queue: as much as the socket accepts here, the rest in a task.
    pub(crate) fn flush(self: &Arc<Self>) {
        let Some(mut batch) = self.begin() else { return };
        loop {
            match batch.write_now(&self.stream) {
                Ok(()) => match self.next_batch() {
                    Some(next) => batch = next,
                    None => return,
                },
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    tokio::spawn(self.clone().write_rest(batch));
                    return;
                }
                Err(_) => return self.close(),
            }
        }
    }

    async fn write_rest(self: Arc<Self>, mut batch: Batch) {
        loop {
            match timeout(TRANSFER_TIME_MAX, self.write_on(&mut batch)).await {
                Ok(Ok(())) => match self.next_batch() {
                    Some(next) => batch = next,
                    None => return,
                },
                Ok(Err(_)) | Err(_) => return self.close(),
            }
        }
    }

    /// Writes the batch. Returns an error if the client accepts nothing for a while and blocks others.
    async fn write_on(&self, batch: &mut Batch) -> io::Result<()> {
        loop {
            let before = batch.written_total;
            match timeout(PROGRESS_TIME, batch.write(&self.stream)).await {
                Ok(outcome) => return outcome,
                Err(_) if batch.written_total == before && self.backlog.is_in_the_way() => {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                Err(_) => {}
            }
        }
    }

    /// The data to write; `None` if there is none, or another task is writing.
    fn begin(&self) -> Option<Batch> {
        let state = self.state();
        // Checked and taken under one lock: two writers would interleave their records.
        if state.writing { None } else { self.take(state) }
    }

    /// The next data for the current writer. If there is none, writing ends.
    fn next_batch(&self) -> Option<Batch> {
        self.take(self.state())
    }

    fn take(&self, mut state: MutexGuard<'_, State>) -> Option<Batch> {
        state.writing = !state.queue.is_empty();
        if state.writing {
            let replies = std::mem::take(&mut state.queue);
            drop(state);
            return self.seal(replies);
        }
        if state.ending {
            drop(state);
            self.close();
        }
        None
    }

    /// The replies in the form in which they are written.
    fn seal(&self, mut replies: VecDeque<Reply>) -> Option<Batch> {
        if let Some(secure) = self.tls.get() {
            for reply in &mut replies {
                if let Err(error) = reply.seal(secure) {
                    tracing::debug!(%error, "a reply cannot be sealed");
                    self.close();
                    return None;
                }
            }
        }
        Some(Batch { replies, written: 0, written_total: 0 })
    }

    /// Stops sending.
    fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.queue.clear();
        drop(state);
        self.closed.notify_waiters();
    }

    /// Waits until nothing more can be sent.
    pub(crate) async fn closed(&self) {
        let closed = self.closed.notified();
        tokio::pin!(closed);
        // Registered before the check, so that no wake-up is missed.
        closed.as_mut().enable();
        if !self.state().closed {
            closed.await;
        }
    }
}

/// Replies that are being written.
struct Batch {
    replies: VecDeque<Reply>,
    /// Bytes of the first reply that are already written.
    written: usize,
    /// Bytes of all replies that are already written.
    written_total: u64,
}

impl Batch {
    /// Writes as much as the socket accepts. Returns [`io::ErrorKind::WouldBlock`] if that is not everything.
    fn write_now(&mut self, stream: &OwnedWriteHalf) -> io::Result<()> {
        while !self.replies.is_empty() {
            let written = stream.try_write_vectored(&self.slices())?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.advance(written);
        }
        Ok(())
    }

    async fn write(&mut self, stream: &OwnedWriteHalf) -> io::Result<()> {
        loop {
            stream.writable().await?;
            match self.write_now(stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                outcome => return outcome,
            }
        }
    }

    /// The next pieces to write.
    fn slices(&self) -> Vec<IoSlice<'_>> {
        let mut slices = Vec::with_capacity(SLICES_MAX.min(4 * self.replies.len()));
        let mut skip = self.written;
        for reply in &self.replies {
            let pieces = reply.slices();
            for piece in pieces {
                let rest = piece.get(skip..).unwrap_or_default();
                skip = skip.saturating_sub(piece.len());
                if !rest.is_empty() {
                    slices.push(IoSlice::new(rest));
                }
                if slices.len() == SLICES_MAX {
                    return slices;
                }
            }
        }
        slices
    }

    fn advance(&mut self, bytes: usize) {
        self.written += bytes;
        self.written_total += bytes as u64;
        while let Some(first) = self.replies.front()
            && first.bytes <= self.written
        {
            self.written -= first.bytes;
            self.replies.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;
    use tokio::net::{TcpListener, TcpStream};
    use tokio::sync::Semaphore;

    use super::*;
    use forebay_net::memory::Backlogs;
    use forebay_nfs_proto::rpc::record::RecordReader;

    const DEADLINE: Duration = Duration::from_secs(20);

    async fn pair() -> (TcpStream, Arc<Replies>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (server, _) = listener.accept().await.unwrap();
        let (reading, writing) = server.into_split();
        std::mem::forget(reading);
        (client, Replies::new(writing, Arc::new(Backlogs::new(256 << 20).of([127, 0, 0, 1].into()))))
    }

    /// A reply with its index and a distinctive byte. Some are large, so that the socket often accepts only a
    /// part.
    fn reply(index: u32) -> Vec<Bytes> {
        let size = [0, 1, 100, 10, 70_000][index as usize % 5];
        let content = Bytes::from(vec![index as u8; size]);
        vec![Bytes::copy_from_slice(&index.to_be_bytes()), content, Bytes::new()]
    }

    /// Uses dedicated threads, so that they interfere with each other.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_reply_arrives_whole_however_many_send_at_once() {
        const THREADS: u32 = 4;
        const COUNT: u32 = THREADS * 20_000;
        const AT_ONCE: usize = 256;
        let (client, replies) = pair().await;
        let permits = Arc::new(Semaphore::new(AT_ONCE));
        let runtime = tokio::runtime::Handle::current();
        for thread in 0..THREADS {
            let (replies, permits, runtime) = (replies.clone(), permits.clone(), runtime.clone());
            std::thread::spawn(move || {
                let _inside = runtime.enter();
                for index in (thread..COUNT).step_by(THREADS as usize) {
                    let Ok(permit) = runtime.block_on(permits.clone().acquire_owned()) else { return };
                    replies.push(reply(index), permit);
                    replies.flush();
                }
            });
        }
        let mut reader = RecordReader::new(client, 2 << 20);
        let mut seen = vec![false; COUNT as usize];
        for _ in 0..COUNT {
            let record = timeout(DEADLINE, reader.next()).await.unwrap().unwrap().unwrap();
            let index = u32::from_be_bytes(record[..4].try_into().unwrap());
            assert!(record == reply(index).concat(), "reply {index}");
            assert!(!std::mem::replace(&mut seen[index as usize], true));
        }
        // The permits come back when the replies are written.
        timeout(DEADLINE, permits.acquire_many(AT_ONCE as u32)).await.unwrap().unwrap().forget();
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_has_bounded_replies_until_it_does() {
        let (client, replies) = pair().await;
        let permits = Arc::new(Semaphore::new(100));
        let mut sent = 0;
        while replies.backlog().has_room() {
            let reply = vec![Bytes::from(vec![1; 1 << 20])];
            replies.push(reply, permits.clone().acquire_owned().await.unwrap());
            replies.flush();
            sent += 1;
            assert!(sent < 100, "the bound is reached");
        }
        let receiving = tokio::spawn(async move {
            let mut reader = RecordReader::new(client, 2 << 20);
            for _ in 0..sent {
                timeout(DEADLINE, reader.next()).await.unwrap().unwrap().unwrap();
            }
        });
        timeout(DEADLINE, replies.backlog().room()).await.unwrap();
        receiving.await.unwrap();
        timeout(DEADLINE, permits.acquire_many(100)).await.unwrap().unwrap().forget();
    }

    #[tokio::test]
    async fn an_end_comes_after_what_was_in_the_queue_and_nothing_follows_it() {
        let (mut client, replies) = pair().await;
        let permits = Arc::new(Semaphore::new(2));
        replies.push(vec![Bytes::from_static(b"last")], permits.clone().acquire_owned().await.unwrap());
        replies.end();
        replies.push(vec![Bytes::from_static(b"late")], permits.clone().acquire_owned().await.unwrap());
        replies.flush();
        timeout(DEADLINE, replies.closed()).await.unwrap();
        drop(replies);
        let mut received = vec![0; 8];
        timeout(DEADLINE, client.read_exact(&mut received)).await.unwrap().unwrap();
        assert_eq!(received, b"\x80\0\0\x04last");
        assert_eq!(permits.available_permits(), 2);
    }
}
