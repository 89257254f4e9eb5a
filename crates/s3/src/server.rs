//! The HTTP service: what a request passes on its way to an operation, and its answer on the way back.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::{Body, Incoming};
use hyper::header::{CONNECTION, HeaderValue};
use hyper::{Method, Request, Response, StatusCode};
use s3s::access::S3Access;
use s3s::auth::{S3Auth, SecretKey};
use s3s::host::{DomainError, MultiDomain};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{S3Error, S3ErrorCode, S3Result};
use tower::Service;
use tracing::Instrument;

use crate::cross_origin::CrossOrigin;
use crate::error_document::{Asked, complete, written};
use crate::errors::bad_request;
use crate::exchange::{Exchange, Received, Sent};
use crate::guard::{BodyEnd, BodyFate, Guard, Refusal};
use crate::held;
use crate::impossible;
use crate::lenient::{Lenient, SameAccess};
use crate::memory::{BaseCost, REQUESTS_BYTES_MAX_DEFAULT, RequestsMemory};
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
    shared: Arc<Shared>,
    guard: Arc<Guard>,
    domains: Arc<[String]>,
    cross_origin: CrossOrigin,
    memory: RequestsMemory,
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
        let memory = RequestsMemory::new(REQUESTS_BYTES_MAX_DEFAULT, shared.statistics.limits.clone());
        Ok(Server { guard, domains: domains.into(), cross_origin, memory, shared, library: builder.build() })
    }

    /// The same server with this limit of the memory for requests, in bytes.
    pub fn with_requests_max(mut self, bytes_max: usize) -> Server {
        self.memory = RequestsMemory::new(bytes_max, self.shared.statistics.limits.clone());
        self
    }

    async fn answer(self, request: Request<Incoming>) -> Response<Sent<s3s::Body>> {
        let exchange = Exchange::begin(&self.shared, &request);
        let span = tracing::info_span!("request", request_id = exchange.id());
        let traced = exchange.trace(&request);
        let handled = async {
            let asked = Asked::of(&request, &self.domains);
            let cors = self.cross_origin.headers(&asked, request.headers());
            let has_body = !request.body().is_end_stream();
            let (mut response, refusal) = match self.handle(request, &asked, &exchange).await {
                Ok(response) => (response, None),
                Err(refusal) => {
                    tracing::debug!(%refusal, "s3: refused");
                    let mut response = refusal.response();
                    if has_body {
                        announce_close(&mut response);
                    }
                    (completed(response, &asked, &exchange), Some(refusal))
                }
            };
            response.headers_mut().extend(cors);
            exchange.answered(response, refusal.as_ref())
        };
        exchange.scope(handled.instrument(span).instrument(traced)).await
    }

    /// The library's answer, or the reason why the request is refused.
    async fn handle(
        &self,
        mut request: Request<Incoming>,
        asked: &Asked,
        exchange: &Arc<Exchange>,
    ) -> Result<Response<s3s::Body>, Refusal> {
        if let Err(error) = impossible::check(asked, request.headers()) {
            return Ok(completed(written(error), asked, exchange));
        }
        let preflight = (*request.method() == Method::OPTIONS)
            .then(|| self.cross_origin.preflight(asked, request.headers()));
        let has_hash =
            request.headers().get("x-amz-content-sha256").is_some_and(|hash| hash.len() == SHA256_DIGITS);
        let account = self.memory.account(request.extensions());
        request.extensions_mut().insert(account.clone());
        let has_body = !request.body().is_end_stream();
        let request = self.guard.admit(request.map(|body| Received::new(body, exchange.clone())))?;
        let cost = request.extensions().get::<BaseCost>().map_or(0, |cost| cost.0);
        account.hold(cost).await.map_err(|_| Refusal::SlowDown)?;
        let fate = request.extensions().get::<BodyFate>().cloned();
        let answered = match preflight {
            Some(answer) => Ok(answer),
            None => self.library.call(request).await,
        };
        let mut response = match answered {
            Ok(response) => without_quotes(with_status(response)),
            Err(error) => {
                tracing::error!(?error, "s3: a request could not be answered");
                let mut response = Response::new(s3s::Body::empty());
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                response
            }
        };
        // The library calls every fault of a body an internal error.
        if response.status() == StatusCode::INTERNAL_SERVER_ERROR
            && let Some(fate) = fate.as_ref().and_then(BodyFate::get)
        {
            if let Some(refusal) = fate.refusal() {
                return Err(refusal);
            }
            if *fate == BodyEnd::Complete && has_hash && !has_message(&response) {
                response = written(bad_request("XAmzContentSHA256Mismatch", MISMATCH));
            }
        }
        if self.is_about_missing_bucket(&response, asked) {
            response = written(no_such_bucket());
        }
        let is_read = fate.as_ref().and_then(BodyFate::get) == Some(&BodyEnd::Complete);
        if has_body && !is_read && !response.status().is_success() {
            announce_close(&mut response);
        }
        held::hold(completed(response, asked, exchange), &account, cost).await.map_err(|_| Refusal::SlowDown)
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

/// Says that the connection ends after this response, because the body of the request was not read. Without it a client might send
/// its next request over the connection, and would not get an answer.
fn announce_close(response: &mut Response<s3s::Body>) {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
}

/// Writes the document of an error as AWS does, with the ids of the exchange. Other answers stay as they are.
fn completed(response: Response<s3s::Body>, asked: &Asked, exchange: &Exchange) -> Response<s3s::Body> {
    let response = complete(response, asked, exchange.id());
    exchange.note_code(&response);
    response
}

/// Whether an error says more than its code. The library's error for a body with a wrong SHA-256 does not.
fn has_message(response: &Response<s3s::Body>) -> bool {
    response.body().bytes().is_none_or(|document| has(&document, MESSAGE))
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
    type Response = Response<Sent<s3s::Body>>;
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
