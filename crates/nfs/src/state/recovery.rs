//! The grace period after a restart (RFC 8881 §8.4.2).
//!
//! Every volume has its own. It waits until every client whose durable record names the volume has sent
//! RECLAIM_COMPLETE or has returned as another incarnation. So a client that does not return, because its machine
//! failed together with the server, delays only clients with files in the same volume. It does not wait for clients
//! that were absent long before the restart, and it ends when its time is over and no client is still reclaiming.
//! A volume that no record names has no grace period. It ends in this order:
//!
//! 1. Reclaims in the volume are no longer possible, and new opens and locks are not possible yet.
//! 2. The volume is removed, durably, from the records of clients that did not return. If the time is over, for all
//!    volumes, these records are removed, and those of clients that returned but have not finished are barred: after
//!    another restart they must not reclaim what others were given meanwhile.
//! 3. Normal operation begins in the volume.
//! 4. After the last volume, the pool frees the orphans that no client reclaimed. Until then it frees none.
//!
//! A request that needs normal operation, from a client that has nothing (more) to reclaim, is held for a few
//! seconds and executed when the grace period is over. NFS4ERR_GRACE would make a Linux client wait for longer each
//! time, up to 15 seconds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use forebay_pool::VolumeId;
use tokio::sync::watch;

use super::client::Client;
use super::protocol::State;
use super::table::Phase;
use super::view::GraceView;
use super::volumes::Volumes;
use crate::config::Config;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;

/// A client that reclaims at least this often has not finished.
const RECLAIM_PAUSE_MAX: Duration = Duration::from_secs(2);

/// How many of the clients that have not come back are named.
const MISSING_NAMED_MAX: usize = 16;

pub(super) struct Recovery {
    /// When it began, in time of the clock.
    began: Duration,
    /// In time of the clock, without [`Recovery::extend`].
    deadline: Duration,
    /// Milliseconds by which it is later.
    extended_ms: AtomicU64,
    /// How long a request is held that has to wait for the end of a grace period.
    hold: Duration,
    /// When the last reclaim happened, in milliseconds on the clock.
    reclaimed_ms: AtomicU64,
    /// Held while the grace period is being ended.
    ending: tokio::sync::Mutex<()>,
    reaped: AtomicBool,
    /// Told whenever the grace period of a volume ends; true when nothing is held any more.
    progress: watch::Sender<bool>,
}

impl Recovery {
    pub fn new(config: &Config) -> Recovery {
        let began = config.clock.now();
        Recovery {
            began,
            deadline: began.saturating_add(Duration::from_secs(config.grace_seconds.into())),
            extended_ms: AtomicU64::new(0),
            hold: Duration::from_secs(config.grace_hold_seconds.into()),
            reclaimed_ms: AtomicU64::new(0),
            ending: tokio::sync::Mutex::new(()),
            reaped: AtomicBool::new(false),
            progress: watch::Sender::new(false),
        }
    }

    /// Lets a grace period last longer by a time in which no client could reclaim anything.
    pub(super) fn extend(&self, time: Duration) {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let _ = self
            .extended_ms
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |known| Some(known.saturating_add(ms)));
    }

    fn deadline(&self) -> Duration {
        self.deadline.saturating_add(Duration::from_millis(self.extended_ms.load(Ordering::Acquire)))
    }
}

impl State {
    /// Returns true until the clients from before the restart have reclaimed their state in all volumes.
    pub fn in_grace(&self) -> bool {
        !self.table().grace.is_over()
    }

    /// The grace period, and who has not come back; `None` if it is over.
    pub fn grace(&self) -> Option<GraceView> {
        if !self.in_grace() {
            return None;
        }
        let now = self.clock.now();
        let (missing, missing_count) = match self.records.missing(MISSING_NAMED_MAX) {
            Some((names, count)) => (Some(names), count),
            None => (None, 0),
        };
        let elapsed = now.saturating_sub(self.recovery.began);
        let remaining = self.recovery.deadline().saturating_sub(now);
        Some(GraceView { remaining, elapsed, missing, missing_count })
    }

    /// Returns true if the client can still reclaim its state from before the restart.
    pub(super) fn is_reclaiming(&self, client: &Client) -> bool {
        let takes_reclaims = self.table().grace.takes_reclaims();
        takes_reclaims && client.may_reclaim() && !client.reclaim_is_complete()
    }

