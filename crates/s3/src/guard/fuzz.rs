//! Entry points for fuzzing. They take any bytes, and must not panic.

use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, Request, Uri};

use super::admission::Guard;
use super::body::{AwsChunked, BodyEnd, BodyFate};
use super::payload::Chunking;
use crate::memory::Account;

/// Takes bytes as the head of a request, in lines: method and target, then headers. A line that is no header is left out, so that the
/// fuzzer does not lose time on what the HTTP server refuses. The body is what follows an empty line. A request that is admitted must
/// be read to its end, and then have a fate.
pub fn fuzz_guard(bytes: &[u8]) {
    let (head, body) = split_at_empty_line(bytes);
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let mut words = first.split(|byte| *byte == b' ');
    let method = words.next().and_then(|method| Method::from_bytes(method).ok()).unwrap_or(Method::PUT);
    let Ok(uri) = Uri::try_from(words.next().unwrap_or(b"/")) else { return };
    let mut request = Request::new(Full::new(Bytes::copy_from_slice(body)));
    *request.method_mut() = method;
    *request.uri_mut() = uri;
    for line in lines {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let Some((name, value)) = line.split_at_checked(colon) else { continue };
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let parsed = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value));
        if let (Ok(name), Ok(value)) = parsed {
            let _ = request.headers_mut().try_append(name, value);
        }
    }
    // A time that a corpus can contain.
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_369_353_600);
    match Guard::new("us-east-1", ["s3.example.com"]).admit_at(request, now) {
        Ok(admitted) => {
            let fate = admitted.extensions().get::<BodyFate>().cloned();
            drain(admitted.into_body());
            debug_assert!(fate.is_some_and(|fate| fate.get().is_some()), "the body has ended");
        }
        Err(refusal) => {
            drain(refusal.response().into_body());
        }
    }
}

/// Takes bytes as an aws-chunked body: the first byte says whether it is signed and has a trailer, the next two how many bytes its data
/// has, the fourth in which pieces it comes. Every body must end, and only a complete one without an error.
pub fn fuzz_aws_chunked(bytes: &[u8]) {
    let Some((&[form, high, low, piece], body)) = bytes.split_first_chunk() else { return };
    let (signed, trailed) = (form & 1 != 0, form & 2 != 0);
    let trailer = (trailed && form & 4 != 0).then_some("x-amz-checksum-crc32");
    let data_bytes = u64::from(u16::from_be_bytes([high, low]));
    let pieces = body.chunks(usize::from(piece).max(1)).map(Bytes::copy_from_slice);
    let stream =
        futures::stream::iter(pieces.map(|piece| Ok::<_, std::io::Error>(http_body::Frame::data(piece))));
    let fate = BodyFate::default();
    let inner = http_body_util::StreamBody::new(stream);
    let chunking = Chunking { signed, trailed, trailer };
    let charge = Account::default().charge();
    let complete = drain(AwsChunked::new(inner, chunking, data_bytes, charge, fate.clone()));
    debug_assert_eq!(complete, fate.get() == Some(&BodyEnd::Complete), "the fate says how the body ended");
}

fn split_at_empty_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let at = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or(bytes.len());
    let (head, rest) = bytes.split_at_checked(at).unwrap_or((bytes, b""));
    (head, rest.get(2..).unwrap_or_default())
}

/// Reads a body that is never pending, and returns whether it ended without an error.
fn drain<B: http_body::Body>(body: B) -> bool {
    let mut body = pin!(body);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match pin!(body.frame()).poll(&mut context) {
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(_))) => return false,
            Poll::Ready(None) => return true,
            Poll::Pending => {
                debug_assert!(false, "a body in memory is never pending");
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A request that the guard admits, to be damaged.
    const SOUND: &str = "PUT /b/k HTTP/1.1\nhost: s3.example.com\n\
        authorization: AWS4-HMAC-SHA256 Credential=K/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;x-amz-date,Signature=a\n\
        x-amz-date: 20130524T000000Z\nx-amz-content-sha256: UNSIGNED-PAYLOAD\ncontent-length: 4\n\nbody";

    #[test]
    fn the_sound_request_is_admitted() {
        fuzz_guard(SOUND.as_bytes());
        fuzz_guard(b"");
        fuzz_aws_chunked(b"");
        fuzz_aws_chunked(b"\x00\x00\x02\x015\r\nhello\r\n0\r\n\r\n");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            fuzz_guard(&bytes);
            fuzz_aws_chunked(&bytes);
        }

        #[test]
        fn no_damaged_request_panics(at in 0..SOUND.len(), byte: u8, cut in 0..SOUND.len()) {
            let mut bytes = SOUND.as_bytes().to_vec();
            bytes[at] = byte;
            fuzz_guard(&bytes);
            bytes.truncate(cut);
            fuzz_guard(&bytes);
        }

        #[test]
        fn no_chunks_panic(form in 0u8..8, length: u8, piece: u8, text in "([0-9a-f]{1,4}(;chunk-signature=[0-9a-f]{64})?\r\n|[a-z]{0,9}\r\n|0\r\n){0,6}") {
            let mut bytes = vec![form, 0, length, piece];
            bytes.extend_from_slice(text.as_bytes());
            fuzz_aws_chunked(&bytes);
        }
    }
}
