//! The state of clients whose lease has expired: they keep everything as a courtesy, until it conflicts with
//! the needs of others.
//!
//! So a network failure of a few minutes costs no client its locks and open files. The courtesy ends when:
//!
//! - another client wants what is open or locked (`files` detects this, `lease` evicts the client),
//! - a volume is full or being deleted, and the client has deleted files open, there or elsewhere, whose
//!   space only the server can reclaim,
//! - the silent clients together have more opens and locks than the server's limit,
//! - other clients need the memory (`memory`),
//! - there are too many clients (`registry`),
//! - a day has passed.
//!
//! A client without state, and with nothing to reclaim, is removed when its lease expires, since it loses
//! nothing.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::client::Client;
use super::protocol::State;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::ClientId;
use forebay_service::Clock;

/// After this many leases of silence, a restart does not wait for the client.
const ABSENT_LEASES: u32 = 10;
/// How long after an eviction for space other clients are asked to retry, while the files are being freed.
const FREEING: Duration = Duration::from_secs(5);
/// Minimum time before a search for space that found nothing is repeated.
const SEARCH_PAUSE: Duration = Duration::from_secs(1);

/// The last search for space.
pub(super) struct SpaceSearch {
    clock: Clock,
    /// Held during a search.
    last: tokio::sync::Mutex<Option<Search>>,
}

#[derive(Clone, Copy)]
struct Search {
    at: Duration,
    /// Whether a client was evicted.
    found: bool,
}

impl Search {
    /// The result as far as it still applies now.
    fn outcome(self, now: Duration) -> Option<bool> {
        let good_for = if self.found { FREEING } else { SEARCH_PAUSE };
        (now.saturating_sub(self.at) < good_for).then_some(self.found)
    }
}

impl SpaceSearch {
    pub fn new(clock: Clock) -> SpaceSearch {
        SpaceSearch { clock, last: tokio::sync::Mutex::new(None) }
    }
}

impl State {
    /// Removes the clients whose courtesy has ended. Returns them, together with those whose removal must be
    /// retried.
    pub(super) fn clients_to_evict(&self) -> Vec<Arc<Client>> {
        let mut registry = self.registry();
        let mut overdue = registry.overdue(self.lease);
        overdue.sort_by_key(|(_, overdue)| *overdue);
        let mut kept = 0_usize;
        for (id, overdue) in overdue {
            // The more recently a client was heard of, the more likely it returns.
            let (opens, ranges) = self.table().size_of(id);
            let size = opens.saturating_add(ranges);
            kept = kept.saturating_add(size);
            let empty = opens == 0 && !registry.get(id).is_ok_and(|client| self.is_reclaiming(client));
            let over = overdue >= self.courtesy || empty || kept > self.courtesy_states_max;
            if over
                && let Some(client) = registry.remove(id)
                && client.is_confirmed()
            {
                kept = kept.saturating_sub(size);
                tracing::info!(client = %client.owner().ownerid.escape_ascii(), "lease expired");
            }
        }
        registry.all_leaving()
    }

    /// Evicts clients whose lease has expired because others were refused memory, those that have been silent
    /// longest first, until their address, or the server, has memory to spare.
    pub(super) fn evict_for_memory(&self) {
        if !self.memory.take_wanted() {
            return;
        }
        let mut registry = self.registry();
        let mut overdue = registry.overdue(self.lease);
        overdue.sort_by_key(|(_, overdue)| std::cmp::Reverse(*overdue));
        let mut given_back: HashMap<IpAddr, usize> = HashMap::new();
        for (id, _) in overdue {
            let Ok(account) = registry.get(id).map(|client| client.account().clone()) else { continue };
            let of_address = given_back.entry(account.address()).or_default();
            if account.to_give_back() > *of_address
                && let Some(client) = registry.remove(id)
            {
                *of_address += account.bytes();
                self.evictions.memory.one();
                tracing::info!(
                    client = %client.owner().ownerid.escape_ascii(),
                    "lease expired, and other clients want the memory that is kept for it"
                );
            }
        }
    }

    /// Evicts the clients whose lease has expired and that have deleted files open, because a caller needs
    /// space. Returns true if that has just been done, so that there will be space when the files are freed.
    pub async fn yield_space(&self) -> bool {
        let mut last = self.space_search.last.lock().await;
        let now = self.space_search.clock.now();
        if let Some(known) = last.and_then(|search| search.outcome(now)) {
            return known;
        }
        let found = self.evict_holders_of_orphans().await;
        *last = Some(Search { at: now, found });
        found
    }

    async fn evict_holders_of_orphans(&self) -> bool {
        let overdue = self.registry().overdue(self.lease);
        let mut found = false;
        for (id, _) in overdue {
            // If a client's state cannot be removed, the sweep tries again.
            found |= self.holds_orphan(id).await && matches!(self.evict_if_overdue(id).await, Ok(true));
        }
        found
    }

    async fn holds_orphan(&self, id: ClientId) -> bool {
        let open = self.table().files_of(id);
        for file in open {
            if self.pool.getattr(file).await.is_ok_and(|attributes| attributes.nlink == 0) {
                return true;
            }
        }
        false
    }

    /// Updates the durable records of absent clients: a restart does not wait for clients that have been
    /// silent for long, and does wait for one that has returned.
    pub(super) async fn note_who_is_absent(&self) -> Result<(), Status> {
        let clients = self.registry().all();
        for client in clients.iter().filter(|client| client.is_recorded()) {
            self.note_if_absent(client).await?;
        }
        Ok(())
    }

    async fn note_if_absent(&self, client: &Client) -> Result<(), Status> {
        let absent_after = self.lease.saturating_mul(ABSENT_LEASES);
        let is_absent = || client.overdue(absent_after).is_some();
        if is_absent() == client.is_noted_absent() {
            return Ok(());
        }
        self.records.note_absence(client, is_absent).await
    }

    /// Must be called when a client speaks again, before its request is answered: ensures that a restart
    /// would wait for it.
    pub async fn is_present(&self, client: &Client) {
        if client.is_noted_absent()
            && let Err(status) = self.note_if_absent(client).await
        {
            tracing::error!(
                ?status,
                "after a restart a client might come too late: the pool does not take its record"
            );
        }
    }
}
