//! Requests of web pages from other origins: preflights, and the headers that let a browser hand over an answer.

use std::sync::Arc;

use hyper::http::HeaderMap;
use hyper::{Response, StatusCode};
use s3s::{S3Error, S3Result};

use crate::configuration::cors::{self, Cors};
use crate::error_document::{Asked, written};
use crate::errors::with_code;
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::Setting;

/// Answers for the CORS settings of all buckets. Cheap to clone.
#[derive(Clone)]
pub struct CrossOrigin(Arc<Shared>);

impl CrossOrigin {
    /// Reads the settings of these buckets.
    pub fn new(shared: Arc<Shared>) -> CrossOrigin {
        CrossOrigin(shared)
    }

    /// The answer to an OPTIONS request. It needs no signature, because a browser cannot give one.
    pub fn preflight(&self, asked: &Asked, request: &HeaderMap) -> Response<s3s::Body> {
        match self.allowed(asked, request) {
            Ok(headers) => {
                let mut response = Response::new(s3s::Body::empty());
                *response.headers_mut() = headers;
                response
            }
            Err(error) => written(error),
        }
    }

    /// The headers that the answer to any other request gets.
    pub fn headers(&self, asked: &Asked, request: &HeaderMap) -> HeaderMap {
        if !request.contains_key(hyper::header::ORIGIN) {
            return HeaderMap::new();
        }
        let rules = asked.bucket().map(|bucket| self.rules(bucket));
        match rules {
            Some(Ok(Some(rules))) => rules.headers(asked.method().as_str(), request),
            _ => HeaderMap::new(),
        }
    }

    fn allowed(&self, asked: &Asked, request: &HeaderMap) -> S3Result<HeaderMap> {
        let bucket = asked.bucket().ok_or_else(no_bucket)?;
        match self.rules(bucket)? {
            Some(rules) => rules.preflight(request),
            None => Err(cors::missing_configuration(request)),
        }
    }

    fn rules(&self, bucket: &str) -> S3Result<Option<Cors>> {
        let bucket = self.0.bucket(bucket)?;
        Setting::Cors.get(&self.0.stored(&bucket)).or_s3()
    }
}

fn no_bucket() -> S3Error {
    let message = "The specified method is not allowed against this resource.";
    with_code("MethodNotAllowed", StatusCode::METHOD_NOT_ALLOWED, message)
}