    /// Begins the grace period of the volumes in which clients can reclaim, and normal operation in the others.
    pub(super) async fn begin(&self) -> forebay_pool::Result<()> {
        if self.records.all_back().await && !self.records.anyone_absent().await {
            self.table().grace.close_all_but(&Volumes::NONE);
            self.table().grace.closed();
            return self.reap().await;
        }
        // Clients that had been absent for long are not waited for, and can then no longer reclaim.
        if let Err(status) = self.end_grace_where_all_are_back().await {
            tracing::error!(
                ?status,
                "the grace period cannot end yet: the pool does not take the clients' records"
            );
        }
        if self.in_grace() {
            tracing::info!(
                until = ?self.recovery.deadline(),
                "grace period: clients reclaim what they had open"
            );
        }
        Ok(())
    }

    /// RECLAIM_COMPLETE for all file systems (RFC 8881 §18.51). After the last client's of a volume, normal
    /// operation has begun there when this returns.
    pub async fn reclaim_complete(&self, client: &Client) -> Result<(), Status> {
        client.set_reclaim_complete()?;
        self.records.settle(client, || ()).await?;
        self.end_grace_where_all_are_back().await
    }

    pub(super) async fn end_grace_where_all_are_back(&self) -> Result<(), Status> {
        if !self.in_grace() {
            return Ok(());
        }
        if self.records.all_back().await {
            return self.end_grace().await;
        }
        let _ending = self.recovery.ending.lock().await;
        if self.records.narrow(|awaited| self.table().grace.close_all_but(awaited)).await? {
            self.table().grace.closed();
            self.recovery.progress.send_modify(|_| ());
        }
        Ok(())
    }

    /// Ends the grace period if its time is over, or where an earlier attempt to end it failed.
    pub(super) async fn end_grace_if_due(&self) -> Result<(), Status> {
        if !self.in_grace() {
            let reaped = self.recovery.reaped.load(Ordering::Acquire);
            return if reaped { Ok(()) } else { self.end_grace().await };
        }
        let is_due = !self.table().grace.takes_reclaims() || self.grace_is_over();
        if is_due { self.end_grace().await } else { self.end_grace_where_all_are_back().await }
    }

    /// Records a reclaim. While clients are reclaiming, the grace period is extended by up to a lease.
    pub(super) fn note_reclaim(&self) {
        let now_ms = u64::try_from(self.clock.now().as_millis()).unwrap_or(u64::MAX);
        self.recovery.reclaimed_ms.fetch_max(now_ms, Ordering::AcqRel);
    }

    /// Waits for the end of the volume's grace period, for as long as a request may be held, if the client would then get
    /// new state. Returns true if it had to wait.
    pub async fn wait_for_grace(&self, client: &Client, volume: VolumeId) -> bool {
        // If the client itself has not finished, its next requests must not wait behind this one.
        let must_wait = || self.table().grace.of(volume) != Phase::Normal && client.reclaim_is_complete();
        if !must_wait() {
            return false;
        }
        let mut progress = self.recovery.progress.subscribe();
        let over = progress.wait_for(|lifted| *lifted || !must_wait());
        tokio::select! {
            _ = over => {}
            () = self.clock.sleep_until(self.clock.now().saturating_add(self.recovery.hold)) => {}
        }
        true
    }

    /// Holds no request any more, because the server stops.
    pub fn lift_holds(&self) {
        self.recovery.progress.send_replace(true);
    }

    fn grace_is_over(&self) -> bool {
        let (now, deadline) = (self.clock.now(), self.recovery.deadline());
        let reclaimed = Duration::from_millis(self.recovery.reclaimed_ms.load(Ordering::Acquire));
        let someone_is_at_it = now.saturating_sub(reclaimed) < RECLAIM_PAUSE_MAX;
        now >= deadline && (!someone_is_at_it || now >= deadline.saturating_add(self.lease))
    }

    async fn end_grace(&self) -> Result<(), Status> {
        let _ending = self.recovery.ending.lock().await;
        if self.in_grace() {
            self.table().grace.close_all_but(&Volumes::NONE);
            self.records.close().await?;
            self.table().grace.closed();
            self.recovery.progress.send_modify(|_| ());
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
