//! How many bytes a request's body may and must have.

use hyper::Method;
use hyper::header::{CONTENT_LENGTH, HeaderName, TRANSFER_ENCODING};
use hyper::http::request::Parts;

use super::headers::number;
use super::payload::{Chunking, Payload};
use super::query::Query;
use super::refusal::Refusal;
use super::target::Target;

/// Most bytes that one PUT may store.
pub(super) const DATA_BYTES_MAX: u64 = 5 << 30;
/// Most bytes of a body that is not an object or part.
const MESSAGE_BYTES_MAX: u64 = 1 << 20;
/// The same for lists: completing an upload of 10,000 parts, and deleting 1,000 objects.
const LIST_BYTES_MAX: u64 = 2 << 20;

const X_AMZ_DECODED_CONTENT_LENGTH: HeaderName = HeaderName::from_static("x-amz-decoded-content-length");
pub(super) const X_AMZ_COPY_SOURCE: HeaderName = HeaderName::from_static("x-amz-copy-source");

/// Subresources of an object whose PUT carries XML. s3s takes a PUT with any other parameter as one of data.
const MESSAGE_SUBRESOURCES: [&str; 4] = ["acl", "legal-hold", "retention", "tagging"];

/// Extension of a request that stores an object or part: its length in bytes, without any framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataLength(pub u64);

/// The length and the form that a body must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyRule {
    /// A plain body of exactly this length.
    Exactly { bytes: u64, is_data: bool },
    /// A plain body of at most this length.
    AtMost { bytes: u64 },
    /// aws-chunks whose data has exactly this length.
    Chunked { bytes: u64, chunking: Chunking },
}

impl BodyRule {
    pub(super) fn data_length(&self) -> Option<DataLength> {
        match *self {
            BodyRule::Exactly { bytes, is_data: true } | BodyRule::Chunked { bytes, .. } => {
                Some(DataLength(bytes))
            }
            BodyRule::Exactly { .. } | BodyRule::AtMost { .. } => None,
        }
    }
}

/// The rule for a request's body.
pub(super) fn rule(
    parts: &Parts,
    target: &Target,
    query: &Query,
    payload: &Payload,
) -> Result<BodyRule, Refusal> {
    let given = number(&parts.headers, &CONTENT_LENGTH)?;
    let stores_data = stores_data(parts, target, query);
    if let Payload::Chunked(chunking) = *payload {
        if !stores_data {
            return Err(Refusal::MisplacedChunks);
        }
        let decoded = number(&parts.headers, &X_AMZ_DECODED_CONTENT_LENGTH)?;
        let bytes = data_length(decoded)?;
        return Ok(BodyRule::Chunked { bytes, chunking });
    }
    if stores_data {
        return Ok(BodyRule::Exactly { bytes: data_length(given)?, is_data: true });
    }
    let bytes_max = match () {
        () if parts.method != Method::POST => MESSAGE_BYTES_MAX,
        () if query.has("delete") || query.has("uploadId") => LIST_BYTES_MAX,
        () => MESSAGE_BYTES_MAX,
    };
    match given {
        Some(bytes) if bytes > bytes_max => Err(Refusal::MessageTooLong { bytes_max }),
        Some(bytes) => Ok(BodyRule::Exactly { bytes, is_data: false }),
        // s3s would read the whole body before it finds that the length is missing.
        None if reads_message(&parts.method) && parts.headers.contains_key(TRANSFER_ENCODING) => {
            Err(Refusal::MissingContentLength)
        }
        None => Ok(BodyRule::AtMost { bytes: bytes_max }),
    }
}

fn stores_data(parts: &Parts, target: &Target, query: &Query) -> bool {
    parts.method == Method::PUT
        && *target == Target::Object
        && !parts.headers.contains_key(X_AMZ_COPY_SOURCE)
        && !MESSAGE_SUBRESOURCES.iter().any(|name| query.has(name))
}

fn reads_message(method: &Method) -> bool {
    *method == Method::PUT || *method == Method::POST
}

