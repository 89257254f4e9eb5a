//! Leases of silent clients (RFC 8881 §8.3, §9.5): eviction when another client wants their state, or when
//! the courtesy ends (`courtesy`).
//!
//! A server whose process or machine was suspended could not receive requests. It detects this by the time
//! since its last check of the leases, and restarts all leases before it evicts a client. It does the same after it held its answers
//! ([`forebay_net::Answers`]): no client could make progress. A grace period becomes longer by that time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use forebay_net::Answers;

use super::protocol::State;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::ClientId;
use forebay_service::Clock;

/// A longer time since the last check means that the server was suspended.
const HALT_MIN: Duration = Duration::from_secs(10);

/// The time of the last check of the leases.
pub(super) struct LastSweep {
    clock: Clock,
    answers: Answers,
    /// Whether answers were held at that time.
    held: AtomicBool,
    /// Milliseconds on the clock.
    at_ms: AtomicU64,
    /// When [`LastSweep::is_lease_over`] last said so.
    lease_over_ms: AtomicU64,
}

impl LastSweep {
    pub fn new(clock: Clock, answers: Answers) -> LastSweep {
        let (at_ms, lease_over_ms) = (AtomicU64::new(0), AtomicU64::new(0));
        let sweep = LastSweep { clock, answers, held: AtomicBool::new(false), at_ms, lease_over_ms };
        sweep.mark(false);
        sweep
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.now().as_millis()).unwrap_or(u64::MAX)
    }

    fn mark(&self, held: bool) {
        self.held.store(held, Ordering::Release);
        self.at_ms.store(self.now_ms(), Ordering::Release);
    }

    fn ago(&self) -> Duration {
        Duration::from_millis(self.now_ms().saturating_sub(self.at_ms.load(Ordering::Acquire)))
    }

    /// Returns true once in a lease.
    fn is_lease_over(&self, lease: Duration) -> bool {
        let (now, last) = (self.now_ms(), self.lease_over_ms.load(Ordering::Acquire));
        let is_over = Duration::from_millis(now.saturating_sub(last)) >= lease;
        if is_over {
            self.lease_over_ms.store(now, Ordering::Release);
        }
        is_over
    }

    /// For how long now the server was suspended or has held its answers, if so, up to the last check.
    pub(super) fn halt(&self) -> Option<Duration> {
        let was_held = self.held.load(Ordering::Acquire) || !self.answers.are_sent();
        Some(self.ago()).filter(|ago| was_held || *ago > HALT_MIN)
    }
}

impl State {
    /// Does what is due now. Whatever fails because of the pool is retried at the next check.
    pub async fn sweep(&self) {
        if let Some(halt) = self.last_sweep.halt() {
            self.recovery.extend(halt);
            if !self.last_sweep.answers.are_sent() {
                self.last_sweep.mark(true);
                return;
            }
            tracing::warn!(?halt, "the server did not run, or held its answers: all leases begin anew");
            self.registry().renew_all();
        }
        self.last_sweep.mark(false);
        if let Err(status) = self.end_grace_if_due().await {
            tracing::error!(
                ?status,
                "the grace period cannot end: the pool does not take the clients' records"
            );
        }
        if let Err(status) = self.forget_unused_volumes().await {
            tracing::error!(?status, "the pool does not take the clients' records");
        }
        if let Err(status) = self.note_who_is_absent().await {
            tracing::error!(?status, "the pool does not take the clients' records");
        }
        self.evict_for_memory();
        for client in self.clients_to_evict() {
            if let Err(status) = self.take_all(&client).await {
                tracing::error!(
                    client = %client.owner().ownerid.escape_ascii(),
                    ?status,
                    "an expired client keeps its state: the pool does not remove its record"
                );
            }
        }
        self.registry().tidy();
        self.table().tidy();
        self.records.tidy().await;
    }

    /// Once in a lease, removes from the clients' records the volumes in which they have had nothing open for a lease: the grace period of
    /// such a volume need not wait for them.
    async fn forget_unused_volumes(&self) -> Result<(), Status> {
        if !self.last_sweep.is_lease_over(self.lease) {
            return Ok(());
        }
        let clients = self.registry().all();
        for client in clients.iter().filter(|client| client.is_recorded() && client.reclaim_is_complete()) {
            let unused = || self.table().forget_unused_volumes(client.id());
            self.records.forget_volumes(client, unused).await?;
        }
        Ok(())
    }

    /// Evicts a client with conflicting state if its lease has expired. Returns true if the state is gone, so
    /// that the caller can retry.
    pub(super) async fn evict_if_overdue(&self, id: ClientId) -> Result<bool, Status> {
        let client = {
            let mut registry = self.registry();
            match registry.get(id) {
                Ok(_) if self.last_sweep.halt().is_some() => return Ok(false),
                Ok(client) if client.overdue(self.lease).is_none() => return Ok(false),
                Ok(_) => registry.remove(id),
                Err(_) => registry.leaving(id).cloned(),
            }
        };
        if let Some(client) = client {
            tracing::info!(
                client = %client.owner().ownerid.escape_ascii(),
                "lease expired, and another client wants what it has open or locked"
            );
            self.take_all(&client).await?;
        }
        Ok(true)
    }
}
