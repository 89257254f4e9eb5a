//! Conditions of PutObject, CopyObject and CompleteMultipartUpload on the object that they replace.

use hyper::HeaderMap;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::etags::Etags;
use crate::error_document::Detailed;
use crate::errors::{not_implemented, precondition_failed};

/// The conditions of a request that replaces the current object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WriteConditions {
    if_match: Option<Etags>,
    must_be_absent: bool,
}

impl WriteConditions {
    /// Reads If-Match and If-None-Match. As on AWS, If-None-Match takes only `*`, and not both may come.
    pub fn from_headers(headers: &HeaderMap) -> S3Result<WriteConditions> {
        let if_match = Etags::from_headers(headers, "if-match");
        let if_none_match = Etags::from_headers(headers, "if-none-match");
        match (&if_match, &if_none_match) {
            (Some(_), Some(_)) => Err(refused(
                "If-Match,If-None-Match",
                "Multiple conditional request headers present in the request",
            )),
            (None, Some(Etags::List(_))) => Err(refused(
                "If-None-Match",
                "We don't accept the provided value of If-None-Match header for this API",
            )),
            _ => Ok(WriteConditions { if_match, must_be_absent: if_none_match.is_some() }),
        }
    }

    /// The condition that there is no object.
    pub fn absent() -> WriteConditions {
        WriteConditions { if_match: None, must_be_absent: true }
    }

    /// Returns whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        self.if_match.is_none() && !self.must_be_absent
    }

    /// Evaluates the conditions. `current` is the ETag of the current object, without quotes, or `None` if there is no
    /// object or its current version is a delete marker.
    pub fn check(&self, current: Option<&str>) -> S3Result {
        if self.must_be_absent && current.is_some() {
            return Err(precondition_failed());
        }
        match (&self.if_match, current) {
            (Some(_), None) => {
                Err(S3Error::with_message(S3ErrorCode::NoSuchKey, "The specified key does not exist."))
            }
            (Some(etags), Some(current)) if !etags.matches_strongly(current) => Err(precondition_failed()),
            _ => Ok(()),
        }
    }
}

fn refused(header: &'static str, why: &'static str) -> S3Error {
    not_implemented("A header you provided implies functionality that is not implemented.")
        .with("Header", header)
        .with("additionalMessage", why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(pairs: &[(&'static str, &str)]) -> S3Result<WriteConditions> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        WriteConditions::from_headers(&headers)
    }

    fn code(pairs: &[(&'static str, &str)], current: Option<&str>) -> String {
        conditions(pairs).unwrap().check(current).unwrap_err().code().as_str().to_owned()
    }

    #[test]
    fn an_object_is_created_only_if_there_is_none() {
        let create = [("if-none-match", "*")];
        assert!(conditions(&create).unwrap().check(None).is_ok());
        assert_eq!(code(&create, Some("abc")), "PreconditionFailed");
    }

    #[test]
    fn an_object_is_replaced_only_if_it_is_the_expected_one() {
        for etag in ["abc", "\"abc\"", "*"] {
            assert!(conditions(&[("if-match", etag)]).unwrap().check(Some("abc")).is_ok());
            assert_eq!(code(&[("if-match", etag)], None), "NoSuchKey");
        }
        assert_eq!(code(&[("if-match", "x")], Some("abc")), "PreconditionFailed");
    }

    #[test]
    fn what_aws_does_not_implement_is_refused() {
        for pairs in [&[("if-none-match", "abc")][..], &[("if-none-match", "*"), ("if-match", "abc")]] {
            assert_eq!(*conditions(pairs).unwrap_err().code(), S3ErrorCode::NotImplemented);
        }
        assert!(conditions(&[]).unwrap().is_empty());
        assert!(conditions(&[]).unwrap().check(Some("abc")).is_ok());
    }
}
