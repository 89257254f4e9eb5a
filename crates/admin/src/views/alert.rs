//! Alerts, silences, and where notices of alerts go.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Check;
use super::health::AlertSeverity;
use super::words::words;
use crate::base::problem::Problem;

/// Characters that a comment may have.
const COMMENT_MAX: usize = 500;
/// The longest silence: a year.
const SILENCE_SECONDS_MAX: u64 = 366 * 86_400;

words! {
    /// Whether an alert goes on.
    AlertState {
        /// The problem persists.
        Firing = "firing",
        /// Resolved.
        Resolved = "resolved",
    }
}

/// An alert: a rule, and an object that it concerns.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AlertView {
    /// Identifies the rule and the object, also across restarts.
    pub id: String,
    /// The rule.
    pub name: String,
    /// The severity.
    pub severity: AlertSeverity,
    /// Whether it still fires.
    pub state: AlertState,
    /// The object that it concerns, such as `volume kafka`.
    pub object: String,
    /// The problem and its cause.
    pub message: String,
    /// The remedy. Commands are in backticks.
    pub remedy: String,
    /// The rule in a phrase.
    pub summary: String,
    /// Since when.
    #[schema(format = DateTime)]
    pub since: String,
    /// When it was resolved; null if it still fires.
    #[schema(format = DateTime)]
    pub resolved: Option<String>,
    /// Its acknowledgement; null if there is none.
    pub acknowledged: Option<AcknowledgementView>,
    /// The silence that keeps it from being delivered and counted; null if there is none.
    pub silenced: Option<SilenceView>,
}

/// Somebody has seen an alert. No notice repeats it; it still counts.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AcknowledgementView {
    /// The user.
    pub by: String,
    /// When.
    #[schema(format = DateTime)]
    pub at: String,
    /// The user's comment; may be empty.
    pub comment: String,
}

/// A comment for an acknowledgement.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Acknowledge {
    /// For other operators, such as a ticket's number. Up to 500 characters.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub comment: String,
}

impl Check for Acknowledge {
    fn check(&self) -> Result<(), Problem> {
        check_comment(&self.comment)
    }
}

/// Alerts that count for nothing and are not delivered until a time.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SilenceView {
    /// Its number.
    pub id: u64,
    /// Only alerts of this rule; null: of all rules.
    pub rule: Option<String>,
    /// Only alerts of this object; null: of all objects.
    pub object: Option<String>,
    /// When it ends.
    #[schema(format = DateTime)]
    pub until: String,
    /// The user who asked for it.
    pub by: String,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// Why.
    pub comment: String,
}

/// A silence to create.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSilence {
    /// Only alerts of this rule. Default: of all rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Only alerts of this object, such as `volume kafka`. Default: of all objects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Duration in seconds, up to a year.
    #[schema(minimum = 1, maximum = 31622400)]
    pub seconds: u64,
    /// For other operators. Up to 500 characters.
    #[serde(default)]
    #[schema(max_length = 500)]
    pub comment: String,
}

impl Check for NewSilence {
    fn check(&self) -> Result<(), Problem> {
        check_comment(&self.comment)?;
        if self.object.as_deref().is_some_and(|object| object.is_empty() || object.len() > COMMENT_MAX) {
            return Err(Problem::new("object", "must have from 1 to 500 bytes"));
        }
        if !(1..=SILENCE_SECONDS_MAX).contains(&self.seconds) {
            return Err(Problem::new(
                "seconds",
                format!("must be from 1 to {SILENCE_SECONDS_MAX}, which is a year"),
            ));
        }
        Ok(())
    }
}

fn check_comment(text: &str) -> Result<(), Problem> {
    if text.chars().count() > COMMENT_MAX {
        return Err(Problem::new("comment", format!("must have at most {COMMENT_MAX} characters")));
    }
    Ok(())
}

/// A target of alert notices.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct AlertTargetView {
    /// Its name in the file of targets.
    pub name: String,
    /// Its type: `webhook`, `slack`, `teams`, `pagerduty`, `mail` or `command`.
    pub kind: String,
    /// The address, without secrets.
    pub place: String,
    /// Alerts of a lower severity are not for it.
    pub severity: AlertSeverity,
    /// The number of notices delivered since the daemon started.
    pub delivered: u64,
    /// The number of notices given up since the daemon started.
    pub dropped: u64,
    /// The number of notices that wait to be delivered.
    pub waiting: u64,
    /// When the last one was delivered; null if none was since the daemon started.
    #[schema(format = DateTime)]
    pub last_delivered: Option<String>,
    /// When the last attempt failed; null if it succeeded.
    #[schema(format = DateTime)]
    pub failed: Option<String>,
    /// Why it failed.
    pub error: Option<String>,
}

/// The outcome of a test of a target.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TargetTestView {
    /// Whether the target took the notice.
    pub delivered: bool,
    /// Why not.
    pub error: Option<String>,
}
