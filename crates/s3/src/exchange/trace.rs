//! The span of a request, for traces. Its fields have the names of OpenTelemetry's attributes.
//!
//! A request whose client sends a sampled `traceparent` continues the client's trace; of the others, one in `traces.s3_one_in` is traced. A
//! request that is not traced has no span.

use std::sync::atomic::{AtomicU64, Ordering};

use forebay_net::traces::{Parent, is_in_sample};
use forebay_pool::TRACES;
use hyper::{Request, StatusCode};
use tracing::Span;
use tracing::field::Empty;

use super::Exchange;
use crate::statistics::Operation;

/// Counts requests, to choose among them.
static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Exchange {
    /// The span of the request; a disabled one if it is not traced.
    pub(crate) fn trace<B>(&self, request: &Request<B>) -> Span {
        let one_in = self.shared.trace_one_in;
        if one_in == 0 {
            return Span::none();
        }
        let parent = Parent::of(request.headers());
        let is_traced = match &parent {
            Some(parent) => parent.is_sampled,
            None => is_in_sample(one_in, 0, NUMBER.fetch_add(1, Ordering::Relaxed)),
        };
        if !is_traced {
            return Span::none();
        }
        let span = tracing::info_span!(
            target: TRACES,
            parent: None,
            "request",
            otel.name = "S3",
            otel.kind = "server",
            otel.trace_id = parent.as_ref().map(|parent| parent.trace_id.as_str()),
            otel.parent_id = parent.as_ref().map(|parent| parent.span_id.as_str()),
            rpc.system = "aws-api",
            rpc.service = "S3",
            rpc.method = Empty,
            http.request.method = self.method.as_str(),
            http.response.status_code = Empty,
            "error.type" = Empty,
            aws.s3.bucket = Empty,
            client.address = self.peer.map(tracing::field::display),
            forebay.request_id = self.id,
        );
        let _ = self.traced.set(span.clone());
        span
    }
}

/// Names the span after its operation.
pub(super) fn record_operation(span: &Span, operation: Operation) {
    span.record("otel.name", format!("S3.{}", operation.name()));
    span.record("rpc.method", operation.name());
}

/// Records the bucket. Keys are in no span.
pub(super) fn record_bucket(span: &Span, name: &str) {
    span.record("aws.s3.bucket", name);
}

/// Records the answer.
pub(super) fn record_answer(span: &Span, status: StatusCode, code: Option<&str>) {
    span.record("http.response.status_code", status.as_u16());
    if let Some(code) = code {
        span.record("error.type", code);
    }
}
