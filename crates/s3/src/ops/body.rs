//! Moving bodies: from a request into a draft, and from an object into an answer.

use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use forebay_pool::{Draft, Handle, Pool, Stability, VolumeId};
use forebay_service::Service;
use futures::StreamExt;
use hyper::HeaderMap;
use hyper::http::Extensions;
use s3s::dto::StreamingBlob;
use s3s::stream::{ByteStream, RemainingLength};
use s3s::{S3Error, S3ErrorCode, S3Result, StdError, TrailingHeaders};
use tokio::sync::mpsc;

use super::outgoing::Outgoing;
use crate::checksum::{Algorithm, ExpectedChecksums, Sums};
use crate::errors::bad_request;
use crate::guard::BodyFate;
use crate::memory::{Account, Charge};
use crate::pieces::each_piece;
use crate::pool_error::OrS3;
use crate::throttle;

/// The bytes that are written to a draft, or read from an object, at once.
const STEP_BYTES: usize = 256 << 10;

/// A body that arrives, and what is known of it.
pub struct Arriving {
    body: Option<StreamingBlob>,
    trailers: Option<TrailingHeaders>,
    /// How the body ended, as the guard in front of the library has seen it.
    fate: Option<BodyFate>,
    /// Whether its chunks are signed one by one.
    has_signed_chunks: bool,
    account: Account,
}

impl Arriving {
    /// The body of a request.
    pub fn of(
        body: Option<StreamingBlob>,
        trailers: Option<TrailingHeaders>,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Arriving {
        let hash = super::request::header(headers, "x-amz-content-sha256");
        Arriving {
            body,
            trailers,
            fate: extensions.get::<BodyFate>().cloned(),
            has_signed_chunks: hash.is_some_and(|hash| hash.starts_with("STREAMING-AWS4")),
            account: Account::of(extensions),
        }
    }

    /// The error for a body that failed. The library's errors are opaque, so the guard's view of the body decides. If that saw
    /// nothing wrong, the library did: the signature of a chunk, or the hash of the body.
    fn failed(&self) -> S3Error {
        let refusal = self.fate.as_ref().and_then(|fate| fate.get()?.refusal());
        match refusal {
            Some(refusal) => refusal.to_s3_error(),
            None if self.has_signed_chunks => S3Error::with_message(
                S3ErrorCode::SignatureDoesNotMatch,
                "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
            ),
            None => bad_request(
                "XAmzContentSHA256Mismatch",
                "The provided 'x-amz-content-sha256' header does not match what was computed.",
            ),
        }
    }
}

/// Writes a body into a new draft, from `offset` on, and commits it. Returns once all that the request announces about the body
/// is verified. There is no draft before there is something to write: who sends a body slowly costs the pool nothing.
pub async fn receive(
    service: &Service,
    bucket: VolumeId,
    offset: u64,
    mut arriving: Arriving,
    expected: &mut ExpectedChecksums,
    computed: impl IntoIterator<Item = Algorithm>,
) -> S3Result<(Draft, Sums)> {
    let mut content = Content { service, bucket, draft: None, end: offset };
    let mut digests = expected.digests(computed);
    let mut waiting = Waiting::new(&arriving.account);
    if let Some(mut body) = arriving.body.take() {
        while let Some(piece) = body.next().await {
            let mut piece = piece.map_err(|error| {
                tracing::debug!(%error, "the body of a request failed");
                arriving.failed()
            })?;
            digests.update(&piece);
            while let Some(step) = waiting.take(&mut piece).await? {
                content.append(step).await?;
            }
        }
    }
    let sums = digests.finish();
    let trailers: Option<HeaderMap> = arriving.trailers.and_then(|trailers| trailers.take());
    expected.take_trailers(trailers.as_ref())?;
    expected.verify(&sums)?;
    content.append(waiting.bytes.freeze()).await?;
    Ok((content.commit().await?, sums))
}

/// The content that a body becomes.
struct Content<'a> {
    service: &'a Service,
    bucket: VolumeId,
    draft: Option<Draft>,
    end: u64,
}

impl Content<'_> {
    async fn append(&mut self, bytes: Bytes) -> S3Result {
        if bytes.is_empty() {
            return Ok(());
        }
        throttle::admit(self.service, self.bucket, bytes.len() as u64).await;
        let draft = match self.draft.take() {
            Some(draft) => draft,
            None => self.create().await?,
        };
        let handle = self.draft.insert(draft).handle();
        let next = self.end.saturating_add(bytes.len() as u64);
        self.service.pool.write(handle, self.end, bytes, Stability::Unstable).await.or_s3()?;
        self.end = next;
        Ok(())
    }

    /// The draft, durable.
    async fn commit(mut self) -> S3Result<Draft> {
        let draft = match self.draft.take() {
            Some(draft) => draft,
            None => self.create().await?,
        };
        self.service.pool.commit(draft.handle(), 0, 0).await.or_s3()?;
        Ok(draft)
    }

    async fn create(&self) -> S3Result<Draft> {
        self.service.pool.draft_create(self.bucket).await.or_s3()
    }
}

/// Bytes of a body that wait until there are enough for the pool.
struct Waiting {
    bytes: BytesMut,
    charge: Charge,
}

impl Waiting {
    fn new(account: &Account) -> Waiting {
        Waiting { bytes: BytesMut::new(), charge: account.charge() }
    }

