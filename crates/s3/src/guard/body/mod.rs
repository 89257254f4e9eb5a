//! Bodies as s3s may read them: counted, and with aws-chunks checked or framed anew.

mod aws_chunked;
mod chunks;
mod counted;
mod fate;
mod message;
mod paced;
mod trailers;

use std::error::Error;

use bytes::Bytes;

use super::length::BodyRule;
use super::refusal::Refusal;
use crate::checksum::ExpectedChecksums;
use crate::memory::Account;
pub(super) use aws_chunked::AwsChunked;
use counted::Counted;
pub use fate::{BodyEnd, BodyError, BodyFate, ChunkFault};
use message::Message;
use paced::Paced;
pub(crate) use paced::{CHECK_PERIOD, PACE};

/// Returns a body that obeys the rule or fails, and the fate that says how it ended. A message must be as `expected`, too.
pub(super) fn governed<B>(
    body: B,
    rule: BodyRule,
    expected: Result<ExpectedChecksums, Refusal>,
    account: &Account,
) -> (s3s::Body, BodyFate)
where
    B: http_body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let fate = BodyFate::default();
    let is_empty = body.is_end_stream();
    let body = Paced::new(body, PACE, account.clone(), fate.clone());
    let message =
        |counted| s3s::Body::http_body_unsync(Message::new(counted, expected, account.clone(), fate.clone()));
    let governed = match rule {
        BodyRule::Exactly { bytes: 0, .. } | BodyRule::AtMost { .. } if is_empty => {
            fate.set(BodyEnd::Complete);
            s3s::Body::empty()
        }
        BodyRule::Exactly { bytes, is_data: true } => {
            s3s::Body::http_body_unsync(Counted::exactly(body, bytes, fate.clone()))
        }
        BodyRule::Exactly { bytes, is_data: false } => {
            message(Counted::exactly(body, bytes, BodyFate::default()))
        }
        BodyRule::AtMost { bytes } => message(Counted::at_most(body, bytes, BodyFate::default())),
        BodyRule::Chunked { bytes, chunking } => {
            let charge = account.charge();
            s3s::Body::http_body_unsync(AwsChunked::new(body, chunking, bytes, charge, fate.clone()))
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
