//! What a bucket's CORS setting answers.

use hyper::StatusCode;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use s3s::{S3Error, S3Result};

use super::{Cors, METHODS, Rule, is_header_name, pattern};
use crate::errors::{bad_request, with_code};

/// The headers of an answer.
pub type AnswerHeaders = HeaderMap;

const VARY: &str = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";

impl Cors {
    /// Decides an OPTIONS request by its headers.
    pub fn preflight(&self, request: &HeaderMap) -> S3Result<AnswerHeaders> {
        let (origin, method) = preflight_request(request)?;
        let wanted = requested_headers(request)?;
        let rule = self.rules.iter().find(|rule| {
            rule.allows(origin, method) && wanted.iter().all(|header| rule.allows_header(header))
        });
        let rule = rule.ok_or_else(forbidden)?;
        let mut answer = rule.answer(origin);
        insert(&mut answer, header::ACCESS_CONTROL_ALLOW_HEADERS, &wanted.join(", "));
        Ok(answer)
    }

    /// Returns the headers that an answer to an ordinary request gets: none if it is not cross-origin, or no rule allows
    /// it. As in S3, a request that has the headers of a preflight is answered as one.
    pub fn headers(&self, method: &str, request: &HeaderMap) -> AnswerHeaders {
        if request.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD) {
            return self.preflight(request).unwrap_or_default();
        }
        let Some(origin) = request.get(header::ORIGIN).and_then(|origin| origin.to_str().ok()) else {
            return HeaderMap::new();
        };
        let rule = self.rules.iter().find(|rule| rule.allows(origin, method));
        rule.map(|rule| rule.answer(origin)).unwrap_or_default()
    }
}

/// Returns the answer to an OPTIONS request for a bucket without a CORS setting.
pub fn missing_configuration(request: &HeaderMap) -> S3Error {
    match preflight_request(request).and_then(|_| requested_headers(request)) {
        Ok(_) => {
            let message = "CORSResponse: CORS is not enabled for this bucket.";
            with_code("AccessForbidden", StatusCode::FORBIDDEN, message)
        }
        Err(error) => error,
    }
}

impl Rule {
    fn allows(&self, origin: &str, method: &str) -> bool {
        self.allowed_methods.iter().any(|allowed| allowed == method) && self.matching_origin(origin).is_some()
    }

    fn matching_origin(&self, origin: &str) -> Option<&str> {
        self.allowed_origins.iter().map(String::as_str).find(|allowed| pattern::matches(allowed, origin))
    }

    fn allows_header(&self, lowercase: &str) -> bool {
        self.allowed_headers.iter().any(|allowed| pattern::matches(&allowed.to_ascii_lowercase(), lowercase))
    }

    fn answer(&self, origin: &str) -> AnswerHeaders {
        let mut answer = HeaderMap::new();
        if self.matching_origin(origin) == Some("*") {
            insert(&mut answer, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        } else {
            insert(&mut answer, header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            insert(&mut answer, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
        }
        insert(&mut answer, header::ACCESS_CONTROL_ALLOW_METHODS, &self.allowed_methods.join(", "));
        insert(&mut answer, header::ACCESS_CONTROL_EXPOSE_HEADERS, &self.expose_headers.join(", "));
        if let Some(seconds) = self.max_age_seconds {
            insert(&mut answer, header::ACCESS_CONTROL_MAX_AGE, &seconds.to_string());
        }
        insert(&mut answer, header::VARY, VARY);
        answer
    }
}

fn preflight_request(request: &HeaderMap) -> S3Result<(&str, &str)> {
    let text = |name: HeaderName| request.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let origin = text(header::ORIGIN);
    if origin.is_empty() {
        return Err(bad_request("BadRequest", "Insufficient information. Origin request header needed."));
    }
    let method = text(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !METHODS.contains(&method) {
        return Err(bad_request("BadRequest", format!("Invalid Access-Control-Request-Method: {method}")));
    }
    Ok((origin, method))
}

/// Returns Access-Control-Request-Headers in lowercase.
fn requested_headers(request: &HeaderMap) -> S3Result<Vec<String>> {
    let mut names = Vec::new();
    for value in request.get_all(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        let value = value.to_str().unwrap_or("\u{fffd}");
        for name in value.split(',').filter(|_| !value.is_empty()) {
            let trimmed = name.trim();
            if !is_header_name(trimmed) {
                let message =
                    format!("Access-Control-Request-Headers \"{name}\" contains invalid character.");
                return Err(bad_request("BadRequest", message));
            }
            names.push(trimmed.to_ascii_lowercase());
        }
    }
    Ok(names)
}

fn forbidden() -> S3Error {
    let message = "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, \
                   request method / Access-Control-Request-Method or Access-Control-Request-Headers are not \
                   whitelisted by the resource's CORS spec.";
    with_code("AccessForbidden", StatusCode::FORBIDDEN, message)
}

fn insert(answer: &mut HeaderMap, name: HeaderName, value: &str) {
    if let (false, Ok(value)) = (value.is_empty(), HeaderValue::from_str(value)) {
        answer.insert(name, value);
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
