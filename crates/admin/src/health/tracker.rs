//! Alerts: which findings fire, since when, and which are resolved.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, SystemTime};

use forebay_service::disk::{from_millis, millis};
use serde::{Deserialize, Serialize};

use super::rule::{Finding, Rule};
use super::rules;

/// The number of objects for which one rule has alerts; further ones wait until others are resolved.
const OBJECTS_MAX: usize = 64;
/// The number of resolved alerts that are kept.
const RESOLVED_MAX: usize = 100;

/// How long an alert of before a restart is kept until it is found again: conditions need some observations.
const RESTORED_KEPT: Duration = Duration::from_secs(60);
/// Alerts of this object are about one run of the daemon, and end with it.
const DAEMON: &str = "daemon";

/// A rule and an object that it concerns.
#[derive(Clone)]
pub struct Alert {
    /// The rule.
    pub rule: &'static Rule,
    /// The object, such as `volume kafka`.
    pub object: String,
    /// The problem and its cause.
    pub message: String,
    /// The remedy.
    pub remedy: String,
    /// When the condition began to hold.
    pub since: SystemTime,
    /// Whether it still fires.
    pub state: State,
}

impl Alert {
    /// Identifies the rule and the object: twelve hexadecimal digits.
    pub fn id(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.rule.name.as_bytes()).update(&[0]).update(self.object.as_bytes());
        hasher.finalize().to_hex().chars().take(12).collect()
    }
}

/// An alert in the file.
#[derive(Serialize, Deserialize)]
pub struct SavedAlert {
    rule: String,
    object: String,
    message: String,
    remedy: String,
    since: u64,
    resolved: Option<u64>,
}

impl SavedAlert {
    fn of(alert: &Alert) -> SavedAlert {
        SavedAlert {
            rule: alert.rule.name.to_owned(),
            object: alert.object.clone(),
            message: alert.message.clone(),
            remedy: alert.remedy.clone(),
            since: millis(alert.since),
            resolved: match alert.state {
                State::Firing => None,
                State::Resolved(at) => Some(millis(at)),
            },
        }
    }

    /// `None` if this release has no such rule.
    fn alert(self) -> Option<Alert> {
        Some(Alert {
            rule: rules::named(&self.rule)?,
            object: self.object,
            message: self.message,
            remedy: self.remedy,
            since: from_millis(self.since),
            state: self.resolved.map_or(State::Firing, |at| State::Resolved(from_millis(at))),
        })
    }
}

/// The state of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The condition has held for long enough.
    Firing,
    /// The condition is gone, since this time.
    Resolved(SystemTime),
}

