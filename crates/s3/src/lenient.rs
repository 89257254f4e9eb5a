//! Headers that AWS reads leniently and the library refuses: lists of ETags of which some have no quotes, and ranges and dates that
//! mean nothing and are ignored.
//!
//! The library checks the signature over all headers, and then parses each of them strictly. So a request that has such a header
//! passes the library twice: first for its signature, and then without the signature and these headers. Operations get them back by
//! [`restore`], and read them themselves.

use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderName};
use hyper::http::Extensions;
use hyper::{HeaderMap, Method, Request, Uri};
use s3s::access::{S3Access, S3AccessContext};
use s3s::dto::{ETagCondition, Range, Timestamp, TimestampFormat};
use s3s::route::S3Route;
use s3s::service::S3Service;
use s3s::{Body, S3Error, S3ErrorCode, S3Request, S3Response, S3Result, TrailingHeaders};

/// The longest name of a parameter that belongs to a signature, in any case.
const SIGNATURE_PREFIX: &str = "x-amz-";

/// How a header is read.
#[derive(Clone, Copy)]
enum Kind {
    Range,
    Etags,
    Date,
}

/// The headers that operations read themselves.
const HEADERS: [(&str, Kind); 9] = [
    ("range", Kind::Range),
    ("if-match", Kind::Etags),
    ("if-none-match", Kind::Etags),
    ("if-modified-since", Kind::Date),
    ("if-unmodified-since", Kind::Date),
    ("x-amz-copy-source-if-match", Kind::Etags),
    ("x-amz-copy-source-if-none-match", Kind::Etags),
    ("x-amz-copy-source-if-modified-since", Kind::Date),
    ("x-amz-copy-source-if-unmodified-since", Kind::Date),
];

/// A request whose signature the library has checked, as it was.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The access key that has signed it.
    pub access_key: Option<String>,
    /// With the parameters of the signature.
    pub uri: Uri,
    /// With all headers.
    pub headers: HeaderMap,
    /// The trailers of its body, which the first pass has taken out of the chunks.
    trailers: Option<TrailingHeaders>,
}

/// Passes requests on to the library without what it cannot read.
pub struct Lenient {
    again: S3Service,
}

impl Lenient {
    /// `again` must take the sender of a request from [`Verified`].
    pub fn new(again: S3Service) -> Lenient {
        Lenient { again }
    }
}

#[async_trait::async_trait]
impl S3Route for Lenient {
    fn is_match(&self, _: &Method, _: &Uri, headers: &HeaderMap, extensions: &mut Extensions) -> bool {
        extensions.get::<Verified>().is_none() && unreadable(headers).next().is_some()
    }

    /// The second pass checks the access, for anonymous requests too.
    async fn check_access(&self, _: &mut S3Request<Body>) -> S3Result {
        Ok(())
    }

    async fn call(&self, request: S3Request<Body>) -> S3Result<S3Response<Body>> {
        let mut headers = request.headers.clone();
        for name in unreadable(&request.headers).chain([AUTHORIZATION]) {
            headers.remove(name);
        }
        let mut again = Request::new(request.input);
        *again.method_mut() = request.method;
        *again.uri_mut() = without_signature(&request.uri)?;
        *again.headers_mut() = headers;
        *again.extensions_mut() = request.extensions;
        let access_key = request.credentials.map(|credentials| credentials.access_key);
        let (uri, headers, trailers) = (request.uri, request.headers, request.trailing_headers);
        again.extensions_mut().insert(Verified { access_key, uri, headers, trailers });
        let answer = self.again.call(again).await.map_err(|error| {
            tracing::error!(?error, "s3: a request could not be answered");
            S3Error::new(S3ErrorCode::InternalError)
        })?;
        let (head, body) = answer.into_parts();
        let mut response = S3Response::with_status(body, head.status);
        response.headers = head.headers;
        response.extensions = head.extensions;
        Ok(response)
    }
}

/// Gives an operation the headers as they came.
pub fn restore(headers: &mut HeaderMap, extensions: &Extensions) {
    if let Some(verified) = extensions.get::<Verified>() {
        headers.clone_from(&verified.headers);
    }
}

/// Gives an operation the trailers that the first pass has found.
pub fn restore_trailers(trailers: &mut Option<TrailingHeaders>, extensions: &Extensions) {
    if let Some(verified) = extensions.get::<Verified>() {
        trailers.clone_from(&verified.trailers);
    }
}

/// Asks one access check in both passes.
pub struct SameAccess<A>(pub Arc<A>);

#[async_trait::async_trait]
impl<A: S3Access> S3Access for SameAccess<A> {
    async fn check(&self, context: &mut S3AccessContext<'_>) -> S3Result {
        self.0.check(context).await
    }
}

/// The headers that the library would refuse.
fn unreadable(headers: &HeaderMap) -> impl Iterator<Item = HeaderName> {
    HEADERS
        .iter()
        .filter(|(name, kind)| headers.get(*name).is_some_and(|value| !is_readable(value.as_bytes(), *kind)))
        .map(|(name, _)| HeaderName::from_static(name))
}

fn is_readable(value: &[u8], kind: Kind) -> bool {
    let text = str::from_utf8(value).unwrap_or("\u{fffd}");
    match kind {
        Kind::Range => Range::parse(text).is_ok(),
        Kind::Etags => ETagCondition::parse_http_header(value).is_ok(),
        Kind::Date => Timestamp::parse(TimestampFormat::HttpDate, text).is_ok(),
    }
}

/// The URI without the parameters of a signature: nothing would check it again.
fn without_signature(uri: &Uri) -> S3Result<Uri> {
    let Some(query) = uri.query() else { return Ok(uri.clone()) };
    let is_of_signature = |pair: &&str| {
        pair.get(..SIGNATURE_PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(SIGNATURE_PREFIX))
    };
    let kept: Vec<&str> = query.split('&').filter(|pair| !is_of_signature(pair)).collect();
    let target = format!("{}?{}", uri.path(), kept.join("&"));
    target.parse().map_err(|_| S3Error::new(S3ErrorCode::InvalidURI))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pairs: &[(&'static str, &str)]) -> Vec<String> {
        let headers: HeaderMap = pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect();
        unreadable(&headers).map(|name| name.to_string()).collect()
    }

    #[test]
    fn only_what_the_library_refuses_is_set_aside() {
        let plain = [("range", "bytes=0-4"), ("if-match", "\"abc\""), ("if-none-match", "*")];
        assert!(names(&plain).is_empty());
        assert!(names(&[("if-modified-since", "Wed, 21 Oct 2015 07:28:00 GMT")]).is_empty());
        assert_eq!(names(&[("range", "bytes=,")]), ["range"]);
        assert_eq!(names(&[("if-match", "\"a\", b")]), ["if-match"]);
        assert_eq!(
            names(&[("x-amz-copy-source-if-none-match", "a, \"b\"")]),
            ["x-amz-copy-source-if-none-match"]
        );
        assert_eq!(names(&[("if-modified-since", "yesterday")]), ["if-modified-since"]);
    }

    #[test]
    fn a_presigned_url_loses_its_signature_and_nothing_else() {
        let uri =
            "/b/k?versionId=1&X-Amz-Signature=ab&x-amz-date=1&response-content-type=a%2Fb".parse().unwrap();
        assert_eq!(without_signature(&uri).unwrap(), "/b/k?versionId=1&response-content-type=a%2Fb");
    }
}
