//! The command `copy` of the records tool, which copies segments to the tier as a broker does. It runs on a machine with the log directories.

use serde::Deserialize;

use super::distribution::Distribution;
use super::java::{self, Size};
use super::plugin::Plugin;

const MAIN: &str = "forebay.records.Main";
/// That of brokers of the experiments.
const SIZE: Size = Size { heap_mib: 512 };

/// The segments to copy, and how.
#[derive(Debug, Clone)]
pub struct CopyPlan<'a> {
    /// The class of the plugin.
    pub class: &'a str,
    /// Settings of the plugin, without Kafka's prefix.
    pub settings: &'a [(String, String)],
    /// Where the segments are written.
    pub folder: &'a str,
    /// The number of segments.
    pub segments: u32,
    /// The size of each.
    pub bytes: u64,
    /// Whether each is copied while its pages are dirty. Else all are written and synced first, and the tool waits for a line of input.
    pub is_fresh: bool,
}

/// A line of the tool. What is missing has not happened yet.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CopyLine {
    /// `progress` or `summary`.
    pub event: String,
    /// All segments are written.
    pub ready: bool,
    /// All are copied.
    pub done: bool,
    /// The bytes that were copied.
    pub bytes: u64,
    /// The bytes that the machine sent meanwhile.
    pub sent_bytes: u64,
    /// How long that took.
    pub seconds: f64,
    /// Segments whose pages were dirty.
    pub dirty: u32,
    /// Segments that read back as they are.
    pub equal: u32,
}

impl CopyPlan<'_> {
    /// The command line.
    pub fn words(&self, kafka: &Distribution, plugin: &Plugin) -> Vec<String> {
        let mut words = java::words(kafka, SIZE, "warn", MAIN, &["copy", "--plugin", self.class]);
        let class_path = kafka.class_path();
        for word in words.iter_mut().filter(|word| **word == class_path) {
            *word = format!("{class_path}:{}", plugin.class_path());
        }
        words.extend(
            self.settings.iter().flat_map(|(key, value)| ["--setting".to_owned(), format!("{key}={value}")]),
        );
        words.extend(["--folder", self.folder].map(str::to_owned));
        words.extend(["--segments".to_owned(), self.segments.to_string()]);
        words.extend(["--bytes".to_owned(), self.bytes.to_string()]);
        words.extend(self.is_fresh.then(|| "--fresh".to_owned()));
        words
    }
}

impl CopyLine {
    /// The complete lines of the tool's output.
    pub fn all(said: &str) -> Vec<Self> {
        let complete = said.rfind('\n').map_or("", |end| said.get(..end).unwrap_or_default());
        complete.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_not_complete_is_not_read() {
        let said = "{\"event\":\"progress\",\"elapsed_ms\":3,\"ready\":true}\n{\"event\":\"summ";
        let ready = CopyLine { event: "progress".into(), ready: true, ..CopyLine::default() };
        assert_eq!(CopyLine::all(said), [ready]);
    }
}
