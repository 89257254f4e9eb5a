//! Work that goes on after it was answered: what is under way, and what came of what was.
//!
//! Jobs are in memory only: with the daemon they end, and are forgotten. The last [`JOBS_KEPT`] that ended are kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use forebay_pool::{CheckWatch, Error, Pool};
use tracing::Instrument;

use crate::caller::Caller;
use crate::error::{ApiError, Code, Result};
use crate::events::{Events, Kind, Who};
use crate::views::{self, CheckView, JobKind, JobState, JobView, ProgressUnit, ProgressView};

/// Jobs that ended and are kept.
pub const JOBS_KEPT: usize = 100;

/// All jobs of the daemon.
#[derive(Default)]
pub struct Jobs(Mutex<Known>);

#[derive(Default)]
struct Known {
    last: u64,
    jobs: BTreeMap<u64, Job>,
}

struct Job {
    kind: JobKind,
    state: JobState,
    user: String,
    unit: ProgressUnit,
    watch: Arc<CheckWatch>,
    started: SystemTime,
    finished: Option<SystemTime>,
    result: Option<CheckView>,
    error: Option<String>,
}

impl Jobs {
    /// Begins a check of the pool. There is one at a time.
    pub fn check(
        self: &Arc<Self>,
        pool: &Pool,
        events: &Arc<Events>,
        read: bool,
        caller: &Caller,
    ) -> Result<JobView> {
        let watch = Arc::new(CheckWatch::default());
        let (id, view) = {
            let mut known = self.known();
            if let Some((id, _)) = known.jobs.iter().find(|(_, job)| job.state == JobState::Running) {
                let sentence = format!("job {id}: a check is under way; wait for it, or cancel it");
                return Err(ApiError::new(Code::JobRunning, sentence));
            }
            known.add(Job {
                kind: JobKind::PoolCheck,
                state: JobState::Running,
                user: caller.user.clone(),
                unit: if read { ProgressUnit::Bytes } else { ProgressUnit::Chunks },
                watch: watch.clone(),
                started: SystemTime::now(),
                finished: None,
                result: None,
                error: None,
            })
        };
        let reads = if read { ", and reads all data" } else { "" };
        events.note(Kind::JobStarted, format!("job {id}"), format!("checks the pool{reads}"), caller.who());
        let (jobs, pool, events) = (self.clone(), pool.clone(), events.clone());
        let work = async move {
            let checked = pool.check_watched(read, watch).await;
            jobs.end(id, &events, checked.map(CheckView::from));
        };
        // What is logged of it has the id of the request that asked for it.
        tokio::spawn(work.in_current_span());
        Ok(view)
    }

    /// One job.
    pub fn get(&self, id: u64) -> Result<JobView> {
        self.known().jobs.get(&id).map(|job| job.view(id)).ok_or_else(|| unknown(id))
    }

    /// All jobs that are known, the oldest first.
    pub fn list(&self) -> Vec<JobView> {
        self.known().jobs.iter().map(|(id, job)| job.view(*id)).collect()
    }

    /// Asks a job to end.
    pub fn cancel(&self, id: u64) -> Result<JobView> {
        let known = self.known();
        let job = known.jobs.get(&id).ok_or_else(|| unknown(id))?;
        if job.state != JobState::Running {
            return Err(ApiError::new(
                Code::JobEnded,
                format!("job {id}: has ended; nothing is left to cancel"),
            ));
        }
        job.watch.cancel();
        Ok(job.view(id))
    }

    /// Asks all jobs to end, as the daemon does.
    pub fn cancel_all(&self) {
        self.known().jobs.values().for_each(|job| job.watch.cancel());
    }

    fn end(&self, id: u64, events: &Events, outcome: std::result::Result<CheckView, Error>) {
        let (kind, message) = match &outcome {
            Ok(report) if report.differences_count > 0 => {
                let count = report.differences_count;
                (Kind::CheckFoundDifferences, format!("the pool is not consistent: {count} differences"))
            }
            Ok(_) => (Kind::JobSucceeded, "the pool is consistent".to_owned()),
            Err(Error::Cancelled) => (Kind::JobCancelled, "the check was cancelled".to_owned()),
            Err(error) => (Kind::JobFailed, format!("the pool cannot be checked: {error}")),
        };
        let mut known = self.known();
        if let Some(job) = known.jobs.get_mut(&id) {
            job.finished = Some(SystemTime::now());
            (job.state, job.result, job.error) = match outcome {
                Ok(report) => (JobState::Succeeded, Some(report), None),
                Err(Error::Cancelled) => (JobState::Cancelled, None, None),
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
    fn add(&mut self, job: Job) -> (u64, JobView) {
        self.last = self.last.saturating_add(1);
        let id = self.last;
        let view = job.view(id);
        self.jobs.insert(id, job);
        while self.jobs.len() > JOBS_KEPT {
            let ended = self.jobs.iter().find(|(_, job)| job.state != JobState::Running).map(|(id, _)| *id);
            match ended {
                Some(ended) => self.jobs.remove(&ended),
                None => break,
            };
        }
        (id, view)
    }
}

impl Job {
    fn view(&self, id: u64) -> JobView {
        let (chunks, bytes) = (self.watch.chunks(), self.watch.bytes());
        let (done, total) = if self.unit == ProgressUnit::Bytes { bytes } else { chunks };
        JobView {
            id,
            kind: self.kind,
            state: self.state,
            user: self.user.clone(),
            progress: ProgressView { done, total, unit: self.unit },
            started: views::time(self.started),
            finished: self.finished.map(views::time),
            result: self.result.clone(),
            error: self.error.clone(),
        }
    }
}

fn unknown(id: u64) -> ApiError {
    ApiError::new(
        Code::JobNotFound,
        format!("job {id}: not found; the last {JOBS_KEPT} are kept until the daemon ends"),
    )
}
