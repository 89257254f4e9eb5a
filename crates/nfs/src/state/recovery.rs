//! The grace period after a restart (RFC 8881 §8.4.2).
//!
//! It lasts until every client with a durable record has said RECLAIM_COMPLETE, has come back as another
//! incarnation, was absent long before the restart, or has let the time pass without reclaiming anything at its end; without records there
//! is none. It ends in this order:
//!
//! 1. nothing can be reclaimed any more, and nothing new be had yet,
//! 2. the records of clients that did not come back are removed, durably, and those of clients that came back but are not done
//!    are barred: after a further restart they must not reclaim what others were given meanwhile,
//! 3. normal operation begins,
//! 4. the pool frees the orphans that nobody reclaimed. Until then it frees none.

use crate::fs::OrStatus;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::State;
use super::client::Client;
use super::table::Phase;
use forebay_nfs_proto::xdr::Status;
use forebay_service::Clock;

/// A client that reclaims at least this often is not done.
const RECLAIM_PAUSE_MAX: Duration = Duration::from_secs(2);

pub(super) struct Recovery {
    /// On the clock.
    deadline: Duration,
    /// When something was reclaimed last, in milliseconds on the clock.
    reclaimed_ms: AtomicU64,
    /// Held by whoever ends the grace period.
    ending: tokio::sync::Mutex<()>,
    reaped: AtomicBool,
}

impl Recovery {
    pub fn new(clock: &Clock, grace: Duration) -> Recovery {
        Recovery {
            deadline: clock.now().saturating_add(grace),
            reclaimed_ms: AtomicU64::new(0),
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

    /// True if the client can still get back what it had before the restart.
    pub(super) fn is_reclaiming(&self, client: &Client) -> bool {
        let in_grace = self.table().phase == Phase::Grace;
        in_grace && client.may_reclaim() && !client.reclaim_is_complete()
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
        self.records.settle(client, || ()).await?;
        self.end_grace_if_all_are_back().await
    }

    pub(super) async fn end_grace_if_all_are_back(&self) -> Result<(), Status> {
        if self.in_grace() && self.records.all_back().await { self.end_grace().await } else { Ok(()) }
    }

    /// Ends the grace period if its time is over, or if ending it failed before.
    pub(super) async fn end_grace_if_due(&self) -> Result<(), Status> {
        let due = match self.table().phase {
            Phase::Grace => self.grace_is_over(),
            Phase::Closing => true,
            Phase::Normal => !self.recovery.reaped.load(Ordering::Acquire),
        };
        if due { self.end_grace().await } else { Ok(()) }
    }

    /// Takes note of a reclaim: as long as clients are at it, the grace period goes on, for up to a lease.
    pub(super) fn note_reclaim(&self) {
        let now_ms = u64::try_from(self.clock.now().as_millis()).unwrap_or(u64::MAX);
        self.recovery.reclaimed_ms.fetch_max(now_ms, Ordering::AcqRel);
    }

    fn grace_is_over(&self) -> bool {
        let (now, deadline) = (self.clock.now(), self.recovery.deadline);
        let reclaimed = Duration::from_millis(self.recovery.reclaimed_ms.load(Ordering::Acquire));
        let someone_is_at_it = now.saturating_sub(reclaimed) < RECLAIM_PAUSE_MAX;
        now >= deadline && (!someone_is_at_it || now >= deadline.saturating_add(self.lease))
    }

    async fn end_grace(&self) -> Result<(), Status> {
        let _ending = self.recovery.ending.lock().await;
        if self.in_grace() {
            self.table().phase = Phase::Closing;
            self.records.close().await?;
            self.table().phase = Phase::Normal;
            tracing::info!("grace period over");
        }
        self.reap().await.or_status()?;
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
