//! The owner's loop: renews the lease until it is lost.

use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{Error, Result};
use tokio::sync::watch;

use crate::lease::{LeaseOptions, Request};
use crate::rows::LeaseStore;
use crate::tenure::{Exchange, Tenure};

/// How often the owner removes the rows of candidates that are gone, in renewals.
const TIDY_EVERY: u64 = 60;

/// See the module.
pub(crate) struct Renewing<S: LeaseStore> {
    store: Arc<S>,
    options: LeaseOptions,
    pub(crate) tenure: Arc<Tenure>,
    pub(crate) asked: watch::Sender<Option<Request>>,
    on_loss: Box<dyn Fn(&str) + Send + Sync>,
}

impl<S: LeaseStore> Renewing<S> {
    /// The tenure begins with the takeover. `on_loss` is called once, with the node that has the pool, if another process takes it.
    pub(crate) fn new(
        store: Arc<S>,
        options: LeaseOptions,
        takeover: Exchange,
        on_loss: impl Fn(&str) + Send + Sync + 'static,
    ) -> Renewing<S> {
        let tenure = Arc::<Tenure>::default();
        tenure.renewed(takeover, options.valid);
        Renewing { store, options, tenure, asked: watch::Sender::new(None), on_loss: Box::new(on_loss) }
    }

    pub(crate) async fn run(self) {
        let mut kept: Option<S::Session> = None;
        let mut ticks = tokio::time::interval(self.options.period);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        for count in 1_u64.. {
            ticks.tick().await;
            // Each has its own time. A candidate may reach the database already while an attempt to connect hangs that began before that.
            let renewed = match tokio::time::timeout(self.options.valid, self.session(&mut kept)).await {
                Ok(Ok(session)) => {
                    tokio::time::timeout(self.options.valid, self.renew(session, &mut kept)).await
                }
                Ok(Err(error)) => Ok(Err(error)),
                Err(slow) => Err(slow),
            };
            match renewed {
                Ok(Ok(None)) if count.is_multiple_of(TIDY_EVERY) => self.tidy(&mut kept).await,
                Ok(Ok(None)) => {}
                Ok(Ok(Some(owner))) => {
                    self.tenure.lose();
                    (self.on_loss)(&owner);
                    return;
                }
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the lease was not renewed; trying again");
                    self.tenure.failed();
                    kept = None;
                }
                Err(_) => {
                    tracing::warn!("the database did not answer; renewing the lease again");
                    self.tenure.failed();
                    kept = None;
                }
            }
        }
    }

    /// A failure delays nothing.
    async fn tidy(&self, kept: &mut Option<S::Session>) {
        let Some(session) = kept else { return };
        let period: Duration = self.options.period;
        if tokio::time::timeout(period, self.store.tidy(session)).await.is_err() {
            *kept = None;
        }
    }

    async fn session(&self, kept: &mut Option<S::Session>) -> Result<S::Session> {
        match kept.take() {
            Some(session) => Ok(session),
            None => self.store.connect_to_renew().await,
        }
    }

    /// Returns the node that has the pool, if that is not this one any more.
    async fn renew(&self, session: S::Session, kept: &mut Option<S::Session>) -> Result<Option<String>> {
        let began = self.store.now();
        if let Some(request) = self.store.renew(&session).await? {
            self.tenure.renewed(self.store.answered(began), self.options.valid);
            self.asked.send_if_modified(|known| std::mem::replace(known, request.clone()) != request);
            *kept = Some(session);
            return Ok(None);
        }
        let seen = self.store.look(&session).await?;
        if seen.instance == self.store.instance() {
            // Released, by this process.
            return Err(Error::Closed);
        }
        Ok(Some(seen.node))
    }
}
