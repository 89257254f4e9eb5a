//! Reports what the pool does by itself: scrubs, repairs, and segments that it sets aside. What is wrong is the matter of the health
//! rules, in the crate `admin`.

use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{OwnAction, Pool, ScrubStatus, Stored};

use crate::Service;
use crate::events::{Kind, Who};

/// How often it looks at the pool.
const EVERY: Duration = Duration::from_secs(5);

/// What the pool reported last.
#[derive(Default)]
struct Seen {
    scrub: ScrubStatus,
    aside: u64,
}

/// Watches the pool for as long as it is polled.
pub async fn run(service: Arc<Service>) {
    let mut seen = Seen { scrub: service.pool.scrub_status().unwrap_or_default(), ..Seen::default() };
    loop {
        for (kind, message) in seen.look(&service.pool) {
            service.events.note(kind, "pool", message, Who::default());
        }
        for (kind, object, message) in described(service.pool.take_own_actions().unwrap_or_default()) {
            service.events.note(kind, object, message, Who::default());
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// The events of what the pool did by itself. Snapshots that a schedule no longer keeps are one event, because there may be many.
fn described(actions: Vec<OwnAction>) -> Vec<(Kind, String, String)> {
    let (mut told, mut scheduled) = (Vec::new(), Vec::new());
    for action in actions {
        match action {
            OwnAction::VolumePurged { name } => told.push((
                Kind::VolumePurged,
                format!("volume {name}"),
                "purged, because its time for recovery was over".to_owned(),
            )),
            OwnAction::SnapshotExpired { volume, name, is_scheduled: false } => told.push((
                Kind::SnapshotExpired,
                format!("snapshot {volume}@{name}"),
                "expired, and deleted".to_owned(),
            )),
            OwnAction::SnapshotExpired { volume, name, is_scheduled: true } => {
                scheduled.push(format!("{volume}@{name}"));
            }
        }
    }
    let message = |more: usize| match more {
        0 => "deleted, because its schedule keeps newer ones".to_owned(),
        more => format!("and {more} more deleted, because their schedules keep newer ones"),
    };
    if let Some(first) = scheduled.first() {
        told.push((Kind::SnapshotExpired, format!("snapshot {first}"), message(scheduled.len() - 1)));
    }
    told
}

impl Seen {
    fn look(&mut self, pool: &Pool) -> Vec<(Kind, String)> {
        // A pool that is closing has nothing to report.
        let Ok(scrub) = pool.scrub_status() else { return Vec::new() };
        let mut told = self.compare_scrub(&scrub);
        if let Ok(stored) = pool.stored() {
            told.extend(self.compare_stored(&stored));
        }
        self.scrub = scrub;
        told
    }

    fn compare_scrub(&self, now: &ScrubStatus) -> Vec<(Kind, String)> {
        let mut told = Vec::new();
        let then = &self.scrub;
        if now.repaired > then.repaired {
            let count = now.repaired.saturating_sub(then.repaired);
            told.push((
                Kind::DataRepaired,
                format!("{count} damaged frames were repaired from the other copy"),
            ));
        }
        if now.finished != then.finished {
            let message = match now.damaged {
                0 if now.bytes == 0 => "scrub finished: the pool has no data to verify".to_owned(),
                0 => format!("scrub finished: {} bytes verified, no damage", now.bytes),
                damaged => format!("scrub finished: {} bytes verified, {damaged} damaged frames", now.bytes),
            };
            told.push((Kind::ScrubFinished, message));
        }
        told
    }

    fn compare_stored(&mut self, now: &Stored) -> Option<(Kind, String)> {
        let aside = now.lost_found_segments;
        let told = (aside > self.aside).then(|| {
            let message = format!(
                "{aside} segments ({} bytes) that no metadata names are in lost+found; `forebay pool lost-found` lists and deletes them",
                now.lost_found_bytes
            );
            (Kind::SegmentsSetAside, message)
        });
        self.aside = aside;
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_scrub_did_is_reported_when_it_is_done() {
        let seen = Seen::default();
        let finished = Some(std::time::SystemTime::UNIX_EPOCH);
        let now = ScrubStatus { repaired: 1, finished, ..ScrubStatus::default() };
        let kinds: Vec<Kind> = seen.compare_scrub(&now).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::DataRepaired, Kind::ScrubFinished]);
        assert!(Seen { scrub: now.clone(), ..Seen::default() }.compare_scrub(&now).is_empty());
    }

    #[test]
    fn what_the_pool_did_by_itself_is_an_event_and_a_schedule_is_one() {
        let expired = |name: &str, is_scheduled| OwnAction::SnapshotExpired {
            volume: "kafka".to_owned(),
            name: name.to_owned(),
            is_scheduled,
        };
        let purged = OwnAction::VolumePurged { name: "old".to_owned() };
        let told = described(vec![purged, expired("short", false), expired("h1", true), expired("h2", true)]);
        let kinds: Vec<_> = told.iter().map(|(kind, object, _)| (*kind, object.as_str())).collect();
        let expired = |object| (Kind::SnapshotExpired, object);
        let wanted = [
            (Kind::VolumePurged, "volume old"),
            expired("snapshot kafka@short"),
            expired("snapshot kafka@h1"),
        ];
        assert_eq!(kinds, wanted);
        assert!(told[2].2.starts_with("and 1 more deleted"), "{told:?}");
    }

    #[test]
    fn segments_that_are_set_aside_are_reported_once() {
        let mut seen = Seen::default();
        let now = Stored { lost_found_segments: 2, ..Stored::default() };
        assert_eq!(seen.compare_stored(&now).map(|(kind, _)| kind), Some(Kind::SegmentsSetAside));
        assert!(seen.compare_stored(&now).is_none());
        assert!(seen.compare_stored(&Stored::default()).is_none());
    }
}
