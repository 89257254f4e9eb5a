//! What is known of each request while it is handled: its id, its span, and the line that is logged once it is answered.
//!
//! The id is the `X-Request-Id` that came with the request, or else made here. It is in the answer, in the body of an error, and in all
//! that is logged meanwhile. Who asks to change something is logged at info, with what became of it: that is the trail of changes.
//! What only looks is logged at debug. Nobody who sends no valid token fills the log: refusals are noted now and then ([`crate::events`]).
//! A token is named by its id; its secret is in no line.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::middleware::Next;
use axum::response::Response;
use tracing::{Instrument, Span};

use crate::caller::Identity;
use crate::handlers::lab;
use crate::traces;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Characters that an id may have.
const REQUEST_ID_MAX: usize = 64;

tokio::task_local! {
    static CURRENT_ID: String;
}

/// The id of the request that the current task handles.
pub fn request_id() -> Option<String> {
    CURRENT_ID.try_with(Clone::clone).ok()
}

/// Handles a request with an id and a span of its own.
pub async fn follow(request: Request, next: Next) -> Response {
    let id = given_id(request.headers()).unwrap_or_else(made_id);
    let (method, path) = (request.method().clone(), lab::told(request.uri().path()).to_owned());
    let route = request.extensions().get::<MatchedPath>().map(|route| route.as_str().to_owned());
    let span = tracing::info_span!("request", request_id = id, %method, path);
    let traced = traces::of_request(&request, &id, route.as_deref());
    let began = Instant::now();
    let handled = next.run(request).instrument(span.clone()).instrument(traced.clone());
    let mut response = CURRENT_ID.scope(id.clone(), handled).await;
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

/// The id that came with the request, if it can be written into a log as it is.
fn given_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(REQUEST_ID)?.to_str().ok()?;
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    (!id.is_empty() && id.len() <= REQUEST_ID_MAX && id.bytes().all(sound)).then(|| id.to_owned())
}

/// One that no other request has, of this start of the daemon or of another: in containers all of them are process 1.
fn made_id() -> String {
    static START: LazyLock<u32> = LazyLock::new(|| getrandom::u32().unwrap_or_else(|_| std::process::id()));
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    format!("{:08x}-{number}", *START)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_taken_if_it_can_stand_in_a_log() {
        let given = |id: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(id).unwrap());
            given_id(&headers)
        };
        for id in ["a", "0af7651916cd43dd-8448_eb211c.80319c:1", &"x".repeat(REQUEST_ID_MAX)] {
            assert_eq!(given(id.as_bytes()).as_deref(), Some(id));
        }
        for id in ["", "two words", "\"quoted\"", "a=b", &"x".repeat(REQUEST_ID_MAX + 1)] {
            assert_eq!(given(id.as_bytes()), None, "{id}");
        }
        assert_eq!(given(b"\xff\xfe"), None);
        assert_ne!(made_id(), made_id());
    }
}
