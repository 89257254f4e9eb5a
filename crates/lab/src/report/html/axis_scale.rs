//! Scales of axes: from values to positions, and the tick marks.
//!
//! The values may come from other people's files, so every loop here is bounded by a number of marks, not by the values.

use super::text::{clock, number};
use crate::report::curve::Scale;

/// The largest percentile that a drawing can show. Larger ones are drawn at the same place.
const PERCENTILE_MAX: f64 = 99.9999;
/// The tick marks of a percentile axis.
const PERCENTILES: [f64; 7] = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999];
/// Above this ratio of the largest to the smallest value, a logarithmic axis has marks at powers of ten only.
const DECADES_ONLY: f64 = 200.0;
/// Maximum number of marks on an axis. Normally the chosen step gives fewer; this bounds the loops for any value.
const MARKS_MAX: usize = 16;

/// The kind of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The scale that the experiment chose.
    Of(Scale),
    /// Milliseconds since the start, marked in minutes and seconds.
    Time,
}

/// One axis: the values that it spans, and their positions in the drawing.
#[derive(Debug, Clone, Copy)]
pub struct AxisScale {
    kind: Kind,
    /// The first and the last value.
    span: (f64, f64),
    /// The positions of these in the drawing.
    place: (f64, f64),
}

impl AxisScale {
    /// An axis from `from` to `to` in the drawing that spans all of the values. A linear axis also includes zero.
    pub fn from_zero(kind: Kind, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) = extent(kind, values);
        let span = match kind {
            Kind::Of(Scale::Linear) => {
                let step = step((most.max(0.0) - least.min(0.0)) / 4.0);
                (
                    (least.min(0.0) / step).floor() * step,
                    ((most.max(0.0) / step).ceil() * step).max(least.min(0.0) + step),
                )
            }
            Kind::Of(Scale::Log) => around(least, most),
            Kind::Of(Scale::Percentile) | Kind::Time => (least, most.max(least + 1e-9)),
        };
        Self { kind, span, place: (from, to) }
    }

    /// An axis that spans just these values. A linear axis begins with zero if the smallest value is at most half of the largest.
    pub fn fitting(kind: Kind, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (least, most) = extent(kind, values);
        let room = if most > least { 0.0 } else { most.abs().max(1.0) * 0.5 };
        let span = match kind {
            Kind::Of(Scale::Linear) if least >= 0.0 && least <= most * 0.5 => {
                (0.0, most.max(f64::MIN_POSITIVE))
            }
            Kind::Of(Scale::Log) if room > 0.0 => (least / 2.0, most * 2.0),
            Kind::Of(Scale::Percentile) if room > 0.0 => (0.0, most.max(50.0)),
            _ => (least - room, most + room),
        };
        Self { kind, span, place: (from, to) }
    }

    /// The position of a value.
    pub fn at(&self, value: f64) -> f64 {
        let (from, to) = (self.stretch(self.span.0), self.stretch(self.span.1));
        let share = (self.stretch(value) - from) / (to - from);
        let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self.place.0 + (self.place.1 - self.place.0) * share
    }

    /// Whether the axis can show this value. A logarithmic one can show only positive values.
    pub fn holds(&self, value: f64) -> bool {
        value.is_finite() && (self.kind != Kind::Of(Scale::Log) || value > 0.0)
    }

    /// Marks at round values: their positions and texts.
    pub fn marks(&self) -> Vec<(f64, String)> {
        match self.kind {
            Kind::Of(Scale::Percentile) => self.marks_at(PERCENTILES.into_iter()),
            Kind::Of(Scale::Log) => self.marks_at(self.ratios()),
            Kind::Of(Scale::Linear) => self.marks_every(step((self.span.1 - self.span.0) / 4.0)),
            Kind::Time => self.marks_every(time_step((self.span.1 - self.span.0) / 10.0)),
        }
    }

    /// Marks at these values, without those that are closer than `room` to the previous one.
    pub fn marks_where(&self, values: &[f64], room: f64) -> Vec<(f64, String)> {
        let mut marks: Vec<(f64, String)> = Vec::new();
        for &value in values {
            let at = self.at(value);
            if marks.last().is_none_or(|(last, _)| (at - last).abs() >= room) {
                marks.push((at, self.word(value)));
            }
        }
        marks
    }

    fn marks_at(&self, values: impl Iterator<Item = f64>) -> Vec<(f64, String)> {
        let (from, to) = (self.stretch(self.span.0) - 1e-6, self.stretch(self.span.1) + 1e-6);
        let inside = |value: &f64| (from..=to).contains(&self.stretch(*value));
        values.filter(inside).take(MARKS_MAX).map(|value| (self.at(value), self.word(value))).collect()
    }

    fn marks_every(&self, step: f64) -> Vec<(f64, String)> {
        let first = (self.span.0 / step).ceil();
        let values = (0..MARKS_MAX).map(|index| (first + index as f64) * step);
        let values = values.take_while(|value| *value <= self.span.1 + step * 1e-6);
        values.map(|value| (self.at(value), self.word(value))).collect()
    }

    /// The values 1, 2 and 5 times each power of ten, or the powers alone.
    fn ratios(&self) -> impl Iterator<Item = f64> + use<> {
        let parts: &[f64] = if self.span.1 / self.span.0 > DECADES_ONLY { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let lowest = self.span.0.log10().floor();
        (0..MARKS_MAX)
            .flat_map(move |decade| parts.iter().map(move |part| part * 10f64.powf(lowest + decade as f64)))
    }

    fn word(&self, value: f64) -> String {
        match self.kind {
            Kind::Time => clock(value.max(0.0) as u64),
            // All digits of a percentile are written, because 99.99 must not be rounded to 100.
            Kind::Of(Scale::Percentile) => format!("{value}"),
            Kind::Of(_) => tick_number(value),
        }
    }

    /// Maps a value so that equal differences of the results have equal distances in the drawing.
    fn stretch(&self, value: f64) -> f64 {
        match self.kind {
            Kind::Of(Scale::Linear) | Kind::Time => value,
            Kind::Of(Scale::Log) => value.max(f64::MIN_POSITIVE).log10(),
            Kind::Of(Scale::Percentile) => -(1.0 - value.clamp(0.0, PERCENTILE_MAX) / 100.0).log10(),
        }
    }
}

