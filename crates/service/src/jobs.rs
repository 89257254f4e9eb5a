//! Jobs: work that continues after its request was answered.
//!
//! When the daemon stops, its jobs end. The last [`JOBS_KEPT`] jobs are kept, and the [`keeper`](crate::keeper) writes them to disk.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use forebay_pool::{BackupOptions, BackupReport, BackupWatch, CheckReport, CheckWatch, Pool};
use serde::{Deserialize, Serialize};
use tracing::Instrument;

use crate::error::{Error, Result};
use crate::events::{Events, Kind, Who};

/// The number of ended jobs that are kept.
pub const JOBS_KEPT: usize = 100;

/// The kind of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Counts everything in the pool again.
    PoolCheck,
    /// Makes a backup of the pool.
    PoolBackup,
}

/// The result of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobResult {
    /// Of a check.
    Check(CheckReport),
    /// Of a backup.
    Backup(BackupReport),
}

/// The progress of a job while it runs, and a way to cancel it.
#[derive(Clone)]
enum Watch {
    Check(Arc<CheckWatch>),
    Backup(Arc<BackupWatch>),
}

impl Watch {
    fn cancel(&self) {
        match self {
            Watch::Check(watch) => watch.cancel(),
            Watch::Backup(watch) => watch.cancel(),
        }
    }

    /// What is done, and all there is to do.
    fn progress(&self, unit: ProgressUnit) -> (u64, u64) {
        match (self, unit) {
            (Watch::Check(watch), ProgressUnit::Chunks) => watch.chunks(),
            (Watch::Check(watch), ProgressUnit::Bytes) => watch.bytes(),
            (Watch::Backup(watch), _) => watch.bytes(),
        }
    }
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It is running.
    Running,
    /// It did its work.
    Succeeded,
    /// It could not do its work.
    Failed,
    /// A user cancelled it.
    Cancelled,
}

/// The unit of a job's progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressUnit {
    /// Chunks whose references are compared.
    Chunks,
    /// Bytes that are read and verified.
    Bytes,
}

/// A job as it is at one moment.
#[derive(Clone, Debug)]
pub struct JobStatus {
    /// The job's number.
    pub id: u64,
    /// The kind of the job.
    pub kind: JobKind,
    /// Where it stands.
    pub state: JobState,
    /// The user who started it.
    pub user: String,
    /// What is done, in `unit`.
    pub done: u64,
    /// All there is to do, as far as it is known; 0 before it is.
    pub total: u64,
    /// The unit of `done` and `total`.
    pub unit: ProgressUnit,
    /// When it started.
    pub started: SystemTime,
    /// When it ended.
    pub finished: Option<SystemTime>,
    /// Its result, if it succeeded.
    pub result: Option<JobResult>,
    /// The reason for the failure, and the remedy.
    pub error: Option<String>,
}

/// All jobs of the daemon.
#[derive(Default)]
pub struct Jobs(Mutex<Known>);

#[derive(Default)]
struct Known {
    last: u64,
    /// Increases with every change but progress.
    changes: u64,
    jobs: BTreeMap<u64, Job>,
}

struct Job {
    kind: JobKind,
    state: JobState,
    user: String,
    unit: ProgressUnit,
    watch: Watch,
    /// The progress of a job of an earlier run.
    earlier: Option<(u64, u64)>,
    started: SystemTime,
    finished: Option<SystemTime>,
    result: Option<JobResult>,
    error: Option<String>,
}

impl Jobs {
    /// The number of changes so far, and all known jobs.
    pub fn changes(&self) -> (u64, Vec<JobStatus>) {
        let known = self.known();
        (known.changes, known.jobs.iter().map(|(id, job)| job.status(*id)).collect())
    }

    /// Adds the jobs of earlier runs. Those that ran have failed: they ended with the daemon.
    pub fn restore(&self, earlier: Vec<JobStatus>) {
        let mut known = self.known();
        for mut status in earlier {
            if status.state == JobState::Running {
                status.state = JobState::Failed;
                status.error = Some("the daemon stopped before the job was done; start it again".to_owned());
            }
            known.last = known.last.max(status.id);
            known.jobs.entry(status.id).or_insert(Job {
                kind: status.kind,
                state: status.state,
                user: status.user,
                unit: status.unit,
                watch: Watch::Check(Arc::default()),
                earlier: Some((status.done, status.total)),
                started: status.started,
                finished: status.finished,
                result: status.result,
                error: status.error,
            });
        }
        known.trim();
    }

    /// Starts a check of the pool. Only one runs at a time.
    pub fn check(
        self: &Arc<Self>,
        pool: &Pool,
        events: &Arc<Events>,
        read: bool,
        who: Who,
    ) -> Result<JobStatus> {
        let watch = Arc::new(CheckWatch::default());
        let unit = if read { ProgressUnit::Bytes } else { ProgressUnit::Chunks };
        let status = self.begin(JobKind::PoolCheck, unit, Watch::Check(watch.clone()), &who)?;
        let id = status.id;
        let reads = if read { " and reads all data" } else { "" };
        events.note(Kind::JobStarted, format!("job {id}"), format!("checks the pool{reads}"), who);
        let (jobs, pool, events) = (self.clone(), pool.clone(), events.clone());
        let work = async move {
            let checked = pool.check_watched(read, watch).await;
            jobs.end(id, &events, checked.map(JobResult::Check));
        };
        // Its log lines carry the id of the request that started it.
        tokio::spawn(work.in_current_span());
        Ok(status)
    }

