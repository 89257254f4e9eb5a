//! An aws-chunked body as s3s may read it.
//!
//! s3s gathers each chunk in memory before it passes on a byte, whatever its size. So unsigned chunks are framed anew in pieces that
//! are small, without copying the data. Signed chunks must stay as they are: they pass unchanged, and those that are too large are
//! refused when their header comes. s3s also takes a body as complete that ends before its last chunk; here it fails.

use std::collections::VecDeque;
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame};

use super::chunks::Chunks;
use super::fate::{BodyEnd, BodyError, BodyFate};
use crate::guard::payload::Chunking;

/// Most bytes of a chunk that is framed anew.
pub(super) const PIECE_BYTES_MAX: usize = 64 << 10;

const LINE_END: &[u8] = b"\r\n";

/// Checks the framing of an aws-chunked body, and changes it if the chunks are not signed.
pub(crate) struct AwsChunked<B> {
    inner: Pin<Box<B>>,
    chunks: Chunks,
    /// The chunks that are framed anew, if they are.
    framed: Option<Framed>,
    fate: BodyFate,
    ended: bool,
}

impl<B> AwsChunked<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    /// A body whose data has `data_bytes` bytes.
    pub(crate) fn new(body: B, chunking: Chunking, data_bytes: u64, fate: BodyFate) -> Self {
        let framed = (!chunking.signed).then(Framed::default);
        let chunks = Chunks::new(chunking, data_bytes);
        AwsChunked { inner: Box::pin(body), chunks, framed, fate, ended: false }
    }

    /// Checks the bytes that have come, and returns them if they may pass unchanged.
    fn take(&mut self, mut input: Bytes) -> Result<Option<Bytes>, BodyEnd> {
        let unchanged = input.clone();
        while let Some(data) = self.chunks.next_data(&mut input)? {
            if let Some(framed) = &mut self.framed {
                framed.push(data);
            }
        }
        Ok(if self.framed.is_some() { None } else { Some(unchanged) })
    }

    /// Checks that the body is complete.
    fn finish(&mut self) -> Result<(), BodyEnd> {
        let trailers = self.chunks.finish()?;
        if let Some(framed) = &mut self.framed {
            framed.finish(&trailers);
        }
        Ok(())
    }
}

impl<B> Body for AwsChunked<B>
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
            if let Some(bytes) = self.framed.as_mut().and_then(|framed| framed.ready.pop_front()) {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            if self.ended {
                return Poll::Ready(None);
            }
            let end = match ready!(self.inner.as_mut().poll_frame(context)) {
                None => {
                    self.ended = true;
                    match self.finish() {
                        Ok(()) => {
                            self.fate.set(BodyEnd::Complete);
                            continue;
                        }
                        Err(end) => end,
                    }
                }
                Some(Err(_)) => BodyEnd::Cut,
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => match self.take(data) {
                        Ok(None) => continue,
                        Ok(Some(bytes)) => return Poll::Ready(Some(Ok(Frame::data(bytes)))),
                        Err(end) => end,
                    },
                    // Trailers of HTTP have no meaning in S3.
                    Err(_) => continue,
                },
            };
            self.ended = true;
            if let Some(framed) = &mut self.framed {
                framed.ready.clear();
            }
            return Poll::Ready(Some(Err(self.fate.fail(end))));
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ended && self.framed.as_ref().is_none_or(|framed| framed.ready.is_empty())
    }
}

/// Chunks that are framed anew.
#[derive(Default)]
struct Framed {
    ready: VecDeque<Bytes>,
    /// Whether the end of a chunk's data is yet to come: it is sent with the next chunk's header.
    open: bool,
}

impl Framed {
    fn push(&mut self, mut data: Bytes) {
        while !data.is_empty() {
            let piece = data.split_to(data.len().min(PIECE_BYTES_MAX));
            let header = self.header(&format!("{:x}", piece.len()), b"");
            self.ready.extend([header, piece]);
            self.open = true;
        }
    }

    fn finish(&mut self, trailers: &[u8]) {
        let last = self.header("0", trailers);
        self.ready.push_back(last);
    }

    fn header(&self, size: &str, rest: &[u8]) -> Bytes {
        let mut bytes = BytesMut::with_capacity(size.len() + rest.len() + 2 * LINE_END.len());
        if self.open {
            bytes.extend_from_slice(LINE_END);
        }
        bytes.extend_from_slice(size.as_bytes());
        bytes.extend_from_slice(LINE_END);
        bytes.extend_from_slice(rest);
        bytes.freeze()
    }
}
