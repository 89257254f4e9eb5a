//! A stream that gives up on a peer that takes nothing of what is written to it.
//!
//! What comes late is the business of who reads: headers and bodies have time-outs of their own.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose writes fail when none of them gets on for a while.
pub struct Patient<S> {
    stream: S,
    stall_max: Duration,
    /// Runs while a write waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    /// `stream`, with that much patience.
    pub fn new(stream: S, stall_max: Duration) -> Patient<S> {
        Patient { stream, stall_max, stalled: None }
    }

    /// Passes on what came of a write; turns one that has waited for too long into an error.
    fn or_give_up<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall_max = self.stall_max;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(stall_max)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(ErrorKind::TimedOut, "the peer takes nothing of the answer")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.or_give_up(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.or_give_up(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.or_give_up(ended, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_peer_that_reads_nothing_is_given_up_and_one_that_reads_is_not() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut patient = Patient::new(near, Duration::from_millis(50));
        let error = patient.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);

        let (near, mut reading) = tokio::io::duplex(16);
        let mut patient = Patient::new(near, Duration::from_secs(60));
        let write = async {
            patient.write_all(&[7; 64]).await.unwrap();
            drop(patient);
        };
        let mut read = Vec::new();
        let (_, count) = tokio::join!(write, reading.read_to_end(&mut read));
        assert_eq!((count.unwrap(), read[63]), (64, 7));
        far.shutdown().await.unwrap();
    }
}
