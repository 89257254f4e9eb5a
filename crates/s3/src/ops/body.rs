//! Moving bodies: from a request into a draft, and from an object into an answer.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

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

use crate::checksum::{Algorithm, ExpectedChecksums, Sums};
use crate::errors::bad_request;
use crate::guard::BodyFate;
use crate::pool_error::OrS3;
use crate::throttle;

/// The bytes that are written to a draft, or read from an object, at once.
const STEP_BYTES: usize = 256 << 10;
/// The most that is read and thrown away of a body that is refused, and how long that may take.
const DISCARDED_BYTES_MAX: usize = 32 << 20;
const DISCARD_TIME_MAX: Duration = Duration::from_secs(10);

/// A body that arrives, and what is known of it.
pub struct Arriving {
    body: Option<StreamingBlob>,
    trailers: Option<TrailingHeaders>,
    /// How the body ended, as the guard in front of the library has seen it.
    fate: Option<BodyFate>,
    /// Whether its chunks are signed one by one.
    has_signed_chunks: bool,
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
/// is verified.
pub async fn receive(
    service: &Service,
    bucket: VolumeId,
    offset: u64,
    mut arriving: Arriving,
    expected: &mut ExpectedChecksums,
    computed: impl IntoIterator<Item = Algorithm>,
) -> S3Result<(Draft, Sums)> {
    let pool = &service.pool;
    let draft = pool.draft_create(bucket).await.or_s3()?;
    let mut digests = expected.digests(computed);
    let mut at = offset;
    let mut waiting = BytesMut::new();
    if let Some(mut body) = arriving.body.take() {
        while let Some(piece) = body.next().await {
            let piece = piece.map_err(|error| {
                tracing::debug!(%error, "the body of a request failed");
                arriving.failed()
            })?;
            digests.update(&piece);
            waiting.extend_from_slice(&piece);
            while waiting.len() >= STEP_BYTES {
                let step = waiting.split_to(STEP_BYTES).freeze();
                match write(service, draft.handle(), at, step).await {
                    Ok(end) => at = end,
                    Err(error) => {
                        discard(&mut body).await;
                        return Err(error);
                    }
                }
            }
        }
    }
    if !waiting.is_empty() {
        write(service, draft.handle(), at, waiting.freeze()).await?;
    }
    let sums = digests.finish();
    let trailers: Option<HeaderMap> = arriving.trailers.and_then(|trailers| trailers.take());
    expected.take_trailers(trailers.as_ref())?;
    expected.verify(&sums)?;
    pool.commit(draft.handle(), 0, 0).await.or_s3()?;
    Ok((draft, sums))
}

/// Reads some more of a body that nobody wants. A connection that is closed with unread bytes in it is reset, and the client may then
/// never see the answer.
async fn discard(body: &mut StreamingBlob) {
    let rest = async {
        let mut bytes = 0;
        while let Some(Ok(piece)) = body.next().await {
            bytes += piece.len();
            if bytes > DISCARDED_BYTES_MAX {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DISCARD_TIME_MAX, rest).await;
}

async fn write(service: &Service, handle: Handle, at: u64, bytes: Bytes) -> S3Result<u64> {
    throttle::admit(service, handle.volume, bytes.len() as u64).await;
    let end = at.saturating_add(bytes.len() as u64);
    service.pool.write(handle, at, bytes, Stability::Unstable).await.or_s3()?;
    Ok(end)
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

    /// The bytes of a range, as a body. They are read a little ahead of the client.
    pub fn body(self, range: Range<u64>) -> StreamingBlob {
        let length = range.end.saturating_sub(range.start);
        let (sender, receiver) = mpsc::channel(1);
        tokio::spawn(async move { self.send(range, &sender).await });
        StreamingBlob::new(Body { receiver, length })
    }

    async fn send(self, range: Range<u64>, sender: &mpsc::Sender<Result<Bytes, StdError>>) {
        let mut at = range.start;
        while at < range.end {
            let step = u32::try_from(range.end - at).unwrap_or(u32::MAX).min(STEP_BYTES as u32);
            throttle::admit(&self.service, self.handle.volume, u64::from(step)).await;
            let read = match self.service.pool.read(self.handle, at, step).await {
                Ok(read) => read,
                Err(error) => {
                    tracing::error!(%error, "the content of an object cannot be read");
                    let _ = sender.send(Err(Box::new(error))).await;
                    return;
                }
            };
            let before = at;
            for piece in read.pieces {
                at += piece.len() as u64;
                if sender.send(Ok(piece)).await.is_err() {
                    return;
                }
            }
            if at == before {
                // An object's size never changes, so this is damage. Ending the body early tells the client.
                let _ = sender.send(Err("the content of the object is shorter than its size".into())).await;
                return;
            }
        }
    }
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
    let mut at = range.start;
    while at < range.end {
        let step = u32::try_from(range.end - at).unwrap_or(u32::MAX).min(STEP_BYTES as u32);
        let read = pool.read(handle, at, step).await.or_s3()?;
        let before = at;
        for piece in read.pieces {
            at += piece.len() as u64;
            digests.update(&piece);
        }
        if at == before {
            return Err(forebay_pool::Error::Damaged("a content is shorter than its size".into())).or_s3();
        }
    }
    Ok(())
}
