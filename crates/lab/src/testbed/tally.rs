//! Collects values by name and storage, and makes measurements of them.

use std::collections::BTreeMap;
use std::fmt;

use crate::report::{Better, Measurement, Recorder, Samples, Target};

/// The names of a measurement.
#[derive(Debug, Clone)]
pub struct Title<'a> {
    /// Stable name, with its unit last.
    pub name: &'a str,
    /// The name for people.
    pub title: &'a str,
    /// Unit of the values.
    pub unit: &'a str,
    /// Whether higher or lower is better.
    pub better: Better,
}

/// How one storage compares to another over many pairs of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanRatio {
    /// The geometric mean of the pairs' ratios.
    pub mean: f64,
    /// The number of pairs.
    pub pairs: usize,
}

impl fmt::Display for MeanRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { mean, pairs } = self;
        write!(f, "{mean:.2}, the geometric mean of {pairs} pairs")
    }
}

/// Values by name and storage, in the order measured.
#[derive(Debug, Default)]
pub struct Tally {
    values: BTreeMap<String, BTreeMap<String, Vec<f64>>>,
}

impl Tally {
    /// Adds a value.
    pub fn add(&mut self, name: &str, storage: &str, value: f64) {
        let of_name = self.values.entry(name.to_owned()).or_default();
        of_name.entry(storage.to_owned()).or_default().push(value);
    }

    /// All values of a name on a storage, summed up; `None` without any.
    pub fn samples(&self, name: &str, storage: &str) -> Option<Samples> {
        Samples::of(storage, self.values.get(name)?.get(storage)?.clone())
    }

    /// The middle value.
    pub fn median(&self, name: &str, storage: &str) -> Option<f64> {
        Some(self.samples(name, storage)?.median)
    }

    /// The first storage's median divided by the second's.
    pub fn ratio(&self, name: &str, first: &str, second: &str) -> Option<f64> {
        let second = self.median(name, second).filter(|median| *median != 0.0)?;
        Some(self.median(name, first)? / second)
    }

    /// The first storage's values divided by the second's of the same repetition.
    pub fn pair_ratios(&self, name: &str, first: &str, second: &str) -> Vec<f64> {
        let of = |storage| self.samples(name, storage).map(|samples| samples.values).unwrap_or_default();
        of(first).into_iter().zip(of(second)).map(|(first, second)| first / second).collect()
    }

    /// The geometric mean of the [pair ratios](Self::pair_ratios) of all these names: twice as much and half as much cancel out. `None`
    /// without pairs.
    pub fn mean_ratio(&self, names: &[String], first: &str, second: &str) -> Option<MeanRatio> {
        let ratios: Vec<f64> = names.iter().flat_map(|name| self.pair_ratios(name, first, second)).collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let pairs = ratios.len();
        (pairs > 0).then(|| MeanRatio { mean: (logarithms / pairs as f64).exp(), pairs })
    }

    /// The median of one name divided by that of another, on one storage.
    pub fn ratio_of(&self, name: &str, to: &str, storage: &str) -> Option<f64> {
        let to = self.median(to, storage).filter(|median| *median != 0.0)?;
        Some(self.median(name, storage)? / to)
    }

    /// Records a point of a curve for each storage: the median of a name, and the spread of its values.
    pub fn curve_point(&self, drawing: &str, x: f64, name: &str, storages: &[String], recorder: &Recorder) {
        for storage in storages {
            if let Some(found) = self.samples(name, storage) {
                recorder.curve_point_spread(drawing, storage, x, found.median, found.min, found.max);
            }
        }
    }

    /// Records the values of a name, with the storages in this order; nothing if there are none.
    pub fn report(
        &self,
        title: &Title<'_>,
        storages: &[String],
        target: Option<Target>,
        recorder: &Recorder,
    ) {
        let Some(of_name) = self.values.get(title.name) else { return };
        let values = storages
            .iter()
            .filter_map(|storage| Some((storage.clone(), of_name.get(storage)?.clone())))
            .collect();
        let measurement = Measurement::new(title.name, title.title, title.unit, title.better, values);
        recorder.measurement(measurement.with_target(target));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_their_ratio_are_of_all_values() {
        let mut tally = Tally::default();
        for (storage, value) in [("a", 3.0), ("b", 2.0), ("a", 9.0), ("a", 6.0)] {
            tally.add("x", storage, value);
        }
        assert_eq!(tally.median("x", "a"), Some(6.0));
        assert_eq!(tally.ratio("x", "a", "b"), Some(3.0));
        assert_eq!(tally.ratio("x", "a", "c"), None);
        tally.add("x", "b", 6.0);
        assert_eq!(tally.pair_ratios("x", "a", "b"), [1.5, 1.5]);
        assert!(tally.pair_ratios("x", "a", "c").is_empty());
        assert_eq!(tally.median("y", "a"), None);
    }

    #[test]
    fn twice_as_much_and_half_as_much_make_even() {
        let mut tally = Tally::default();
        for (name, first, second) in [("x", 2.0, 1.0), ("x", 3.0, 6.0), ("y", 5.0, 5.0)] {
            tally.add(name, "a", first);
            tally.add(name, "b", second);
        }
        let names = ["x".to_owned(), "y".to_owned()];
        let found = tally.mean_ratio(&names, "a", "b").map(|found| found.to_string());
        assert_eq!(found.as_deref(), Some("1.00, the geometric mean of 3 pairs"));
        assert_eq!(tally.mean_ratio(&names, "a", "c"), None);
    }
}
