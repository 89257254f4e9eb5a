//! A message: a body that an operation reads as a whole, such as XML.
//!
//! The library gathers a message from the pieces in which it comes, and each piece may keep a whole buffer of the connection. So it is
//! gathered here, and charged for what becomes of it when it is parsed. What the request announces about it is verified here too,
//! because operations see only the parsed form.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame, SizeHint};

use super::counted::Counted;
use super::fate::{BodyEnd, BodyError, BodyFate};
use crate::checksum::ExpectedChecksums;
use crate::guard::refusal::Refusal;
use crate::memory::{Account, Charge};

/// Most elements of a document. The list of an upload's 10,000 parts has five for each part at most.
const ELEMENTS_MAX: usize = 64 << 10;
/// The memory that a byte takes, as text and as what was parsed.
const BYTE_COST: usize = 3;
/// The memory that an element takes when it was parsed, beside its text.
const ELEMENT_COST: usize = 256;

/// Gathers a message, and passes it on in one piece once it is complete and verified.
pub(super) struct Message<B> {
    inner: Counted<B>,
    /// A piece that waits for memory.
    arrived: Option<Bytes>,
    gathered: BytesMut,
    elements: Elements,
    charge: Charge,
    account: Account,
    expected: Result<ExpectedChecksums, Refusal>,
    fate: BodyFate,
    /// The message and the end of the body that are not yet passed on.
    ended: bool,
}

impl<B> Message<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    /// `fate` must not be that of `inner`.
    pub(super) fn new(
        inner: Counted<B>,
        expected: Result<ExpectedChecksums, Refusal>,
        account: Account,
        fate: BodyFate,
    ) -> Self {
        Message {
            inner,
            arrived: None,
            gathered: BytesMut::new(),
            elements: Elements::default(),
            charge: account.charge(),
            account,
            expected,
            fate,
            ended: false,
        }
    }

    fn poll_gather(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BodyEnd>> {
        loop {
            if let Some(piece) = &self.arrived {
                let bytes = self.gathered.len() + piece.len();
                let cost = bytes * BYTE_COST + self.elements.count * ELEMENT_COST;
                ready!(self.charge.poll_hold(context, cost)).map_err(|_| BodyEnd::OutOfMemory)?;
                self.gathered.extend_from_slice(piece);
                self.arrived = None;
            }
            match ready!(Pin::new(&mut self.inner).poll_frame(context)) {
                None => return Poll::Ready(self.verify()),
                Some(Err(error)) => return Poll::Ready(Err(error.0)),
                Some(Ok(frame)) => {
                    let Ok(piece) = frame.into_data() else { continue };
                    self.elements.take(&piece);
                    if self.elements.count > ELEMENTS_MAX {
                        return Poll::Ready(Err(BodyEnd::TooManyElements));
                    }
                    self.arrived = Some(piece);
                }
            }
        }
    }

    fn verify(&self) -> Result<(), BodyEnd> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let refused = |refusal| BodyEnd::Unverified(Box::new(refusal));
        let expected = self.expected.as_ref().map_err(|refusal| refused(refusal.clone()))?;
        let mut digests = expected.digests([]);
        digests.update(&self.gathered);
        let verified = expected.verify(&digests.finish());
        verified.map_err(|error| refused(Refusal::of_checksum(&error)))
    }
}

impl<B> Body for Message<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let gathered = ready!(self.poll_gather(context));
        self.ended = true;
        let this = &mut *self;
        // What was parsed of it lives as long as the request.
        this.account.adopt(std::mem::replace(&mut this.charge, this.account.charge()));
        Poll::Ready(match gathered {
            Err(end) => Some(Err(this.fate.fail(end))),
            Ok(()) => {
                this.fate.set(BodyEnd::Complete);
                let message = std::mem::take(&mut this.gathered).freeze();
                (!message.is_empty()).then(|| Ok(Frame::data(message)))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }

    fn size_hint(&self) -> SizeHint {
        if self.ended {
            return SizeHint::with_exact(0);
        }
        self.inner.size_hint()
    }
}

/// Counts the elements of an XML document, roughly: every `<` that a name follows.
#[derive(Default)]
struct Elements {
    count: usize,
    opened: bool,
}

impl Elements {
    fn take(&mut self, piece: &[u8]) {
        for byte in piece {
            self.count += usize::from(self.opened && !matches!(byte, b'/' | b'?' | b'!' | b'<'));
            self.opened = *byte == b'<';
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;
    use hyper::http::Extensions;

    use super::super::test_body::{TestBody, gather};
    use super::*;
    use crate::memory::RequestsMemory;

    async fn read(
        pieces: Vec<Bytes>,
        headers: &[(&'static str, &str)],
        account: &Account,
    ) -> (Vec<u8>, Option<BodyEnd>) {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (hyper::header::HeaderName::from_static(name), value.parse().unwrap()))
            .collect();
        let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
        let inner = Counted::exactly(TestBody::new(pieces, false), bytes, BodyFate::default());
        let expected =
            ExpectedChecksums::from_headers(&headers).map_err(|error| Refusal::of_checksum(&error));
        let fate = BodyFate::default();
        let (message, error) = gather(Message::new(inner, expected, account.clone(), fate.clone())).await;
        assert_eq!(error.map(|error| error.0), fate.get().cloned().filter(|end| *end != BodyEnd::Complete));
        (message, fate.get().cloned())
    }

    #[tokio::test]
    async fn a_message_comes_as_a_whole_and_is_verified() {
        let pieces = || vec![Bytes::from_static(b"<a>hel"), Bytes::from_static(b"lo</a>")];
        let account = Account::default();
        let whole = (b"<a>hello</a>".to_vec(), Some(BodyEnd::Complete));
        assert_eq!(read(pieces(), &[], &account).await, whole);
        let sums = [("content-md5", "1B2M2Y8AsgTpgAmY7PhCfg=="), ("x-amz-checksum-crc32", "AAAAAA==")];
        for (name, value) in sums {
            let (message, end) = read(pieces(), &[(name, value)], &account).await;
            let code = end.and_then(|end| end.refusal()).map(|refusal| refusal.code());
            assert_eq!((message, code), (Vec::new(), Some("BadDigest")), "{name}");
        }
        let (_, end) = read(pieces(), &[("x-amz-content-sha256", &"00".repeat(32))], &account).await;
        assert_eq!(end.unwrap().refusal().unwrap().code(), "XAmzContentSHA256Mismatch");
    }

    #[tokio::test]
    async fn a_message_is_charged_for_its_elements_until_the_request_ends() {
        let memory = RequestsMemory::new(64 << 20, std::sync::Arc::default());
        let account = memory.account(&Extensions::new());
        let pieces = vec![Bytes::from("<a/>".repeat(1000)); 3];
        let (message, _) = read(pieces, &[], &account).await;
        assert_eq!(message.len(), 12_000);
        assert!(memory.used() >= 12_000 * BYTE_COST + 3_000 * ELEMENT_COST, "{}", memory.used());
        drop(account);
        assert_eq!(memory.used(), 0);
        let many = vec![Bytes::from("<a>".repeat(ELEMENTS_MAX + 1))];
        let (_, end) = read(many, &[], &Account::default()).await;
        assert_eq!(end.unwrap().refusal().unwrap().code(), "MalformedXML");
    }
}
