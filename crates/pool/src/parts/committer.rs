//! Commit groups: one sync of the metadata store for all jobs that wait for one.
//!
//! One thread, the committer, runs all jobs that change metadata, one after another. Each job sees the changes of the
//! jobs before it, and no job needs a lock against another. A job stages its changes in a transaction, which becomes
//! one batch and is visible at once. After the waiting jobs have run, one `make_durable` covers them all. Only then
//! does the committer answer them. Jobs that arrive in the meantime form the next group.
//!
//! After a write or sync has failed, the contents of the disk are unknown: the operating system may have dropped the
//! pages that it could not write. The committer then never reports success again, and the pool has stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use crate::base::counters::Meters;
use crate::base::queue::{Queue, Waiting};
use crate::store::meta::MetaStore;
use crate::store::witness::Keeper;
use crate::{Error, Result};

/// The maximum number of jobs that share one sync, so that no job waits forever.
const GROUP_JOBS_MAX: usize = 1024;

/// Receives whether the group became durable.
pub(crate) type Answer = Box<dyn FnOnce(Result<()>) + Send>;
/// Runs a job. Returns `None` if the job failed and has already been answered.
pub(crate) type Job = Box<dyn FnOnce() -> Option<Answer> + Send>;

/// The reason why the pool has stopped, if it has.
#[derive(Clone, Default)]
pub(crate) struct Stopped(Arc<OnceLock<String>>);

impl Stopped {
    /// Returns an error if the pool has stopped.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.get().map_or(Ok(()), |cause| Err(Error::Failed(cause.clone())))
    }

    /// Stops the pool. Only the first cause is kept.
    pub(crate) fn stop(&self, cause: &Error) {
        let cause = match cause {
            Error::Failed(cause) => cause.clone(),
            other => other.to_string(),
        };
        tracing::error!(cause, "the pool has stopped: stable storage failed; check the disk, then restart");
        let _ = self.0.set(cause);
    }
}

/// The committer's thread.
pub(crate) type Committer = Queue<Job>;

/// Whether the current group has written anything.
pub(crate) type Written = Arc<AtomicBool>;

/// Starts the committer.
pub(crate) fn start(group: Group) -> Result<Committer> {
    Queue::start("pool-commit", move |first, jobs| group.run(first, jobs))
}

/// Everything that a commit group needs.
pub(crate) struct Group {
    meta: Arc<dyn MetaStore>,
    stopped: Stopped,
    written: Written,
    meters: Arc<Meters>,
    keeper: Keeper,
}

impl Group {
    pub(crate) fn new(
        meta: Arc<dyn MetaStore>,
        stopped: Stopped,
        written: Written,
        meters: Arc<Meters>,
        keeper: Keeper,
    ) -> Group {
        Group { meta, stopped, written, meters, keeper }
    }

    /// Runs a job and the jobs that wait behind it, makes their changes durable, and answers them.
    fn run(&self, first: Job, jobs: &mut Waiting<Job>) {
        let mut answers: Vec<Answer> = first().into_iter().collect();
        let mut count = 1;
        for _ in 1..GROUP_JOBS_MAX {
            let Ok(job) = jobs.try_recv() else { break };
            answers.extend(job());
            count += 1;
        }
        self.meters.commit_groups.add(1);
        self.meters.commit_jobs.add(count);
        let durable = self.make_durable().is_ok();
        for answer in answers {
            answer(if durable { Ok(()) } else { self.stopped.check() });
        }
    }

    fn make_durable(&self) -> Result<()> {
        self.stopped.check()?;
        if !self.written.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        let began = Instant::now();
        let durable = self.meta.make_durable();
        self.meters.metadata_syncs.record(began.elapsed());
        durable.inspect(|()| self.keeper.note()).or_else(|error| {
            self.stopped.stop(&error);
            self.stopped.check()
        })
    }
}
