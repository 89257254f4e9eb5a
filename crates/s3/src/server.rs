//! The HTTP service: what a request passes on its way to an operation, and its answer on the way back.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use forebay_net::http::request_id;
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::{Method, Request, Response, StatusCode};
use s3s::access::S3Access;
use s3s::auth::{S3Auth, SecretKey};
use s3s::host::{DomainError, MultiDomain};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{S3Error, S3ErrorCode, S3Result};
use tower::Service;

use crate::cross_origin::CrossOrigin;
use crate::error_document::{Asked, complete, written};
use crate::errors::bad_request;
use crate::guard::{BodyEnd, BodyFate, Guard};
use crate::impossible;
use crate::lenient::{Lenient, SameAccess};
use crate::ops::{Answered, Operations, without_quotes};
use crate::pool_error::no_such_bucket;
use crate::shared::Shared;

/// The digits of a SHA-256.
const SHA256_DIGITS: usize = 64;
/// The message for a body whose SHA-256 is another one.
const MISMATCH: &str = "The provided 'x-amz-content-sha256' header does not match what was computed.";
/// What an error document with a message has.
const MESSAGE: &[u8] = b"<Message>";
/// What the library's documents about the form of a request have.
const FORM_ERRORS: [&[u8]; 3] =
    [b"<Code>MalformedXML<", b"<Message>invalid header: ", b"<Message>invalid query: "];

/// Answers requests. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    guard: Arc<Guard>,
    domains: Arc<[String]>,
    cross_origin: CrossOrigin,
    shared: Arc<Shared>,
    library: S3Service,
}

impl Server {
    /// A server whose requests are authenticated by `auth` and authorized by `access`. Below each of `domains` a host name names a
    /// bucket. Fails if a domain is malformed.
    pub fn new(
        shared: Arc<Shared>,
        auth: impl S3Auth,
        access: impl S3Access,
        domains: &[String],
    ) -> Result<Server, DomainError> {
        let guard = Arc::new(Guard::new(shared.region.clone(), domains));
        let cross_origin = CrossOrigin::new(shared.clone());
        let access = Arc::new(access);
        let library = || {
            let mut builder = S3ServiceBuilder::new(Operations(shared.clone()));
            builder.set_access(SameAccess(access.clone()));
            if !domains.is_empty() {
                builder.set_host(MultiDomain::new(domains)?);
            }
            Ok(builder)
        };
        let mut again = library()?;
        // The second pass has no signatures to check. Without this the library would not ask whether the access is allowed.
        again.set_auth(NoKeys);
        let mut builder = library()?;
        builder.set_auth(auth);
        builder.set_route(Lenient::new(again.build()));
        Ok(Server { guard, domains: domains.into(), cross_origin, shared, library: builder.build() })
    }

    async fn answer(self, request: Request<Incoming>) -> Response<s3s::Body> {
        let id = request_id::generate();
        let asked = Asked::of(&request, &self.domains);
        let cors = self.cross_origin.headers(&asked, request.headers());
        let mut response = self.answer_or_refuse(request, &asked, &id).await;
        response.headers_mut().extend(cors);
        response
    }

    async fn answer_or_refuse(
        self,
        request: Request<Incoming>,
        asked: &Asked,
        id: &str,
    ) -> Response<s3s::Body> {
        if let Err(error) = impossible::check(asked, request.headers()) {
            return complete(written(error), asked, id);
        }
        let preflight = (*request.method() == Method::OPTIONS)
            .then(|| self.cross_origin.preflight(asked, request.headers()));
        let has_hash =
            request.headers().get("x-amz-content-sha256").is_some_and(|hash| hash.len() == SHA256_DIGITS);
        let request = match self.guard.admit(request) {
            Ok(request) => request,
            Err(refusal) => {
                tracing::debug!(%refusal, request_id = id, "s3: refused");
                return complete(refusal.response(id, asked.path()), asked, id);
            }
        };
        let fate = request.extensions().get::<BodyFate>().cloned();
        let answered = match preflight {
            Some(answer) => Ok(answer),
            None => self.library.call(request).await,
        };
        let mut response = match answered {
            Ok(response) => without_quotes(with_status(response)),
            Err(error) => {
                tracing::error!(?error, request_id = id, "s3: a request could not be answered");
                let mut response = Response::new(s3s::Body::empty());
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                response
            }
        };
        if let Ok(value) = HeaderValue::from_str(id) {
            response.headers_mut().insert("x-amz-request-id", value);
        }
        if response.status() == StatusCode::INTERNAL_SERVER_ERROR
            && let Some(error) = fault_of_body(&response, fate.as_ref(), has_hash)
        {
            response = written(error);
        }
        if self.is_about_missing_bucket(&response, asked) {
            response = written(no_such_bucket());
        }
        complete(response, asked, id)
    }

    /// Whether the library refuses the form of a request for a bucket that does not exist. It looks at the form before an operation
    /// can look for the bucket, but after the signature.
    fn is_about_missing_bucket(&self, response: &Response<s3s::Body>, asked: &Asked) -> bool {
        let is_about_form = response.status() == StatusCode::BAD_REQUEST
            && response
                .body()
                .bytes()
                .is_some_and(|document| FORM_ERRORS.iter().any(|code| has(&document, code)));
        is_about_form && asked.bucket().is_some_and(|bucket| self.shared.bucket(bucket).is_err())
    }
}

/// Gives an answer the status that its operation has named.
fn with_status(mut response: Response<s3s::Body>) -> Response<s3s::Body> {
    if let Some(Answered(status)) = response.extensions().get().copied() {
        *response.status_mut() = status;
    }
    response
}

/// The error of a request whose body the library could not read into memory. It says only InternalError then, and has no message.
fn fault_of_body(response: &Response<s3s::Body>, fate: Option<&BodyFate>, has_hash: bool) -> Option<S3Error> {
    let document = response.body().bytes()?;
    if has(&document, MESSAGE) {
        return None;
    }
    match fate?.get() {
        Some(BodyEnd::Complete) if has_hash => Some(bad_request("XAmzContentSHA256Mismatch", MISMATCH)),
        Some(end) => end.refusal().map(|refusal| refusal.to_s3_error()),
        None => None,
    }
}

fn has(document: &[u8], part: &[u8]) -> bool {
    document.windows(part.len()).any(|window| window == part)
}

/// Knows no access key.
struct NoKeys;

#[async_trait::async_trait]
impl S3Auth for NoKeys {
    async fn get_secret_key(&self, _: &str) -> S3Result<SecretKey> {
        Err(S3Error::new(S3ErrorCode::InvalidAccessKeyId))
    }
}

impl Service<Request<Incoming>> for Server {
    type Response = Response<s3s::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        let server = self.clone();
        Box::pin(async move { Ok(server.answer(request).await) })
    }
}
