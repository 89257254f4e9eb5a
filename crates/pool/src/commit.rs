//! Commit groups: one sync of the metadata store for everyone who waits for one.
//!
//! One thread, the committer, runs all jobs that change metadata, one after the other, so each sees what those before
//! it did and none needs a lock against another. A job stages its changes in a [`Txn`], which become one
//! batch, visible at once. When the jobs that were waiting have run, one `make_durable` covers them all, and only
//! then are they answered. Jobs that arrive meanwhile make up the next group.
//!
//! After a write or sync has failed nobody knows what the disk holds (the system may have dropped the pages
//! it could not write), so the committer never reports success again: the pool has stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use tokio::sync::{mpsc, oneshot};

use crate::engine::Engine;
use crate::meta::MetaStore;
use crate::txn::Txn;
use crate::{Error, Result, sync};

/// Jobs that one sync serves at most, so that none waits for ever.
const GROUP_JOBS_MAX: usize = 1024;

/// Tells whether the group became durable.
type Answer = Box<dyn FnOnce(Result<()>) + Send>;
/// Runs a job; `None` if it failed and was answered already.
type Job = Box<dyn FnOnce() -> Option<Answer> + Send>;

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

/// See the module.
pub(crate) struct Committer {
    jobs: Mutex<Option<mpsc::UnboundedSender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// Whether the group under way has written anything.
pub(crate) type Written = Arc<AtomicBool>;

impl Committer {
    /// Starts the thread.
    pub(crate) fn start(meta: Arc<dyn MetaStore>, stopped: Stopped, written: Written) -> Result<Committer> {
        let (sender, mut jobs) = mpsc::unbounded_channel();
        let group = Group { meta, stopped, written };
        #[cfg(test)]
        if crate::sim::schedule::is_simulated() {
            tokio::spawn(run_simulated(jobs, group));
            return Ok(Committer { jobs: Mutex::new(Some(sender)), thread: Mutex::default() });
        }
        let thread = std::thread::Builder::new()
            .name("pool-commit".into())
            .spawn(move || {
                while let Some(first) = jobs.blocking_recv() {
                    group.run(first, &mut jobs);
                }
            })
            .map_err(|source| Error::Io {
                path: "pool-commit".into(),
                action: "start the commit thread",
                source,
            })?;
        Ok(Committer { jobs: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    fn submit(&self, job: Job) -> Result<()> {
        let jobs = sync::lock(&self.jobs);
        jobs.as_ref().ok_or(Error::Closed)?.send(job).map_err(|_| Error::Closed)
    }

    /// Runs what was submitted, then ends the thread.
    pub(crate) fn stop(&self) {
        drop(sync::lock(&self.jobs).take());
        let Some(thread) = sync::lock(&self.thread).take() else { return };
        if thread.thread().id() != std::thread::current().id() && thread.join().is_err() {
            tracing::error!("the commit thread panicked");
        }
    }
}

/// What a commit group needs.
struct Group {
    meta: Arc<dyn MetaStore>,
    stopped: Stopped,
    written: Written,
}

impl Group {
    /// Runs a job and those that wait behind it, makes them durable, and answers.
    fn run(&self, first: Job, jobs: &mut mpsc::UnboundedReceiver<Job>) {
        let mut answers: Vec<Answer> = first().into_iter().collect();
        for _ in 1..GROUP_JOBS_MAX {
            let Ok(job) = jobs.try_recv() else { break };
            answers.extend(job());
        }
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
        self.meta.make_durable().or_else(|error| {
            self.stopped.stop(&error);
            self.stopped.check()
        })
    }
}

/// The committer as a task, for the simulation: there are no threads in it.
#[cfg(test)]
async fn run_simulated(mut jobs: mpsc::UnboundedReceiver<Job>, group: Group) {
    let group = Arc::new(group);
    while let Some(first) = jobs.recv().await {
        let group = group.clone();
        let ran = sync::blocking(move || {
            group.run(first, &mut jobs);
            Ok(jobs)
        });
        let Ok(back) = ran.await else { return };
        jobs = back;
    }
}

impl Engine {
    /// Runs `job` in the committer. Returns when what it staged is durable, or its error at once, with nothing
    /// staged.
    pub(crate) async fn transact<T, F>(self: &Arc<Self>, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Txn<'_>) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        let engine = self.clone();
        self.committer.submit(Box::new(move || {
            let done = engine.apply(job);
            drop(engine);
            match done {
                Ok(value) => Some(Box::new(move |durable: Result<()>| {
                    let _ = sender.send(durable.map(|()| value));
                }) as Answer),
                Err(error) => {
                    let _ = sender.send(Err(error));
                    None
                }
            }
        }))?;
        receiver.await.map_err(|_| Error::Closed)?
    }

    fn apply<T>(&self, job: impl FnOnce(&mut Txn<'_>) -> Result<T>) -> Result<T> {
        self.stopped.check()?;
        let mut txn = Txn::new(self);
        let value = job(&mut txn)?;
        txn.commit()?;
        Ok(value)
    }
}
