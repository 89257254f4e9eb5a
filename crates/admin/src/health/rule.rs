//! The shape of a rule, and of what it finds.

use std::time::Duration;

pub use forebay_notify::Severity;

use super::facts::Facts;
use crate::views::AlertSeverity;

impl From<Severity> for AlertSeverity {
    fn from(severity: Severity) -> AlertSeverity {
        match severity {
            Severity::Info => AlertSeverity::Info,
            Severity::Warning => AlertSeverity::Warning,
            Severity::Critical => AlertSeverity::Critical,
        }
    }
}

/// A rule of the table.
pub struct Rule {
    /// Its name, which is also that of the alert in Prometheus.
    pub name: &'static str,
    /// How much its alerts matter.
    pub severity: Severity,
    /// A description of its condition, for the reference page.
    pub watches: &'static str,
    /// The problem, without the name of an object: for `/health`, which anyone may read, and for Prometheus.
    pub summary: &'static str,
    /// The remedy. Commands are in backticks.
    pub runbook: &'static str,
    /// Who evaluates it.
    pub source: Source,
}

/// Who evaluates a rule.
pub enum Source {
    /// The daemon.
    Daemon {
        /// How long the condition must hold before an alert fires.
        hold: Duration,
        /// How long it must be gone before the alert is resolved.
        keep: Duration,
        /// The condition. It returns a finding for each object that is concerned.
        check: fn(&Facts<'_>) -> Vec<Finding>,
    },
    /// Prometheus, because the daemon cannot know it.
    Prometheus {
        /// The condition, in PromQL.
        expression: &'static str,
        /// How long it must hold, as Prometheus writes durations; empty if not at all.
        hold: &'static str,
    },
}

/// An object that a rule concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The object, such as `volume kafka`. A rule has one alert for each object.
    pub object: String,
    /// The problem and its cause, in sentences.
    pub message: String,
    /// The remedy, if it is more specific than the rule's runbook.
    pub remedy: Option<String>,
}

impl Finding {
    /// A finding whose remedy is the rule's runbook.
    pub fn new(object: impl Into<String>, message: impl Into<String>) -> Finding {
        Finding { object: object.into(), message: message.into(), remedy: None }
    }

    /// With a remedy of its own.
    pub fn with_remedy(self, remedy: impl Into<String>) -> Finding {
        Finding { remedy: Some(remedy.into()), ..self }
    }
}

/// A finding if `holds`, for rules that concern one object.
pub(super) fn when(holds: bool, object: &str, message: impl FnOnce() -> String) -> Vec<Finding> {
    if holds { vec![Finding::new(object, message())] } else { Vec::new() }
}
