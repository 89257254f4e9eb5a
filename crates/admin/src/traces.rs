//! Traces: the spans of requests, and counts of exported and dropped spans.
//!
//! Spans for traces have their own target ([`TARGET`]), so that they are not in the log and cost nothing if traces are not collected. Their
//! fields have the names of OpenTelemetry's attributes. A request with a `traceparent` (W3C Trace Context) continues the client's trace.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use axum::http::HeaderMap;
use tracing::Span;
use tracing::field::Empty;

use crate::base::paths::loggable;
use forebay_net::http::Peer;

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

/// The parent span in a trace that the client started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The trace: 32 hexadecimal digits.
    pub trace_id: String,
    /// The span: 16 hexadecimal digits.
    pub span_id: String,
    /// Whether its spans are collected.
    pub is_sampled: bool,
}

impl Parent {
    /// Parses a `traceparent`. Returns `None` if it is malformed.
    fn read(header: &str) -> Option<Parent> {
        let mut parts = header.split('-');
        let [version, trace_id, span_id, flags] =
            [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        let is_hex = |text: &str, digits: usize| {
            text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_zero = |text: &str| text.bytes().all(|byte| byte == b'0');
        // Later versions may have more fields after the flags. Version 00 has none.
        let is_known = is_hex(version, 2) && version != "ff" && (version != "00" || parts.next().is_none());
        if !is_known || !is_hex(trace_id, 32) || !is_hex(span_id, 16) || !is_hex(flags, 2) {
            return None;
        }
        if is_zero(trace_id) || is_zero(span_id) {
            return None;
        }
        let is_sampled = u8::from_str_radix(flags, 16).is_ok_and(|flags| flags & 1 == 1);
        Some(Parent { trace_id: trace_id.to_owned(), span_id: span_id.to_owned(), is_sampled })
    }

    fn of(headers: &HeaderMap) -> Option<Parent> {
        Parent::read(headers.get("traceparent")?.to_str().ok()?.trim())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_is_read_as_the_standard_says() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let read = Parent::read(&format!("00-{trace}-{span}-01")).unwrap();
        assert_eq!((read.trace_id.as_str(), read.span_id.as_str(), read.is_sampled), (trace, span, true));
        assert!(!Parent::read(&format!("00-{trace}-{span}-00")).unwrap().is_sampled);
        assert!(Parent::read(&format!("cc-{trace}-{span}-01-what-will-be")).is_some());
        for wrong in [
            format!("00-{trace}-{span}-01-more"),
            format!("ff-{trace}-{span}-01"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-1"),
            String::new(),
        ] {
            assert_eq!(Parent::read(&wrong), None, "{wrong}");
        }
    }
}
