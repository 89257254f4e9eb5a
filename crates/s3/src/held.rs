//! Responses, which keep their request's memory until the client has taken them.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::Response;

use crate::memory::{Account, OutOfMemory};

/// A response that fits into this is covered by what its request holds anyway.
const SMALL_BYTES: u64 = 16 << 10;

/// A body that keeps its request's account open.
struct Held {
    inner: Pin<Box<s3s::Body>>,
    account: Account,
}

/// Has the response keep the account until its last byte was sent. A response that is in memory as a whole is charged; `covered` is
/// what the request holds for it already.
pub async fn hold(
    response: Response<s3s::Body>,
    account: &Account,
    covered: usize,
) -> Result<Response<s3s::Body>, OutOfMemory> {
    let (parts, body) = response.into_parts();
    if let Some(bytes) = body.bytes() {
        let covered = SMALL_BYTES.max(covered as u64);
        let more = (bytes.len() as u64).saturating_sub(covered);
        account.hold(usize::try_from(more).unwrap_or(usize::MAX)).await?;
    }
    if body.is_end_stream() {
        return Ok(Response::from_parts(parts, body));
    }
    let held = Held { inner: Box::pin(body), account: account.clone() };
    Ok(Response::from_parts(parts, s3s::Body::http_body_unsync(held)))
}

impl Body for Held {
    type Data = Bytes;
    type Error = s3s::StdError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, s3s::StdError>>> {
        let frame = ready!(self.inner.as_mut().poll_frame(context));
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(|data| self.account.keep_with(data)))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
