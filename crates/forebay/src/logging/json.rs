//! A log line as a JSON object: `time`, `level`, `target` and `message` first, then the fields of the
//! enclosing spans from the outermost to the innermost, then the event's own fields, all on one level. If a
//! field occurs twice, the last value is used.

use std::fmt::{self, Debug};
use std::time::SystemTime;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

use crate::output::escaped_json;

/// The first fields of a line. Other fields with these names get a `_` appended.
const FIRST: [&str; 4] = ["time", "level", "target", "message"];

/// See the module documentation.
pub struct Line;

impl<S, N> FormatEvent<S, N> for Line
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            let extensions = span.extensions();
            let Some(formatted) = extensions.get::<FormattedFields<N>>() else { continue };
            // `JsonFields` wrote this text.
            if let Ok(Value::Object(values)) = serde_json::from_str(&formatted.fields) {
                values.into_iter().for_each(|(name, value)| fields.set(&name, value));
            }
        }
        event.record(&mut fields);
        let metadata = event.metadata();
        let time = humantime::format_rfc3339_micros(SystemTime::now()).to_string();
        fields.write(writer, &time, metadata.level().as_str(), metadata.target())
    }
}

/// Fields in their order.
#[derive(Default)]
struct Fields {
    message: String,
    values: Vec<(String, Value)>,
}

impl Fields {
    fn set(&mut self, name: &str, value: Value) {
        // `tracing`'s name for a field whose name is a Rust keyword.
        let name = name.strip_prefix("r#").unwrap_or(name);
        let name = if FIRST.contains(&name) { format!("{name}_") } else { name.to_owned() };
        match self.values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => self.values.push((name, value)),
        }
    }

    fn write(&self, mut writer: Writer<'_>, time: &str, level: &str, target: &str) -> fmt::Result {
        let first = FIRST.into_iter().zip([time, level, target, &self.message]);
        for (index, (name, value)) in first.enumerate() {
            let start = if index == 0 { '{' } else { ',' };
            write!(writer, "{start}\"{name}\":{}", escaped_json(&Value::from(value).to_string()))?;
        }
        for (name, value) in &self.values {
            write!(writer, ",{}:{}", Value::from(name.as_str()), escaped_json(&value.to_string()))?;
        }
        writeln!(writer, "}}")
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" { self.message = text } else { self.set(field.name(), text.into()) }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.message);
        } else {
            self.set(field.name(), value.into());
        }
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

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field.name(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_object_whose_fields_are_there_once() {
        let mut fields = Fields { message: "two\nlines \"quoted\"".into(), ..Fields::default() };
        for (name, value) in [("user", "a"), ("time", "later"), ("r#type", "x\u{9b}"), ("user", "b")] {
            fields.set(name, value.into());
        }
        let mut text = String::new();
        fields.write(Writer::new(&mut text), "2026-01-01T00:00:00Z", "INFO", "forebay").unwrap();
        let expected = r#"{"time":"2026-01-01T00:00:00Z","level":"INFO","target":"forebay","message":"two\nlines \"quoted\"","user":"b","time_":"later","type":"x\u009b"}"#;
        assert_eq!(text.strip_suffix('\n'), Some(expected));
    }
}
