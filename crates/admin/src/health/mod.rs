//! Whether the daemon is healthy: one table of rules, and the alerts that it makes.
//!
//! ```text
//!   Observation (every 5 s) ── trail, usual: what was before
//!        │                        │
//!        └────── Facts ───────────┘
//!                  │   rules: a table; a condition returns findings, each about one object
//!               tracker: an alert is a rule and an object; it fires when the condition has held for long enough
//!                  │
//!               Health ── Report: /health, /status, /alerts, the console, `forebay status`; events; the metric forebay_alert
//!
//!   rules ── prometheus: deploy/prometheus/alerts.yml        rules ── reference: docs/reference/alerts.md
//! ```
//! What must hold: nothing else decides whether the daemon is healthy; evaluation reads nothing from disk and takes bounded
//! memory; and an observation that does not come is an alert itself. docs/decisions/0044-one-list-of-health-rules.md gives the reasons.

mod evaluation;
mod facts;
mod marks;
pub mod prometheus;
pub mod reference;
mod rule;
pub mod rules;
#[cfg(test)]
mod tests;
mod tracker;
mod trail;
mod trend;
mod usual;

pub use crate::base::words::{client_name, span};
pub use evaluation::{Flow, Health, Report, VolumeSpace};
pub use facts::Facts;
pub use marks::{Acknowledgement, Marks, Silence};
pub use rule::{Finding, Rule, Severity, Source};
pub use rules::named as named_rule;
pub use tracker::{Alert, State};
pub use trail::ClientNow;
