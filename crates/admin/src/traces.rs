//! Traces: the spans of requests, and counts of exported and dropped spans.
//!
//! Spans for traces have their own target ([`TARGET`]), so that they are not in the log and cost nothing if traces are not collected. Their
//! fields have the names of OpenTelemetry's attributes. A request with a `traceparent` (W3C Trace Context) continues the client's trace.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use tracing::Span;
use tracing::field::Empty;

use crate::base::paths::loggable;
use forebay_net::http::Peer;
use forebay_net::traces::Parent;

/// The target of all spans for traces.
pub const TARGET: &str = forebay_pool::TRACES;

/// The counts of spans since the daemon started. Spans belong to the process, not to one of its servers.
pub static SPANS: SpanCounters = SpanCounters { exported: AtomicU64::new(0), dropped: AtomicU64::new(0) };

/// Counts of spans.
pub struct SpanCounters {
    exported: AtomicU64,
    dropped: AtomicU64,
}

impl SpanCounters {
    /// Counts spans that the collector has accepted.
    pub fn add_exported(&self, count: usize) {
        self.exported.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Counts spans that were dropped.
    pub fn add_dropped(&self, count: usize) {
        self.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// The number of spans that the collector has accepted.
    pub fn exported(&self) -> u64 {
        self.exported.load(Ordering::Relaxed)
    }

    /// The number of spans that were dropped.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

/// The span of a request. It is disabled if the client's trace is not sampled.
pub(crate) fn of_request(request: &Request, id: &str, route: Option<&str>) -> Span {
    let parent = Parent::of(request.headers());
    if parent.as_ref().is_some_and(|parent| !parent.is_sampled) {
        return Span::none();
    }
    let method = request.method().as_str();
    let address = match request.extensions().get::<Peer>() {
        Some(Peer::Tcp(address)) => Some(address.ip()),
        _ => None,
    };
    tracing::info_span!(
        target: TARGET,
        parent: None,
        "request",
        otel.name = %format_args!("{method} {}", route.unwrap_or("")).to_string().trim_end(),
        otel.kind = "server",
        otel.trace_id = parent.as_ref().map(|parent| parent.trace_id.as_str()),
        otel.parent_id = parent.as_ref().map(|parent| parent.span_id.as_str()),
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        url.path = loggable(request.uri().path()),
        client.address = address.map(tracing::field::display),
        forebay.request_id = id,
    )
}
