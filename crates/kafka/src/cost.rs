//! What topics cost, for those who use them.

use std::collections::BTreeMap;

use crate::layout::is_internal;
use crate::report::{Cluster, Figures};

/// Topics that are charged together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupBy {
    /// Each topic by itself.
    #[default]
    Topic,
    /// Topics whose names begin alike, up to the first `.`, `-` or `_`.
    Prefix,
}

/// A row of the bill.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The topic, or the prefix.
    pub name: String,
    /// Number of topics.
    pub topics: u64,
    /// What they store.
    pub figures: Figures,
}

/// The prefix of a topic; Kafka's own topics have one together.
pub fn prefix(topic: &str) -> &str {
    if is_internal(topic) {
        return "__";
    }
    let end = topic.find(['.', '-', '_']).filter(|end| *end > 0);
    end.and_then(|end| topic.get(..end)).unwrap_or(topic)
}

/// The rows of a cluster, the most expensive first.
pub fn costs(cluster: &Cluster, group_by: GroupBy) -> Vec<Cost> {
    let mut rows: BTreeMap<&str, Cost> = BTreeMap::new();
    for (name, topic) in &cluster.topics {
        let group = match group_by {
            GroupBy::Topic => name.as_str(),
            GroupBy::Prefix => prefix(name),
        };
        let new = || Cost { name: group.to_owned(), topics: 0, figures: Figures::default() };
        let row = rows.entry(group).or_insert_with(new);
        row.topics += 1;
        row.figures.add(&topic.figures);
    }
    let mut rows: Vec<Cost> = rows.into_values().collect();
    rows.sort_by(|one, other| {
        other.figures.bytes_stored.cmp(&one.figures.bytes_stored).then(one.name.cmp(&other.name))
    });
    rows
}

/// What so many bytes cost in a month at a price for 10^12 bytes.
pub fn price(bytes: u64, per_terabyte: f64) -> f64 {
    let terabytes = bytes as f64 / 1e12;
    terabytes * per_terabyte
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_end_at_the_first_separator() {
        let found = ["team-a.orders", "team_b", "orders", "__consumer_offsets", "_x", ".y"].map(prefix);
        assert_eq!(found, ["team", "team", "orders", "__", "_x", ".y"]);
    }

    #[test]
    fn a_terabyte_costs_its_price() {
        assert!((price(1_500_000_000_000, 20.0) - 30.0).abs() < 1e-9);
    }
}
