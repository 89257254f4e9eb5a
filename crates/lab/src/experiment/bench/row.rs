//! What every row of the result's table has in common.

/// A row whose values are rates: more is better.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Stable name, with its unit last.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// How many times as fast as the other storage the first one should be.
    pub ratio_min: f64,
}
