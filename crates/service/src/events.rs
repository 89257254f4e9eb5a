//! Events: what happened, for operators.
//!
//! Code that does something an operator wants to know about reports it here once; the event and its log line come from the same call.
//! The last events are kept in memory, and the [`keeper`](crate::keeper) writes them to disk. Ids increase through restarts, so a client
//! that polls never sees an event twice.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::Notify;

/// Events that are kept.
pub const EVENTS_KEPT: usize = 2000;

/// The shortest time between two events about refusals of one kind to one address: a flood must not displace other events.
const REFUSALS_EVERY: Duration = Duration::from_secs(10);
/// Addresses that are remembered for that.
const REFUSED_MAX: usize = 1024;

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// For information.
    Info,
    /// An operator should look at it.
    Warning,
    /// An operator should look at it now.
    Error,
}

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// Increases with every event, through restarts as well.
    pub id: u64,
    /// When it happened.
    pub time: SystemTime,
    /// What kind of event it is.
    pub kind: Kind,
    /// The object of the event, such as `volume kafka`.
    pub object: String,
    /// The event in a sentence.
    pub message: String,
    /// Who caused it.
    pub who: Who,
}

/// Defines the kinds of events, each with its word and its severity.
macro_rules! kinds {
    ($($(#[$meta:meta])* $kind:ident = $word:literal, $severity:ident;)*) => {
        /// The kind of an event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Kind { $($(#[$meta])* $kind,)* }

        impl Kind {
            /// The word for it in the API and the log.
            pub fn word(self) -> &'static str {
                match self { $(Kind::$kind => $word,)* }
            }

            /// The kind of a word; `None` if this release does not know it.
            pub fn of_word(word: &str) -> Option<Kind> {
                match word { $($word => Some(Kind::$kind),)* _ => None }
            }

            /// How much it matters.
            pub fn severity(self) -> Severity {
                match self { $(Kind::$kind => Severity::$severity,)* }
            }
        }
    };
}

kinds! {
    /// The daemon serves.
    DaemonStarted = "daemon_started", Info;
    /// A volume was created, as a clone as well.
    VolumeCreated = "volume_created", Info;
    /// A volume was changed.
    VolumeChanged = "volume_changed", Info;
    /// A volume was deleted.
    VolumeDeleted = "volume_deleted", Info;
    /// A deleted volume was recovered.
    VolumeRecovered = "volume_recovered", Info;
    /// A deleted volume was purged: by a user, or because its time for recovery was over.
    VolumePurged = "volume_purged", Info;
    /// A volume was rolled back to a snapshot.
    VolumeRolledBack = "volume_rolled_back", Warning;
    /// A snapshot was taken.
    SnapshotTaken = "snapshot_taken", Info;
    /// A snapshot was renamed, or has another expiry or lock.
    SnapshotChanged = "snapshot_changed", Info;
    /// A snapshot was deleted.
    SnapshotDeleted = "snapshot_deleted", Info;
    /// A snapshot was deleted because it had expired, or because its schedule keeps newer ones.
    SnapshotExpired = "snapshot_expired", Info;
    /// An export policy was created.
    ExportPolicyCreated = "export_policy_created", Info;
    /// An export policy or its rules were changed.
    ExportPolicyChanged = "export_policy_changed", Info;
    /// An export policy was deleted.
    ExportPolicyDeleted = "export_policy_deleted", Info;
    /// A bucket was created.
    BucketCreated = "bucket_created", Info;
    /// A bucket or one of its documents was changed.
    BucketChanged = "bucket_changed", Info;
    /// A bucket was deleted.
    BucketDeleted = "bucket_deleted", Info;
    /// An S3 user was created, disabled or enabled.
    S3UserChanged = "s3_user_changed", Info;
    /// An S3 user was deleted, with all access keys of the user.
    S3UserDeleted = "s3_user_deleted", Info;
    /// An S3 access key was created.
    S3KeyCreated = "s3_key_created", Info;
    /// An S3 access key was disabled or enabled.
    S3KeyChanged = "s3_key_changed", Info;
    /// An S3 access key was deleted.
    S3KeyDeleted = "s3_key_deleted", Info;
    /// An S3 group was created, or its members or policies were changed.
    S3GroupChanged = "s3_group_changed", Info;
    /// An S3 group was deleted.
    S3GroupDeleted = "s3_group_deleted", Info;
    /// An NFS client lost all of its state.
    ClientRevoked = "client_revoked", Warning;
    /// An NFS client lost an open or locks.
    OpenRevoked = "open_revoked", Warning;
    /// An export policy refused an NFS client an operation.
    ClientRefused = "client_refused", Warning;
    /// A user was created or has another role.
    UserChanged = "user_changed", Info;
    /// A user was deleted, with all tokens of the user.
    UserDeleted = "user_deleted", Info;
    /// A token was created.
    TokenCreated = "token_created", Info;
    /// A token was deleted.
    TokenDeleted = "token_deleted", Info;
    /// A request had no valid token.
    TokenRefused = "token_refused", Warning;
    /// The caller's role, or for S3 no policy, allows the request.
    AccessRefused = "access_refused", Warning;
    /// An S3 request had no valid signature, or its access key is unknown, disabled or expired.
    S3SignatureRefused = "s3_signature_refused", Warning;
    /// An S3 access key has expired.
    S3KeyExpired = "s3_key_expired", Warning;
    /// A job started.
    JobStarted = "job_started", Info;
    /// A job finished without findings.
    JobSucceeded = "job_succeeded", Info;
    /// A job failed.
    JobFailed = "job_failed", Error;
    /// A job was cancelled.
    JobCancelled = "job_cancelled", Info;
    /// A check found inconsistencies.
    CheckFoundDifferences = "check_found_differences", Error;
    /// The pool got the newest format, which older releases cannot read.
    PoolUpgraded = "pool_upgraded", Info;
    /// A backup has data that is damaged in the pool, too.
    BackupHasDamage = "backup_has_damage", Error;
    /// A scrub started.
    ScrubStarted = "scrub_started", Info;
    /// A scrub was stopped.
    ScrubStopped = "scrub_stopped", Info;
    /// A scrub finished.
    ScrubFinished = "scrub_finished", Info;
    /// Damaged or missing data was repaired from the other copy.
    DataRepaired = "data_repaired", Warning;
    /// Segments that no metadata names are in lost+found.
    SegmentsSetAside = "segments_set_aside", Warning;
    /// A segment was deleted from lost+found.
    LostSegmentDeleted = "lost_segment_deleted", Warning;
    /// This node took the pool from another one.
    PoolTaken = "pool_taken", Warning;
    /// This node hands the pool over to another one.
    PoolReleased = "pool_released", Info;
    /// Another node waits for the pool.
    CandidateCame = "candidate_came", Info;
    /// A node that waited for the pool does so no more.
    CandidateWent = "candidate_went", Info;
    /// An alert for information.
    AlertInfo = "alert_info", Info;
    /// An alert fires that needs action today.
    AlertWarning = "alert_warning", Warning;
    /// An alert fires that needs action now.
    AlertCritical = "alert_critical", Error;
    /// An alert is resolved.
    AlertResolved = "alert_resolved", Info;
    /// A user has acknowledged an alert, or has taken that back.
    AlertAcknowledged = "alert_acknowledged", Info;
    /// A user has silenced alerts, or has ended a silence.
    AlertSilenced = "alert_silenced", Info;
}

impl Kind {
    /// Whether something was changed: by somebody, or by a start.
    pub fn is_change(self) -> bool {
        matches!(
            self,
            Kind::DaemonStarted
                | Kind::VolumeCreated
                | Kind::VolumeChanged
                | Kind::VolumeDeleted
                | Kind::VolumeRecovered
                | Kind::VolumePurged
                | Kind::VolumeRolledBack
                | Kind::ExportPolicyCreated
                | Kind::ExportPolicyChanged
                | Kind::ExportPolicyDeleted
                | Kind::BucketCreated
                | Kind::BucketChanged
                | Kind::BucketDeleted
                | Kind::ClientRevoked
                | Kind::OpenRevoked
                | Kind::UserChanged
                | Kind::UserDeleted
                | Kind::PoolUpgraded
                | Kind::PoolTaken
                | Kind::PoolReleased
        )
    }
}

/// Who caused an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// The user's name; `None`: the daemon itself, or unknown.
    pub user: Option<String>,
    /// The address that the user came from.
    pub address: Option<String>,
}

