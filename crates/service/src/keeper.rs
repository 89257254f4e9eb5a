//! Writes events and jobs to disk, so that they survive a restart and a crash of the daemon.
//!
//! Events are handed to the operating system within a tenth of a second, which survives the end of the process, and made durable every
//! minute and at a stop. What happened in between and is lost with the machine is in the log.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Service;
use crate::disk::{Journal, Place, from_line, from_millis, millis, to_line};
use crate::events::{EVENTS_KEPT, Event, Kind, Severity, Wanted, Who};
use crate::jobs::{JobKind, JobResult, JobState, JobStatus, ProgressUnit};

const EVENTS: &str = "events";
const JOBS: &str = "jobs";
/// How long events are collected before they are written, and how often jobs are looked at.
const COLLECTED: Duration = Duration::from_millis(100);
const LOOKED_EVERY: Duration = Duration::from_secs(1);
/// How often what was written is made durable.
const SYNCED_EVERY: Duration = Duration::from_secs(60);
/// The differences of a check that are written.
const DIFFERENCES_MAX: usize = 100;

/// See the module.
pub struct Keeper {
    place: Arc<Place>,
    service: Arc<Service>,
    written: Mutex<Written>,
}

struct Written {
    events: Journal,
    /// The id of the last event that is written.
    last: u64,
    /// The number of changes of jobs at the last time.
    changes: u64,
    synced: Instant,
}

impl Keeper {
    /// Restores the events and jobs of earlier runs.
    pub fn open(place: Arc<Place>, service: Arc<Service>) -> Keeper {
        let (events, lines) = Journal::open(&place, EVENTS, EVENTS_KEPT);
        let saved = lines.iter().filter_map(|line| from_line::<SavedEvent>(line)?.event());
        let restored: Vec<Event> = saved.collect();
        let last = restored.last().map_or(0, |event| event.id);
        service.events.restore(restored);
        let jobs = place.lines(JOBS);
        service
            .jobs
            .restore(jobs.iter().filter_map(|line| Some(from_line::<SavedJob>(line)?.status())).collect());
        let changes = service.jobs.changes().0;
        let written = Mutex::new(Written { events, last, changes, synced: Instant::now() });
        Keeper { place, service, written }
    }

    /// Writes whatever is new, for as long as it is polled.
    pub async fn run(self: Arc<Self>) {
        loop {
            tokio::select! {
                () = self.service.events.noted.notified() => tokio::time::sleep(COLLECTED).await,
                () = tokio::time::sleep(LOOKED_EVERY) => {}
            }
            let keeper = self.clone();
            // A panic is one of this task only, and the next one tries again.
            let _ = tokio::task::spawn_blocking(move || keeper.write(false)).await;
        }
    }

    /// Writes whatever is new, and makes it durable if `now` or if that was a minute ago.
    pub fn write(&self, now: bool) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let sync = now || written.synced.elapsed() >= SYNCED_EVERY;
        self.place.note(self.write_events(&mut written, sync).and_then(|()| self.write_jobs(&mut written)));
    }

    fn write_events(&self, written: &mut Written, sync: bool) -> std::io::Result<()> {
        let wanted = Wanted { after: written.last, severity: Severity::Info, limit: EVENTS_KEPT };
        // An `after` of 0 selects the last ones, which are all.
        for event in self.service.events.list(wanted).0 {
            written.events.append(&self.place, &[to_line(&SavedEvent::of(&event))])?;
            written.last = event.id;
        }
        if sync {
            written.events.sync()?;
            written.synced = Instant::now();
        }
        Ok(())
    }

    fn write_jobs(&self, written: &mut Written) -> std::io::Result<()> {
        let (changes, jobs) = self.service.jobs.changes();
        if changes != written.changes {
            let lines: Vec<String> = jobs.iter().map(|job| to_line(&SavedJob::of(job))).collect();
            self.place.replace_lines(JOBS, &lines)?;
            written.changes = changes;
        }
        Ok(())
    }
}

/// An event in the file.
#[derive(Serialize, Deserialize)]
struct SavedEvent {
    id: u64,
    time: u64,
    kind: String,
    object: String,
    message: String,
    user: Option<String>,
    address: Option<String>,
}

impl SavedEvent {
    fn of(event: &Event) -> SavedEvent {
        SavedEvent {
            id: event.id,
            time: millis(event.time),
            kind: event.kind.word().to_owned(),
            object: event.object.clone(),
            message: event.message.clone(),
            user: event.who.user.clone(),
            address: event.who.address.clone(),
        }
    }

