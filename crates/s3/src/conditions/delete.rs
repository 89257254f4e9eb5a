//! Conditions of DeleteObject, and of each object of DeleteObjects.

use hyper::HeaderMap;
use s3s::S3Result;
use s3s::dto::{ObjectIdentifier, Timestamp, TimestampFormat};

use super::etags::Etags;
use crate::clock;
use crate::errors::{invalid_argument, precondition_failed};
use crate::facts::ObjectFacts;

/// The conditions of a request that removes an object. Deleting an object that does not exist succeeds whatever
/// they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeleteConditions {
    if_match: Option<Etags>,
    modified_seconds: Option<u64>,
    size: Option<u64>,
}

impl DeleteConditions {
    /// Reads If-Match, x-amz-if-match-last-modified-time and x-amz-if-match-size.
    pub fn from_headers(headers: &HeaderMap) -> S3Result<DeleteConditions> {
        let text =
            |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or_default().trim().to_owned());
        let modified = text("x-amz-if-match-last-modified-time").map(|date| {
            let formats = [TimestampFormat::HttpDate, TimestampFormat::DateTime];
            let parsed = formats.into_iter().find_map(|format| Timestamp::parse(format, &date).ok());
            parsed.ok_or_else(|| invalid_argument("x-amz-if-match-last-modified-time is not a date"))
        });
        let size = text("x-amz-if-match-size").map(|size| {
            size.parse().map_err(|_| invalid_argument("x-amz-if-match-size is not a number of bytes"))
        });
        Ok(DeleteConditions {
            if_match: Etags::from_headers(headers, "if-match"),
            modified_seconds: modified.transpose()?.map(|date| clock::millis(&date) / 1000),
            size: size.transpose()?,
        })
    }

    /// Takes the conditions of one object of DeleteObjects.
    pub fn of_identifier(object: &ObjectIdentifier) -> DeleteConditions {
        DeleteConditions {
            if_match: object.e_tag.as_ref().map(|etag| Etags::parse(etag.value())),
            modified_seconds: object.last_modified_time.as_ref().map(|date| clock::millis(date) / 1000),
            size: object.size.map(|size| u64::try_from(size).unwrap_or(u64::MAX)),
        }
    }

    /// Evaluates the conditions against the version that the request would remove or hide: the current one, or the one
    /// that it names. `None` means that it does not exist.
    pub fn check(&self, version: Option<&ObjectFacts>) -> S3Result {
        let Some(version) = version else { return Ok(()) };
        let holds = self.if_match.as_ref().is_none_or(|etags| etags.matches_strongly(&version.etag))
            && self.modified_seconds.is_none_or(|seconds| seconds == version.modified_ms / 1000)
            && self.size.is_none_or(|size| size == version.size && !version.delete_marker);
        if holds { Ok(()) } else { Err(precondition_failed()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(pairs: &[(&'static str, &str)]) -> S3Result<DeleteConditions> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        DeleteConditions::from_headers(&headers)
    }

    fn object() -> ObjectFacts {
        ObjectFacts {
            etag: "abc".to_owned(),
            size: 5,
            modified_ms: 1_445_412_480_500,
            ..ObjectFacts::default()
        }
    }

    #[test]
    fn an_object_is_deleted_only_if_it_is_the_expected_one() {
        for (name, met, unmet) in [
            ("if-match", "\"abc\"", "x"),
            ("x-amz-if-match-size", "5", "6"),
            ("x-amz-if-match-last-modified-time", "Wed, 21 Oct 2015 07:28:00 GMT", "2015-10-21T07:28:01Z"),
        ] {
            assert!(conditions(&[(name, met)]).unwrap().check(Some(&object())).is_ok(), "{name}");
            let error = conditions(&[(name, unmet)]).unwrap().check(Some(&object())).unwrap_err();
            assert_eq!(error.status_code().unwrap(), 412, "{name}");
        }
        assert!(conditions(&[("if-match", "*")]).unwrap().check(Some(&object())).is_ok());
    }

    #[test]
    fn deleting_what_does_not_exist_succeeds() {
        assert!(conditions(&[("if-match", "x")]).unwrap().check(None).is_ok());
    }

    #[test]
    fn a_delete_marker_has_no_etag_and_no_size() {
        let marker = ObjectFacts { delete_marker: true, ..ObjectFacts::default() };
        assert!(conditions(&[("if-match", "*")]).unwrap().check(Some(&marker)).is_ok());
        assert!(conditions(&[("if-match", "abc")]).unwrap().check(Some(&marker)).is_err());
        assert!(conditions(&[("x-amz-if-match-size", "0")]).unwrap().check(Some(&marker)).is_err());
    }

    #[test]
    fn malformed_conditions_are_refused() {
        assert!(conditions(&[("x-amz-if-match-size", "-1")]).is_err());
        assert!(conditions(&[("x-amz-if-match-last-modified-time", "yesterday")]).is_err());
    }
}