fn data_length(given: Option<u64>) -> Result<u64, Refusal> {
    let bytes = given.ok_or(Refusal::MissingContentLength)?;
    if bytes > DATA_BYTES_MAX {
        return Err(Refusal::EntityTooLarge { bytes, bytes_max: DATA_BYTES_MAX });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    const CHUNKED: Payload = Payload::Chunked(Chunking { signed: true, trailed: false, trailer: None });

    fn ruled(
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        payload: &Payload,
    ) -> Result<BodyRule, Refusal> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let target = Target::parse(&parts.uri, &parts.headers, &[]).unwrap();
        let query = Query::parse(parts.uri.query().unwrap_or_default()).unwrap();
        rule(&parts, &target, &query, payload)
    }

    #[test]
    fn data_needs_a_length_of_at_most_5_gib() {
        for path in ["/b/k", "/b/k?partNumber=1&uploadId=u", "/b/k?x-id=PutObject"] {
            let put = |length| ruled("PUT", path, &[("content-length", length)], &Payload::Unsigned);
            let exactly = |bytes| Ok(BodyRule::Exactly { bytes, is_data: true });
            assert_eq!(put("0"), exactly(0));
            assert_eq!(put("5368709120"), exactly(5 << 30));
            let refused = Err(Refusal::EntityTooLarge { bytes: (5 << 30) + 1, bytes_max: 5 << 30 });
            assert_eq!(put("5368709121"), refused);
            let without = ruled("PUT", path, &[], &Payload::Unsigned);
            assert_eq!(without, Err(Refusal::MissingContentLength));
        }
        let rule = BodyRule::Exactly { bytes: 7, is_data: true };
        assert_eq!(rule.data_length(), Some(DataLength(7)));
    }

    #[test]
    fn chunks_need_the_length_of_their_data() {
        let name = "x-amz-decoded-content-length";
        let chunked = |headers: &[(&str, &str)]| ruled("PUT", "/b/k", headers, &CHUNKED);
        let rule = chunked(&[(name, "10"), ("content-length", "200")]).unwrap();
        assert_eq!(rule.data_length(), Some(DataLength(10)));
        assert!(chunked(&[(name, "10"), ("transfer-encoding", "chunked")]).is_ok());
        assert_eq!(chunked(&[("content-length", "200")]), Err(Refusal::MissingContentLength));
        assert_eq!(chunked(&[(name, "ten")]), Err(Refusal::MissingContentLength));
        assert!(matches!(chunked(&[(name, "5368709121")]), Err(Refusal::EntityTooLarge { .. })));
        for (method, path) in [("PUT", "/b"), ("PUT", "/b/k?tagging"), ("POST", "/b?delete"), ("GET", "/b/k")]
        {
            assert_eq!(ruled(method, path, &[(name, "1")], &CHUNKED), Err(Refusal::MisplacedChunks));
        }
    }

    #[test]
    fn other_bodies_have_a_mebibyte_or_two() {
        for (method, path, bytes_max) in [
            ("POST", "/b?delete", LIST_BYTES_MAX),
            ("POST", "/b/k?uploadId=u", LIST_BYTES_MAX),
            ("POST", "/b/k?uploads", MESSAGE_BYTES_MAX),
            ("PUT", "/b?lifecycle", MESSAGE_BYTES_MAX),
            ("PUT", "/b/k?tagging", MESSAGE_BYTES_MAX),
            ("GET", "/b/k", MESSAGE_BYTES_MAX),
            ("DELETE", "/b/k?uploadId=u", MESSAGE_BYTES_MAX),
        ] {
            let with =
                |bytes: u64| ruled(method, path, &[("content-length", &bytes.to_string())], &Payload::Hashed);
            assert_eq!(with(bytes_max), Ok(BodyRule::Exactly { bytes: bytes_max, is_data: false }));
            assert_eq!(with(bytes_max + 1), Err(Refusal::MessageTooLong { bytes_max }), "{method} {path}");
            let at_most = Ok(BodyRule::AtMost { bytes: bytes_max });
            assert_eq!(ruled(method, path, &[], &Payload::Hashed), at_most);
            let endless = ruled(method, path, &[("transfer-encoding", "chunked")], &Payload::Hashed);
            let needs_length = method == "PUT" || method == "POST";
            assert_eq!(endless, if needs_length { Err(Refusal::MissingContentLength) } else { at_most });
        }
    }

    #[test]
    fn a_copy_needs_no_length() {
        let copy = ruled("PUT", "/b/k", &[("x-amz-copy-source", "/b/other")], &Payload::Unsigned);
        assert_eq!(copy, Ok(BodyRule::AtMost { bytes: MESSAGE_BYTES_MAX }));
    }
}
