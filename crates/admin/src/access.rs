//! What is known of each request while it is handled: its id, its span, and the line that is logged once it is answered.
//!
//! The id is the `X-Request-Id` that came with the request, or else made here. It is in the answer, in the body of an error, and in all
//! that is logged meanwhile. Who asks to change something is logged at info, with what became of it: that is the trail of changes.
//! What only looks is logged at debug. Nobody who sends no valid token fills the log: refusals are noted now and then ([`forebay_service::events`]).
//! A token is named by its id; its secret is in no line.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use forebay_net::http::request_id::{accepted, generate};
use tracing::{Instrument, Span};

use crate::base::paths::loggable;
use crate::base::request_id;
use crate::caller::Identity;
use crate::traces;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Handles a request with an id and a span of its own.
pub async fn follow(request: Request, next: Next) -> Response {
    let given = request.headers().get(REQUEST_ID);
    let id = accepted(given).unwrap_or_else(generate);
    let (method, path) = (request.method().clone(), loggable(request.uri().path()).to_owned());
    let route = request.extensions().get::<MatchedPath>().map(|route| route.as_str().to_owned());
    let span = tracing::info_span!("request", request_id = id, %method, path);
    let traced = traces::of_request(&request, &id, route.as_deref());
    let began = Instant::now();
    let handled = next.run(request).instrument(span.clone()).instrument(traced.clone());
    let mut response = request_id::scope(id.clone(), handled).await;
    traced.record("http.response.status_code", response.status().as_u16());
    log(&span, &method, route.as_deref(), &response, began.elapsed());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

/// The line of a request that was answered. The method and the path, which may name things, are the span's.
fn log(span: &Span, method: &Method, route: Option<&str>, response: &Response, took: Duration) {
    let _entered = span.enter();
    let caller = response.extensions().get::<Identity>().and_then(|identity| identity.0.as_ref().ok());
    let user = caller.map(|caller| caller.user.as_str());
    let address = caller.map(|caller| caller.address.as_str());
    let token = caller.and_then(|caller| caller.token.as_deref());
    let status = response.status().as_u16();
    let duration_ms = took.as_micros() as f64 / 1e3;
    if caller.is_some() && !method.is_safe() {
        tracing::info!(user, token, address, route, status, duration_ms, "answered");
    } else {
        tracing::debug!(user, token, address, route, status, duration_ms, "answered");
    }
}
