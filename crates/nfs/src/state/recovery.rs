//! The grace period after a restart (RFC 8881 §8.4.2).
//!
//! It lasts until every client with a durable record has said RECLAIM_COMPLETE, has come back as another
//! incarnation, was absent long before the restart, or has let the time pass; without records there is none. It ends in this order:
//!
//! 1. nothing can be reclaimed any more, and nothing new be had yet,
//! 2. the records of clients that did not come back are removed, durably: after a further restart they must
//!    not reclaim what others were given meanwhile,
//! 3. normal operation begins,
//! 4. the pool frees the orphans that nobody reclaimed. Until then it frees none.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::State;
use super::client::Client;
use super::table::Phase;
use crate::clock::Clock;
use crate::xdr::Status;

pub(super) struct Recovery {
    /// On the clock.
    deadline: Duration,
    /// Held by whoever ends the grace period.
    ending: tokio::sync::Mutex<()>,
    reaped: AtomicBool,
}

impl Recovery {
    pub fn new(clock: &Clock, grace: Duration) -> Recovery {
        Recovery {
            deadline: clock.now().saturating_add(grace),
            ending: tokio::sync::Mutex::new(()),
            reaped: AtomicBool::new(false),
        }
    }
}

impl State {
    /// True until the clients of before the restart have got back what they had.
    pub fn in_grace(&self) -> bool {
        self.table().phase != Phase::Normal
    }

    /// Begins the grace period, or normal operation if nobody can reclaim.
    pub(super) async fn begin(&self) -> forebay_pool::Result<()> {
        if self.records.all_back().await {
            // Clients that were absent long before are not waited for, and so cannot reclaim any more.
            if !self.records.anyone_absent().await {
                self.table().phase = Phase::Normal;
                return self.reap().await;
            }
            if let Err(status) = self.end_grace().await {
                tracing::error!(
                    ?status,
                    "the grace period cannot end yet: the pool does not take the clients' records"
                );
            }
            return Ok(());
        }
        tracing::info!(until = ?self.recovery.deadline, "grace period: clients reclaim what they had open");
        Ok(())
    }

    /// RECLAIM_COMPLETE of everything (RFC 8881 §18.51). After the last one normal operation has begun when
    /// this returns.
    pub async fn reclaim_complete(&self, client: &Client) -> Result<(), Status> {
        client.set_reclaim_complete()?;
        self.records.complete(client).await;
        self.end_grace_if_all_are_back().await
    }

    pub(super) async fn end_grace_if_all_are_back(&self) -> Result<(), Status> {
        if self.in_grace() && self.records.all_back().await { self.end_grace().await } else { Ok(()) }
    }

    /// Ends the grace period if its time is over, or if ending it failed before.
    pub(super) async fn end_grace_if_due(&self) -> Result<(), Status> {
        let due = match self.table().phase {
            Phase::Grace => self.clock.now() >= self.recovery.deadline,
            Phase::Closing => true,
            Phase::Normal => !self.recovery.reaped.load(Ordering::Acquire),
        };
        if due { self.end_grace().await } else { Ok(()) }
    }

    async fn end_grace(&self) -> Result<(), Status> {
        let _ending = self.recovery.ending.lock().await;
        if self.in_grace() {
            self.table().phase = Phase::Closing;
            self.records.remove_absent().await?;
            self.table().phase = Phase::Normal;
            tracing::info!("grace period over");
        }
        self.reap().await?;
        Ok(())
    }

    async fn reap(&self) -> forebay_pool::Result<()> {
        if !self.recovery.reaped.load(Ordering::Acquire) {
            self.pool.reap_orphans().await?;
            self.recovery.reaped.store(true, Ordering::Release);
        }
        Ok(())
    }
}
