//! The HTTP service: what a request passes on its way to an operation, and its answer on the way back.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use forebay_net::http::request_id;
use hyper::body::Incoming;
use hyper::header::{CONTENT_RANGE, HeaderValue};
use hyper::{Request, Response, StatusCode};
use s3s::access::S3Access;
use s3s::auth::S3Auth;
use s3s::host::{DomainError, MultiDomain};
use s3s::service::{S3Service, S3ServiceBuilder};
use tower::Service;

use crate::guard::{BodyFate, Guard, Refusal};
use crate::held;
use crate::limits::LimitCounters;
use crate::memory::{Account, BaseCost, REQUESTS_BYTES_MAX_DEFAULT, RequestsMemory};
use crate::ops::{Operations, without_quotes};
use crate::shared::Shared;

/// Answers requests. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    guard: Arc<Guard>,
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
        let mut builder = S3ServiceBuilder::new(Operations(shared));
        builder.set_auth(auth);
        builder.set_access(access);
        if !domains.is_empty() {
            builder.set_host(MultiDomain::new(domains)?);
        }
        let memory = RequestsMemory::new(REQUESTS_BYTES_MAX_DEFAULT, Arc::default());
        Ok(Server { guard, memory, library: builder.build() })
    }

    /// The same server with so much memory for requests.
    pub fn with_requests_max(mut self, bytes_max: usize) -> Server {
        self.memory = RequestsMemory::new(bytes_max, self.memory.counters().clone());
        self
    }

    /// What the limits on clients did.
    pub fn limits(&self) -> Arc<LimitCounters> {
        self.memory.counters().clone()
    }

    async fn answer(mut self, mut request: Request<Incoming>) -> Response<s3s::Body> {
        let id = request_id::generate();
        let resource = request.uri().path().to_owned();
        let account = self.memory.account(request.extensions());
        request.extensions_mut().insert(account.clone());
        let mut response = match self.admitted(request, &account).await {
            Ok(response) => response,
            Err(refusal) => {
                tracing::debug!(%refusal, request_id = id, "s3: refused");
                refusal.response(&id, &resource)
            }
        };
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert("x-amz-request-id", value);
        }
        response
    }

    async fn admitted(
        &mut self,
        request: Request<Incoming>,
        account: &Account,
    ) -> Result<Response<s3s::Body>, Refusal> {
        let request = self.guard.admit(request)?;
        let cost = request.extensions().get::<BaseCost>().map_or(0, |cost| cost.0);
        account.hold(cost).await.map_err(|_| Refusal::SlowDown)?;
        let fate = request.extensions().get::<BodyFate>().cloned();
        let response = match self.library.call(request).await {
            Ok(response) => partial(without_quotes(response)),
            Err(error) => {
                tracing::error!(?error, "s3: a request could not be answered");
                let mut response = Response::new(s3s::Body::empty());
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                response
            }
        };
        // The library calls every fault of a body an internal error.
        let refusal = fate.as_ref().and_then(|fate| fate.get()?.refusal());
        if let Some(refusal) = refusal.filter(|_| response.status() == StatusCode::INTERNAL_SERVER_ERROR) {
            return Err(refusal);
        }
        held::hold(response, account, cost).await.map_err(|_| Refusal::SlowDown)
    }
}

/// Gives an answer with a part of an object its status, which the library does not take from operations.
fn partial(mut response: Response<s3s::Body>) -> Response<s3s::Body> {
    if response.status() == StatusCode::OK && response.headers().contains_key(CONTENT_RANGE) {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    }
    response
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
