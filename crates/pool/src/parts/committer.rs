//! Commit groups: one sync of the metadata store for everyone who waits for one.
//!
//! One thread, the committer, runs all jobs that change metadata, one after the other, so each sees what those before
//! it did and none needs a lock against another. A job stages its changes in a transaction, which becomes one
//! batch, visible at once. When the jobs that were waiting have run, one `make_durable` covers them all, and only
//! then are they answered. Jobs that arrive meanwhile make up the next group.
//!
//! After a write or sync has failed nobody knows what the disk holds (the system may have dropped the pages
//! it could not write), so the committer never reports success again: the pool has stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use crate::base::counters::Meters;
use crate::base::queue::{Queue, Waiting};
use crate::store::meta::MetaStore;
use crate::store::witness::Keeper;
use crate::{Error, Result};

/// Jobs that one sync serves at most, so that none waits for ever.
const GROUP_JOBS_MAX: usize = 1024;

/// Tells whether the group became durable.
pub(crate) type Answer = Box<dyn FnOnce(Result<()>) + Send>;
/// Runs a job; `None` if it failed and was answered already.
pub(crate) type Job = Box<dyn FnOnce() -> Option<Answer> + Send>;

/// Why the pool has stopped, once it has.
#[derive(Clone, Default)]
pub(crate) struct Stopped(Arc<OnceLock<String>>);

impl Stopped {
    /// An error if the pool has stopped.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.get().map_or(Ok(()), |cause| Err(Error::Failed(cause.clone())))
    }

    /// Stops the pool; the first cause is kept.
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

/// Whether the group under way has written anything.
pub(crate) type Written = Arc<AtomicBool>;

/// Starts the committer.
pub(crate) fn start(group: Group) -> Result<Committer> {
    Queue::start("pool-commit", move |first, jobs| group.run(first, jobs))
}

/// What a commit group needs.
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

    /// Runs a job and those that wait behind it, makes them durable, and answers.
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
