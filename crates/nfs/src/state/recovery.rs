//! The grace period after a restart (RFC 8881 §8.4.2).
//!
//! For every client with a durable record it waits until the client has sent RECLAIM_COMPLETE or has returned
//! as another incarnation. It does not wait for clients that were absent long before the restart, and it ends
//! when its time is over and no client is still reclaiming. Without records there is no grace period. It ends
//! in this order:
//!
//! 1. Reclaims are no longer possible, and new opens and locks are not possible yet.
//! 2. The records of clients that did not return are removed, durably, and those of clients that returned but
//!    have not finished are barred: after another restart they must not reclaim what others were given
//!    meanwhile.
//! 3. Normal operation begins.
//! 4. The pool frees the orphans that no client reclaimed. Until then it frees none.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::client::Client;
use super::protocol::State;
use super::table::Phase;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_service::Clock;

/// A client that reclaims at least this often has not finished.
const RECLAIM_PAUSE_MAX: Duration = Duration::from_secs(2);

pub(super) struct Recovery {
    /// In time of the clock.
    deadline: Duration,
    /// When the last reclaim happened, in milliseconds on the clock.
    reclaimed_ms: AtomicU64,
    /// Held while the grace period is being ended.
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
    /// Returns true until the clients from before the restart have reclaimed their state.
    pub fn in_grace(&self) -> bool {
        self.table().phase != Phase::Normal
    }

    /// Returns true if the client can still reclaim its state from before the restart.
    pub(super) fn is_reclaiming(&self, client: &Client) -> bool {
        let in_grace = self.table().phase == Phase::Grace;
        in_grace && client.may_reclaim() && !client.reclaim_is_complete()
    }

    /// Begins the grace period, or normal operation if no client can reclaim.
    pub(super) async fn begin(&self) -> forebay_pool::Result<()> {
        if self.records.all_back().await {
            // Clients that had been absent for long are not waited for, and can then no longer reclaim.
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

    /// RECLAIM_COMPLETE for all file systems (RFC 8881 §18.51). After the last client's, normal operation has
    /// begun when this returns.
    pub async fn reclaim_complete(&self, client: &Client) -> Result<(), Status> {
        client.set_reclaim_complete()?;
        self.records.settle(client, || ()).await?;
        self.end_grace_if_all_are_back().await
    }

    pub(super) async fn end_grace_if_all_are_back(&self) -> Result<(), Status> {
        if self.in_grace() && self.records.all_back().await { self.end_grace().await } else { Ok(()) }
    }

    /// Ends the grace period if its time is over, or if an earlier attempt to end it failed.
    pub(super) async fn end_grace_if_due(&self) -> Result<(), Status> {
        let due = match self.table().phase {
            Phase::Grace => self.grace_is_over(),
            Phase::Closing => true,
            Phase::Normal => !self.recovery.reaped.load(Ordering::Acquire),
        };
        if due { self.end_grace().await } else { Ok(()) }
    }

    /// Records a reclaim. While clients are reclaiming, the grace period is extended by up to a lease.
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
