//! Alerts: which findings fire, since when, and which are resolved.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, SystemTime};

use super::rule::{Finding, Rule};

/// The number of objects for which one rule has alerts; further ones wait until others are resolved.
const OBJECTS_MAX: usize = 64;
/// The number of resolved alerts that are kept.
const RESOLVED_MAX: usize = 100;

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
            });
            (tracked.alert.message, tracked.alert.remedy) = (finding.message, remedy);
            tracked.held = at.uptime;
            if !tracked.fires && at.uptime.saturating_sub(tracked.began) >= hold {
                tracked.fires = true;
                changes.fired.push(tracked.alert.clone());
            }
        }
        let gone = |tracked: &Tracked| {
            let keep = if tracked.fires { keep } else { Duration::ZERO };
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
