//! Figures by something other than time: the processor by the rate of messages, latency by percentile, time by size.
//!
//! An experiment says once what a drawing shows ([`CurveSpec`]) and then adds points to its lines. Runs on several storages
//! that use the same `drawing` name are drawn over each other, so the name is stable, as those of figures are.

use serde::{Deserialize, Serialize};

/// The specification of a drawing: its axes and reference values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveSpec {
    /// Stable name; curves of several runs with the same one share a drawing.
    pub drawing: String,
    /// The name for people.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Values to compare with, drawn as lines from left to right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
}

impl CurveSpec {
    /// A drawing with linear axes, nothing to compare with, and no more known than its name.
    pub(super) fn unknown(drawing: &str) -> Self {
        let axis = || Axis::linear("", "");
        Self {
            drawing: drawing.to_owned(),
            title: drawing.to_owned(),
            x: axis(),
            y: axis(),
            references: Vec::new(),
        }
    }
}

/// An axis of a drawing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// Its title.
    pub title: String,
    /// Its unit, as people write it; empty for a count.
    pub unit: String,
    /// Its scale.
    pub scale: Scale,
}

impl Axis {
    /// An axis on which equal differences are equally far apart.
    pub fn linear(title: &str, unit: &str) -> Self {
        Self { title: title.to_owned(), unit: unit.to_owned(), scale: Scale::Linear }
    }

    /// An axis on which equal ratios are equally far apart.
    pub fn log(title: &str, unit: &str) -> Self {
        Self { scale: Scale::Log, ..Self::linear(title, unit) }
    }

    /// The axis of percentiles.
    pub fn percentile() -> Self {
        Self { title: "Percentile".to_owned(), unit: "%".to_owned(), scale: Scale::Percentile }
    }
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart. Values that are not positive cannot be drawn.
    Log,
    /// Percent from 0 to below 100; each nine more is equally far: 90, 99, 99.9.
    Percentile,
}

/// A value to compare with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Whose, and of what.
    pub label: String,
    /// The value, in the unit of the vertical axis.
    pub y: f64,
}

/// A drawing with its lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// Its specification.
    #[serde(flatten)]
    pub spec: CurveSpec,
    /// In the order in which each got its first point.
    pub lines: Vec<CurveLine>,
}

/// One line of a [`Curve`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveLine {
    /// The name for people: the storage, or what was varied.
    pub name: String,
    /// In ascending order of `x`.
    pub points: Vec<CurvePoint>,
}

/// One point, and how far the values it stands for are spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// From left to right.
    pub x: f64,
    /// The value; of several repetitions, their median.
    pub y: f64,
    /// The smallest of several repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The largest of several repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

impl CurvePoint {
    /// Whether all of it is a number; JSON has no others, and no drawing has a place for them.
    pub(super) fn is_finite(&self) -> bool {
        [Some(self.x), Some(self.y), self.low, self.high].into_iter().flatten().all(f64::is_finite)
    }
}

impl Curve {
    /// Adds a point where it belongs. A second point of a line at the same `x` takes the place of the first.
    pub(super) fn add(&mut self, line: &str, point: CurvePoint) {
        let index = self.lines.iter().position(|known| known.name == line).unwrap_or_else(|| {
            self.lines.push(CurveLine { name: line.to_owned(), points: Vec::new() });
            self.lines.len() - 1
        });
        let Some(line) = self.lines.get_mut(index) else { return };
        match line.points.binary_search_by(|known| known.x.total_cmp(&point.x)) {
            Ok(at) => line.points[at] = point,
            Err(at) => line.points.insert(at, point),
        }
    }
}
