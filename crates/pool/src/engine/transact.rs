//! Runs transactions as jobs in the committer ([`crate::parts::committer`]), which runs them one after the other.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::parts::committer::Answer;
use crate::{Error, Result};

impl Engine {
    /// Runs `job` in the committer. Returns when the changes that the job staged are durable. If the job fails, returns its
    /// error at once, and nothing is staged.
    pub(crate) async fn transact<T, F>(self: &Arc<Self>, job: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Txn<'_>) -> Result<T> + Send + 'static,
    {
        let (sender, receiver) = oneshot::channel();
        self.submit(job, sender)?;
        receiver.await.map_err(|_| Error::Closed)?
    }

    /// Like [`Engine::transact`], but sends the result to `sender` instead of waiting for it.
    pub(crate) fn submit<T, F>(self: &Arc<Self>, job: F, sender: oneshot::Sender<Result<T>>) -> Result<()>
    where
        T: Send + 'static,
        F: FnOnce(&mut Txn<'_>) -> Result<T> + Send + 'static,
    {
        let engine = self.clone();
        self.committing.committer.submit(Box::new(move || {
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
        }))
    }

    fn apply<T>(&self, job: impl FnOnce(&mut Txn<'_>) -> Result<T>) -> Result<T> {
        self.stopped.check()?;
        let mut txn = Txn::new(self);
        let value = job(&mut txn)?;
        txn.commit()?;
        Ok(value)
    }
}
