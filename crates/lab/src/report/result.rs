//! The result of a run, as stored in `result.json`.
//!
//! Programs can rely on the file: names are stable, figures have units, and `format` increases with every change that is not
//! compatible. Times within a run are milliseconds since its start.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::curve::Curve;
use crate::progress::Tone;

/// The version of this format.
pub const FORMAT: u32 = 1;
/// The file that programs read, in a folder of results.
pub const RESULT_FILE: &str = "result.json";
/// The file that people read, in a folder of results.
pub const REPORT_FILE: &str = "report.html";

/// The result of one run of an experiment, on one storage or on several that it compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// [`FORMAT`].
    pub format: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the storage; of several, with commas between them.
    pub storage: String,
    /// Name of the profile.
    pub profile: String,
    /// Whether all checks passed.
    pub verdict: Verdict,
    /// The reason for the verdict, in one or two sentences.
    pub why: String,
    /// The start time: RFC 3339, UTC.
    pub started_at: String,
    /// The duration in milliseconds.
    pub duration_ms: u64,
    /// The versions of all components, by name.
    pub versions: BTreeMap<String, String>,
    /// The sizes and settings that were used, by name.
    pub settings: BTreeMap<String, Value>,
    /// The checks.
    pub checks: Vec<Check>,
    /// The figures that were measured once.
    pub figures: Vec<Figure>,
    /// The quantities that were measured several times on each storage.
    pub measurements: Vec<Measurement>,
    /// The events, in order of time.
    pub events: Vec<Event>,
    /// The processes of the run, with the times when each of them ran.
    pub lanes: Vec<Lane>,
    /// Figures over time.
    pub series: Vec<Series>,
    /// Figures as a function of another quantity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curves: Vec<Curve>,
    /// The lines of logs that explain the verdict.
    pub excerpts: Vec<Excerpt>,
}

/// The verdict of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All checks passed, and all targets were reached.
    Pass,
    /// All checks passed, and not all targets were reached.
    Measured,
    /// At least one check failed.
    Fail,
}

impl Verdict {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Measured => "measured",
            Self::Fail => "fail",
        }
    }

    /// The worse of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Fail, _) | (_, Self::Fail) => Self::Fail,
            (Self::Measured, _) | (_, Self::Measured) => Self::Measured,
            (Self::Pass, Self::Pass) => Self::Pass,
        }
    }
}

/// The outcome of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Stable name.
    pub name: String,
    /// A sentence that states the expected behaviour.
    pub title: String,
    /// Whether the check passed.
    pub passed: bool,
    /// The observation.
    pub detail: String,
}

impl Check {
    /// Adds a repetition. Keeps the details of the failed ones, or of all if none has failed.
    pub fn again(&mut self, later: Self) {
        match (self.passed, later.passed) {
            (true, false) => *self = later,
            (false, true) => {}
            _ if self.detail.split("; ").any(|known| known == later.detail) => {}
            _ => {
                self.detail.push_str("; ");
                self.detail.push_str(&later.detail);
            }
        }
    }
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Stable name, with its unit last.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The value.
    pub value: f64,
    /// The unit; empty for a count.
    pub unit: String,
}

/// Whether a higher or a lower value is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// One quantity, measured several times on each storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Stable name.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// Unit of all values.
    pub unit: String,
    /// Whether higher or lower is better.
    pub better: Better,
    /// One entry per storage, in the order the storages were named.
    pub samples: Vec<Samples>,
    /// The first storage's median divided by the second's, if there are two. Of pairs, the median of the pairs' ratios to the second
    /// storage.
    pub ratio: Option<f64>,
    /// For values that were measured in pairs: the first storage's values divided by those of each other storage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair_ratios: Vec<Samples>,
    /// The target, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Whether the target was reached, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<bool>,
}

/// What a measurement should reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The least ratio of the first storage to the second.
    Ratio(f64),
    /// The least median of the first storage.
    Median(f64),
    /// The largest median of the first storage.
    MedianMax(f64),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ratio(least) => write!(f, "ratio ≥ {least}"),
            Self::Median(least) => write!(f, "≥ {least}"),
            Self::MedianMax(largest) => write!(f, "≤ {largest}"),
        }
    }
}

/// The values of one storage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// The storage.
    pub storage: String,
    /// Every value, in the order measured.
    pub values: Vec<f64>,
    /// The median: the middle value, or the mean of the middle two.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Largest minus smallest, in percent of the median.
    pub spread_percent: f64,
}

