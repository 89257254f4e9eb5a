//! Evaluates the rules on each observation, and keeps the result.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use forebay_nfs::state::{ClientTraffic, Condition, GraceView};
use forebay_pool::Space;
use forebay_service::Service;
use forebay_service::events::{Kind, Who};

use super::facts::Facts;
use super::rule::{Finding, Rule, Severity, Source};
use super::rules::{self, STALLED, speed};
use super::tracker::{Alert, Changes, Moment, Tracker};
use super::trail::{Digest, Trail};
use super::usual::Usual;
use super::words::{client_name, span};
use crate::metrics::{self, AlertSeen, Observation};

/// Without an observation for this long the rules are stalled.
const STALLED_AFTER: Duration = Duration::from_secs(20);
/// The number of volumes and clients that a report names.
const NAMED_MAX: usize = 8;

/// Evaluates the rules of the table, and has the latest result.
pub struct Health {
    service: Arc<Service>,
    began: Instant,
    state: Mutex<Evaluated>,
}

#[derive(Default)]
struct Evaluated {
    tracker: Tracker,
    trail: Trail,
    usual: Usual,
    /// In time since the start.
    at: Duration,
    report: Arc<Report>,
}

/// The result of the latest evaluation.
#[derive(Clone, Default)]
pub struct Report {
    /// When it was; `None` before the first one.
    pub evaluated: Option<SystemTime>,
    /// The alerts that fire, the gravest first.
    pub firing: Vec<Alert>,
    /// The alerts that were resolved, the latest first.
    pub resolved: Vec<Alert>,
    /// The 99th percentile of COMMIT in the last half minute, and its usual value.
    pub commit_p99: Option<Duration>,
    /// See `commit_p99`.
    pub commit_usual: Option<Duration>,
    /// The grace period, while there is one.
    pub grace: Option<GraceView>,
    /// The space of the pool.
    pub space: Space,
    /// When the pool will be full at the rate of the last hours.
    pub pool_full_in: Option<Duration>,
    /// The volumes with a size that are closest to it.
    pub volumes: Vec<VolumeSpace>,
    /// The volumes that read and write most.
    pub busiest_volumes: Vec<Flow>,
    /// The clients that read and write most.
    pub busiest_clients: Vec<Flow>,
    /// The number of clients with a valid lease, that reclaim, and that are silent.
    pub clients: [u64; 3],
}

/// A volume with a size.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeSpace {
    /// Its name.
    pub name: String,
    /// Bytes that it has used.
    pub used: u64,
    /// Its size.
    pub size: u64,
    /// When it will be full at the rate of the last hours.
    pub full_in: Option<Duration>,
}

/// The throughput of a volume or a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// A client's address.
    pub address: Option<String>,
    /// Bytes per second read.
    pub read: f64,
    /// Bytes per second written.
    pub written: f64,
}

impl Report {
    /// The severity of the gravest alert; `None` if nothing is wrong.
    pub fn severity(&self) -> Option<Severity> {
        let gravest = self.firing.iter().map(|alert| alert.rule.severity).max();
        gravest.filter(|severity| *severity > Severity::Info)
    }
}

impl Health {
    /// Nothing is evaluated yet.
    pub fn new(service: Arc<Service>) -> Health {
        Health { service, began: Instant::now(), state: Mutex::default() }
    }

    /// The latest result.
    pub fn report(&self) -> Arc<Report> {
        self.state().report.clone()
    }

    /// Evaluates all rules, and emits an event for each alert that fires or is resolved.
    pub fn evaluate(&self, seen: &Observation, now: SystemTime) {
        self.evaluate_at(seen, Moment { now, uptime: self.began.elapsed() });
    }

    /// Notes that an observation has not come. If that lasts, it is an alert itself.
    pub fn note_absence(&self, now: SystemTime) {
        let at = Moment { now, uptime: self.began.elapsed() };
        let mut state = self.state();
        let silent = at.uptime.saturating_sub(state.at);
        let Some(rule) = rules::named(STALLED).filter(|_| silent >= STALLED_AFTER) else { return };
        let message = format!(
            "The file system below the pool has not answered for {}, so other alerts are as old.",
            span(silent)
        );
        let mut changes = Changes::default();
        let found = vec![Finding::new("pool", message)];
        state.tracker.note(at, rule, (Duration::ZERO, Duration::ZERO), found, &mut changes);
        let mut report = Report::clone(&state.report);
        report.firing = state.tracker.firing();
        state.report = Arc::new(report);
        drop(state);
        self.tell(&changes);
    }

