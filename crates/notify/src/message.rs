//! A notice, and how each kind of target wants it.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How much a notice matters. The order is that of importance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For information.
    Info,
    /// Action is needed today.
    #[default]
    Warning,
    /// Action is needed now.
    Critical,
}

impl Severity {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }
}

/// What a notice says of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It fires.
    Firing,
    /// It still fires.
    Repeated,
    /// It is over.
    Resolved,
    /// There is no alert: somebody tests the target.
    Test,
}

impl State {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            State::Firing => "firing",
            State::Repeated => "still firing",
            State::Resolved => "resolved",
            State::Test => "test",
        }
    }
}

/// A notice of an alert.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Identifies the alert.
    pub id: String,
    /// The rule.
    pub name: String,
    /// How much it matters.
    pub severity: Severity,
    /// What it says.
    pub state: State,
    /// The object, such as `volume kafka`.
    pub object: String,
    /// The problem and its cause.
    pub message: String,
    /// The remedy.
    pub remedy: String,
    /// Since when.
    pub since: SystemTime,
    /// The machine.
    pub host: String,
}

impl Notice {
    /// A notice for testing a target.
    pub fn test(host: &str, by: &str) -> Notice {
        Notice {
            id: "test".to_owned(),
            name: "ForebayTest".to_owned(),
            severity: Severity::Info,
            state: State::Test,
            object: "forebay".to_owned(),
            message: format!("This is a test, which {by} asked for. Alerts will arrive here."),
            remedy: "Nothing to do.".to_owned(),
            since: SystemTime::now(),
            host: host.to_owned(),
        }
    }

    /// The notice in a line, whatever its parts contain.
    pub fn title(&self) -> String {
        let title = format!(
            "[{}] {} {} on {} ({})",
            self.severity.word(),
            self.object,
            self.state.word(),
            self.host,
            self.name
        );
        title.replace(char::is_control, " ")
    }

    /// The notice in a few lines.
    pub fn text(&self) -> String {
        match self.state {
            State::Resolved => format!("{}\n\nIt was: {}", self.title(), self.message),
            State::Firing | State::Repeated | State::Test => {
                format!("{}\n\n{}\n\nRemedy: {}", self.title(), self.message, self.remedy)
            }
        }
    }

    fn since_seconds(&self) -> u64 {
        self.since.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
    }

    /// The object for webhooks and commands.
    pub fn json(&self) -> Value {
        json!({
            "id": self.id,
            "name": self.name,
            "severity": self.severity.word(),
            "state": self.state.word(),
            "object": self.object,
            "message": self.message,
            "remedy": self.remedy,
            "since": self.since_seconds(),
            "host": self.host,
        })
    }

    /// For an incoming webhook of Slack or Mattermost. Characters with a meaning there are escaped.
    pub fn slack(&self) -> Value {
        let escaped = self.text().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        json!({ "text": escaped })
    }

    /// For a workflow of Microsoft Teams: an adaptive card.
    pub fn teams(&self) -> Value {
        let block = |text: &str, weight: &str| json!({"type": "TextBlock", "text": text, "wrap": true, "weight": weight});
        json!({
            "type": "message",
            "attachments": [{
                "contentType": "application/vnd.microsoft.card.adaptive",
                "content": {
                    "type": "AdaptiveCard",
                    "version": "1.4",
                    "body": [
                        block(&self.title(), "Bolder"),
                        block(&self.message, "Default"),
                        block(&format!("Remedy: {}", self.remedy), "Default"),
                    ],
                },
            }],
        })
    }

    /// For the Events API of PagerDuty, version 2. A resolved alert closes the incident that it opened, and so does the end of a test.
    pub fn pagerduty(&self, routing_key: &str) -> Value {
        let action = if self.state == State::Resolved { "resolve" } else { "trigger" };
        json!({
            "routing_key": routing_key,
            "event_action": action,
            "dedup_key": format!("forebay/{}/{}", self.host, self.id),
            "payload": {
                // PagerDuty takes 1,024 characters.
                "summary": self.title().chars().take(1024).collect::<String>(),
                "source": self.host,
                "severity": self.severity.word(),
                "component": self.object,
                "class": self.name,
                "custom_details": {"message": self.message, "remedy": self.remedy},
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(state: State) -> Notice {
        let test = Notice::test("storage-1", "ada");
        Notice {
            id: "a1".into(),
            name: "ForebayVolumeFull".into(),
            severity: Severity::Critical,
            state,
            object: "volume <kafka> & co".into(),
            message: "It is full.".into(),
            since: UNIX_EPOCH,
            ..test
        }
    }

    #[test]
    fn each_form_has_the_object_the_cause_and_the_remedy() {
        let fired = notice(State::Firing);
        for form in [fired.json(), fired.slack(), fired.teams(), fired.pagerduty("key")] {
            let text = form.to_string();
            for part in ["kafka", "It is full.", "Nothing to do.", "critical"] {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        assert!(fired.slack()["text"].as_str().unwrap().contains("volume &lt;kafka&gt; &amp; co"));
        assert_eq!(fired.json()["since"], 0);
    }

    #[test]
    fn a_resolved_alert_closes_the_incident_that_it_opened() {
        let (fired, resolved) =
            (notice(State::Repeated).pagerduty("key"), notice(State::Resolved).pagerduty("key"));
        assert_eq!(
            (&fired["event_action"], &resolved["event_action"]),
            (&"trigger".into(), &"resolve".into())
        );
        assert_eq!(fired["dedup_key"], resolved["dedup_key"]);
        assert!(notice(State::Resolved).text().contains("resolved on storage-1"));
    }
}
