//! Formats the fields of a text line: the message bare, the others as `name=value`. Characters that would end
//! the line or control the reader's terminal are escaped, since logged values also come from clients.

use std::fmt::{self, Debug};

use tracing::field::{Field, Visit};
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;

use crate::output::escaped;

/// See the module documentation.
pub struct Fields;

impl<'writer> FormatFields<'writer> for Fields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut visitor = Visitor { writer, is_first: true, result: Ok(()) };
        fields.record(&mut visitor);
        visitor.result
    }
}

struct Visitor<'writer> {
    writer: Writer<'writer>,
    is_first: bool,
    result: fmt::Result,
}

impl Visitor<'_> {
    fn write(&mut self, name: &str, value: &str) -> fmt::Result {
        if !std::mem::take(&mut self.is_first) {
            self.writer.write_char(' ')?;
        }
        if name == "message" {
            return self.writer.write_str(&escaped(value));
        }
        // `tracing`'s name for a field whose name is a Rust keyword.
        let name = name.strip_prefix("r#").unwrap_or(name);
        if self.writer.has_ansi_escapes() {
            // The name in italics, the rest dimmed.
            write!(self.writer, "\u{1b}[3m{name}\u{1b}[0m\u{1b}[2m=\u{1b}[0m{}", escaped(value))
        } else {
            write!(self.writer, "{name}={}", escaped(value))
        }
    }
}

impl Visit for Visitor<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if self.result.is_ok() {
            self.result = self.write(field.name(), &format!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        // A message is not quoted like a value.
        if field.name() == "message" {
            self.record_debug(field, &format_args!("{value}"));
        } else {
            self.record_debug(field, &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt;

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn whatever_is_logged_stays_in_its_line_and_commands_no_terminal() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber = fmt()
            .with_writer(move || writer.clone())
            .with_ansi(false)
            .with_target(false)
            .fmt_fields(Fields)
            .finish();
        let nasty = "a\u{1b}[31m\nERROR forged\u{9b}\u{202e}";
        tracing::subscriber::with_default(subscriber, || {
            let _span = tracing::info_span!("request", path = nasty, shown = %nasty).entered();
            tracing::info!(shown = %nasty, quoted = nasty, r#type = 1, "message {nasty}");
        });
        let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let line = text.strip_suffix('\n').unwrap();
        assert!(line.chars().all(forebay_pool::is_printable), "{line:?}");
        assert_eq!(line.matches(r"a\u{1b}[31m\nERROR forged\u{9b}\u{202e}").count(), 5, "{line}");
        assert!(
            line.contains("request{path=") && line.contains("}: message a") && line.contains(" type=1"),
            "{line}"
        );
    }
}
