//! A plain body, whose bytes are counted.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::fate::{BodyEnd, BodyError, BodyFate};

/// Passes on a body as it is, and fails if it has another length than it may have.
pub(super) struct Counted<B> {
    inner: Pin<Box<B>>,
    limit: Limit,
    /// Bytes that may still come.
    left: u64,
    fate: BodyFate,
    ended: bool,
}

#[derive(Clone, Copy)]
enum Limit {
    Exactly,
    AtMost { bytes: u64 },
}

impl<B> Counted<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    pub(super) fn exactly(body: B, bytes: u64, fate: BodyFate) -> Self {
        Counted { inner: Box::pin(body), limit: Limit::Exactly, left: bytes, fate, ended: false }
    }

    pub(super) fn at_most(body: B, bytes: u64, fate: BodyFate) -> Self {
        Counted { inner: Box::pin(body), limit: Limit::AtMost { bytes }, left: bytes, fate, ended: false }
    }

    fn take(&mut self, data: Bytes) -> Result<Bytes, BodyEnd> {
        match (self.left.checked_sub(data.len() as u64), self.limit) {
            (Some(left), _) => {
                self.left = left;
                Ok(data)
            }
            (None, Limit::Exactly) => Err(BodyEnd::WrongLength),
            (None, Limit::AtMost { bytes }) => Err(BodyEnd::TooLarge { bytes_max: bytes }),
        }
    }

    fn end(&self) -> BodyEnd {
        match self.limit {
            Limit::Exactly if self.left > 0 => BodyEnd::Cut,
            Limit::Exactly | Limit::AtMost { .. } => BodyEnd::Complete,
        }
    }

    fn fail(&mut self, end: BodyEnd) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.ended = true;
        Poll::Ready(Some(Err(self.fate.fail(end))))
    }
}

impl<B> Body for Counted<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        loop {
            if self.ended {
                return Poll::Ready(None);
            }
            let data = match ready!(self.inner.as_mut().poll_frame(context)) {
                None => match self.end() {
                    BodyEnd::Complete => {
                        self.ended = true;
                        self.fate.set(BodyEnd::Complete);
                        return Poll::Ready(None);
                    }
                    end => return self.fail(end),
                },
                Some(Err(_)) => return self.fail(BodyEnd::Cut),
                // Trailers of HTTP have no meaning in S3.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => data,
                    Err(_) => continue,
                },
            };
            match self.take(data) {
                Ok(data) => {
                    // Some readers stop once they have all bytes.
                    if self.left == 0 && self.inner.is_end_stream() {
                        self.fate.set(BodyEnd::Complete);
                    }
                    return Poll::Ready(Some(Ok(Frame::data(data))));
                }
                Err(end) => return self.fail(end),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ended || (self.left == 0 && self.inner.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        match self.limit {
            Limit::Exactly if !self.ended => SizeHint::with_exact(self.left),
            Limit::Exactly => SizeHint::with_exact(0),
            Limit::AtMost { .. } => self.inner.size_hint(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_body::{TestBody, gather};
    use super::*;

    async fn exactly(bytes: u64, pieces: &[&'static str], fails: bool) -> (String, Option<BodyEnd>) {
        let fate = BodyFate::default();
        let body = Counted::exactly(TestBody::new(pieces.iter().copied(), fails), bytes, fate.clone());
        assert_eq!(body.size_hint().exact(), Some(bytes));
        let (data, error) = gather(body).await;
        let end = fate.get().cloned();
        let expected = end.clone().filter(|end| *end != BodyEnd::Complete).map(BodyError);
        assert_eq!(error, expected);
        (String::from_utf8(data).unwrap(), end)
    }

    #[tokio::test]
    async fn a_body_has_exactly_the_length_that_was_announced() {
        let all = |end| ("abcde".to_owned(), Some(end));
        assert_eq!(exactly(5, &["ab", "", "cde"], false).await, all(BodyEnd::Complete));
        assert_eq!(exactly(6, &["ab", "cde"], false).await, all(BodyEnd::Cut));
        assert_eq!(exactly(5, &["ab", "cde", "f"], false).await, all(BodyEnd::WrongLength));
        assert_eq!(exactly(6, &["abcde", "fg"], false).await, all(BodyEnd::WrongLength));
        assert_eq!(exactly(6, &["ab", "cde"], true).await, all(BodyEnd::Cut));
        assert_eq!(exactly(0, &[], false).await, (String::new(), Some(BodyEnd::Complete)));
        assert_eq!(exactly(1, &[], false).await, (String::new(), Some(BodyEnd::Cut)));
    }

    #[tokio::test]
    async fn a_body_without_a_length_has_a_limit() {
        for (bytes, end) in [(3, BodyEnd::Complete), (2, BodyEnd::TooLarge { bytes_max: 2 })] {
            let fate = BodyFate::default();
            let body = Counted::at_most(TestBody::new(["ab", "c"], false), bytes, fate.clone());
            gather(body).await;
            assert_eq!(fate.get(), Some(&end));
        }
    }

    #[test]
    fn the_fate_is_unknown_before_the_end() {
        let fate = BodyFate::default();
        drop(Counted::exactly(TestBody::new(["ab"], false), 2, fate.clone()));
        assert_eq!(fate.get(), None);
    }
}
