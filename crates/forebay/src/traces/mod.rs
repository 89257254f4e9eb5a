//! Traces: spans with the target [`forebay_admin::traces::TARGET`] are collected ([`layer`]), written as OTLP
//! in JSON ([`otlp`]), and sent to a collector over HTTP ([`export`]).
//!
//! ```text
//!   a span ends ── layer ── bounded queue ── export: up to 512 spans, at least once a second ── POST /v1/traces
//! ```
//! What must hold: no request waits for the collector, and the memory for spans is bounded. Spans that the
//! queue or the collector does not accept are dropped and counted.

mod export;
mod layer;
mod otlp;

use std::time::{Duration, SystemTime};

use anyhow::Result;
use tokio::sync::mpsc;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Filtered;
use tracing_subscriber::registry::LookupSpan;

pub use export::Exporter;
use layer::{Asked, Collecting};

/// Maximum number of spans that wait for the exporter.
const QUEUE_MAX: usize = 4096;

/// A span that has ended.
#[derive(Debug)]
struct Finished {
    /// The trace's id.
    trace_id: u128,
    span_id: u64,
    /// The parent span.
    parent_id: Option<u64>,
    name: String,
    /// Whether it is a request from outside.
    is_server: bool,
    began: SystemTime,
    took: Duration,
    attributes: Vec<(&'static str, serde_json::Value)>,
    /// Whether the operation failed.
    has_failed: bool,
}

/// Creates both ends of the queue, before either is in use.
pub fn prepare(endpoint: &str) -> Result<(Tracer, Exporter)> {
    let (sender, receiver) = mpsc::channel(QUEUE_MAX);
    Ok((Tracer(sender), Exporter::new(endpoint, receiver)?))
}

/// The sending end, for spans.
pub struct Tracer(mpsc::Sender<Finished>);

impl Tracer {
    /// The layer that collects spans.
    pub fn layer<S>(self) -> Filtered<Collecting, Asked, S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        Collecting::new(self.0).with_filter(Asked)
    }
}
