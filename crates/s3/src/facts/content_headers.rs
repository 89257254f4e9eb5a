//! The headers that describe an object's content. They are stored as sent and returned by GET and HEAD.

use hyper::HeaderMap;
use s3s::S3Result;
use serde::{Deserialize, Serialize};

use super::defaults::is_default;
use crate::errors::{bad_request, invalid_argument};

/// The longest redirect location.
const REDIRECT_BYTES_MAX: usize = 2048;

/// The headers that describe an object's content.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentHeaders {
    /// Content-Type. Absent means [`ContentHeaders::DEFAULT_TYPE`].
    #[serde(rename = "ct", default, skip_serializing_if = "is_default")]
    pub content_type: Option<String>,
    /// Content-Encoding, without `aws-chunked`.
    #[serde(rename = "ce", default, skip_serializing_if = "is_default")]
    pub content_encoding: Option<String>,
    /// Content-Disposition.
    #[serde(rename = "cd", default, skip_serializing_if = "is_default")]
    pub content_disposition: Option<String>,
    /// Content-Language.
    #[serde(rename = "cl", default, skip_serializing_if = "is_default")]
    pub content_language: Option<String>,
    /// Cache-Control.
    #[serde(rename = "cc", default, skip_serializing_if = "is_default")]
    pub cache_control: Option<String>,
    /// Expires, as text: S3 returns what was sent, even if it is no date.
    #[serde(rename = "ex", default, skip_serializing_if = "is_default")]
    pub expires: Option<String>,
    /// x-amz-website-redirect-location.
    #[serde(rename = "wr", default, skip_serializing_if = "is_default")]
    pub website_redirect_location: Option<String>,
}

impl ContentHeaders {
    /// The Content-Type of an object that was stored without one.
    pub const DEFAULT_TYPE: &'static str = "binary/octet-stream";

    /// Takes the headers from a request.
    pub fn from_headers(headers: &HeaderMap) -> S3Result<ContentHeaders> {
        let website_redirect_location = text(headers, "x-amz-website-redirect-location")?;
        if let Some(location) = &website_redirect_location {
            check_redirect(location)?;
        }
        Ok(ContentHeaders {
            content_type: text(headers, "content-type")?,
            content_encoding: text(headers, "content-encoding")?.as_deref().and_then(without_aws_chunked),
            content_disposition: text(headers, "content-disposition")?,
            content_language: text(headers, "content-language")?,
            cache_control: text(headers, "cache-control")?,
            expires: text(headers, "expires")?,
            website_redirect_location,
        })
    }

    /// Returns the Content-Type for an answer.
    pub fn content_type(&self) -> &str {
        self.content_type.as_deref().unwrap_or(ContentHeaders::DEFAULT_TYPE)
    }
}

/// Joins the values of a header. Returns `None` for a header that is absent or empty.
fn text(headers: &HeaderMap, name: &str) -> S3Result<Option<String>> {
    let mut joined = String::new();
    for value in headers.get_all(name) {
        let value = std::str::from_utf8(value.as_bytes())
            .map_err(|_| invalid_argument(format!("The value of the header {name} is not UTF-8.")))?;
        if !joined.is_empty() {
            joined.push_str(", ");
        }
        joined.push_str(value.trim());
    }
    Ok((!joined.is_empty()).then_some(joined))
}

/// Removes `aws-chunked`, which is a framing of the request and not an encoding of the object.
fn without_aws_chunked(encodings: &str) -> Option<String> {
    let codings = encodings.split(',').map(str::trim);
    let kept: Vec<&str> =
        codings.filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("aws-chunked")).collect();
    (!kept.is_empty()).then(|| kept.join(", "))
}

fn check_redirect(location: &str) -> S3Result {
    let known = ["/", "http://", "https://"].iter().any(|prefix| location.starts_with(prefix));
    if known && location.len() <= REDIRECT_BYTES_MAX {
        return Ok(());
    }
    let message = "The website redirect location must have a prefix of 'http://' or 'https://' or '/'.";
    Err(bad_request("InvalidRedirectLocation", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, hyper::header::HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        headers
    }

    fn encoding(value: &str) -> Option<String> {
        ContentHeaders::from_headers(&headers(&[("content-encoding", value)])).unwrap().content_encoding
    }

    #[test]
    fn aws_chunked_is_not_an_encoding_of_the_object() {
        assert_eq!(encoding("aws-chunked"), None);
        assert_eq!(encoding("AWS-Chunked,gzip").as_deref(), Some("gzip"));
        assert_eq!(encoding("gzip, aws-chunked").as_deref(), Some("gzip"));
        assert_eq!(encoding("deflate, gzip").as_deref(), Some("deflate, gzip"));
        let twice = headers(&[("content-encoding", "aws-chunked"), ("content-encoding", "br")]);
        assert_eq!(ContentHeaders::from_headers(&twice).unwrap().content_encoding.as_deref(), Some("br"));
    }

    #[test]
    fn headers_are_kept_as_sent() {
        let sent = headers(&[
            ("content-type", "text/plain; charset=utf-8"),
            ("content-disposition", "attachment; filename=\"größe.txt\""),
            ("expires", "tomorrow"),
            ("content-language", ""),
        ]);
        let found = ContentHeaders::from_headers(&sent).unwrap();
        assert_eq!(found.content_type(), "text/plain; charset=utf-8");
        assert_eq!(found.content_disposition.as_deref(), Some("attachment; filename=\"größe.txt\""));
        assert_eq!(found.expires.as_deref(), Some("tomorrow"));
        assert_eq!(found.content_language, None);
        assert_eq!(ContentHeaders::default().content_type(), "binary/octet-stream");
    }

    #[test]
    fn a_redirect_leads_to_a_key_or_a_web_address() {
        for (location, legal) in
            [("/key", true), ("http://a", true), ("https://a", true), ("key", false), ("ftp://a", false)]
        {
            let sent = headers(&[("x-amz-website-redirect-location", location)]);
            assert_eq!(ContentHeaders::from_headers(&sent).is_ok(), legal, "{location}");
        }
    }
}