/// A selection of events.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Only events after this id.
    pub after: u64,
    /// Only events of this severity or a higher one.
    pub severity: Severity,
    /// The most events to return: the last ones if `after` is 0, else the first ones.
    pub limit: usize,
}

/// The last events.
pub struct Events {
    ring: Mutex<Ring>,
    /// Notified at each event.
    pub(crate) noted: Notify,
}

struct Ring {
    next: u64,
    kept: VecDeque<Event>,
    refused: HashMap<Source, Refused>,
}

/// Refusals that are reported together: of one kind, from one address, and for one reason or of one user.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Source {
    kind: Kind,
    address: String,
    detail: String,
}

struct Refused {
    noted: Instant,
    unnoted: u64,
}

impl Events {
    /// No events yet. `boot` is the number of times that the pool has been opened.
    pub fn new(boot: u64) -> Events {
        // Room for four billion events of each of two billion starts, within the integers of JavaScript and SQL.
        let next = (boot.min(u64::from(u32::MAX >> 1)) << 32).saturating_add(1);
        let ring = Ring { next, kept: VecDeque::new(), refused: HashMap::new() };
        Events { ring: Mutex::new(ring), noted: Notify::new() }
    }

    /// Puts the events of earlier runs before those of this one. Events whose ids are not from earlier runs are left out.
    pub fn restore(&self, earlier: Vec<Event>) {
        let mut ring = self.ring();
        let first = ring.kept.front().map_or(ring.next, |event| event.id);
        let room = EVENTS_KEPT.saturating_sub(ring.kept.len());
        let mut before = first;
        for event in earlier.into_iter().rev().take(room) {
            if event.id < before {
                before = event.id;
                ring.kept.push_front(event);
            }
        }
    }