    /// Starts a backup of the pool into a directory. Only one is made at a time. `done` gets the outcome before the job has ended.
    pub fn backup<F, D>(
        self: &Arc<Self>,
        pool: &Pool,
        events: &Arc<Events>,
        (directory, options): (PathBuf, BackupOptions),
        who: Who,
        done: F,
    ) -> Result<JobStatus>
    where
        F: FnOnce(forebay_pool::Result<BackupReport>) -> D + Send + 'static,
        D: Future<Output = forebay_pool::Result<BackupReport>> + Send,
    {
        let watch = Arc::new(BackupWatch::default());
        let kind = JobKind::PoolBackup;
        let status = self.begin(kind, ProgressUnit::Bytes, Watch::Backup(watch.clone()), &who)?;
        let id = status.id;
        let message = format!("backs up the pool into {}", directory.display());
        events.note(Kind::JobStarted, format!("job {id}"), message, who);
        let (jobs, pool, events) = (self.clone(), pool.clone(), events.clone());
        let work = async move {
            let outcome = done(pool.backup(&directory, options, watch).await).await;
            jobs.end(id, &events, outcome.map(JobResult::Backup));
        };
        tokio::spawn(work.in_current_span());
        Ok(status)
    }

    /// Adds a job, unless one of its kind is running.
    fn begin(&self, kind: JobKind, unit: ProgressUnit, watch: Watch, who: &Who) -> Result<JobStatus> {
        let mut known = self.known();
        let running = |job: &Job| job.state == JobState::Running && job.kind == kind;
        if let Some((id, _)) = known.jobs.iter().find(|(_, job)| running(job)) {
            return Err(Error::JobRunning(*id));
        }
        let (_, status) = known.add(Job {
            kind,
            state: JobState::Running,
            user: who.user.clone().unwrap_or_default(),
            unit,
            watch,
            earlier: None,
            started: SystemTime::now(),
            finished: None,
            result: None,
            error: None,
        });
        Ok(status)
    }

    /// One job.
    pub fn get(&self, id: u64) -> Result<JobStatus> {
        self.known().jobs.get(&id).map(|job| job.status(id)).ok_or(Error::JobNotFound(id))
    }

    /// All known jobs, oldest first.
    pub fn list(&self) -> Vec<JobStatus> {
        self.known().jobs.iter().map(|(id, job)| job.status(*id)).collect()
    }

    /// Asks a job to stop.
    pub fn cancel(&self, id: u64) -> Result<JobStatus> {
        let known = self.known();
        let job = known.jobs.get(&id).ok_or(Error::JobNotFound(id))?;
        if job.state != JobState::Running {
            return Err(Error::JobEnded(id));
        }
        job.watch.cancel();
        Ok(job.status(id))
    }

    /// Asks all jobs to stop, because the daemon stops.
    pub fn cancel_all(&self) {
        self.known().jobs.values().for_each(|job| job.watch.cancel());
    }

    fn end(&self, id: u64, events: &Events, outcome: forebay_pool::Result<JobResult>) {
        let what = match self.get(id).map(|job| job.kind) {
            Ok(JobKind::PoolBackup) => "backup",
            Ok(JobKind::PoolCheck) | Err(_) => "check",
        };
        let (kind, message) = match &outcome {
            Ok(JobResult::Check(report)) if report.differences_count > 0 => {
                let count = report.differences_count;
                (Kind::CheckFoundDifferences, format!("the pool is not consistent: {count} differences"))
            }
            Ok(JobResult::Check(_)) => (Kind::JobSucceeded, "the pool is consistent".to_owned()),
            Ok(JobResult::Backup(report)) if report.backup.damaged > 0 => {
                let (name, damaged) = (&report.backup.name, report.backup.damaged);
                let message =
                    format!("backup {name} finished, with {damaged} frames that are damaged in the pool");
                (Kind::BackupHasDamage, message)
            }
            Ok(JobResult::Backup(report)) => {
                (Kind::JobSucceeded, format!("backup {} finished and verified", report.backup.name))
            }
            Err(forebay_pool::Error::Cancelled) => (Kind::JobCancelled, format!("the {what} was cancelled")),
            Err(error) => (Kind::JobFailed, format!("the {what} failed: {error}")),
        };
        let mut known = self.known();
        known.changes = known.changes.saturating_add(1);
        if let Some(job) = known.jobs.get_mut(&id) {
            job.finished = Some(SystemTime::now());
            (job.state, job.result, job.error) = match outcome {
                Ok(report) => (JobState::Succeeded, Some(report), None),
                Err(forebay_pool::Error::Cancelled) => (JobState::Cancelled, None, None),
                Err(_) => (JobState::Failed, None, Some(message.clone())),
            };
        }
        drop(known);
        events.note(kind, format!("job {id}"), message, Who::default());
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn add(&mut self, job: Job) -> (u64, JobStatus) {
        self.last = self.last.saturating_add(1);
        let id = self.last;
        let status = job.status(id);
        self.jobs.insert(id, job);
        self.changes = self.changes.saturating_add(1);
        self.trim();
        (id, status)
    }

    /// Forgets the oldest jobs that ended.
    fn trim(&mut self) {
        while self.jobs.len() > JOBS_KEPT {
            let ended = self.jobs.iter().find(|(_, job)| job.state != JobState::Running).map(|(id, _)| *id);
            match ended {
                Some(ended) => self.jobs.remove(&ended),
                None => break,
            };
        }
    }
}

impl Job {
    fn status(&self, id: u64) -> JobStatus {
        let (done, total) = self.earlier.unwrap_or_else(|| self.watch.progress(self.unit));
        JobStatus {
            id,
            kind: self.kind,
            state: self.state,
            user: self.user.clone(),
            done,
            total,
            unit: self.unit,
            started: self.started,
            finished: self.finished,
            result: self.result.clone(),
            error: self.error.clone(),
        }
    }
}
