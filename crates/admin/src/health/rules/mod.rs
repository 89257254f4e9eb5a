//! The table of all rules, by subject. A module for each group, in the order of the reference page.

mod clients;
mod data;
mod kafka;
mod nodes;
mod process;
mod s3;
mod space;
pub(super) mod speed;
mod tiering;

use std::time::Duration;

use super::rule::Rule;

/// The name of the rule for observations that do not come.
pub(super) const STALLED: &str = "ForebayEvaluationStalled";

/// All rules, by group. The name of a group is that in Prometheus.
pub static GROUPS: [(&str, &[Rule]); 9] = [
    ("forebay-data", data::RULES),
    ("forebay-space", space::RULES),
    ("forebay-speed", speed::RULES),
    ("forebay-clients", clients::RULES),
    ("forebay-daemon", process::RULES),
    ("forebay-s3", s3::RULES),
    ("forebay-nodes", nodes::RULES),
    ("forebay-tiering", tiering::RULES),
    ("forebay-kafka", kafka::RULES),
];

/// All rules.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    GROUPS.iter().flat_map(|(_, rules)| rules.iter())
}

/// The rule of that name.
pub fn named(name: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.name == name)
}

/// No time at all.
const AT_ONCE: Duration = Duration::ZERO;
/// Long enough that a value at its threshold does not make an alert come and go.
const SETTLED: Duration = Duration::from_secs(30);

const fn minutes(count: u64) -> Duration {
    Duration::from_secs(count * 60)
}

const fn hours(count: u64) -> Duration {
    Duration::from_secs(count * 3600)
}