    /// Reports an event, and logs it.
    pub fn note(&self, kind: Kind, object: impl Into<String>, message: impl Into<String>, who: Who) {
        let (object, message) = (object.into(), message.into());
        let (user, address) = (who.user.as_deref(), who.address.as_deref());
        match kind.severity() {
            Severity::Info => tracing::info!(kind = kind.word(), object, user, address, "{message}"),
            Severity::Warning => tracing::warn!(kind = kind.word(), object, user, address, "{message}"),
            Severity::Error => tracing::error!(kind = kind.word(), object, user, address, "{message}"),
        }
        let mut ring = self.ring();
        let event = Event { id: ring.next, time: SystemTime::now(), kind, object, message, who };
        ring.next = ring.next.saturating_add(1);
        if ring.kept.len() >= EVENTS_KEPT {
            ring.kept.pop_front();
        }
        ring.kept.push_back(event);
        drop(ring);
        self.noted.notify_one();
    }

    /// Reports a refusal, unless one of the same kind was reported a moment ago: of the same user at the same address, or for the same
    /// reason if the user is unknown. All refusals are counted, and logged at debug with their requests.
    pub fn note_refusal(&self, kind: Kind, object: String, message: &str, who: Who) {
        self.note_refusal_for(None, kind, object, message, who);
    }