impl Samples {
    /// Summarises the values of one storage; `None` if there are none. Values that are not finite are left out.
    pub fn of(storage: &str, mut values: Vec<f64>) -> Option<Self> {
        values.retain(|value| value.is_finite());
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let upper = *sorted.get(sorted.len() / 2)?;
        let lower = *sorted.get((sorted.len() - 1) / 2)?;
        let median = f64::midpoint(lower, upper);
        let spread_percent = if median == 0.0 { 0.0 } else { (max - min) / median * 100.0 };
        Some(Self { storage: storage.to_owned(), values, median, min, max, spread_percent })
    }
}

impl Measurement {
    /// Summarises the values of each storage. Storages without a value are left out.
    pub fn new(name: &str, title: &str, unit: &str, better: Better, values: Vec<(String, Vec<f64>)>) -> Self {
        let samples: Vec<Samples> =
            values.into_iter().filter_map(|(storage, values)| Samples::of(&storage, values)).collect();
        let ratio = match samples.as_slice() {
            [first, second] if second.median != 0.0 => Some(first.median / second.median),
            _ => None,
        };
        let (name, title, unit) = (name.to_owned(), title.to_owned(), unit.to_owned());
        let pair_ratios = Vec::new();
        Self { name, title, unit, better, samples, ratio, pair_ratios, target: None, reached: None }
    }

    /// Like [`Measurement::new`], for values of which those with the same index were measured one after the other. What disturbs the
    /// machine disturbs a whole pair, so the ratios of pairs vary less than the values.
    pub fn of_pairs(
        name: &str,
        title: &str,
        unit: &str,
        better: Better,
        values: Vec<(String, Vec<f64>)>,
    ) -> Self {
        let mut measurement = Self::new(name, title, unit, better, values);
        if let Some((first, others)) = measurement.samples.split_first() {
            let ratios = |other: &Samples| {
                let pairs = first.values.iter().zip(&other.values);
                Samples::of(&other.storage, pairs.map(|(first, other)| first / other).collect())
            };
            measurement.pair_ratios = others.iter().filter_map(ratios).collect();
            measurement.ratio = measurement.pair_ratios.first().map(|ratios| ratios.median);
        }
        measurement
    }

    /// Sets the target.
    #[must_use]
    pub fn with_target(mut self, target: Option<Target>) -> Self {
        let found = |target: Target| match target {
            Target::Ratio(least) => self.ratio.map(|ratio| ratio >= least),
            Target::Median(least) => self.samples.first().map(|samples| samples.median >= least),
            Target::MedianMax(largest) => self.samples.first().map(|samples| samples.median <= largest),
        };
        self.reached = target.and_then(found);
        self.target = target;
        self
    }
}

/// An event in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The time.
    pub at_ms: u64,
    /// Whether it is good, bad or neither.
    pub tone: Tone,
    /// A description.
    pub text: String,
}

/// Spans of time of one actor: a broker, a storage server, the experiment itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// The actor's name.
    pub name: String,
    /// The spans, in order of time.
    pub spans: Vec<Span>,
}

/// A span of time in a [`Lane`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its start.
    pub from_ms: u64,
    /// Its end; `None` if it lasts until the end of the run.
    pub to_ms: Option<u64>,
    /// What the actor did.
    pub label: String,
    /// Whether it ended well or badly, or its kind.
    pub tone: Tone,
}

/// A figure over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The name for people.
    pub title: String,
    /// The drawing that it is part of. Series with the same name and unit share a drawing; empty for a drawing of its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub drawing: String,
    /// Unit of the values.
    pub unit: String,
    /// Times and values, in order of time.
    pub points: Vec<(u64, f64)>,
}

/// A line is broken where the time between two points is more than this many times the median.
const GAP_TIMES: u64 = 5;
/// A shorter time between two points never breaks a line, in milliseconds.
const GAP_MS_MIN: u64 = 5_000;

impl Series {
    /// The parts of the series without gaps. Storages take turns, and a storage's figure is unknown during another one's turn.
    pub fn stretches(&self) -> Vec<&[(u64, f64)]> {
        let mut steps: Vec<u64> = self.points.windows(2).map(step).collect();
        steps.sort_unstable();
        let usual = steps.get(steps.len() / 2).copied().unwrap_or_default();
        let gap = usual.saturating_mul(GAP_TIMES).max(GAP_MS_MIN);
        let mut stretches = Vec::new();
        let mut rest = self.points.as_slice();
        while let Some(at) = rest.windows(2).position(|pair| step(pair) > gap) {
            let (stretch, after) = rest.split_at(at + 1);
            stretches.push(stretch);
            rest = after;
        }
        stretches.push(rest);
        stretches
    }
}

