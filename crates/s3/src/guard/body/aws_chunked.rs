//! An aws-chunked body as s3s may read it.
//!
//! s3s gathers each chunk in memory before it passes on a byte, whatever its size. So unsigned chunks are framed anew in pieces that
//! are small, without copying the data. Signed chunks must stay as they are, and those that are too large are refused when their header
//! comes. They are copied into blocks, because each piece that comes may keep a whole buffer of the connection, and charged for as long
//! as s3s may hold them. s3s also takes a body as complete that ends before its last chunk; here it fails.

use std::collections::VecDeque;
use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use http_body::{Body, Frame};

use super::chunks::Chunks;
use super::fate::{BodyEnd, BodyError, BodyFate};
use crate::guard::payload::Chunking;
use crate::memory::Charge;

/// Most bytes of a chunk that is framed anew.
pub(super) const PIECE_BYTES_MAX: usize = 64 << 10;

const LINE_END: &[u8] = b"\r\n";

/// Checks the framing of an aws-chunked body, and changes it if the chunks are not signed.
pub(crate) struct AwsChunked<B> {
    inner: Pin<Box<B>>,
    chunks: Chunks,
    form: Form,
    fate: BodyFate,
    ended: bool,
}

/// What becomes of the chunks.
enum Form {
    /// They are framed anew.
    Framed(Framed),
    /// They stay as they are.
    Signed(Signed),
}

impl<B> AwsChunked<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>>,
{
    /// A body whose data has `data_bytes` bytes.
    pub(crate) fn new(body: B, chunking: Chunking, data_bytes: u64, charge: Charge, fate: BodyFate) -> Self {
        let form =
            if chunking.signed { Form::Signed(Signed::new(charge)) } else { Form::Framed(Framed::default()) };
        let chunks = Chunks::new(chunking, data_bytes);
        AwsChunked { inner: Box::pin(body), chunks, form, fate, ended: false }
    }

    /// Reads until there are bytes to pass on. Returns `None` at the end of a complete body.
    fn poll_bytes(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, BodyEnd>> {
        loop {
            let ready = match &mut self.form {
                Form::Framed(framed) => framed.ready.pop_front(),
                Form::Signed(signed) => {
                    ready!(signed.poll_take(&mut self.chunks, context))?;
                    signed.next(self.chunks.is_between_chunks() || self.ended)
                }
            };
            if ready.is_some() || self.ended {
                return Poll::Ready(Ok(ready));
            }
            match ready!(self.inner.as_mut().poll_frame(context)) {
                None => {
                    self.ended = true;
                    let trailers = self.chunks.finish()?;
                    if let Form::Framed(framed) = &mut self.form {
                        framed.finish(&trailers);
                    }
                    self.fate.set(BodyEnd::Complete);
                }
                Some(Err(_)) => return Poll::Ready(Err(BodyEnd::Cut)),
                // Trailers of HTTP have no meaning in S3.
                Some(Ok(frame)) => {
                    let Ok(mut input) = frame.into_data() else { continue };
                    match &mut self.form {
                        Form::Signed(signed) => signed.arrived = Some(input),
                        Form::Framed(framed) => {
                            while let Some(data) = self.chunks.next_data(&mut input)? {
                                framed.push(data);
                            }
                        }
                    }
                }
            }
        }
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
        Poll::Ready(match ready!(self.poll_bytes(context)) {
            Ok(bytes) => bytes.map(|bytes| Ok(Frame::data(bytes))),
            Err(end) => {
                self.ended = true;
                match &mut self.form {
                    Form::Framed(framed) => framed.ready.clear(),
                    Form::Signed(signed) => signed.clear(),
                }
                Some(Err(self.fate.fail(end)))
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        let is_empty = match &self.form {
            Form::Framed(framed) => framed.ready.is_empty(),
            Form::Signed(signed) => signed.is_empty(),
        };
        self.ended && is_empty
    }
}

/// Signed chunks, gathered in blocks.
struct Signed {
    /// Bytes that wait for memory.
    arrived: Option<Bytes>,
    block: BytesMut,
    /// Whether a chunk has begun in the block.
    begins_chunk: bool,
    /// Bytes that were passed on, and that s3s holds until it has the rest of their chunk.
    passed: usize,
    charge: Charge,
}

impl Signed {
    fn new(charge: Charge) -> Signed {
        Signed { arrived: None, block: BytesMut::new(), begins_chunk: false, passed: 0, charge }
    }

    /// Checks the bytes that have come, and takes them into the block.
    fn poll_take(&mut self, chunks: &mut Chunks, context: &mut Context<'_>) -> Poll<Result<(), BodyEnd>> {
        let Some(arrived) = &self.arrived else { return Poll::Ready(Ok(())) };
        let held = self.passed + self.block.len() + arrived.len();
        ready!(self.charge.poll_hold(context, held)).map_err(|_| BodyEnd::OutOfMemory)?;
        let mut input = arrived.clone();
        let begun = chunks.count();
        while chunks.next_data(&mut input)?.is_some() {}
        self.begins_chunk |= chunks.count() != begun;
        self.block.extend_from_slice(arrived);
        self.arrived = None;
        Poll::Ready(Ok(()))
    }

    /// The block, if it is large enough, or if s3s can use it because all chunks in it are complete.
    fn next(&mut self, is_complete: bool) -> Option<Bytes> {
        if self.block.is_empty() || !(is_complete || self.block.len() >= PIECE_BYTES_MAX) {
            return None;
        }
        let block = self.block.split().freeze();
        // s3s asks for more only when it has passed on the chunks that are complete.
        self.passed = if self.begins_chunk { block.len() } else { self.passed + block.len() };
        self.begins_chunk = false;
        self.charge.keep(self.passed);
        Some(block)
    }

    fn clear(&mut self) {
        self.arrived = None;
        self.block.clear();
    }

    fn is_empty(&self) -> bool {
        self.arrived.is_none() && self.block.is_empty()
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