    /// `None` for a kind that another release has.
    fn event(self) -> Option<Event> {
        Some(Event {
            id: self.id,
            time: from_millis(self.time),
            kind: Kind::of_word(&self.kind)?,
            object: self.object,
            message: self.message,
            who: Who { user: self.user, address: self.address },
        })
    }
}

/// A job in the file.
#[derive(Serialize, Deserialize)]
struct SavedJob {
    id: u64,
    kind: JobKind,
    state: JobState,
    user: String,
    done: u64,
    total: u64,
    unit: ProgressUnit,
    started: u64,
    finished: Option<u64>,
    result: Option<JobResult>,
    error: Option<String>,
}

impl SavedJob {
    fn of(job: &JobStatus) -> SavedJob {
        SavedJob {
            id: job.id,
            kind: job.kind,
            state: job.state,
            user: job.user.clone(),
            done: job.done,
            total: job.total,
            unit: job.unit,
            started: millis(job.started),
            finished: job.finished.map(millis),
            result: job.result.as_ref().map(shortened),
            error: job.error.clone(),
        }
    }

    fn status(self) -> JobStatus {
        JobStatus {
            id: self.id,
            kind: self.kind,
            state: self.state,
            user: self.user,
            done: self.done,
            total: self.total,
            unit: self.unit,
            started: from_millis(self.started),
            finished: self.finished.map(from_millis),
            result: self.result,
            error: self.error,
        }
    }
}

/// A result without what would make the file long.
fn shortened(result: &JobResult) -> JobResult {
    let mut result = result.clone();
    if let JobResult::Check(report) = &mut result {
        report.differences.truncate(DIFFERENCES_MAX);
    }
    result
}

#[cfg(test)]
mod tests {
    use forebay_pool::{Permit, Pool, PoolOptions};

    use super::*;
    use crate::ServiceOptions;

    async fn service(folder: &std::path::Path) -> Arc<Service> {
        let pool = Pool::open(&folder.join("pool"), PoolOptions::default()).await.unwrap();
        Arc::new(Service::open(pool, ServiceOptions::default()).unwrap())
    }

    fn keeper(folder: &std::path::Path, service: &Arc<Service>, permit: Permit) -> Keeper {
        Keeper::open(Arc::new(Place::new(folder, permit)), service.clone())
    }

    fn messages(service: &Service) -> Vec<String> {
        let wanted = Wanted { after: 0, severity: Severity::Info, limit: 99 };
        service.events.list(wanted).0.into_iter().map(|event| event.message).collect()
    }

    #[tokio::test]
    async fn events_and_jobs_are_there_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let first = service(folder.path()).await;
        let keeping = keeper(folder.path(), &first, Permit::default());
        first.events.note(
            Kind::VolumeCreated,
            "volume a",
            "one",
            Who { user: Some("ada".into()), address: None },
        );
        keeping.write(false);
        first.events.note(Kind::VolumeDeleted, "volume a", "two", Who::default());
        let job = first.jobs.check(&first.pool, &first.events, false, Who::default()).unwrap();
        keeping.write(false);
        // The daemon is killed while the job runs.
        let _ = first.pool.close().await;
        drop(keeping);
        let second = service(folder.path()).await;
        let keeping = keeper(folder.path(), &second, Permit::default());
        assert_eq!(messages(&second)[..2], ["one", "two"]);
        let found = second.jobs.get(job.id).unwrap();
        assert!(found.state == JobState::Failed && found.error.unwrap().contains("daemon stopped"));
        second.events.note(Kind::VolumeCreated, "volume b", "three", Who::default());
        let next = second.jobs.check(&second.pool, &second.events, false, Who::default()).unwrap();
        assert!(next.id > job.id);
        while second.jobs.get(next.id).unwrap().state == JobState::Running {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        keeping.write(true);
        second.pool.close().await.unwrap();
        let third = service(folder.path()).await;
        drop(keeper(folder.path(), &third, Permit::default()));
        let found = third.jobs.get(next.id).unwrap();
        assert!(found.state == JobState::Succeeded && matches!(found.result, Some(JobResult::Check(_))));
        let messages = messages(&third);
        assert!(messages.contains(&"three".to_owned()), "{messages:?}");
        assert_eq!(messages.iter().filter(|message| *message == "one").count(), 1);
    }

    #[tokio::test]
    async fn a_node_that_has_lost_the_pool_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let service = service(folder.path()).await;
        let keeping =
            keeper(folder.path(), &service, Permit::asking(|| Err("node b has the pool".to_owned())));
        service.events.note(Kind::VolumeCreated, "volume a", "one", Who::default());
        keeping.write(true);
        assert!(!folder.path().join(crate::disk::FOLDER).exists());
    }
}
