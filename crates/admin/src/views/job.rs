//! Background jobs.

use forebay_service::jobs::{JobResult, JobStatus};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::backup::BackupView;
use super::fields::time;
use super::pool::CheckView;
use super::words::words;

words! {
    /// The kind of a job.
    JobKind for forebay_service::jobs::JobKind {
        /// Recounts everything in the pool.
        PoolCheck = "pool_check",
        /// Backs up the pool.
        PoolBackup = "pool_backup",
    }
}

words! {
    /// The state of a job.
    JobState for forebay_service::jobs::JobState {
        /// The job is running.
        Running = "running",
        /// The job finished successfully.
        Succeeded = "succeeded",
        /// The job failed.
        Failed = "failed",
        /// The job was cancelled.
        Cancelled = "cancelled",
    }
}

words! {
    /// The unit of a job's progress.
    ProgressUnit for forebay_service::jobs::ProgressUnit {
        /// Chunks whose references are compared.
        Chunks = "chunks",
        /// Bytes that are read and verified.
        Bytes = "bytes",
    }
}

/// The progress of a job.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProgressView {
    /// The work that is done.
    pub done: u64,
    /// The total work as far as it is known; 0 until then.
    pub total: u64,
    /// The unit of both numbers.
    pub unit: ProgressUnit,
}

/// A background job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    /// The job's id, as in `jobs/{id}`.
    pub id: u64,
    /// The kind of the job.
    pub kind: JobKind,
    /// The job's state.
    pub state: JobState,
    /// The user who started it.
    pub user: String,
    /// The job's progress.
    pub progress: ProgressView,
    /// When it started.
    #[schema(format = DateTime)]
    pub started: String,
    /// When it ended.
    #[schema(format = DateTime)]
    pub finished: Option<String>,
    /// The result of a check, if it succeeded.
    pub result: Option<CheckView>,
    /// The backup that was made.
    pub backup: Option<BackupView>,
    /// The reason for the failure, and the remedy.
    pub error: Option<String>,
}

impl From<JobStatus> for JobView {
    fn from(job: JobStatus) -> Self {
        let (result, backup) = match job.result {
            Some(JobResult::Check(report)) => (Some(report.into()), None),
            Some(JobResult::Backup(report)) => (None, Some(report.backup.into())),
            None => (None, None),
        };
        JobView {
            id: job.id,
            kind: job.kind.into(),
            state: job.state.into(),
            user: job.user,
            progress: ProgressView { done: job.done, total: job.total, unit: job.unit.into() },
            started: time(job.started),
            finished: job.finished.map(time),
            result,
            backup,
            error: job.error,
        }
    }
}
