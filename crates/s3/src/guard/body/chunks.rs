//! Reads the framing of an aws-chunked body, piece by piece, as the bytes come.
//!
//! ```text
//! chunk     = size [ ";chunk-signature=" 64 characters ] CRLF  data CRLF
//! last      = "0" [ ";chunk-signature=" 64 characters ] CRLF
//! trailers  = *( name ":" value CRLF ) CRLF
//! body      = *chunk last trailers
//! ```

use std::str;

use bytes::{Buf, Bytes, BytesMut};

use super::fate::{BodyEnd, ChunkFault};
use super::trailers::Trailers;
use crate::guard::payload::Chunking;

/// Most bytes of a chunk's header, with the end of its line.
const HEADER_BYTES_MAX: usize = 512;
/// Least bytes of a chunk that is not the last, as S3 has it.
const CHUNK_BYTES_MIN: u64 = 8 << 10;
/// Most bytes of a signed chunk: s3s holds it whole to check its signature.
const SIGNED_CHUNK_BYTES_MAX: u64 = 16 << 20;
/// Most digits of a signed chunk's size: s3s reads no more.
const SIGNED_SIZE_DIGITS_MAX: usize = 8;
/// Most digits of a size.
const SIZE_DIGITS_MAX: usize = 16;
/// Length of a chunk's signature.
const SIGNATURE_BYTES: usize = 64;

/// The framing of a body, as far as it has been read.
#[derive(Debug)]
pub(super) struct Chunks {
    chunking: Chunking,
    /// Bytes of data that chunk headers have yet to announce.
    unannounced: u64,
    /// How many chunks have begun, and the size of the newest.
    count: u64,
    newest: u64,
    state: State,
}

#[derive(Debug)]
enum State {
    /// In the header of a chunk, of which this came before.
    Header(BytesMut),
    /// In the data of a chunk. Holds the number of bytes that are left.
    Data(u64),
    /// After the data of a chunk. Holds the number of bytes of CRLF that have come.
    DataEnd(u8),
    /// After the last chunk.
    Trailers(Trailers),
}

impl Chunks {
    /// The framing of a body whose data has `data_bytes` bytes.
    pub(super) fn new(chunking: Chunking, data_bytes: u64) -> Self {
        let state = State::Header(BytesMut::new());
        Chunks { chunking, unannounced: data_bytes, count: 0, newest: 0, state }
    }

    /// Takes bytes from the input until it has data to return, or until nothing is left.
    pub(super) fn next_data(&mut self, input: &mut Bytes) -> Result<Option<Bytes>, BodyEnd> {
        while !input.is_empty() {
            match &mut self.state {
                State::Header(begun) => {
                    let (line, ends) = up_to_line_feed(input);
                    if begun.len() + line.len() > HEADER_BYTES_MAX {
                        return Err(ChunkFault::HeaderTooLong.into());
                    }
                    if ends && begun.is_empty() {
                        self.begin_chunk(&line)?;
                    } else {
                        begun.extend_from_slice(&line);
                        if ends {
                            let line = begun.split();
                            self.begin_chunk(&line)?;
                        }
                    }
                }
                State::Data(left) => {
                    let bytes = usize::try_from(*left).unwrap_or(usize::MAX).min(input.len());
                    *left -= bytes as u64;
                    if *left == 0 {
                        self.state = State::DataEnd(0);
                    }
                    return Ok(Some(input.split_to(bytes)));
                }
                State::DataEnd(seen) => match (*seen, input.get_u8()) {
                    (0, b'\r') => *seen = 1,
                    (1, b'\n') => self.state = State::Header(BytesMut::new()),
                    _ => return Err(ChunkFault::DataEnd.into()),
                },
                State::Trailers(trailers) => {
                    trailers.push(input)?;
                    input.clear();
                }
            }
        }
        Ok(None)
    }

    /// How many chunks have begun.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Whether all chunks that have begun are complete.
    pub(super) fn is_between_chunks(&self) -> bool {
        matches!(self.state, State::Header(_) | State::Trailers(_))
    }

    /// The trailers, once the body has ended.
    pub(super) fn finish(&mut self) -> Result<Bytes, BodyEnd> {
        match &mut self.state {
            State::Trailers(trailers) => trailers.finish(self.chunking),
            State::Header(_) | State::Data(_) | State::DataEnd(_) => Err(BodyEnd::Cut),
        }
    }

    fn begin_chunk(&mut self, line: &[u8]) -> Result<(), BodyEnd> {
        let bytes = self.parse_header(line)?;
        if bytes > 0 && self.count > 0 && self.newest < CHUNK_BYTES_MIN {
            return Err(ChunkFault::TooSmall { chunk: self.count, bytes: self.newest }.into());
        }
        self.count += 1;
        self.newest = bytes;
        if self.chunking.signed && bytes > SIGNED_CHUNK_BYTES_MAX {
            let (chunk, bytes_max) = (self.count, SIGNED_CHUNK_BYTES_MAX);
            return Err(ChunkFault::TooLarge { chunk, bytes, bytes_max }.into());
        }
        self.unannounced = self.unannounced.checked_sub(bytes).ok_or(BodyEnd::WrongLength)?;
        self.state = match bytes {
            0 if self.unannounced > 0 => return Err(BodyEnd::WrongLength),
            0 => State::Trailers(Trailers::default()),
            bytes => State::Data(bytes),
        };
        Ok(())
    }

    /// The size in a chunk's header.
    fn parse_header(&self, line: &[u8]) -> Result<u64, ChunkFault> {
        let line = line.strip_suffix(b"\r\n").ok_or(ChunkFault::Header)?;
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let (size, rest) = line.split_at_checked(digits).ok_or(ChunkFault::Size)?;
        let digits_max = if self.chunking.signed { SIGNED_SIZE_DIGITS_MAX } else { SIZE_DIGITS_MAX };
        if size.is_empty() || size.len() > digits_max || !matches!(rest.first(), None | Some(b';')) {
            return Err(ChunkFault::Size);
        }
        let signature = rest.strip_prefix(b";chunk-signature=");
        let is_signed = signature.is_some_and(|signature| {
            // Whether it is the right one is for s3s to say.
            signature.len() == SIGNATURE_BYTES && signature.iter().all(u8::is_ascii_graphic)
        });
        if self.chunking.signed != is_signed || (!is_signed && !rest.is_empty()) {
            return Err(ChunkFault::Header);
        }
        let size = str::from_utf8(size).ok().and_then(|size| u64::from_str_radix(size, 16).ok());
        size.ok_or(ChunkFault::Size)
    }
}

/// Takes the bytes up to a line feed from the input, or all if there is none, and says which.
fn up_to_line_feed(input: &mut Bytes) -> (Bytes, bool) {
    // A longer line is refused, so a line feed behind the limit need not be found.
    match input.iter().take(HEADER_BYTES_MAX).position(|byte| *byte == b'\n') {
        Some(at) => (input.split_to(at + 1), true),
        None => (std::mem::take(input), false),
    }
}