    /// Like [`Events::note_refusal`], for messages that clients can vary: without a user, refusals for the same `reason` are reported
    /// together.
    pub fn note_refusal_for(
        &self,
        reason: Option<&'static str>,
        kind: Kind,
        object: String,
        message: &str,
        who: Who,
    ) {
        let address = who.address.clone().unwrap_or_default();
        let detail = who.user.clone().unwrap_or_else(|| reason.unwrap_or(message).to_owned());
        let source = Source { kind, address, detail };
        // A statement of its own: an `if let` would hold the lock that `note` takes again.
        let due = self.ring().is_refusal_due(source, Instant::now());
        if let Some(unnoted) = due {
            let more =
                if unnoted == 0 { String::new() } else { format!(" (and {unnoted} more times before)") };
            self.note(kind, object, format!("{message}{more}"), who);
        }
    }

    /// The selected events, oldest first, and how many match in total.
    pub fn list(&self, wanted: Wanted) -> (Vec<Event>, u64) {
        let ring = self.ring();
        let matching = ring
            .kept
            .iter()
            .filter(|event| event.id > wanted.after && event.kind.severity() >= wanted.severity);
        let matching: Vec<&Event> = matching.collect();
        let skipped = if wanted.after == 0 { matching.len().saturating_sub(wanted.limit) } else { 0 };
        let some = matching.iter().skip(skipped).take(wanted.limit).map(|event| (*event).clone()).collect();
        (some, matching.len() as u64)
    }

