//! A runtime for the connections. The pool calls its stores from threads of several kinds, some of which run tasks and must not wait for
//! another task of the same runtime. So the connections have a runtime of their own.

use std::future::Future;
use std::sync::mpsc;

use forebay_pool::{Error, Result};
use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};

/// See the module.
pub(crate) struct Connections(Option<Runtime>);

impl Connections {
    pub(crate) fn start() -> Result<Connections> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("pool-database")
            .enable_all()
            .build()
            .map_err(|error| Error::Meta(format!("cannot start a thread for the database: {error}")))?;
        Ok(Connections(Some(runtime)))
    }

    /// Runs `work` there and waits for it. May be called by any thread that may block.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        let Some(runtime) = &self.0 else { return Err(Error::Closed) };
        let (sender, receiver) = mpsc::sync_channel(1);
        runtime.spawn(async move {
            let _ = sender.send(work.await);
        });
        let wait = || receiver.recv().map_err(|_| Error::Closed)?;
        // A thread that runs tasks lets another one run them meanwhile.
        match Handle::try_current() {
            Ok(handle) if handle.runtime_flavor() == RuntimeFlavor::MultiThread => {
                tokio::task::block_in_place(wait)
            }
            _ => wait(),
        }
    }

    /// Runs `work` there and does not wait.
    pub(crate) fn leave(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.0 {
            runtime.spawn(work);
        }
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
