//! What clients keep whose lease ran out: all they have, as a courtesy, until it is in somebody's way.
//!
//! A network that fails for some minutes then costs nobody his locks and open files. What ends the courtesy:
//!
//! - another client wants what is open or locked (`files` asks for it, `lease` evicts),
//! - a volume is full, or to be deleted, and the client holds files without a name on it or elsewhere: they take space
//!   that nobody else can free,
//! - the silent clients together have more opens and locks than the server wants to remember,
//! - other clients want the memory that it takes (`memory`),
//! - there are too many clients (`registry`),
//! - a day has passed.
//!
//! A client that has nothing, and nothing to reclaim, loses nothing, so its registration goes with its lease.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::State;
use super::client::Client;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::ClientId;
use forebay_service::Clock;

/// A client that is silent for so many leases is not waited for after a restart.
const ABSENT_LEASES: u32 = 10;
/// After an eviction for space, those who want it are told for so long to try again: the files are being freed.
const FREEING: Duration = Duration::from_secs(5);
/// How long a search for space that found nothing is not repeated.
const SEARCH_PAUSE: Duration = Duration::from_secs(1);

/// The last search for space.
pub(super) struct SpaceSearch {
    clock: Clock,
    /// Held while somebody searches.
    last: tokio::sync::Mutex<Option<Search>>,
}

#[derive(Clone, Copy)]
struct Search {
    at: Duration,
    /// A client was evicted.
    found: bool,
}

impl Search {
    /// What it says about now, if it still says anything.
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
    /// Removes the clients whose courtesy is over, and returns them and those that are to be tried again.
    pub(super) fn clients_to_evict(&self) -> Vec<Arc<Client>> {
        let mut registry = self.registry();
        let mut overdue = registry.overdue(self.lease);
        overdue.sort_by_key(|(_, overdue)| *overdue);
        let mut kept = 0_usize;
        for (id, overdue) in overdue {
            // The shorter they are silent, the more likely they come back.
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

    /// Others were refused memory: clients whose lease ran out give theirs back, those first that are silent longest, until their address, or
    /// all, have some to spare.
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

    /// Somebody wants space: evicts the clients whose lease ran out and who hold files without a name. True if
    /// that was done just now, so that there will be space when the files are freed.
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
            // One whose state cannot be taken away is tried again by the sweep.
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

    /// Brings the durable records up to date about who is silent: a restart does not wait for clients that have been so
    /// for long, and waits for one that is back.
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

    /// A client speaks again, and a request of it is in work: makes sure, before that is answered, that a restart would
    /// wait for it.
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
