//! Samples in the Prometheus text format.

use std::fmt::Write;

use forebay_pool::Distribution;

/// Bucket bounds of histograms, as powers of two in nanoseconds: from 131 µs to 8.6 s, doubling. At these
/// bounds the counts are exact.
const BOUND_DIGITS: std::ops::RangeInclusive<u32> = 17..=33;

/// Collects the samples of one family.
pub struct Samples<'a> {
    pub(super) text: &'a mut String,
    pub(super) name: &'static str,
    /// The volume that the samples belong to.
    pub(super) volume: Option<&'a str>,
}

/// Labels and their values.
type Labels<'a> = &'a [(&'static str, &'a str)];

impl Samples<'_> {
    /// Adds the only sample of the family, or of a volume.
    pub fn one(&mut self, value: impl Value) {
        self.with(&[], value);
    }

    /// Adds one of several samples.
    pub fn with(&mut self, labels: Labels<'_>, value: impl Value) {
        self.line("", labels, None, value.value());
    }

    /// Adds a histogram.
    pub fn times(&mut self, labels: Labels<'_>, times: &Distribution) {
        for digits in BOUND_DIGITS {
            let bound = (1u64 << digits) as f64 / 1e9;
            self.line("_bucket", labels, Some(&bound.to_string()), times.within_power_of_two(digits) as f64);
        }
        let count = times.count() as f64;
        self.line("_bucket", labels, Some("+Inf"), count);
        self.line("_sum", labels, None, times.sum().as_secs_f64());
        self.line("_count", labels, None, count);
    }

    fn line(&mut self, suffix: &str, labels: Labels<'_>, bound: Option<&str>, value: f64) {
        self.text.push_str(self.name);
        self.text.push_str(suffix);
        let volume = self.volume.map(|volume| ("volume", volume));
        let bound = bound.map(|bound| ("le", bound));
        let mut separator = '{';
        for (label, value) in volume.into_iter().chain(labels.iter().copied()).chain(bound) {
            let _ = write!(self.text, "{separator}{label}=\"{}\"", escape_label(value));
            separator = ',';
        }
        if separator == ',' {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }
}

/// A value that a sample can have.
pub trait Value {
    /// The value as Prometheus represents it.
    fn value(self) -> f64;
}

impl Value for u64 {
    fn value(self) -> f64 {
        self as f64
    }
}

impl Value for f64 {
    fn value(self) -> f64 {
        self
    }
}

impl Value for bool {
    fn value(self) -> f64 {
        f64::from(u8::from(self))
    }
}

pub(super) fn escape_help(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n")
}

fn escape_label(text: &str) -> String {
    escape_help(text).replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use forebay_pool::Histogram;

    use super::*;

    fn written(collect: impl FnOnce(&mut Samples<'_>)) -> String {
        let mut text = String::new();
        collect(&mut Samples { text: &mut text, name: "forebay_x", volume: None });
        text
    }

    #[test]
    fn samples_are_lines_with_their_labels_escaped() {
        assert_eq!(written(|samples| samples.one(7u64)), "forebay_x 7\n");
        let labelled = written(|samples| samples.with(&[("a", "b\"c\\d\ne"), ("f", "g")], 0.5));
        assert_eq!(labelled, "forebay_x{a=\"b\\\"c\\\\d\\ne\",f=\"g\"} 0.5\n");
    }

    #[test]
    fn a_histogram_is_cumulative_and_ends_with_everything() {
        let histogram = Histogram::default();
        for time in [10, 200, 200_000, 60_000_000] {
            histogram.record(Duration::from_micros(time));
        }
        let text = written(|samples| samples.times(&[], &histogram.distribution()));
        let counts: Vec<u64> = text
            .lines()
            .filter(|line| line.contains("_bucket"))
            .map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(counts.len(), 18);
        assert!(counts.is_sorted() && counts[0] == 1 && counts[1] == 2 && counts[16] == 3 && counts[17] == 4);
        assert!(
            text.contains("{le=\"0.000131072\"} 1\n") && text.contains("{le=\"8.589934592\"} 3\n"),
            "{text}"
        );
        assert!(text.ends_with("forebay_x_sum 60.20021\nforebay_x_count 4\n"), "{text}");
    }
}
