//! Conditions of GET, HEAD and the source of a copy.

use hyper::HeaderMap;
use hyper::header::{ETAG, HeaderValue, LAST_MODIFIED};
use s3s::dto::{Timestamp, TimestampFormat};
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::etags::Etags;
use crate::clock;
use crate::errors::precondition_failed;

/// The conditions of a request that reads an object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadConditions {
    if_match: Option<Etags>,
    if_none_match: Option<Etags>,
    /// In seconds since 1970, as HTTP dates are.
    modified_since: Option<u64>,
    unmodified_since: Option<u64>,
}

/// What conditions are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validators<'a> {
    /// The ETag, without quotes.
    pub etag: &'a str,
    /// Last-Modified, in milliseconds since 1970.
    pub modified_ms: u64,
}

/// How conditions failed to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmet {
    /// The caller has the object already: 304.
    NotModified,
    /// The object is not the one that the caller expects: 412.
    PreconditionFailed,
}

impl ReadConditions {
    /// Reads If-Match and its like. Dates that are malformed, or later than now, are ignored.
    pub fn of_object(headers: &HeaderMap, now_ms: u64) -> ReadConditions {
        ReadConditions {
            if_match: Etags::from_headers(headers, "if-match"),
            if_none_match: Etags::from_headers(headers, "if-none-match"),
            modified_since: past_seconds(headers, "if-modified-since", now_ms),
            unmodified_since: past_seconds(headers, "if-unmodified-since", now_ms),
        }
    }

    /// Reads x-amz-copy-source-if-match and its like.
    pub fn of_copy_source(headers: &HeaderMap, now_ms: u64) -> ReadConditions {
        ReadConditions {
            if_match: Etags::from_headers(headers, "x-amz-copy-source-if-match"),
            if_none_match: Etags::from_headers(headers, "x-amz-copy-source-if-none-match"),
            modified_since: past_seconds(headers, "x-amz-copy-source-if-modified-since", now_ms),
            unmodified_since: past_seconds(headers, "x-amz-copy-source-if-unmodified-since", now_ms),
        }
    }

    /// Evaluates the conditions in the order of RFC 9110, section 13.2.2. An ETag condition replaces the date condition
    /// of its kind.
    pub fn check(&self, object: Validators<'_>) -> Result<(), Unmet> {
        let modified = object.modified_ms / 1000;
        let is_expected = match (&self.if_match, self.unmodified_since) {
            (Some(etags), _) => etags.matches_strongly(object.etag),
            (None, Some(since)) => modified <= since,
            (None, None) => true,
        };
        let is_news = match (&self.if_none_match, self.modified_since) {
            (Some(etags), _) => !etags.matches_weakly(object.etag),
            (None, Some(since)) => modified > since,
            (None, None) => true,
        };
        match (is_expected, is_news) {
            (false, _) => Err(Unmet::PreconditionFailed),
            (true, false) => Err(Unmet::NotModified),
            (true, true) => Ok(()),
        }
    }

    /// Evaluates the conditions of a copy's source, where each failure is a 412.
    pub fn check_copy_source(&self, object: Validators<'_>) -> S3Result {
        self.check(object).map_err(|_| precondition_failed())
    }
}

impl Unmet {
    /// Returns the error to answer with. A 304 carries the headers that a 200 would have had for caches: the ETag,
    /// Last-Modified and what the caller adds in `more`, such as Cache-Control, Expires and the version.
    pub fn into_error(self, object: Validators<'_>, more: HeaderMap) -> S3Error {
        if self == Unmet::PreconditionFailed {
            return precondition_failed();
        }
        let mut headers = more;
        if let Ok(etag) = HeaderValue::try_from(format!("\"{}\"", object.etag)) {
            headers.insert(ETAG, etag);
        }
        let mut date = Vec::new();
        let formatted = clock::timestamp(object.modified_ms).format(TimestampFormat::HttpDate, &mut date);
        if let (Ok(()), Ok(date)) = (formatted, HeaderValue::from_bytes(&date)) {
            headers.insert(LAST_MODIFIED, date);
        }
        let mut error = S3Error::with_message(S3ErrorCode::NotModified, "Not Modified");
        error.set_headers(headers);
        error
    }
}

