//! Bodies as s3s may read them: counted, and with aws-chunks checked or framed anew.

mod aws_chunked;
mod chunks;
mod counted;
mod fate;
mod trailers;

use std::error::Error;

use bytes::Bytes;

use super::length::BodyRule;
pub(super) use aws_chunked::AwsChunked;
use counted::Counted;
pub use fate::{BodyEnd, BodyError, BodyFate, ChunkFault};

/// Returns a body that obeys the rule or fails, and the fate that says how it ended.
pub(super) fn governed<B>(body: B, rule: BodyRule) -> (s3s::Body, BodyFate)
where
    B: http_body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let fate = BodyFate::default();
    let is_empty = body.is_end_stream();
    let governed = match rule {
        BodyRule::Exactly { bytes: 0, .. } | BodyRule::AtMost { .. } if is_empty => {
            fate.set(BodyEnd::Complete);
            s3s::Body::empty()
        }
        BodyRule::Exactly { bytes, .. } => {
            s3s::Body::http_body_unsync(Counted::exactly(body, bytes, fate.clone()))
        }
        BodyRule::AtMost { bytes } => {
            s3s::Body::http_body_unsync(Counted::at_most(body, bytes, fate.clone()))
        }
        BodyRule::Chunked { bytes, chunking } => {
            s3s::Body::http_body_unsync(AwsChunked::new(body, chunking, bytes, fate.clone()))
        }
    };
    (governed, fate)
}

#[cfg(test)]
mod test_body;
#[cfg(test)]
pub(super) use test_body::TestBody;
#[cfg(test)]
mod tests;
