//! JSON documents: policies, and rules of buckets. They are sent as they are, so that the daemon's errors name a statement or a
//! rule of the text that the user wrote.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use crate::arguments::Format;
use crate::output::{print_as, print_json_text};

/// More than the daemon accepts.
const BYTES_MAX: u64 = 1 << 20;

/// Reads a document from a file, or from standard input if that is `-`.
pub fn read_document(file: &Path) -> Result<String> {
    let (name, text) = if file == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().lock().take(BYTES_MAX).read_to_string(&mut text);
        ("standard input".to_owned(), read.map(|_| text))
    } else {
        let read = std::fs::File::open(file).and_then(|opened| {
            let mut text = String::new();
            opened.take(BYTES_MAX).read_to_string(&mut text).map(|_| text)
        });
        (file.display().to_string(), read)
    };
    let text = text.with_context(|| format!("{name}: cannot be read"))?;
    match serde_json::from_str::<Value>(&text) {
        Ok(Value::Object(_)) => Ok(text),
        Ok(_) => Err(anyhow!("{name}: must be a JSON object, in {{ and }}")),
        Err(error) => Err(anyhow!("{name}: is not JSON: {error}")),
    }
}

/// Prints a document as it was set.
pub fn print_document(format: Format, text: &str) -> Result<()> {
    match format {
        Format::Table | Format::Wide | Format::Json => print_json_text(text),
        Format::Yaml | Format::Csv => print_as(format, &serde_json::from_str::<Value>(text)?, |_| Ok(())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_a_json_object_and_errors_say_where_it_is_not() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join("policy.json");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read_document(&file).map_err(|error| format!("{error:#}"))
        };
        assert_eq!(read("{\n\t\"a\": 1}").unwrap(), "{\n\t\"a\": 1}");
        assert!(read("[]").unwrap_err().contains("policy.json: must be a JSON object"));
        assert!(read("{\"a\": 1,}").unwrap_err().contains("is not JSON: trailing comma at line 1"));
        std::fs::remove_file(&file).unwrap();
        assert!(read_document(&file).unwrap_err().to_string().contains("cannot be read"));
    }
}
