//! Figures as a function of a quantity other than time: CPU by rate of messages, latency by percentile, time by size.
//!
//! An experiment specifies a drawing once ([`CurveSpec`]) and then adds points to its lines. Runs on several storages with the
//! same `drawing` name share a drawing, so the name must stay the same between versions, like the names of figures.

use serde::{Deserialize, Serialize};

/// The specification of a drawing: its axes and reference values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveSpec {
    /// The stable name. Curves of several runs with the same name share a drawing.
    pub drawing: String,
    /// The name for people.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Values to compare with, drawn as horizontal lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
}

impl CurveSpec {
    /// A drawing of which only the name is known: with linear axes and without reference values.
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
    /// Its unit; empty for a count.
    pub unit: String,
    /// Its scale.
    pub scale: Scale,
}

impl Axis {
    /// An axis with a linear scale.
    pub fn linear(title: &str, unit: &str) -> Self {
        Self { title: title.to_owned(), unit: unit.to_owned(), scale: Scale::Linear }
    }

    /// An axis with a logarithmic scale.
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
    /// Equal differences have equal distances.
    Linear,
    /// Equal ratios have equal distances. Only positive values can be drawn.
    Log,
    /// Percent, from 0 to below 100. Each further nine (90, 99, 99.9) has the same distance.
    Percentile,
}

/// A value to compare with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// Its name, and where it comes from.
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
    /// The lines, in the order of their first points.
    pub lines: Vec<CurveLine>,
}

/// One line of a [`Curve`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CurveLine {
    /// The displayed name: the storage, or the value that was varied.
    pub name: String,
    /// In ascending order of `x`.
    pub points: Vec<CurvePoint>,
}

/// One point, and the spread of the values that it represents.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// The horizontal position.
    pub x: f64,
    /// The value, or the median of several repetitions.
    pub y: f64,
    /// The smallest of several repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The largest of several repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

impl CurvePoint {
    /// Whether all of its numbers are finite. JSON cannot hold others, and they cannot be drawn.
    pub(super) fn is_finite(&self) -> bool {
        [Some(self.x), Some(self.y), self.low, self.high].into_iter().flatten().all(f64::is_finite)
    }
}

impl Curve {
    /// Adds a point in order of `x`. It replaces an earlier point of the same line at the same `x`.
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
