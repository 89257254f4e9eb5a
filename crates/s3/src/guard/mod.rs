//! Stands between the HTTP server and the library s3s, and refuses requests that the library would wrongly accept.
//!
//! ```text
//! http::Request<B>
//!    headers    sum of bytes, repeated and illegible headers
//!    target     bucket and key of the path, percent-decoded; limits of the key
//!    query      parameters, decoded as s3s decodes them
//!    signature  which kind of signature, and its scope, dates and list of signed headers; not the signature itself
//!    payload    the form of the body that x-amz-content-sha256 announces
//!    length     how many bytes the body may and must have
//!       body    counts the body, or reads and frames its aws-chunks
//! http::Request<s3s::Body>
//! ```
//!
//! The guard does not check the signature: s3s does. The guard writes the `Authorization` header anew from the parts that it has
//! parsed, so that s3s cannot read it in another way. All other headers stay as they came, because the signature covers them.
//!
//! A request that the guard refuses becomes a [`Refusal`], which knows the error response of S3. Faults of the body are known only
//! while an operation reads it, and s3s turns them into opaque errors. So each admitted request carries a [`BodyFate`] as an
//! extension, which tells the operation how the body ended. It carries the length of the object or part as a [`DataLength`] too.

mod body;
pub mod fuzz;
mod headers;
mod length;
mod payload;
mod percent;
mod query;
mod refusal;
mod response;
mod signature;
mod target;

use std::error::Error;
use std::time::SystemTime;

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request};

pub use body::{BodyEnd, BodyError, BodyFate, ChunkFault};
use length::BodyRule;
pub use length::DataLength;
use payload::Payload;
use query::Query;
pub use refusal::Refusal;
use signature::Kind;
pub use signature::SignatureFault;
use target::Target;

/// Names the trailer of an aws-chunked body.
const X_AMZ_TRAILER: HeaderName = HeaderName::from_static("x-amz-trailer");

/// Admits requests to one S3 server.
#[derive(Clone, Debug)]
pub struct Guard {
    region: String,
    domains: Vec<String>,
}

impl Guard {
    /// A guard for a server that is in `region`. A request whose host is a subdomain of one of `domains` names its bucket by it;
    /// every other request names its bucket in the path.
    pub fn new(region: impl Into<String>, domains: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let domains = domains.into_iter().map(|domain| domain.into().to_ascii_lowercase()).collect();
        Guard { region: region.into(), domains }
    }

    /// The request as s3s may see it, or the reason why it may not.
    pub fn admit<B>(&self, request: Request<B>) -> Result<Request<s3s::Body>, Refusal>
    where
        B: http_body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        self.admit_at(request, SystemTime::now())
    }

    /// Like [`Guard::admit`], at a given time.
    pub fn admit_at<B>(&self, request: Request<B>, now: SystemTime) -> Result<Request<s3s::Body>, Refusal>
    where
        B: http_body::Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    {
        let (mut parts, body) = request.into_parts();
        let rule = self.check_head(&mut parts, now)?;
        if let Some(length) = rule.data_length() {
            parts.extensions.insert(length);
        }
        let (body, fate) = body::governed(body, rule);
        parts.extensions.insert(fate);
        Ok(Request::from_parts(parts, body))
    }

    fn check_head(&self, parts: &mut Parts, now: SystemTime) -> Result<BodyRule, Refusal> {
        check_method(&parts.method)?;
        headers::check(&parts.headers)?;
        let target = Target::parse(&parts.uri, &parts.headers, &self.domains)?;
        let query = Query::parse(parts.uri.query().unwrap_or_default())?;
        refuse_form(parts)?;

        let kind = signature::check(&parts.headers, &query, &self.region, now)?;
        let payload = Payload::parse(&parts.headers)?;
        payload.check_kind(&kind)?;
        let rule = length::rule(parts, &target, &query, &payload)?;

        if let Kind::Header(authorization) = kind {
            parts.headers.insert(hyper::header::AUTHORIZATION, authorization);
        }
        if payload.has_trailer() && !parts.headers.contains_key(X_AMZ_TRAILER) {
            // A client need not announce a trailer that it does not send, but s3s demands the header. It is not signed, so adding it
            // changes nothing else.
            parts.headers.insert(X_AMZ_TRAILER, HeaderValue::from_static(""));
        }
        Ok(rule)
    }
}

/// Refuses the methods that S3 does not have.
fn check_method(method: &Method) -> Result<(), Refusal> {
    match *method {
        Method::GET | Method::HEAD | Method::PUT | Method::POST | Method::DELETE | Method::OPTIONS => Ok(()),
        _ => Err(Refusal::MethodNotAllowed { method: method.to_string() }),
    }
}

/// Refuses uploads by HTML form: s3s would gather the whole file in memory, and accept Signature Version 2.
fn refuse_form(parts: &Parts) -> Result<(), Refusal> {
    const FORM: &[u8] = b"multipart/form-data";
    let is_form = parts.headers.get_all(CONTENT_TYPE).iter().any(|kind| {
        let kind = kind.as_bytes().trim_ascii_start();
        kind.get(..FORM.len()).is_some_and(|start| start.eq_ignore_ascii_case(FORM))
    });
    if is_form && parts.method == Method::POST { Err(Refusal::PostForm) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod through_s3s;
