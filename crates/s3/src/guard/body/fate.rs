//! How a body ended.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::guard::refusal::Refusal;

/// How the body of a request ended. Each admitted request carries one as an extension.
///
/// An operation asks it once the body has ended or failed. If the body failed and the fate is unknown or `Complete`, then s3s found
/// the fault: the signature of a chunk or the SHA-256 of the body is wrong.
#[derive(Clone, Debug, Default)]
pub struct BodyFate(Arc<OnceLock<BodyEnd>>);

/// How a body ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyEnd {
    /// All of it came, and its framing was sound.
    Complete,
    /// It ended early: the client went away.
    Cut,
    /// Its framing is malformed.
    Malformed(ChunkFault),
    /// It has more bytes than its operation may have.
    TooLarge {
        /// The limit.
        bytes_max: u64,
    },
    /// It has another length than the request says.
    WrongLength,
    /// It came too slowly.
    TooSlow,
    /// There was no memory for it.
    OutOfMemory,
    /// It is a document with too many elements.
    TooManyElements,
    /// It is not what the request's headers announce, for which this is the refusal.
    Unverified(Box<Refusal>),
}

/// A fault in the framing of an aws-chunked body. Chunks are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChunkFault {
    /// A chunk's header is too long.
    HeaderTooLong,
    /// A chunk's size is not a number in hexadecimal digits.
    Size,
    /// A signed chunk has no signature, an unsigned one has something beside its size, or a header ends with a bare line feed.
    Header,
    /// The data of a chunk is not followed by the end of a line.
    DataEnd,
    /// This chunk is not the last, and is too small.
    TooSmall {
        /// Which chunk.
        chunk: u64,
        /// Its size.
        bytes: u64,
    },
    /// This signed chunk is too large.
    TooLarge {
        /// Which chunk.
        chunk: u64,
        /// Its size.
        bytes: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// The trailers have too many bytes.
    TrailersTooLong,
    /// The trailers are malformed, or are not those that were announced.
    Trailers,
    /// Bytes follow the last chunk, which has no trailers.
    AfterEnd,
}

impl BodyFate {
    /// How the body ended, or `None` as long as it has not.
    pub fn get(&self) -> Option<&BodyEnd> {
        self.0.get()
    }

    /// Sets the end, unless there is one: later ends are consequences of the first.
    pub(super) fn set(&self, end: BodyEnd) {
        let _ = self.0.set(end);
    }

    /// Sets a faulty end, unless there is one, and makes the error for it.
    pub(super) fn fail(&self, end: BodyEnd) -> BodyError {
        BodyError(self.0.get_or_init(|| end).clone())
    }
}

impl BodyEnd {
    /// The answer of S3 to a request whose body ended in this way, or `None` if the body is complete.
    pub fn refusal(&self) -> Option<Refusal> {
        Some(match *self {
            BodyEnd::Complete => return None,
            BodyEnd::TooSlow => Refusal::RequestTimeout,
            BodyEnd::OutOfMemory => Refusal::SlowDown,
            BodyEnd::TooManyElements => Refusal::TooManyElements,
            BodyEnd::Unverified(ref refusal) => (**refusal).clone(),
            BodyEnd::Cut => Refusal::IncompleteBody,
            BodyEnd::TooLarge { bytes_max } => Refusal::MessageTooLong { bytes_max },
            BodyEnd::WrongLength => Refusal::WrongLength,
            BodyEnd::Malformed(ChunkFault::TooSmall { chunk, bytes }) => {
                Refusal::ChunkTooSmall { chunk, bytes }
            }
            BodyEnd::Malformed(ChunkFault::TooLarge { chunk, bytes, bytes_max }) => {
                Refusal::ChunkTooLarge { chunk, bytes, bytes_max }
            }
            BodyEnd::Malformed(ChunkFault::Trailers | ChunkFault::TrailersTooLong) => {
                Refusal::MalformedTrailer
            }
            BodyEnd::Malformed(_) => Refusal::IncompleteBody,
        })
    }
}

impl From<ChunkFault> for BodyEnd {
    fn from(fault: ChunkFault) -> Self {
        BodyEnd::Malformed(fault)
    }
}

/// The error of a body that ended otherwise than complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyError(pub BodyEnd);

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            BodyEnd::Complete => f.write_str("the request's body is complete"),
            BodyEnd::Cut => f.write_str("the request's body ended early"),
            BodyEnd::Malformed(fault) => {
                write!(f, "the aws-chunks of the request's body are malformed: {fault:?}")
            }
            BodyEnd::TooLarge { bytes_max } => {
                write!(f, "the request's body has more than {bytes_max} bytes")
            }
            BodyEnd::WrongLength => {
                f.write_str("the request's body has another length than the request says")
            }
            BodyEnd::TooSlow => f.write_str("the request's body came too slowly"),
            BodyEnd::OutOfMemory => f.write_str("there is no memory for the request's body"),
            BodyEnd::TooManyElements => f.write_str("the document has too many elements"),
            BodyEnd::Unverified(refusal) => refusal.fmt(f),
        }
    }
}

impl Error for BodyError {}
