//! The common part of all rows of the result's table.

/// A row whose values are rates: more is better.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name of this part of the experiment.
    pub part: &'static str,
    /// Stable name, with its unit last.
    pub name: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Unit of its values.
    pub unit: &'static str,
    /// The target for the ratio of the first storage to the second.
    pub ratio_min: f64,
    /// The target for the processor time of the first storage's server, if there is one.
    pub server_cpu_max: Option<f64>,
}

impl Row {
    /// The name of a detail of this row that ends like this.
    pub fn detail_name(&self, end: &str) -> String {
        let stem = self.name.strip_suffix("_mb_per_s").or_else(|| self.name.strip_suffix("_per_s"));
        format!("{}_{end}", stem.unwrap_or(self.name))
    }
}