/// Identifies an alert, also across restarts: the name of its rule, and the object.
type Key = (&'static str, String);

struct Tracked {
    alert: Alert,
    /// In time since the start: when the condition began, and when it last held.
    began: Duration,
    held: Duration,
    fires: bool,
    /// It fired before the restart, and was not found since.
    restored: bool,
    /// When the last notice of it was sent.
    sent: Option<Duration>,
}

/// See the module.
#[derive(Default)]
pub struct Tracker {
    known: BTreeMap<Key, Tracked>,
    resolved: VecDeque<Alert>,
}

/// The changes of an evaluation.
#[derive(Default)]
pub struct Changes {
    /// Alerts that fire from now on.
    pub fired: Vec<Alert>,
    /// Alerts that are resolved.
    pub resolved: Vec<Alert>,
}

/// The time of an evaluation.
#[derive(Clone, Copy)]
pub struct Moment {
    /// The time of day.
    pub now: SystemTime,
    /// The time since the start.
    pub uptime: Duration,
}

impl Tracker {
    /// Notes what a rule has found.
    pub fn note(
        &mut self,
        at: Moment,
        rule: &'static Rule,
        times: (Duration, Duration),
        found: Vec<Finding>,
        changes: &mut Changes,
    ) {
        let (hold, keep) = times;
        for finding in found.into_iter().take(OBJECTS_MAX) {
            let remedy = finding.remedy.unwrap_or_else(|| rule.runbook.to_owned());
            let key = (rule.name, finding.object);
            let tracked = self.known.entry(key).or_insert_with_key(|(_, object)| Tracked {
                alert: Alert {
                    rule,
                    object: object.clone(),
                    message: String::new(),
                    remedy: String::new(),
                    since: at.now,
                    state: State::Firing,
                },
                began: at.uptime,
                held: at.uptime,
                fires: false,
                restored: false,
                sent: None,
            });
            (tracked.alert.message, tracked.alert.remedy) = (finding.message, remedy);
            (tracked.held, tracked.restored) = (at.uptime, false);
            if !tracked.fires && at.uptime.saturating_sub(tracked.began) >= hold {
                tracked.fires = true;
                changes.fired.push(tracked.alert.clone());
            }
        }
        let gone = |tracked: &Tracked| {
            let keep = match (tracked.restored, tracked.fires) {
                (true, _) => keep.max(RESTORED_KEPT),
                (false, true) => keep,
                (false, false) => Duration::ZERO,
            };
            let absent = at.uptime.saturating_sub(tracked.held);
            tracked.held < at.uptime && absent >= keep
        };
        let of_rule = self.known.iter().filter(|((name, _), tracked)| *name == rule.name && gone(tracked));
        let keys: Vec<Key> = of_rule.map(|(key, _)| key.clone()).collect();
        for key in keys {
            let Some(tracked) = self.known.remove(&key).filter(|tracked| tracked.fires) else { continue };
            let alert = Alert { state: State::Resolved(at.now), ..tracked.alert };
            if self.resolved.len() >= RESOLVED_MAX {
                self.resolved.pop_front();
            }
            self.resolved.push_back(alert.clone());
            changes.resolved.push(alert);
        }
    }

    /// The alerts that fire, the gravest first, then the oldest.
    pub fn firing(&self) -> Vec<Alert> {
        let mut firing: Vec<Alert> = self
            .known
            .values()
            .filter(|tracked| tracked.fires)
            .map(|tracked| tracked.alert.clone())
            .collect();
        firing.sort_by(|one, other| {
            other.rule.severity.cmp(&one.rule.severity).then(one.since.cmp(&other.since))
        });
        firing
    }

    /// The alerts of which a notice is due, and whether it repeats an earlier one. `wanted` says whether an alert may be sent, and whether
    /// it may be repeated; `every` is the time between two notices, or zero if none is repeated.
    pub fn due(
        &mut self,
        at: Moment,
        every: Duration,
        wanted: impl Fn(&Alert) -> (bool, bool),
    ) -> Vec<(Alert, bool)> {
        let mut due = Vec::new();
        for tracked in self.known.values_mut().filter(|tracked| tracked.fires && !tracked.restored) {
            let (may_send, may_repeat) = wanted(&tracked.alert);
            let is_due = match tracked.sent {
                // One of before a restart is sent once more when it is found again; one that is acknowledged is not.
                None => may_send && may_repeat,
                Some(sent) => {
                    may_send && may_repeat && !every.is_zero() && at.uptime.saturating_sub(sent) >= every
                }
            };
            if is_due {
                due.push((tracked.alert.clone(), tracked.sent.is_some()));
                tracked.sent = Some(at.uptime);
            }
        }
        due
    }

    /// The alerts in the form for the file.
    pub fn saved(&self) -> Vec<SavedAlert> {
        let firing = self.known.values().filter(|tracked| tracked.fires).map(|tracked| &tracked.alert);
        firing.chain(&self.resolved).map(SavedAlert::of).collect()
    }

    /// Restores the alerts of earlier runs.
    pub fn restore(&mut self, saved: Vec<SavedAlert>) {
        for alert in saved.into_iter().filter_map(SavedAlert::alert) {
            if alert.state == State::Firing && alert.object == DAEMON {
                continue;
            }
            if alert.state == State::Firing {
                let key = (alert.rule.name, alert.object.clone());
                let tracked = Tracked {
                    alert,
                    began: Duration::ZERO,
                    held: Duration::ZERO,
                    fires: true,
                    restored: true,
                    sent: None,
                };
                self.known.insert(key, tracked);
            } else if self.resolved.len() < RESOLVED_MAX {
                self.resolved.push_back(alert);
            }
        }
    }

    /// The alerts that were resolved, the latest first.
    pub fn resolved(&self) -> Vec<Alert> {
        self.resolved.iter().rev().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::*;

    struct Story {
        tracker: Tracker,
        rule: &'static Rule,
        times: (Duration, Duration),
    }

    impl Story {
        fn new(hold: u64, keep: u64) -> Story {
            let rule = rules::named("ForebayVolumeFull").unwrap();
            Story {
                tracker: Tracker::default(),
                rule,
                times: (Duration::from_secs(hold), Duration::from_secs(keep)),
            }
        }

        /// The objects that fire, and those that are resolved, when these are found.
        fn at(&mut self, seconds: u64, objects: &[&str]) -> (Vec<String>, Vec<String>) {
            let uptime = Duration::from_secs(seconds);
            let at = Moment { now: SystemTime::UNIX_EPOCH + uptime, uptime };
            let found = objects.iter().map(|object| Finding::new(*object, "it is full")).collect();
            let mut changes = Changes::default();
            self.tracker.note(at, self.rule, self.times, found, &mut changes);
            let objects = |alerts: Vec<Alert>| alerts.into_iter().map(|alert| alert.object).collect();
            (objects(changes.fired), objects(changes.resolved))
        }
    }

    fn strings(all: &[&str]) -> Vec<String> {
        all.iter().map(|one| (*one).to_owned()).collect()
    }

    #[test]
    fn an_alert_fires_once_when_its_condition_has_held_and_is_resolved_when_it_is_gone() {
        let mut story = Story::new(10, 0);
        assert_eq!(story.at(0, &["a"]), (strings(&[]), strings(&[])));
        assert_eq!(story.at(5, &["a"]).0, strings(&[]));
        assert_eq!(story.at(10, &["a", "b"]).0, strings(&["a"]));
        assert_eq!(story.at(15, &["a", "b"]).0, strings(&[]));
        assert_eq!(story.tracker.firing().len(), 1);
        assert_eq!(story.tracker.firing()[0].since, SystemTime::UNIX_EPOCH);
        assert_eq!(story.at(20, &["b"]), (strings(&["b"]), strings(&["a"])));
        assert!(matches!(story.tracker.resolved()[0].state, State::Resolved(_)));
    }

    #[test]
    fn a_condition_that_is_gone_before_it_fires_begins_again() {
        let mut story = Story::new(10, 60);
        story.at(0, &["a"]);
        assert_eq!(story.at(5, &[]), (strings(&[]), strings(&[])));
        story.at(10, &["a"]);
        assert_eq!(story.at(15, &["a"]).0, strings(&[]));
        assert_eq!(story.at(20, &["a"]).0, strings(&["a"]));
    }

    #[test]
    fn an_alert_is_kept_for_a_while_so_that_it_does_not_come_and_go() {
        let mut story = Story::new(0, 30);
        assert_eq!(story.at(0, &["a"]).0, strings(&["a"]));
        assert_eq!(story.at(20, &[]).1, strings(&[]));
        assert_eq!(story.at(25, &["a"]), (strings(&[]), strings(&[])));
        assert_eq!(story.at(50, &[]).1, strings(&[]));
        assert_eq!(story.at(55, &[]).1, strings(&["a"]));
    }

    #[test]
    fn an_alert_of_before_a_restart_goes_on_or_is_resolved_after_a_minute() {
        let mut story = Story::new(0, 0);
        story.at(0, &["a", "b"]);
        story.at(5, &["a", "b", "c"]);
        story.at(10, &["a", "b"]);
        let saved: Vec<String> =
            story.tracker.saved().iter().map(|alert| serde_json::to_string(alert).unwrap()).collect();
        let mut again = Story::new(0, 0);
        again.tracker.restore(saved.iter().map(|text| serde_json::from_str(text).unwrap()).collect());
        assert_eq!((again.tracker.firing().len(), again.tracker.resolved().len()), (2, 1));
        assert_eq!(again.tracker.firing()[0].since, SystemTime::UNIX_EPOCH);
        let now = Moment { now: SystemTime::UNIX_EPOCH, uptime: Duration::from_secs(30) };
        let due = |story: &mut Story| story.tracker.due(now, Duration::ZERO, |_| (true, true)).len();
        assert_eq!(due(&mut again), 0, "it may be over");
        assert_eq!(again.at(30, &["a"]), (strings(&[]), strings(&[])));
        assert_eq!(due(&mut again), 1, "one of the two was found again");
        assert_eq!(again.at(59, &["a"]).1, strings(&[]));
        assert_eq!(again.at(61, &["a"]).1, strings(&["b"]));
        assert_eq!(again.at(66, &[]).1, strings(&["a"]), "it was found since");
    }

    #[test]
    fn a_notice_is_sent_once_and_repeated_unless_somebody_knows_of_it() {
        let mut story = Story::new(0, 0);
        let mut due = |seconds, may: (bool, bool)| {
            story.at(seconds, &["a"]);
            let uptime = Duration::from_secs(seconds);
            let at = Moment { now: SystemTime::UNIX_EPOCH + uptime, uptime };
            let due = story.tracker.due(at, Duration::from_secs(100), |_| may);
            due.into_iter().map(|(_, repeats)| repeats).collect::<Vec<_>>()
        };
        assert!(due(1, (false, true)).is_empty(), "it is silenced");
        assert_eq!(due(5, (true, true)), [false]);
        assert!(due(10, (true, true)).is_empty());
        assert!(due(104, (true, true)).is_empty());
        assert_eq!(due(105, (true, true)), [true]);
        assert!(due(210, (true, false)).is_empty(), "it is acknowledged");
        assert!(due(215, (false, true)).is_empty());
        assert_eq!(due(220, (true, true)), [true]);
    }

    #[test]
    fn a_flood_of_objects_takes_bounded_memory() {
        let mut story = Story::new(0, 0);
        for round in 0..10 {
            let names: Vec<String> = (0..1000).map(|number| format!("volume {round}-{number}")).collect();
            story.at(round, &names.iter().map(String::as_str).collect::<Vec<_>>());
        }
        assert_eq!(story.tracker.firing().len(), OBJECTS_MAX);
        assert_eq!(story.tracker.resolved().len(), RESOLVED_MAX);
    }
}
