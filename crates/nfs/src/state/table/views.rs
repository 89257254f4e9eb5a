//! The operators' view of the table, and revocation (RFC 8881 §8.5.1).

use std::collections::HashMap;

use bytes::Bytes;
use forebay_pool::{Handle, VolumeId};

use super::{Holdings, Table};
use crate::memory::audit::REVOKED_BYTES;
use crate::state::hold::Hold;
use crate::state::stateid::StateKey;
use crate::state::view::{Excerpt, LockView, OpenView};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};

impl Table {
    /// Number of files that a client has open, and of ranges it has locked.
    pub fn holdings_of(&self, client: ClientId) -> (usize, usize) {
        let Some(holdings) = self.clients.get(&client) else { return (0, 0) };
        let opens = holdings.keys().filter(|key| self.opens.contains_key(key)).count();
        (opens, holdings.ranges())
    }

    /// Number of opens and lock owners of a client, and of ranges it has locked.
    pub fn size_of(&self, client: ClientId) -> (usize, usize) {
        self.clients.get(&client).map_or((0, 0), |holdings| (holdings.states(), holdings.ranges()))
    }

    /// Number of files open, and of ranges locked, by all clients.
    pub fn totals(&self) -> (usize, usize) {
        (self.opens.len(), self.clients.values().map(Holdings::ranges).sum())
    }

    /// The files that a client has open.
    pub fn files_of(&self, client: ClientId) -> Vec<Handle> {
        let Some(holdings) = self.clients.get(&client) else { return Vec::new() };
        holdings.keys().filter_map(|key| self.opens.get(key)).map(|open| open.hold.file()).collect()
    }

    /// Whether a client has a file open.
    pub fn has_open(&self, client: ClientId, file: Handle) -> bool {
        self.files.get(&file).is_some_and(|file| file.opens.iter().any(|((owner, _), _)| *owner == client))
    }

    pub fn open_views(&self, client: Option<ClientId>, items_max: usize) -> Excerpt<OpenView> {
        let of_client = |owner: ClientId| client.is_none_or(|client| client == owner);
        let opens = self.opens.iter().filter(|(_, open)| of_client(open.owner.0)).map(|(key, _)| *key);
        excerpt(opens.collect(), items_max, |key| {
            let open = self.opens.get(&key)?;
            Some(OpenView {
                stateid: self.boot.stateid(key, open.seqid),
                client: open.owner.0,
                owner: open.owner.1.clone(),
                file: open.hold.file(),
                opened_as: open.opened_as.clone(),
                share: open.shares.effective(),
            })
        })
    }

    /// Number of files that each client has open in a volume.
    pub fn opens_in(&self, volume: VolumeId) -> HashMap<ClientId, u64> {
        let mut counts = HashMap::new();
        for open in self.opens.values().filter(|open| open.hold.file().volume == volume) {
            let count: &mut u64 = counts.entry(open.owner.0).or_default();
            *count = count.saturating_add(1);
        }
        counts
    }

    pub fn lock_views(&self, client: Option<ClientId>, items_max: usize) -> Excerpt<LockView> {
        let of_client = |owner: ClientId| client.is_none_or(|client| client == owner);
        let holds = self.locks.iter().filter(|(_, lock)| of_client(lock.owner.0) && !lock.ranges.is_empty());
        excerpt(holds.map(|(key, _)| *key).collect(), items_max, |key| {
            let lock = self.locks.get(&key)?;
            Some(LockView {
                stateid: self.boot.stateid(key, lock.seqid),
                client: lock.owner.0,
                owner: lock.owner.1.clone(),
                file: lock.file,
                opened_as: self.opens.get(&lock.open).and_then(|open| open.opened_as.clone()),
                held: lock.ranges.all(),
            })
        })
    }

    /// The clients that have a part of a file locked.
    pub fn lockers_of(&self, file: Handle) -> Vec<ClientId> {
        let Some(file) = self.files.get(&file) else { return Vec::new() };
        let locked = |key: &StateKey| self.locks.get(key).is_some_and(|lock| !lock.ranges.is_empty());
        let mut clients: Vec<ClientId> =
            file.locks.iter().filter(|(_, key)| locked(key)).map(|((client, _), _)| *client).collect();
        clients.sort_unstable_by_key(|client| client.0);
        clients.dedup();
        clients
    }

    /// Stores the name by which a file was opened if there is room for it, since only operators use it.
    pub fn note_name(&mut self, stateid: &StateId, directory: Handle, name: Bytes) {
        if let Ok(key) = self.boot.key(stateid)
            && let Some(open) = self.opens.get_mut(&key)
            && let Some(holdings) = self.clients.get_mut(&open.owner.0)
        {
            let before = open.bytes();
            let earlier = open.opened_as.replace((directory, name));
            let after = open.bytes();
            if after > before && !holdings.charge_if_room(after - before) {
                open.opened_as = earlier;
            }
            holdings.give_back(before.saturating_sub(after));
        }
    }

    /// The client of a state.
    pub fn client_of(&self, stateid: &StateId) -> Result<ClientId, Status> {
        let key = self.boot.key(stateid)?;
        let lock = self.locks.get(&key).map(|lock| lock.owner.0);
        lock.or_else(|| self.opens.get(&key).map(|open| open.owner.0)).ok_or(Status::BadStateid)
    }

    /// Revokes a state from its client. The client gets an error until it frees the stateid. The hold must be
    /// dropped after the lock is released.
    pub fn revoke(&mut self, stateid: &StateId) -> Result<Option<Hold>, Status> {
        let (key, client) = (self.boot.key(stateid)?, self.client_of(stateid)?);
        let open = self.opens.get(&key).map(|open| open.hold.file());
        let under = open.map(|file| self.locks_under(file, key)).unwrap_or_default();
        for revoked in under.into_iter().chain([key]) {
            self.revoked.insert(revoked, client);
            if let Some(holdings) = self.clients.get_mut(&client) {
                holdings.settle(REVOKED_BYTES);
            }
        }
        Ok(self.remove(key))
    }

    /// The reason why a client's stateid refers to nothing.
    pub(super) fn unknown(&self, client: ClientId, key: StateKey) -> Status {
        let revoked = self.revoked.get(&key) == Some(&client);
        if revoked { Status::AdminRevoked } else { Status::BadStateid }
    }

    /// Returns true if state was revoked that the client has not freed.
    pub fn has_revoked(&self, client: ClientId) -> bool {
        self.revoked.values().any(|other| *other == client)
    }
}

fn excerpt<T>(
    mut keys: Vec<StateKey>,
    items_max: usize,
    view: impl FnMut(StateKey) -> Option<T>,
) -> Excerpt<T> {
    let total = keys.len();
    keys.sort_unstable();
    Excerpt { items: keys.into_iter().take(items_max).filter_map(view).collect(), total }
}
