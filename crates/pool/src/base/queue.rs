//! A thread that runs jobs in groups: jobs submitted while it is busy form the next group and share its cost.

use std::sync::Mutex;
use std::thread::JoinHandle;

use tokio::sync::mpsc;

use crate::base::sync;
use crate::{Error, Result};

/// The waiting jobs.
pub(crate) type Waiting<J> = mpsc::UnboundedReceiver<J>;

/// See the module.
pub(crate) struct Queue<J> {
    jobs: Mutex<Option<mpsc::UnboundedSender<J>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl<J: Send + 'static> Queue<J> {
    /// Starts a thread with this name. `run` gets a job, and may take as many of the waiting jobs as it wants.
    pub(crate) fn start(
        name: &'static str,
        mut run: impl FnMut(J, &mut Waiting<J>) + Send + 'static,
    ) -> Result<Queue<J>> {
        let (sender, mut jobs) = mpsc::unbounded_channel();
        let jobs_sender = Mutex::new(Some(sender));
        #[cfg(test)]
        if crate::sim::schedule::is_simulated() {
            tokio::spawn(run_simulated(jobs, run));
            return Ok(Queue { jobs: jobs_sender, thread: Mutex::default() });
        }
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                while let Some(first) = jobs.blocking_recv() {
                    run(first, &mut jobs);
                }
            })
            .map_err(|source| Error::Io { path: name.into(), action: "start the thread", source })?;
        Ok(Queue { jobs: jobs_sender, thread: Mutex::new(Some(thread)) })
    }

    /// Submits a job. Fails with [`Error::Closed`] after [`Queue::stop`].
    pub(crate) fn submit(&self, job: J) -> Result<()> {
        let jobs = sync::lock(&self.jobs);
        jobs.as_ref().ok_or(Error::Closed)?.send(job).map_err(|_| Error::Closed)
    }

    /// Runs the jobs already submitted, then ends the thread.
    pub(crate) fn stop(&self) {
        drop(sync::lock(&self.jobs).take());
        let Some(thread) = sync::lock(&self.thread).take() else { return };
        if thread.thread().id() == std::thread::current().id() {
            return;
        }
        let name = thread.thread().name().unwrap_or_default().to_owned();
        if thread.join().is_err() {
            tracing::error!(name, "a thread of the pool panicked");
        }
    }
}

/// Runs the queue as a task in the simulation, which has no threads.
#[cfg(test)]
async fn run_simulated<J: Send + 'static>(
    mut jobs: Waiting<J>,
    mut run: impl FnMut(J, &mut Waiting<J>) + Send + 'static,
) {
    while let Some(first) = jobs.recv().await {
        let ran = sync::blocking(move || {
            run(first, &mut jobs);
            Ok((jobs, run))
        });
        let Ok(back) = ran.await else { return };
        (jobs, run) = back;
    }
}
