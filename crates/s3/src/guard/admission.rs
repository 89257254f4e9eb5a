//! Admits requests: the checks in their order.

use std::error::Error;
use std::time::SystemTime;

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request};

use super::body;
use super::cost;
use super::headers::{self, X_AMZ_TRAILER};
use super::length::{self, BodyRule};
use super::payload::Payload;
use super::query::Query;
use super::refusal::Refusal;
use super::signature::{self, Kind};
use super::target::Target;
use crate::checksum::ExpectedChecksums;
use crate::memory::Account;

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
        let expected = expected_of_message(&parts);
        let (body, fate) = body::governed(body, rule, expected, &Account::of(&parts.extensions));
        parts.extensions.insert(fate);
        Ok(Request::from_parts(parts, body))
    }

    fn check_head(&self, parts: &mut Parts, now: SystemTime) -> Result<BodyRule, Refusal> {
        check_method(&parts.method)?;
        headers::check(&parts.headers)?;
        headers::join_metadata(&mut parts.headers);
        let target = Target::parse(&parts.uri, &parts.headers, &self.domains)?;
        let query = Query::parse(parts.uri.query().unwrap_or_default())?;
        refuse_form(parts)?;

        let kind = signature::check(&parts.headers, &query, &self.region, now)?;
        let payload = Payload::parse(&parts.headers)?;
        payload.check_kind(&kind)?;
        let rule = length::rule(parts, &target, &query, &payload)?;

        parts.extensions.insert(cost::base(parts, &target, &query));
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

/// What the headers announce about a message. It is compared when the message is read: the signature is checked before. The checksum
/// of a request that completes an upload is the object's, and is left to the operation.
fn expected_of_message(parts: &Parts) -> Result<ExpectedChecksums, Refusal> {
    let is_completion = parts.method == Method::POST && parts.uri.query().is_some_and(names_upload);
    let expected = if is_completion {
        ExpectedChecksums::of_request(&parts.headers)
    } else {
        ExpectedChecksums::from_headers(&parts.headers)
    };
    expected.map_err(|error| Refusal::of_checksum(&error))
}

fn names_upload(query: &str) -> bool {
    Query::parse(query).is_ok_and(|query| query.has("uploadId"))
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