    /// Takes what it can from the piece. Returns a whole step once there is one, and `None` once the piece is empty.
    async fn take(&mut self, piece: &mut Bytes) -> S3Result<Option<Bytes>> {
        let bytes = piece.len().min(STEP_BYTES - self.bytes.len());
        self.charge.hold(self.bytes.len() + bytes).await?;
        // A step has a buffer of its own, and no larger one: the pool keeps it until it is stored.
        let free = self.bytes.capacity() - self.bytes.len();
        if free < bytes {
            let wanted = (2 * self.bytes.len()).max(self.bytes.len() + bytes).min(STEP_BYTES);
            let mut larger = BytesMut::with_capacity(wanted);
            larger.extend_from_slice(&self.bytes);
            self.bytes = larger;
        }
        self.bytes.extend_from_slice(&piece.split_to(bytes));
        if self.bytes.len() < STEP_BYTES {
            return Ok(None);
        }
        Ok(Some(std::mem::take(&mut self.bytes).freeze()))
    }
}

/// Keeps an object's bytes while somebody reads them, even when the object is replaced or removed meanwhile.
pub struct Reading {
    service: Arc<Service>,
    handle: Handle,
}

impl Reading {
    /// Holds the content. Returns `None` if it is gone already: look the object up again.
    pub fn hold(service: &Arc<Service>, handle: Handle) -> S3Result<Option<Reading>> {
        match service.pool.hold(handle) {
            Ok(()) => Ok(Some(Reading { service: service.clone(), handle })),
            Err(forebay_pool::Error::Stale) => Ok(None),
            Err(error) => Err(error).or_s3(),
        }
    }

    /// The content.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// The bytes of a range, as a body. They are read a little ahead of the client. Fails if the first of them cannot be read, or if there
    /// is no memory for them: then the client gets an error with a code, and not an answer that breaks off. A small content is sent in
    /// one packet with its head.
    pub async fn body(self, range: Range<u64>, account: &Account) -> S3Result<StreamingBlob> {
        let length = range.end.saturating_sub(range.start);
        let mut sending = Sending { reading: self, range, outgoing: Outgoing::new(account) };
        let (sender, receiver) = mpsc::channel(1);
        let mut pieces = sending.read().await?.into_iter();
        if let Some(first) = pieces.next() {
            // There is room for one.
            sending.outgoing.send(first, &sender).await;
        }
        if pieces.len() > 0 || !sending.range.is_empty() {
            tokio::spawn(async move { sending.run(pieces, &sender).await });
        }
        Ok(StreamingBlob::new(Body { receiver, length }))
    }
}

/// A range of a content on its way to a client.
struct Sending {
    reading: Reading,
    /// What is still to be read.
    range: Range<u64>,
    outgoing: Outgoing,
}

impl Sending {
    /// Sends these pieces, and what follows them.
    async fn run(
        mut self,
        mut pieces: std::vec::IntoIter<Bytes>,
        sender: &mpsc::Sender<Result<Bytes, StdError>>,
    ) {
        loop {
            for piece in pieces {
                if !self.outgoing.send(piece, sender).await {
                    return;
                }
            }
            if self.range.is_empty() {
                return;
            }
            pieces = match self.read().await {
                Ok(pieces) => pieces.into_iter(),
                // Ending the body early tells the client.
                Err(error) => {
                    let _ = sender.send(Err(Box::new(error))).await;
                    return;
                }
            };
        }
    }

    /// Reads the next pieces, none if there is nothing more to read.
    async fn read(&mut self) -> S3Result<Vec<Bytes>> {
        let step = step(&self.range);
        if step == 0 {
            return Ok(Vec::new());
        }
        self.outgoing.reserve(step).await?;
        let Reading { service, handle } = &self.reading;
        throttle::admit(service, handle.volume, u64::from(step)).await;
        let read = service.pool.read(*handle, self.range.start, step).await.or_s3()?;
        let bytes: u64 = read.pieces.iter().map(|piece| piece.len() as u64).sum();
        if bytes == 0 {
            // An object's size never changes.
            tracing::error!("the content of an object is shorter than its size");
            return Err(S3Error::with_message(
                S3ErrorCode::InternalError,
                "The content of the object is shorter than its size.",
            ));
        }
        self.range.start += bytes;
        Ok(read.pieces)
    }
}

/// The bytes of a range that are read at once.
fn step(range: &Range<u64>) -> u32 {
    u32::try_from(range.end.saturating_sub(range.start)).unwrap_or(u32::MAX).min(STEP_BYTES as u32)
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.service.pool.release(self.handle);
    }
}

/// A body that comes from a task.
struct Body {
    receiver: mpsc::Receiver<Result<Bytes, StdError>>,
    length: u64,
}

impl futures::Stream for Body {
    type Item = Result<Bytes, StdError>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let polled = self.receiver.poll_recv(context);
        if let std::task::Poll::Ready(Some(Ok(piece))) = &polled {
            self.length = self.length.saturating_sub(piece.len() as u64);
        }
        polled
    }
}

impl ByteStream for Body {
    fn remaining_length(&self) -> RemainingLength {
        RemainingLength::new_exact(usize::try_from(self.length).unwrap_or(usize::MAX))
    }
}

/// Hashes a range of a content.
pub async fn digest(
    pool: &Pool,
    handle: Handle,
    range: Range<u64>,
    digests: &mut crate::checksum::Digests,
) -> S3Result {
    let update = |piece: &[u8]| -> S3Result {
        digests.update(piece);
        Ok(())
    };
    each_piece(pool, handle, range, update).await.or_s3()?
}
