//! Bodies whose bytes are counted for their exchange.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::Exchange;

/// The body of a request.
pub struct Received<B> {
    body: B,
    exchange: Arc<Exchange>,
}

/// The body of an answer. The exchange ends when it is dropped.
pub struct Sent<B> {
    body: B,
    exchange: Arc<Exchange>,
}

impl<B> Received<B> {
    pub(crate) fn new(body: B, exchange: Arc<Exchange>) -> Received<B> {
        Received { body, exchange }
    }
}

impl<B> Sent<B> {
    pub(crate) fn new(body: B, exchange: Arc<Exchange>) -> Sent<B> {
        Sent { body, exchange }
    }
}

fn length<E>(polled: &Poll<Option<Result<Frame<Bytes>, E>>>) -> u64 {
    match polled {
        Poll::Ready(Some(Ok(frame))) => frame.data_ref().map_or(0, |data| data.len() as u64),
        _ => 0,
    }
}

macro_rules! counted_body {
    ($body:ident, $field:ident) => {
        impl<B: Body<Data = Bytes> + Unpin> Body for $body<B> {
            type Data = Bytes;
            type Error = B::Error;

            fn poll_frame(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
                let polled = Pin::new(&mut self.body).poll_frame(context);
                self.exchange.$field.fetch_add(length(&polled), Ordering::Relaxed);
                polled
            }

            fn is_end_stream(&self) -> bool {
                self.body.is_end_stream()
            }

            fn size_hint(&self) -> SizeHint {
                self.body.size_hint()
            }
        }
    };
}

counted_body!(Received, received);
counted_body!(Sent, sent);
