//! A stream that reads on for a moment after it was shut down.
//!
//! A request may be answered before it has arrived: it is refused. If the server closed the connection then, the system would
//! answer the rest of the body with a reset, and the client could lose the response. So the server ends its own direction, and drops
//! what still arrives, until the client has closed the connection too.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// How long the server waits for the client to close the connection.
const LINGER_MAX: Duration = Duration::from_secs(10);
/// How long it waits for the next bytes.
const SILENCE_MAX: Duration = Duration::from_secs(2);
/// Most bytes that it reads and drops.
const LINGER_BYTES_MAX: u64 = 64 << 20;
/// Bytes that are dropped at once.
const STEP_BYTES: usize = 16 << 10;

/// A stream that reads on after it was shut down, if the last request had a body.
pub struct Linger<S> {
    stream: S,
    had_body: Arc<AtomicBool>,
    silence_max: Duration,
    /// Whether the client has ended its direction.
    ended: bool,
    last: Option<Last>,
}

/// What is left of a connection that was shut down.
struct Last {
    until: Instant,
    silence: Pin<Box<Sleep>>,
    bytes: u64,
}

impl<S> Linger<S> {
    /// Wraps `stream`. The server sets `had_body` when a request comes, if it has a body.
    pub fn new(stream: S, had_body: Arc<AtomicBool>) -> Linger<S> {
        Linger { stream, had_body, silence_max: SILENCE_MAX, ended: false, last: None }
    }
}

impl<S: AsyncRead + Unpin> Linger<S> {
    fn poll_drop_rest(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.ended || !self.had_body.load(Ordering::Relaxed) {
            return Poll::Ready(());
        }
        let silence_max = self.silence_max;
        let last = self.last.get_or_insert_with(|| Last {
            until: Instant::now() + LINGER_MAX,
            silence: Box::pin(sleep(silence_max)),
            bytes: 0,
        });
        loop {
            let mut space = [0; STEP_BYTES];
            let mut buffer = ReadBuf::new(&mut space);
            match Pin::new(&mut self.stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    last.bytes += buffer.filled().len() as u64;
                    let now = Instant::now();
                    if last.bytes > LINGER_BYTES_MAX || now > last.until {
                        return Poll::Ready(());
                    }
                    last.silence.as_mut().reset(last.until.min(now + silence_max));
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return last.silence.as_mut().poll(context),
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Linger<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
        self.ended = read.is_err() || (buffer.remaining() > 0 && buffer.filled().len() == before);
        Poll::Ready(read)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Linger<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.last.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        self.poll_drop_rest(context).map(Ok)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn what_still_arrives_is_dropped_until_the_client_closes_too() {
        let (near, mut far) = duplex(1 << 10);
        let mut lingering = Linger::new(near, Arc::new(AtomicBool::new(true)));
        lingering.silence_max = Duration::from_secs(60);
        let server = tokio::spawn(async move { lingering.shutdown().await });
        assert_eq!(far.read(&mut [0; 10]).await.unwrap(), 0, "the server's direction has ended");
        far.write_all(&[7; 100 << 10]).await.unwrap();
        assert!(!server.is_finished());
        drop(far);
        server.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_client_that_stays_is_given_up_and_one_without_a_body_is_not_waited_for() {
        for (had_body, least) in [(true, Duration::from_millis(50)), (false, Duration::ZERO)] {
            let (near, _far) = duplex(1 << 10);
            let mut lingering = Linger::new(near, Arc::new(AtomicBool::new(had_body)));
            lingering.silence_max = if had_body { least } else { Duration::from_secs(3600) };
            let begun = Instant::now();
            lingering.shutdown().await.unwrap();
            assert!(begun.elapsed() >= least);
        }
    }
}