fn past_seconds(headers: &HeaderMap, name: &str, now_ms: u64) -> Option<u64> {
    let text = headers.get(name)?.to_str().ok()?.trim();
    let formats = [TimestampFormat::HttpDate, TimestampFormat::DateTime];
    let date = formats.into_iter().find_map(|format| Timestamp::parse(format, text).ok())?;
    let ms = clock::millis(&date);
    (ms <= now_ms).then_some(ms / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: u64 = 1_800_000_000_000;
    /// Wed, 21 Oct 2015 07:28:00.500 GMT.
    const OBJECT: Validators<'_> = Validators { etag: "abc", modified_ms: 1_445_412_480_500 };
    const BEFORE: &str = "Wed, 21 Oct 2015 07:27:59 GMT";
    const SAME: &str = "Wed, 21 Oct 2015 07:28:00 GMT";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    fn check(pairs: &[(&'static str, &str)]) -> Result<(), Unmet> {
        ReadConditions::of_object(&headers(pairs), NOW_MS).check(OBJECT)
    }

    #[test]
    fn each_condition_alone() {
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[("if-match", "abc")]), Ok(()));
        assert_eq!(check(&[("if-match", "*")]), Ok(()));
        assert_eq!(check(&[("if-match", "x")]), Err(Unmet::PreconditionFailed));
        assert_eq!(check(&[("if-none-match", "x")]), Ok(()));
        assert_eq!(check(&[("if-none-match", "x, W/\"abc\"")]), Err(Unmet::NotModified));
        assert_eq!(check(&[("if-none-match", "*")]), Err(Unmet::NotModified));
        assert_eq!(check(&[("if-modified-since", BEFORE)]), Ok(()));
        assert_eq!(check(&[("if-modified-since", SAME)]), Err(Unmet::NotModified));
        assert_eq!(check(&[("if-unmodified-since", SAME)]), Ok(()));
        assert_eq!(check(&[("if-unmodified-since", BEFORE)]), Err(Unmet::PreconditionFailed));
    }

    #[test]
    fn an_etag_condition_replaces_the_date_condition_of_its_kind() {
        assert_eq!(check(&[("if-match", "abc"), ("if-unmodified-since", BEFORE)]), Ok(()));
        assert_eq!(check(&[("if-none-match", "x"), ("if-modified-since", SAME)]), Ok(()));
        assert_eq!(
            check(&[("if-none-match", "abc"), ("if-modified-since", BEFORE)]),
            Err(Unmet::NotModified)
        );
    }

    #[test]
    fn a_412_comes_before_a_304() {
        let both = [("if-match", "x"), ("if-none-match", "abc")];
        assert_eq!(check(&both), Err(Unmet::PreconditionFailed));
        let dates = [("if-unmodified-since", BEFORE), ("if-modified-since", SAME)];
        assert_eq!(check(&dates), Err(Unmet::PreconditionFailed));
        assert_eq!(check(&[("if-match", "abc"), ("if-none-match", "abc")]), Err(Unmet::NotModified));
    }

    #[test]
    fn dates_that_are_malformed_or_in_the_future_are_ignored() {
        for date in ["yesterday", "", "Tue, 01 Jan 2069 00:00:00 GMT"] {
            assert_eq!(check(&[("if-modified-since", date)]), Ok(()), "{date}");
        }
        assert_eq!(check(&[("if-modified-since", "2015-10-21T07:28:00Z")]), Err(Unmet::NotModified));
    }

    #[test]
    fn a_304_has_the_validators_and_no_quotes_are_lost() {
        let error = Unmet::NotModified.into_error(OBJECT, headers(&[("cache-control", "no-cache")]));
        assert_eq!(error.status_code().unwrap(), 304);
        let sent = error.headers().unwrap();
        assert_eq!(sent.get("etag").unwrap(), "\"abc\"");
        assert_eq!(sent.get("last-modified").unwrap(), SAME);
        assert_eq!(sent.get("cache-control").unwrap(), "no-cache");
        let error = Unmet::PreconditionFailed.into_error(OBJECT, HeaderMap::new());
        assert_eq!(error.status_code().unwrap(), 412);
    }

    #[test]
    fn the_source_of_a_copy_has_headers_of_its_own_and_fails_with_412() {
        let check = |pairs: &[(&'static str, &str)]| {
            ReadConditions::of_copy_source(&headers(pairs), NOW_MS).check_copy_source(OBJECT)
        };
        assert!(check(&[("if-match", "x")]).is_ok());
        assert!(check(&[("x-amz-copy-source-if-match", "abc")]).is_ok());
        for (name, value) in [
            ("x-amz-copy-source-if-match", "x"),
            ("x-amz-copy-source-if-none-match", "abc"),
            ("x-amz-copy-source-if-modified-since", SAME),
            ("x-amz-copy-source-if-unmodified-since", BEFORE),
        ] {
            assert_eq!(check(&[(name, value)]).unwrap_err().status_code().unwrap(), 412, "{name}");
        }
    }
}