/// The smallest and the largest value that the axis can show, or a default range if it can show none.
fn extent(kind: Kind, values: impl Iterator<Item = f64>) -> (f64, f64) {
    let log = kind == Kind::Of(Scale::Log);
    let drawable = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
    let (least, most) = drawable
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
    match (least <= most, log) {
        (true, _) => (least.max(-1e300), most.min(1e300)),
        (false, true) => (1.0, 10.0),
        (false, false) => (0.0, 1.0),
    }
}

/// The closest values of 1, 2 or 5 times a power of ten that enclose these values.
fn around(least: f64, most: f64) -> (f64, f64) {
    let down = |value: f64| {
        let power = 10f64.powf(value.log10().floor());
        [5.0, 2.0, 1.0].into_iter().map(|part| part * power).find(|round| *round <= value).unwrap_or(power)
    };
    let up = |value: f64| {
        let power = 10f64.powf(value.log10().floor());
        let rounds = [1.0, 2.0, 5.0, 10.0].into_iter().map(|part| part * power);
        rounds.into_iter().find(|round| *round >= value).unwrap_or(value)
    };
    let (low, high) = (down(least), up(most));
    if high > low { (low, high) } else { (low / 2.0, low * 2.0) }
}

/// The smallest 1, 2, 2.5 or 5 times a power of ten that is not less than `rough`.
fn step(rough: f64) -> f64 {
    if rough <= 0.0 || !rough.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|part| part * power)
        .find(|step| *step >= rough * 0.999_999)
        .unwrap_or(rough)
}

