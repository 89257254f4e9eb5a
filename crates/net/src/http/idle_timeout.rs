//! A stream whose writes time out when the peer stops reading.
//!
//! Reads are not limited here: headers and bodies have time-outs of their own.

use std::io::{self, ErrorKind, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes fail with [`ErrorKind::TimedOut`] when none of them makes progress for a while.
pub struct IdleTimeout<S> {
    stream: S,
    idle_max: Duration,
    /// Runs while a write waits.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> IdleTimeout<S> {
    /// Wraps `stream`; a write may wait for at most `idle_max`.
    pub fn new(stream: S, idle_max: Duration) -> IdleTimeout<S> {
        IdleTimeout { stream, idle_max, timer: None }
    }

    /// Passes on the outcome of a write, or an error if it has waited too long.
    fn limit<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let idle_max = self.idle_max;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(idle_max)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the peer does not read the response")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for IdleTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for IdleTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.limit(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.limit(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limit(ended, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_peer_that_reads_nothing_is_given_up_and_one_that_reads_is_not() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut limited = IdleTimeout::new(near, Duration::from_millis(50));
        let error = limited.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);

        let (near, mut reading) = tokio::io::duplex(16);
        let mut limited = IdleTimeout::new(near, Duration::from_secs(60));
        let write = async {
            limited.write_all(&[7; 64]).await.unwrap();
            drop(limited);
        };
        let mut read = Vec::new();
        let (_, count) = tokio::join!(write, reading.read_to_end(&mut read));
        assert_eq!((count.unwrap(), read[63]), (64, 7));
        far.shutdown().await.unwrap();
    }
}
