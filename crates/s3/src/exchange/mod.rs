//! One request and its answer: what becomes known of them, and what is done with it.
//!
//! ```text
//!   begin ── id, peer ──▶ guard, library, gate, operation: they add what they find out ([`current`])
//!                                                │
//!   answered ◀── status, code ───────────────────┘   counts, ids in the answer, the audit trail, the span
//!   body sent ──▶ dropped: bytes, the log line
//! ```
//! The request's id is in the answer (`x-amz-request-id` and `x-amz-id-2`), in the body of an error, and in all that is logged
//! meanwhile. Each request is logged at debug. Changes of buckets and refusals are events, so they are logged at info and warning;
//! refusals from one peer are reported now and then, with the number of those left out ([`forebay_service::events`]).

mod answer;
mod audit;
mod bodies;
mod refusal;
mod trace;

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use forebay_net::http::{Peer, request_id};
use forebay_pool::VolumeId;
use hyper::{Method, Request, StatusCode, Uri};
use tracing::Span;

pub use bodies::{Received, Sent};
pub use refusal::Denied;

use crate::shared::Shared;
use crate::statistics::{Class, Operation};

tokio::task_local! {
    static CURRENT: Arc<Exchange>;
}

/// Characters of a path that are logged.
const LOGGED_CHARACTERS_MAX: usize = 256;

/// See the module.
pub struct Exchange {
    shared: Arc<Shared>,
    id: String,
    peer: Option<IpAddr>,
    method: Method,
    uri: Uri,
    began: Instant,
    received: AtomicU64,
    sent: AtomicU64,
    traced: OnceLock<Span>,
    operation: OnceLock<Operation>,
    bucket: OnceLock<(String, Option<VolumeId>)>,
    /// The access key that the request names, whether or not its signature is right.
    key_id: OnceLock<String>,
    /// The user, once the signature was checked.
    user: OnceLock<String>,
    denied: OnceLock<Denied>,
    /// The code of an error.
    code: OnceLock<String>,
    answered: OnceLock<Answered>,
}

struct Answered {
    status: StatusCode,
    took: Duration,
}

/// Passes the exchange of the request that the current task handles to `found`. Does nothing outside the handling of a request.
pub fn current(found: impl FnOnce(&Exchange)) {
    let _ = CURRENT.try_with(|exchange| found(exchange));
}

impl Exchange {
    /// A request has come.
    pub(crate) fn begin<B>(shared: &Arc<Shared>, request: &Request<B>) -> Arc<Exchange> {
        shared.statistics.begin();
        let peer = match request.extensions().get::<Peer>() {
            Some(Peer::Tcp(address)) => Some(address.ip().to_canonical()),
            _ => None,
        };
        Arc::new(Exchange {
            shared: shared.clone(),
            id: request_id::generate(),
            peer,
            method: request.method().clone(),
            uri: request.uri().clone(),
            began: Instant::now(),
            received: AtomicU64::new(0),
            sent: AtomicU64::new(0),
            traced: OnceLock::new(),
            operation: OnceLock::new(),
            bucket: OnceLock::new(),
            key_id: OnceLock::new(),
            user: OnceLock::new(),
            denied: OnceLock::new(),
            code: OnceLock::new(),
            answered: OnceLock::new(),
        })
    }

    /// Runs `handled` as the handling of this request.
    pub(crate) async fn scope<F: Future>(self: &Arc<Self>, handled: F) -> F::Output {
        CURRENT.scope(self.clone(), handled).await
    }

    /// The request's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The request's path as it came. The query is in no log: it may have a presigned URL's signature.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The operation is known.
    pub fn set_operation(&self, name: &str) {
        let operation = Operation::named(name);
        let _ = self.operation.set(operation);
        if let Some(span) = self.traced.get() {
            trace::record_operation(span, operation);
        }
    }

    /// The bucket is known, and its id if it exists.
    pub fn set_bucket(&self, name: &str, id: Option<VolumeId>) {
        let _ = self.bucket.set((name.to_owned(), id));
        if let Some(span) = self.traced.get() {
            trace::record_bucket(span, name);
        }
    }

    /// The request names this access key.
    pub fn set_key_id(&self, id: &str) {
        let _ = self.key_id.set(shortened(id));
    }

    /// The request is this user's: its signature was checked.
    pub fn set_user(&self, name: &str) {
        let _ = self.user.set(name.to_owned());
    }

    /// The request, or a part of it, is denied. The first reason counts.
    pub fn set_denied(&self, denied: impl FnOnce() -> Denied) {
        let _ = self.denied.get_or_init(denied);
    }

    fn operation(&self) -> Operation {
        self.operation.get().copied().unwrap_or_default()
    }

    fn code(&self) -> Option<&str> {
        self.code.get().map(String::as_str)
    }

    /// Counts the request for its operation and its bucket.
    fn count(&self, class: Class, took: Duration) {
        self.shared.statistics.count(self.operation(), class, took);
        self.with_bucket(|bucket| bucket.count(class));
    }

    fn with_bucket(&self, count: impl FnOnce(&crate::statistics::BucketCounters)) {
        if let Some((_, Some(id))) = self.bucket.get() {
            count(self.shared.statistics.buckets.of(*id, || *id));
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.shared.statistics.end();
        if self.answered.get().is_none() {
            self.count(Class::Aborted, Duration::ZERO);
        }
        let (received, sent) = (self.received.load(Ordering::Relaxed), self.sent.load(Ordering::Relaxed));
        self.with_bucket(|bucket| bucket.count_bytes(received, sent));
        tracing::debug!(
            request_id = self.id,
            method = %self.method,
            path = shortened(self.path()),
            operation = self.operation().name(),
            user = self.user.get(),
            key = self.key_id.get(),
            address = self.peer.map(tracing::field::display),
            status = self.answered.get().map(|answered| answered.status.as_u16()),
            code = self.code(),
            received,
            sent,
            duration_ms = self.answered.get().map(|answered| answered.took.as_micros() as f64 / 1e3),
            "s3: {}",
            if self.answered.get().is_some() { "answered" } else { "the client went away" }
        );
    }
}

/// The beginning of a text that a client chose.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LOGGED_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shortened_at_a_character() {
        assert_eq!(shortened("/b/ü"), "/b/ü");
        assert_eq!(shortened(&"ü".repeat(300)), format!("{}…", "ü".repeat(LOGGED_CHARACTERS_MAX)));
    }
}
