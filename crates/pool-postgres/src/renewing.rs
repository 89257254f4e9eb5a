//! The owner's loop: renews the lease until it is lost.

use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{Error, Result};
use tokio::sync::watch;

use crate::lease::{LeaseOptions, Request};
use crate::rows::{LeaseStore, Renewed};
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
        let mut counter = Counter::default();
        let mut ticks = tokio::time::interval(self.options.period);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        for count in 1_u64.. {
            ticks.tick().await;
            // Each has its own time. A candidate may reach the database already while an attempt to connect hangs that began before that.
            let renewed = match tokio::time::timeout(self.options.valid, self.session(&mut kept)).await {
                Ok(Ok(session)) => {
                    let renewal = self.renew(session, &mut kept, &mut counter);
                    tokio::time::timeout(self.options.valid, renewal).await
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
    async fn renew(
        &self,
        session: S::Session,
        kept: &mut Option<S::Session>,
        counter: &mut Counter,
    ) -> Result<Option<String>> {
        let began = self.store.now();
        counter.send();
        if let Some(Renewed { renewals, node, request }) = self.store.renew(&session).await? {
            if !counter.is_own(renewals) {
                tracing::error!(
                    "a copy of this process renews the lease as well, or it was set back in time: its machine was cloned or restored \
                     with its memory; the lease counts as lost"
                );
                return Ok(Some(node));
            }
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

/// The owner's view of the lease's counter, which each renewal raises by one. A copy of the process has the same name, so only the counter reveals
/// its renewals.
#[derive(Debug, Default)]
struct Counter {
    /// The counter in the last answer.
    last: Option<i64>,
    /// Renewals that were sent and are not known to be counted. Each may be carried out late.
    sent: i64,
}

impl Counter {
    fn send(&mut self) {
        self.sent += 1;
    }

    /// A renewal was answered. Returns whether the counter was raised by this process only. A database that was set back has counted less, and is no
    /// reason to lose the lease.
    fn is_own(&mut self, renewals: i64) -> bool {
        let raised = self.last.map_or(1, |last| renewals.saturating_sub(last));
        let is_own = raised <= self.sent;
        self.last = Some(renewals);
        self.sent = (self.sent - raised.max(1)).max(0);
        is_own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends `sent` renewals. The last one is answered with `renewals`.
    fn answered(counter: &mut Counter, sent: u32, renewals: i64) -> bool {
        (0..sent).for_each(|_| counter.send());
        counter.is_own(renewals)
    }

    #[test]
    fn renewals_whose_answers_were_lost_are_the_owners_however_late_they_are_carried_out() {
        let mut counter = Counter::default();
        assert!(answered(&mut counter, 1, 7));
        assert!(answered(&mut counter, 1, 8));
        assert!(answered(&mut counter, 3, 11), "all were carried out");
        assert!(answered(&mut counter, 3, 12), "two were not");
        assert!(answered(&mut counter, 1, 15), "they were carried out late");
        assert!(answered(&mut counter, 1, 10), "the database has lost some");
        assert!(answered(&mut counter, 1, 11));
    }

    #[test]
    fn renewals_by_a_copy_of_the_process_are_noticed() {
        let mut counter = Counter::default();
        assert!(answered(&mut counter, 1, 7));
        assert!(!answered(&mut counter, 1, 9));
        let mut restored = Counter { last: Some(7), sent: 1 };
        assert!(!answered(&mut restored, 1, 500));
    }
}
