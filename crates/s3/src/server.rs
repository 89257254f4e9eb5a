//! The HTTP service: what a request passes on its way to an operation, and its answer on the way back.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::body::Incoming;
use hyper::{Request, Response, StatusCode};
use s3s::access::S3Access;
use s3s::auth::S3Auth;
use s3s::host::{DomainError, MultiDomain};
use s3s::service::{S3Service, S3ServiceBuilder};
use tower::Service;
use tracing::Instrument;

use crate::exchange::{Exchange, Received, Sent};
use crate::guard::{Guard, Refusal};
use crate::ops::{Operations, without_quotes};
use crate::shared::Shared;

/// Answers requests. Cheap to clone.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
    guard: Arc<Guard>,
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
        let mut builder = S3ServiceBuilder::new(Operations(shared.clone()));
        builder.set_auth(auth);
        builder.set_access(access);
        if !domains.is_empty() {
            builder.set_host(MultiDomain::new(domains)?);
        }
        Ok(Server { shared, guard, library: builder.build() })
    }

    async fn answer(self, request: Request<Incoming>) -> Response<Sent<s3s::Body>> {
        let exchange = Exchange::begin(&self.shared, &request);
        let span = tracing::info_span!("request", request_id = exchange.id());
        let traced = exchange.trace(&request);
        let handled = async {
            let (response, refusal) = self.handle(request, &exchange).await;
            exchange.answered(response, refusal.as_ref())
        };
        exchange.scope(handled.instrument(span).instrument(traced)).await
    }

    /// The answer of the library, or of the guard and the reason.
    async fn handle(
        &self,
        request: Request<Incoming>,
        exchange: &Arc<Exchange>,
    ) -> (Response<s3s::Body>, Option<Refusal>) {
        let request = request.map(|body| Received::new(body, exchange.clone()));
        let request = match self.guard.admit(request) {
            Ok(request) => request,
            Err(refusal) => {
                tracing::debug!(%refusal, "s3: refused");
                let response = refusal.response(exchange.id(), exchange.path());
                return (exchange.complete(response), Some(refusal));
            }
        };
        match self.library.call(request).await {
            Ok(response) => (exchange.complete(without_quotes(response)), None),
            Err(error) => {
                tracing::error!(?error, "s3: a request could not be answered");
                let mut response = Response::new(s3s::Body::empty());
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                (response, None)
            }
        }
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
