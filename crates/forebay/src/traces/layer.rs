//! Collects spans: assigns ids, stores their fields, and hands them on when they end.
//!
//! Fields become attributes, except those whose names begin with `otel.`: `otel.name` is the span's name;
//! `otel.kind` is `server` for requests from outside; `otel.status_code` is `error` for failures;
//! `otel.trace_id` and `otel.parent_id` identify a trace that the client has started.

use std::fmt::Debug;
use std::time::SystemTime;

use forebay_admin::traces::{SPANS, TARGET};
use serde_json::Value;
use tokio::sync::mpsc::Sender;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

use super::Finished;

/// Names of the spans that start a trace here. All other spans belong to one of them or are not traced.
const ROOTS: [&str; 2] = ["request", "COMPOUND"];

/// Selects spans for traces: roots, and their descendants.
pub struct Asked;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Filter<S> for Asked {
    fn enabled(&self, metadata: &Metadata<'_>, context: &Context<'_, S>) -> bool {
        metadata.is_span()
            && metadata.target() == TARGET
            && (ROOTS.contains(&metadata.name()) || context.lookup_current().is_some())
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.is_span() && metadata.target() == TARGET {
            Interest::sometimes()
        } else {
            Interest::never()
        }
    }
}

/// See the module documentation.
pub struct Collecting(Sender<Finished>);

impl Collecting {
    pub(super) fn new(queue: Sender<Finished>) -> Collecting {
        Collecting(queue)
    }
}

/// A span that has not ended, stored in the registry.
struct Open {
    span: Finished,
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collecting {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        // The registry's parent may be a span of the log.
        let above = if attributes.is_contextual() {
            context.lookup_current()
        } else {
            attributes.parent().and_then(|parent| context.span(parent))
        };
        let above = above.and_then(|above| {
            above.extensions().get::<Open>().map(|open| (open.span.trace_id, open.span.span_id))
        });
        let mut open = Open {
            span: Finished {
                trace_id: above.map_or_else(new_trace_id, |(trace_id, _)| trace_id),
                span_id: new_span_id(),
                parent_id: above.map(|(_, span_id)| span_id),
                name: attributes.metadata().name().to_owned(),
                is_server: false,
                began: SystemTime::now(),
                took: std::time::Duration::ZERO,
                attributes: Vec::new(),
                has_failed: false,
            },
        };
        attributes.record(&mut Fields(&mut open.span));
        span.extensions_mut().insert(open);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<Open>() {
            values.record(&mut Fields(&mut open.span));
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(mut open) = span.extensions_mut().remove::<Open>() else { return };
        // Start and end come from one clock, so that spans that follow each other do not overlap.
        open.span.took = open.span.began.elapsed().unwrap_or_default();
        if self.0.try_send(open.span).is_err() {
            SPANS.add_dropped(1);
        }
    }
}

/// Stores fields in a span.
struct Fields<'a>(&'a mut Finished);

impl Fields<'_> {
    fn set(&mut self, name: &'static str, value: Value) {
        let text = value.as_str().unwrap_or_default();
        match name {
            "otel.name" => text.clone_into(&mut self.0.name),
            "otel.kind" => self.0.is_server = text == "server",
            "otel.status_code" => self.0.has_failed = text == "error",
            "otel.trace_id" => self.0.trace_id = u128::from_str_radix(text, 16).unwrap_or(self.0.trace_id),
            "otel.parent_id" => self.0.parent_id = u64::from_str_radix(text, 16).ok(),
            "http.response.status_code" => {
                self.0.has_failed = value.as_u64().is_some_and(|status| status >= 500);
                self.0.attributes.push((name, value));
            }
            _ => self.0.attributes.push((name, value)),
        }
    }
}

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.set(field.name(), format!("{value:?}").into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.set(field.name(), value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field.name(), value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field.name(), value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field.name(), value.into());
    }
}

/// Ids must not be zero and must be unique. They need not be unpredictable.
fn new_span_id() -> u64 {
    getrandom::u64().unwrap_or(1).max(1)
}

fn new_trace_id() -> u128 {
    (u128::from(new_span_id()) << 64) | u128::from(new_span_id())
}
