//! A body that must not come too slowly.
//!
//! Only the time counts in which the server waits for the client, so a client is never blamed for a busy pool.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::fate::{BodyEnd, BodyError, BodyFate};
use crate::memory::Account;

/// The slowest that a client may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The longest time without a byte.
    pub(crate) silence_max: Duration,
    /// After this time the average counts.
    pub(crate) grace: Duration,
    /// The least average.
    pub(crate) bytes_per_second_min: u64,
    /// The same where others wait for the memory that this client holds.
    pub(crate) wanted_grace: Duration,
    pub(crate) wanted_bytes_per_second_min: u64,
}

/// The pace of requests and responses.
pub(crate) const PACE: Pace = Pace {
    silence_max: Duration::from_secs(30),
    grace: Duration::from_secs(60),
    bytes_per_second_min: 1 << 10,
    wanted_grace: Duration::from_secs(10),
    wanted_bytes_per_second_min: 16 << 10,
};

/// How often a waiting server looks whether others wait.
pub(crate) const CHECK_PERIOD: Duration = Duration::from_secs(2);

impl Pace {
    /// Whether a client that sent `bytes` in this time is too slow.
    pub(crate) fn is_missed(&self, bytes: u64, waited: Duration, account: &Account) -> bool {
        let is_below = |least: u64| (bytes as f64) < waited.as_secs_f64() * least as f64;
        (waited >= self.grace && is_below(self.bytes_per_second_min))
            || (waited >= self.wanted_grace
                && is_below(self.wanted_bytes_per_second_min)
                && account.is_wanted())
    }
}

/// Passes on a body, and fails if it comes too slowly.
pub(super) struct Paced<B> {
    inner: Pin<Box<B>>,
    pace: Pace,
    account: Account,
    fate: BodyFate,
    bytes: u64,
    /// The time for which the server has waited, without the current wait.
    waited: Duration,
    waits_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<B> Paced<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    pub(super) fn new(body: B, pace: Pace, account: Account, fate: BodyFate) -> Self {
        Paced {
            inner: Box::pin(body),
            pace,
            account,
            fate,
            bytes: 0,
            waited: Duration::ZERO,
            waits_since: None,
            timer: None,
        }
    }

    /// Waits for the client, and resolves if it is too slow.
    fn poll_too_slow(&mut self, context: &mut Context<'_>) -> Poll<BodyError> {
        let since = *self.waits_since.get_or_insert_with(Instant::now);
        loop {
            let now = Instant::now();
            let silent = now.saturating_duration_since(since);
            if silent >= self.pace.silence_max {
                if let Some(counters) = self.account.counters() {
                    counters.bodies_silent.add();
                }
                return Poll::Ready(self.fate.fail(BodyEnd::TooSlow));
            }
            if self.pace.is_missed(self.bytes, self.waited + silent, &self.account) {
                return Poll::Ready(self.too_slow());
            }
            let next = (now + CHECK_PERIOD).min(since + self.pace.silence_max);
            let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(next)));
            // A timer that is still running from an earlier wait fires too early, and is set anew then.
            ready!(timer.as_mut().poll(context));
            timer.as_mut().reset(next);
        }
    }

    fn too_slow(&self) -> BodyError {
        if let Some(counters) = self.account.counters() {
            counters.bodies_slow.add();
        }
        self.fate.fail(BodyEnd::TooSlow)
    }
}

impl<B> Body for Paced<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let Poll::Ready(frame) = self.inner.as_mut().poll_frame(context) else {
            let error = ready!(self.poll_too_slow(context));
            return Poll::Ready(Some(Err(error)));
        };
        if let Some(since) = self.waits_since.take() {
            self.waited += since.elapsed();
            // A client that sends a byte before each silence would be too long.
            if self.waited >= self.pace.wanted_grace
                && self.pace.is_missed(self.bytes, self.waited, &self.account)
                && !self.inner.is_end_stream()
            {
                return Poll::Ready(Some(Err(self.too_slow())));
            }
        }
        Poll::Ready(match frame {
            None => None,
            Some(Err(_)) => Some(Err(self.fate.fail(BodyEnd::Cut))),
            Some(Ok(frame)) => {
                self.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                Some(Ok(frame))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt;
    use http_body_util::StreamBody;

    use super::super::test_body::gather;
    use super::*;

    /// A body of `count` bytes, one every `gap`.
    fn dripping(count: usize, gap: Duration) -> impl Body<Data = Bytes, Error = std::io::Error> {
        let bytes = futures::stream::iter(0..count).then(move |_| async move {
            tokio::time::sleep(gap).await;
            Ok(Frame::data(Bytes::from_static(b"a")))
        });
        StreamBody::new(bytes)
    }

    async fn read(body: impl Body<Data = Bytes, Error = std::io::Error>, pace: Pace) -> Option<BodyEnd> {
        let fate = BodyFate::default();
        let (_, error) = gather(Paced::new(body, pace, Account::default(), fate.clone())).await;
        assert_eq!(error.map(|error| error.0), fate.get().cloned());
        fate.get().cloned()
    }

    #[tokio::test]
    async fn a_body_that_falls_silent_or_drips_ends_and_a_brisk_one_does_not() {
        let brief = Duration::from_millis(100);
        let pace = Pace { silence_max: brief, ..PACE };
        assert_eq!(read(dripping(1, Duration::from_secs(60)), pace).await, Some(BodyEnd::TooSlow));
        let pace = Pace { grace: brief, ..PACE };
        assert_eq!(read(dripping(1000, Duration::from_millis(20)), pace).await, Some(BodyEnd::TooSlow));
        assert_eq!(read(dripping(50, Duration::from_millis(1)), PACE).await, None);
    }
}
