//! Jobs: work that goes on after it was answered.

use forebay_service::jobs::JobStatus;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words::words;
use super::{CheckView, time};

words! {
    /// What a job does.
    JobKind for forebay_service::jobs::JobKind {
        /// Recounts everything in the pool.
        PoolCheck = "pool_check",
    }
}

words! {
    /// Where a job stands.
    JobState for forebay_service::jobs::JobState {
        /// Under way.
        Running = "running",
        /// It did what it had to do.
        Succeeded = "succeeded",
        /// It could not.
        Failed = "failed",
        /// Somebody cancelled it.
        Cancelled = "cancelled",
    }
}

words! {
    /// What progress is counted in.
    ProgressUnit for forebay_service::jobs::ProgressUnit {
        /// Chunks whose references are compared.
        Chunks = "chunks",
        /// Bytes that are read and verified.
        Bytes = "bytes",
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
pub struct ProgressView {
    /// What is done.
    pub done: u64,
    /// All there is to do, as far as it is known; 0 before it is.
    pub total: u64,
    /// In what both are counted.
    pub unit: ProgressUnit,
}

/// A job.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    /// Names it: `jobs/{id}`.
    pub id: u64,
    /// What it does.
    pub kind: JobKind,
    /// Where it stands.
    pub state: JobState,
    /// Who began it.
    pub user: String,
    /// How far it is.
    pub progress: ProgressView,
    /// When it began.
    #[schema(format = DateTime)]
    pub started: String,
    /// When it ended.
    #[schema(format = DateTime)]
    pub finished: Option<String>,
    /// What came of it, if it succeeded.
    pub result: Option<CheckView>,
    /// Why it failed, and what to do.
    pub error: Option<String>,
}

impl From<JobStatus> for JobView {
    fn from(job: JobStatus) -> Self {
        JobView {
            id: job.id,
            kind: job.kind.into(),
            state: job.state.into(),
            user: job.user,
            progress: ProgressView { done: job.done, total: job.total, unit: job.unit.into() },
            started: time(job.started),
            finished: job.finished.map(time),
            result: job.result.map(CheckView::from),
            error: job.error,
        }
    }
}
