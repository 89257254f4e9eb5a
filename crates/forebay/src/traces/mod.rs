//! Traces: spans that are for them ([`forebay_admin::traces::TARGET`]) are collected ([`layer`]), written as OTLP in JSON ([`otlp`]), and sent
//! to a collector over HTTP ([`export`]).
//!
//! ```text
//!   a span ends ── layer ── a queue with a bound ── export: a few hundred at once, or what a second brought ── POST /v1/traces
//! ```
//! What must hold: nobody who serves a request waits for the collector, and no memory without a bound is kept for it. What the queue does not
//! take, or the collector, is dropped, and counted.

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

/// Spans that wait for the exporter.
const QUEUE_MAX: usize = 4096;

/// A span that has ended.
#[derive(Debug)]
struct Finished {
    /// Of the trace.
    trace_id: u128,
    span_id: u64,
    /// The span that it is below.
    parent_id: Option<u64>,
    name: String,
    /// Whether it is the handling of a request from outside.
    is_server: bool,
    began: SystemTime,
    took: Duration,
    attributes: Vec<(&'static str, serde_json::Value)>,
    /// Whether what it stands for failed.
    has_failed: bool,
}

/// The two ends of the queue, before either is in use.
pub fn prepare(endpoint: &str) -> Result<(Tracer, Exporter)> {
    let (sender, receiver) = mpsc::channel(QUEUE_MAX);
    Ok((Tracer(sender), Exporter::new(endpoint, receiver)?))
}

/// The end that spans come in by.
pub struct Tracer(mpsc::Sender<Finished>);

impl Tracer {
    /// What collects spans.
    pub fn layer<S>(self) -> Filtered<Collecting, Asked, S>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        Collecting::new(self.0).with_filter(Asked)
    }
}
