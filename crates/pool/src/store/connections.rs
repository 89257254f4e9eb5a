//! A runtime for the connections of a store to its servers. The pool calls its stores from threads of several kinds, some of which run tasks and
//! must not wait for another task of the same runtime. So the connections have a runtime of their own.

use std::future::Future;
use std::sync::mpsc;

use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

use crate::{Error, Result};

/// See the module.
pub struct Connections(Option<Runtime>);

impl Connections {
    /// Starts the threads, which get this name.
    pub fn start(name: &str, threads: usize) -> Result<Connections> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads.max(1))
            .thread_name(name)
            .enable_all()
            .build()
            .map_err(|source| Error::Io { path: name.into(), action: "start the thread", source })?;
        Ok(Connections(Some(runtime)))
    }

    /// Runs `work` there and waits for it. May be called by any thread that may block.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let Some(runtime) = &self.0 else { return Err(Error::Closed) };
        let (sender, receiver) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            let _ = sender.send(work.await);
        });
        wait_in_place(|| receiver.recv().map_err(|_| Error::Closed)?)
    }

    /// Runs `work` there and does not wait.
    pub fn leave(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.0 {
            runtime.spawn(work);
        }
    }
}

/// Calls `wait`, which blocks. If the calling thread runs tasks, another thread runs them meanwhile.
pub fn wait_in_place<T>(wait: impl FnOnce() -> T) -> T {
    match Handle::try_current() {
        Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
            tokio::task::block_in_place(wait)
        }
        _ => wait(),
    }
}

impl Drop for Connections {
    /// A runtime must not wait for its threads in a task of another one.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