    /// The latest changes, newest first.
    pub fn changes(&self, limit: usize) -> Vec<Event> {
        let ring = self.ring();
        ring.kept.iter().rev().filter(|event| event.kind.is_change()).take(limit).cloned().collect()
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ring {
    /// How many were not noted before it, if this one is to be.
    fn is_refusal_due(&mut self, mut source: Source, now: Instant) -> Option<u64> {
        if self.refused.len() >= REFUSED_MAX && !self.refused.contains_key(&source) {
            self.refused.retain(|_, refused| now.duration_since(refused.noted) < REFUSALS_EVERY);
            if self.refused.len() >= REFUSED_MAX {
                // This is a flood: the addresses that find no place are counted together.
                source = Source { kind: source.kind, address: String::new(), detail: String::new() };
            }
        }
        match self.refused.get_mut(&source) {
            Some(refused) if now.duration_since(refused.noted) < REFUSALS_EVERY => {
                refused.unnoted = refused.unnoted.saturating_add(1);
                None
            }
            Some(refused) => {
                refused.noted = now;
                Some(std::mem::take(&mut refused.unnoted))
            }
            None => {
                self.refused.insert(source, Refused { noted: now, unnoted: 0 });
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(limit: usize) -> Wanted {
        Wanted { after: 0, severity: Severity::Info, limit }
    }

    #[test]
    fn the_last_events_are_kept_and_their_ids_increase_through_restarts() {
        let events = Events::new(3);
        for number in 0..EVENTS_KEPT + 5 {
            events.note(Kind::VolumeCreated, format!("volume {number}"), "made", Who::default());
        }
        let (kept, total) = events.list(all(usize::MAX));
        assert_eq!((kept.len(), total), (EVENTS_KEPT, EVENTS_KEPT as u64));
        assert_eq!(kept[0].object, "volume 5");
        assert!(kept.windows(2).all(|pair| pair[0].id < pair[1].id));
        let later = Events::new(4);
        later.note(Kind::DaemonStarted, "daemon", "started", Who::default());
        assert!(later.list(all(1)).0[0].id > kept[kept.len() - 1].id);
    }

    #[test]
    fn events_of_earlier_runs_come_first_and_none_comes_twice() {
        let earlier = Events::new(3);
        (0..5).for_each(|_| earlier.note(Kind::VolumeCreated, "volume kafka", "created", Who::default()));
        let written = earlier.list(all(99)).0;
        let events = Events::new(4);
        events.note(Kind::DaemonStarted, "daemon", "started", Who::default());
        // A journal whose last line was written twice, and one of a later run.
        let later = Events::new(9);
        later.note(Kind::AlertInfo, "pool", "from the future", Who::default());
        let mut found = written.clone();
        found.extend([written[4].clone(), later.list(all(1)).0[0].clone()]);
        events.restore(found);
        let ids: Vec<u64> = events.list(all(99)).0.into_iter().map(|event| event.id).collect();
        let mut expected: Vec<u64> = written.iter().map(|event| event.id).collect();
        expected.push((4 << 32) + 1);
        assert_eq!(ids, expected);
    }

    #[test]
    fn a_follower_gets_the_next_and_others_the_last() {
        let events = Events::new(0);
        let kinds = [Kind::VolumeCreated, Kind::AlertCritical, Kind::VolumeDeleted];
        for kind in kinds {
            events.note(kind, "volume kafka", "something", Who::default());
        }
        let (last, total) = events.list(all(1));
        assert_eq!((last[0].kind, total), (Kind::VolumeDeleted, 3));
        let next = events.list(Wanted { after: 1, ..all(1) }).0;
        assert_eq!(next[0].kind, Kind::AlertCritical);
        let grave = events.list(Wanted { severity: Severity::Warning, ..all(9) }).0;
        assert_eq!(grave.len(), 1);
    }

    #[test]
    fn a_flood_of_refusals_is_noted_now_and_then() {
        let events = Events::new(0);
        for _ in 0..50 {
            let who = Who { user: None, address: Some("10.0.0.1".into()) };
            events.note_refusal(Kind::TokenRefused, "address 10.0.0.1".into(), "unknown token", who);
        }
        assert_eq!(events.list(all(99)).1, 1);
        let later = Instant::now() + 2 * REFUSALS_EVERY;
        assert_eq!(events.ring().is_refusal_due(source("10.0.0.1", "unknown token"), later), Some(49));
    }

    fn source(address: &str, detail: &str) -> Source {
        Source { kind: Kind::TokenRefused, address: address.into(), detail: detail.into() }
    }

    #[test]
    fn a_flood_from_everywhere_takes_bounded_memory_and_hides_nobody_for_long() {
        let events = Events::new(0);
        let now = Instant::now();
        let noted = |count: &dyn Fn(usize) -> String| {
            let sources = (0..5 * REFUSED_MAX).map(|number| source(&count(number), "unknown token"));
            sources.filter_map(|source| events.ring().is_refusal_due(source, now)).count()
        };
        assert_eq!(noted(&|number| format!("10.0.0.{number}")), REFUSED_MAX + 1);
        assert!(events.ring().refused.len() <= REFUSED_MAX + 1);
        let due = events.ring().is_refusal_due(source("192.0.2.1", "expired"), now + 2 * REFUSALS_EVERY);
        assert_eq!(due, Some(0));
        assert_eq!(events.ring().refused.len(), 1, "what is long ago is forgotten");
    }

    #[test]
    fn refusals_for_one_reason_are_reported_together_however_a_client_varies_them() {
        let events = Events::new(0);
        let refuse = |number: u32, reason| {
            let who = Who { user: None, address: Some("10.0.0.1".into()) };
            let message = format!("access key {number} is unknown");
            events.note_refusal_for(Some(reason), Kind::S3SignatureRefused, "S3".into(), &message, who);
        };
        (0..50).for_each(|number| refuse(number, "unknown access key"));
        refuse(50, "expired access key");
        assert_eq!(events.list(all(99)).1, 2);
    }

    #[test]
    fn another_user_or_another_reason_at_an_address_is_noted_by_itself() {
        let events = Events::new(0);
        for user in ["ada", "bob", "ada"] {
            let who = Who { user: Some(user.into()), address: Some("10.0.0.1".into()) };
            events.note_refusal(Kind::AccessRefused, format!("user {user}"), "needs the role admin", who);
        }
        for reason in ["the token has expired", "the token is not known"] {
            let who = Who { user: None, address: Some("10.0.0.1".into()) };
            events.note_refusal(Kind::TokenRefused, "address 10.0.0.1".into(), reason, who);
        }
        assert_eq!(events.list(all(99)).1, 4);
    }
}
