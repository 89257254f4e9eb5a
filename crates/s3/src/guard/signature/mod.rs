//! The parts of Signature Version 4 that need no secret: which kind of signature a request has, and whether its scope, its dates and
//! its list of signed headers are sound. The signature itself is checked by s3s.

mod authorization;
mod date;
mod presigned;
mod scope;
mod signed_headers;

use std::time::SystemTime;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};

use super::headers::text;
use super::query::Query;
use super::refusal::Refusal;
use super::signature_fault::SignatureFault;

/// The algorithm of Signature Version 4.
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// How a request is signed.
#[derive(Debug)]
pub(super) enum Kind {
    Anonymous,
    /// By the `Authorization` header, here as s3s must read it.
    Header(HeaderValue),
    /// By a presigned URL.
    Presigned,
}

/// Where a signature is. The error responses differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Header,
    Query,
}

impl Place {
    fn refusal(self, fault: SignatureFault) -> Refusal {
        match self {
            Place::Header => Refusal::Authorization(fault),
            Place::Query => Refusal::Presigned(fault),
        }
    }
}

pub(super) fn check(
    headers: &HeaderMap,
    query: &Query,
    region: &str,
    now: SystemTime,
) -> Result<Kind, Refusal> {
    let now = date::seconds(now);
    let is_presigned = presigned::is_meant(query);
    // s3s tries Signature Version 2 first, whatever else is there.
    if query.has_in_any_case("Signature") || query.has_in_any_case("AWSAccessKeyId") {
        return Err(Refusal::SignatureVersion2);
    }
    match text(headers, &AUTHORIZATION)? {
        Some(_) if is_presigned => Err(Refusal::SeveralSignatures),
        Some(authorization) => authorization::check(authorization, headers, region, now).map(Kind::Header),
        None if is_presigned => {
            presigned::check(query, headers, region, now)?;
            Ok(Kind::Presigned)
        }
        None => Ok(Kind::Anonymous),
    }
}

/// A date as S3 writes it, for tests that sign.
#[cfg(test)]
pub(super) fn written_date(time: SystemTime) -> String {
    date::written(date::seconds(time))
}
