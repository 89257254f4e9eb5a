//! Evaluates the rules on each observation, and keeps the result.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use forebay_nfs::state::{ClientTraffic, Condition, GraceView};
use forebay_nfs_proto::xdr::nfs4::ClientId;
use forebay_notify::{Notice, Notifier};
use forebay_pool::{Space, VolumeId};
use forebay_service::Service;
use forebay_service::disk::{Place, from_line, to_line};
use forebay_service::events::{Kind, Who};

use super::facts::Facts;
use super::marks::Marks;
use super::rule::{Finding, Rule, Severity, Source};
use super::rules::{self, STALLED, speed};
use super::tracker::{Alert, Changes, Moment, State, Tracker};
use super::trail::{ClientNow, Digest, Trail};
use super::usual::Usual;
use crate::base::words::{client_name, span};
use crate::metrics::{self, AlertSeen, Observation};

/// Without an observation for this long the rules are stalled.
const STALLED_AFTER: Duration = Duration::from_secs(20);
/// The number of volumes and clients that a report names.
const NAMED_MAX: usize = 8;

/// The file of alerts, and how often it is written without a change: messages change as well.
const ALERTS: &str = "alerts";
const WRITTEN_EVERY: Duration = Duration::from_secs(60);
/// How old the last evaluation of a daemon may be whose heart beats.
const ALIVE: Duration = Duration::from_secs(60);

/// Evaluates the rules of the table, and has the latest result.
pub struct Health {
    /// The acknowledgements and silences of alerts.
    pub marks: Marks,
    /// Delivers notices of alerts.
    pub notifier: Notifier,
    /// The name of this machine in notices.
    pub host: String,
    /// Seconds between two notices of an alert that goes on; 0: there is one only.
    repeat_seconds: AtomicU64,
    place: OnceLock<Arc<Place>>,
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
    /// When the file of alerts was written, and whether alerts have changed since.
    written: Duration,
    changed: bool,
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
    /// The activity of each client in the last half minute.
    pub clients_now: BTreeMap<ClientId, ClientNow>,
}

/// A volume with a size.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeSpace {
    /// Its id.
    pub id: VolumeId,
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

impl Health {
    /// Nothing is evaluated yet.
    pub fn new(service: Arc<Service>) -> Health {
        Health {
            marks: Marks::load(service.pool.clone()),
            notifier: Notifier::default(),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            repeat_seconds: AtomicU64::new(0),
            place: OnceLock::new(),
            service,
            began: Instant::now(),
            state: Mutex::default(),
        }
    }

    /// Sends a notice again after this time if an alert goes on; never if it is zero.
    pub fn repeat_every(&self, time: Duration) {
        self.repeat_seconds.store(time.as_secs(), Ordering::Relaxed);
    }

    /// Restores the alerts of earlier runs, and keeps them in a file from now on.
    pub fn keep_in(&self, place: Arc<Place>) {
        let lines = place.lines(ALERTS);
        let mut state = self.state();
        state.tracker.restore(lines.iter().filter_map(|line| from_line(line)).collect());
        let mut report = Report::clone(&state.report);
        (report.firing, report.resolved) = (state.tracker.firing(), state.tracker.resolved());
        state.report = Arc::new(report);
        drop(state);
        // The second time it would be the same.
        let _ = self.place.set(place);
    }

    /// Writes the file of alerts if they have changed, or if that was a minute ago. May block.
    pub fn write(&self) {
        let Some(place) = self.place.get() else { return };
        let uptime = self.began.elapsed();
        let mut state = self.state();
        if !state.changed && uptime.saturating_sub(state.written) < WRITTEN_EVERY {
            return;
        }
        let lines: Vec<String> = state.tracker.saved().iter().map(to_line).collect();
        (state.changed, state.written) = (false, uptime);
        drop(state);
        let outcome = place.replace_lines(ALERTS, &lines);
        if outcome.is_err() {
            self.state().changed = true;
        }
        place.note(outcome);
    }

    /// Writes the file of alerts, because the daemon stops. May block.
    pub fn write_now(&self) {
        self.state().changed = true;
        self.write();
    }

