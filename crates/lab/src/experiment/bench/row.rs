//! The common part of all rows of the result's table.

/// A row whose values are rates: more is better.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Stable name, with its unit last.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// The target for the ratio of the first storage to the other one.
    pub ratio_min: f64,
}