/// Like [`step`], for milliseconds: the smallest usual interval of a clock.
fn time_step(rough_ms: f64) -> f64 {
    [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400]
        .into_iter()
        .map(|seconds| f64::from(seconds) * 1000.0)
        .find(|step| *step >= rough_ms)
        .unwrap_or_else(|| step(rough_ms))
}

/// A number on an axis, without trailing zeros.
fn tick_number(value: f64) -> String {
    let text = if value != 0.0 && value.abs() < 0.1 {
        format!("{:.*}", (2.0 - value.abs().log10()).clamp(2.0, 12.0) as usize, value)
    } else {
        number(value)
    };
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ruler: &AxisScale) -> Vec<String> {
        ruler.marks().into_iter().map(|(_, word)| word).collect()
    }

    #[test]
    fn an_axis_begins_with_zero_and_ends_at_a_round_value_above_the_largest() {
        let axis = |value| AxisScale::from_zero(Kind::Of(Scale::Linear), [value].into_iter(), 0.0, 100.0);
        assert_eq!(words(&axis(70.0)), ["0", "20", "40", "60", "80"]);
        assert_eq!(words(&axis(23_400.0)), ["0", "10,000", "20,000", "30,000"]);
        assert_eq!(words(&axis(0.9)), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(words(&axis(0.034)), ["0", "0.01", "0.02", "0.03", "0.04"]);
        assert!((axis(80.0).at(80.0) - 100.0).abs() < 1e-9);
        assert_eq!(axis(0.0).at(0.0), 0.0);
    }

    #[test]
    fn each_nine_of_a_percentile_is_equally_far_from_the_last() {
        let values = [50.0, 90.0, 99.0, 99.9, 99.99];
        let axis = AxisScale::fitting(Kind::Of(Scale::Percentile), values.into_iter(), 0.0, 100.0);
        assert_eq!(words(&axis), ["50", "90", "99", "99.9", "99.99"]);
        let gap = |from, to| axis.at(to) - axis.at(from);
        assert!((gap(90.0, 99.0) - gap(99.9, 99.99)).abs() < 1e-6);
        assert!(axis.at(100.0).is_finite());
    }

    #[test]
    fn an_axis_of_ratios_has_marks_that_enclose_the_values() {
        let axis =
            |values: [f64; 2]| AxisScale::from_zero(Kind::Of(Scale::Log), values.into_iter(), 0.0, 100.0);
        assert_eq!(words(&axis([3.0, 40.0])), ["2", "5", "10", "20", "50"]);
        assert_eq!(words(&axis([1.0, 10_000.0])), ["1", "10", "100", "1,000", "10,000"]);
        assert!(!axis([3.0, 40.0]).holds(0.0));
    }

    #[test]
    fn time_is_marked_as_a_clock_shows_it() {
        let axis = AxisScale::fitting(Kind::Time, [0.0, 110_000.0].into_iter(), 0.0, 100.0);
        assert_eq!(words(&axis)[..3], ["0:00", "0:15", "0:30"]);
    }

    #[test]
    fn no_value_of_a_file_makes_an_axis_without_end() {
        let cases = [
            vec![],
            vec![0.0],
            vec![f64::MAX, f64::MIN],
            vec![1e-320, 1e308],
            vec![5.0, 5.0],
            vec![-1.0, -1.0],
            vec![u64::MAX as f64],
        ];
        for kind in [Kind::Time, Kind::Of(Scale::Linear), Kind::Of(Scale::Log), Kind::Of(Scale::Percentile)] {
            for values in &cases {
                for ruler in [AxisScale::from_zero, AxisScale::fitting].map(
                    |make: fn(Kind, std::vec::IntoIter<f64>, f64, f64) -> AxisScale| {
                        make(kind, values.clone().into_iter(), 0.0, 100.0)
                    },
                ) {
                    assert!(ruler.marks().len() <= MARKS_MAX, "{kind:?} {values:?}");
                    assert!(values.iter().all(|value| (0.0..=100.0).contains(&ruler.at(*value))));
                }
            }
        }
    }
}