    /// Whether the rules are evaluated and the pool takes changes: whether the heartbeat is sent.
    pub fn is_alive(&self) -> bool {
        let state = self.state();
        let age = self.began.elapsed().saturating_sub(state.at);
        state.report.evaluated.is_some() && age < ALIVE && !self.service.pool.is_stopped()
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
        let notices = self.notices(&mut state, at, &changes);
        drop(state);
        self.tell(&changes, &notices);
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
        report.clients_now = state.trail.clients();
        (report.busiest_volumes, report.busiest_clients) = busiest(seen, &state.trail, &report.clients_now);
        (state.at, state.report) = (at.uptime, Arc::new(report));
        let notices = self.notices(state, at, &changes);
        drop(guard);
        self.tell(&changes, &notices);
    }

    /// The notices that are due after an evaluation.
    fn notices(&self, state: &mut Evaluated, at: Moment, changes: &Changes) -> Vec<Notice> {
        state.changed |= !changes.fired.is_empty() || !changes.resolved.is_empty();
        let every = Duration::from_secs(self.repeat_seconds.load(Ordering::Relaxed));
        let is_silent = |alert: &Alert| self.marks.silence(alert, at.now).is_some();
        let wanted = |alert: &Alert| (!is_silent(alert), self.marks.acknowledgement(alert).is_none());
        let due = state.tracker.due(at, every, wanted).into_iter();
        let due = due.map(|(alert, repeats)| self.notice(&alert, repeats));
        let resolved = changes.resolved.iter().filter(|alert| !is_silent(alert));
        due.chain(resolved.map(|alert| self.notice(alert, false))).collect()
    }

    fn notice(&self, alert: &Alert, repeats: bool) -> Notice {
        Notice {
            id: alert.id(),
            name: alert.rule.name.to_owned(),
            severity: alert.rule.severity,
            state: match alert.state {
                State::Firing if repeats => forebay_notify::State::Repeated,
                State::Firing => forebay_notify::State::Firing,
                State::Resolved(_) => forebay_notify::State::Resolved,
            },
            object: alert.object.clone(),
            message: alert.message.clone(),
            remedy: alert.remedy.clone(),
            since: alert.since,
            host: self.host.clone(),
        }
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

    fn tell(&self, changes: &Changes, notices: &[Notice]) {
        notices.iter().for_each(|notice| self.notifier.send(notice));
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
        let failing =
            self.notifier.status().into_iter().filter_map(|target| Some((target.name, target.failure?.1)));
        observation.alert_targets_failing = failing.collect();
        observation.evaluated = report.evaluated;
    }
}

/// The volumes with a size that are closest to it: by when they will be full, then by how full they are.
fn volumes(facts: &Facts<'_>) -> Vec<VolumeSpace> {
    let sized = facts.seen.volumes.iter().filter_map(|volume| {
        let (id, size) = (volume.usage.id?, volume.usage.size?);
        let used = volume.usage.bytes_logical;
        let full_in = facts.volume_full_in(id, used, size);
        Some(VolumeSpace { id, name: volume.usage.name.clone(), used, size, full_in })
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

fn busiest(seen: &Observation, trail: &Trail, now: &BTreeMap<ClientId, ClientNow>) -> (Vec<Flow>, Vec<Flow>) {
    let volumes = seen.volumes.iter().filter_map(|volume| {
        let (read, written) = trail.volume_flow(volume.usage.id?);
        Some(Flow { name: volume.usage.name.clone(), address: None, read, written })
    });
    let is_here = |client: &&ClientTraffic| client.condition != Condition::Courteous;
    let clients = seen.nfs.clients.iter().filter(is_here).map(|client| {
        let now = now.get(&client.id).copied().unwrap_or_default();
        let (name, address) =
            (client_name(&client.owner), Some(client.address.ip().to_canonical().to_string()));
        Flow { name, address, read: now.read, written: now.written }
    });
    (largest(volumes.collect()), largest(clients.collect()))
}

fn largest(mut flows: Vec<Flow>) -> Vec<Flow> {
    flows.retain(|flow| flow.read + flow.written > 0.0);
    flows.sort_by(|one, other| (other.read + other.written).total_cmp(&(one.read + one.written)));
    flows.truncate(NAMED_MAX);
    flows
}