/// Milliseconds between two points.
fn step(pair: &[(u64, f64)]) -> u64 {
    match pair {
        [from, to] => to.0.saturating_sub(from.0),
        _ => 0,
    }
}

/// Lines of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excerpt {
    /// A description of the lines.
    pub title: String,
    /// The file, relative to the folder of results.
    pub file: String,
    /// The lines.
    pub lines: Vec<String>,
    /// The words to highlight; empty for none.
    pub highlight: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_spread_and_ratio_are_of_all_values() {
        let measurement = Measurement::new(
            "sequential_write",
            "Sequential write",
            "MB/s",
            Better::Higher,
            vec![("a".into(), vec![300.0, 100.0, 200.0]), ("b".into(), vec![90.0, 110.0])],
        );
        let [a, b] = measurement.samples.as_slice() else { panic!("two storages") };
        assert_eq!((a.median, a.min, a.max, a.spread_percent), (200.0, 100.0, 300.0, 100.0));
        assert_eq!(a.values, [300.0, 100.0, 200.0]);
        assert_eq!((b.median, b.spread_percent), (100.0, 20.0));
        assert_eq!(measurement.ratio, Some(2.0));
    }

    #[test]
    fn the_ratio_of_pairs_is_the_median_of_their_ratios() {
        let values =
            [("a", vec![100.0, 20.0, 60.0]), ("b", vec![50.0, 40.0, 20.0]), ("c", vec![100.0, 20.0])];
        let values = values.map(|(storage, values)| (storage.to_owned(), values)).to_vec();
        let measurement = Measurement::of_pairs("x", "X", "MB/s", Better::Higher, values);
        assert_eq!(measurement.ratio, Some(2.0), "of 2, 0.5 and 3; that of the medians is 1.5");
        let ratios: Vec<_> =
            measurement.pair_ratios.iter().map(|of| (of.storage.as_str(), of.min, of.max)).collect();
        assert_eq!(ratios, [("b", 0.5, 3.0), ("c", 1.0, 1.0)]);
        assert_eq!(measurement.with_target(Some(Target::Ratio(1.9))).reached, Some(true));
    }

    #[test]
    fn a_storage_that_was_never_measured_has_no_figures() {
        let measurement = Measurement::new(
            "x",
            "X",
            "s",
            Better::Lower,
            vec![("a".into(), vec![1.0]), ("b".into(), vec![])],
        );
        assert_eq!(measurement.samples.len(), 1);
        assert_eq!(measurement.ratio, None);
    }

    #[test]
    fn a_target_is_reached_or_not() {
        let values = || vec![("a".to_owned(), vec![3.0]), ("b".to_owned(), vec![2.0])];
        let measured = || Measurement::new("x", "X", "s", Better::Higher, values());
        assert_eq!(measured().with_target(Some(Target::Ratio(1.5))).reached, Some(true));
        assert_eq!(measured().with_target(Some(Target::Ratio(1.6))).reached, Some(false));
        assert_eq!(measured().with_target(Some(Target::Median(3.0))).reached, Some(true));
        assert_eq!(measured().with_target(Some(Target::MedianMax(3.0))).reached, Some(true));
        assert_eq!(measured().with_target(Some(Target::MedianMax(2.9))).reached, Some(false));
        assert_eq!(measured().with_target(None).reached, None);
    }

    #[test]
    fn a_series_is_broken_where_nothing_was_told_of_it() {
        let series = |times: &[u64]| Series {
            title: "Produced".into(),
            drawing: String::new(),
            unit: "MB/s".into(),
            points: times.iter().map(|ms| (*ms, 1.0)).collect(),
        };
        let lengths = |series: &Series| series.stretches().iter().map(|part| part.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&series(&[0, 1000, 2000, 60_000, 61_000, 90_000])), [3, 2, 1]);
        assert_eq!(lengths(&series(&[0, 60_000, 120_000, 200_000])), [4], "told rarely, but steadily");
        assert_eq!(lengths(&series(&[])), [0]);
    }

    #[test]
    fn one_failed_run_fails_all() {
        assert_eq!(Verdict::Pass.and(Verdict::Fail), Verdict::Fail);
        assert_eq!(Verdict::Fail.and(Verdict::Pass), Verdict::Fail);
        assert_eq!(Verdict::Pass.and(Verdict::Pass), Verdict::Pass);
        assert_eq!(Verdict::Measured.and(Verdict::Pass), Verdict::Measured);
        assert_eq!(Verdict::Measured.and(Verdict::Fail), Verdict::Fail);
    }
}