    pub(super) fn evaluate_at(&self, seen: &Observation, at: Moment) {
        let mut changes = Changes::default();
        let mut guard = self.state();
        let state = &mut *guard;
        let digest = Digest::of(seen, at.uptime);
        state.usual.add(at.uptime, &digest.commits);
        let usual = state.usual.value();
        let facts =
            Facts { now: at.now, uptime: at.uptime, seen, digest: &digest, trail: &state.trail, usual };
        for rule in rules::all() {
            if let Source::Daemon { hold, keep, check } = rule.source {
                state.tracker.note(at, rule, (hold, keep), check(&facts), &mut changes);
            }
        }
        let mut report = Report {
            evaluated: Some(at.now),
            firing: state.tracker.firing(),
            resolved: state.tracker.resolved(),
            commit_p99: speed::commit_p99(&facts),
            commit_usual: usual,
            grace: seen.nfs.grace.clone(),
            space: seen.pool.as_ref().map(|pool| pool.space).unwrap_or_default(),
            pool_full_in: facts.pool_full_in(),
            volumes: volumes(&facts),
            clients: [seen.nfs.census.confirmed, seen.nfs.census.reclaiming, seen.nfs.census.courteous],
            ..Report::default()
        };
        state.trail.add(digest, seen);
        (report.busiest_volumes, report.busiest_clients) = busiest(seen, &state.trail);
        (state.at, state.report) = (at.uptime, Arc::new(report));
        drop(guard);
        self.tell(&changes);
    }

    /// The messages of all events so far.
    #[cfg(test)]
    pub(super) fn events(&self) -> String {
        let wanted = forebay_service::events::Wanted {
            after: 0,
            severity: forebay_service::events::Severity::Info,
            limit: 100,
        };
        let (events, _) = self.service.events.list(wanted);
        events.into_iter().map(|event| event.message + "\n").collect()
    }

    /// Makes the daemon older.
    #[cfg(test)]
    pub(super) fn pass(&mut self, time: Duration) {
        self.began = self.began.checked_sub(time).expect("the machine was started before");
    }

    fn tell(&self, changes: &Changes) {
        for alert in &changes.fired {
            let kind = match alert.rule.severity {
                Severity::Info => Kind::AlertInfo,
                Severity::Warning => Kind::AlertWarning,
                Severity::Critical => Kind::AlertCritical,
            };
            let message = format!("{} Remedy: {} ({})", alert.message, alert.remedy, alert.rule.name);
            self.service.events.note(kind, alert.object.as_str(), message, Who::default());
        }
        for alert in &changes.resolved {
            let message = format!("resolved: {} ({})", alert.rule.summary, alert.rule.name);
            self.service.events.note(Kind::AlertResolved, alert.object.as_str(), message, Who::default());
        }
    }

    fn state(&self) -> MutexGuard<'_, Evaluated> {
        // A panic elsewhere leaves the state from before or after an evaluation.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl metrics::Source for Health {
    fn observe(&self, observation: &mut Observation) {
        let report = self.report();
        let mut firing: BTreeMap<&str, u64> = BTreeMap::new();
        for alert in &report.firing {
            let count = firing.entry(alert.rule.name).or_default();
            *count = count.saturating_add(1);
        }
        let of_daemon = |rule: &&Rule| matches!(rule.source, Source::Daemon { .. });
        let seen = rules::all().filter(of_daemon).map(|rule| AlertSeen {
            name: rule.name,
            severity: rule.severity.word(),
            firing: firing.get(rule.name).copied().unwrap_or_default(),
        });
        observation.alerts = seen.collect();
        observation.evaluated = report.evaluated;
    }
}

/// The volumes with a size that are closest to it: by when they will be full, then by how full they are.
fn volumes(facts: &Facts<'_>) -> Vec<VolumeSpace> {
    let sized = facts.seen.volumes.iter().filter_map(|volume| {
        let (id, size) = (volume.usage.id?, volume.usage.size?);
        let used = volume.usage.bytes_logical;
        let full_in = facts.volume_full_in(id, used, size);
        Some(VolumeSpace { name: volume.usage.name.clone(), used, size, full_in })
    });
    let mut sized: Vec<VolumeSpace> = sized.collect();
    let share = |volume: &VolumeSpace| volume.used as f64 / volume.size.max(1) as f64;
    sized.sort_by(|one, other| {
        let sooner = one.full_in.unwrap_or(Duration::MAX).cmp(&other.full_in.unwrap_or(Duration::MAX));
        sooner.then(share(other).total_cmp(&share(one)))
    });
    sized.truncate(NAMED_MAX);
    sized
}

fn busiest(seen: &Observation, trail: &Trail) -> (Vec<Flow>, Vec<Flow>) {
    let volumes = seen.volumes.iter().filter_map(|volume| {
        let (read, written) = trail.volume_flow(volume.usage.id?);
        Some(Flow { name: volume.usage.name.clone(), address: None, read, written })
    });
    let is_here = |client: &&ClientTraffic| client.condition != Condition::Courteous;
    let clients = seen.nfs.clients.iter().filter(is_here).map(|client| {
        let (read, written) = trail.client_flow(client.id);
        let (name, address) =
            (client_name(&client.owner), Some(client.address.ip().to_canonical().to_string()));
        Flow { name, address, read, written }
    });
    (largest(volumes.collect()), largest(clients.collect()))
}

fn largest(mut flows: Vec<Flow>) -> Vec<Flow> {
    flows.retain(|flow| flow.read + flow.written > 0.0);
    flows.sort_by(|one, other| (other.read + other.written).total_cmp(&(one.read + one.written)));
    flows.truncate(NAMED_MAX);
    flows
}
