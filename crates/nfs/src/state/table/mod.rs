//! All open files and locked ranges: the state that stateids refer to.
//!
//! Everything here is plain data behind one lock, which [`super::State`] owns, so each decision ("no open
//! denies this one, so it is granted") is atomic. Nothing here waits: the caller handles whatever needs the
//! disk or the eviction of another client. Invariants:
//!
//! - every open has one [`Hold`]; code that removes opens gets the holds back and drops them after releasing
//!   the lock,
//! - every state is listed by its file and by its client, and a removed client gets no new state,
//! - a lock state does not outlive the open it came from.

mod grace;
mod holdings;
mod locks;
mod opens;
mod owners;
mod views;

pub(super) use grace::{Grace, Phase};
pub use holdings::OpenRoom;
pub use locks::Denied;
pub(super) use locks::{Locker, Outcome};

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use forebay_pool::{Handle, VolumeId};

use super::client::Client;
use super::hold::Hold;
use super::ranges::Ranges;
use super::share::ShareSet;
use super::stateid::{Boot, StateKey, check_seqid, is_special};
use super::volumes::Volumes;
use crate::memory::audit::{self, REVOKED_BYTES};
use crate::memory::{Account, shrink};
use crate::policy::Mapping;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};
use holdings::Holdings;
use owners::{ByOwner, Owner};

/// Limits per client. Beyond them OPEN and LOCK return NFS4ERR_DELAY.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Opens and lock owners together.
    pub states_max: usize,
    /// Separate locked ranges.
    pub ranges_max: usize,
}

/// All open and lock state.
pub(super) struct Table {
    boot: Boot,
    limits: Limits,
    keys_given: u64,
    pub grace: Grace,
    clients: HashMap<ClientId, Holdings>,
    files: HashMap<Handle, File>,
    opens: HashMap<StateKey, Open>,
    locks: HashMap<StateKey, LockState>,
    /// Revoked state that its client has not freed yet.
    revoked: HashMap<StateKey, ClientId>,
}

/// The opens and locks of one file.
#[derive(Default)]
struct File {
    opens: ByOwner,
    locks: ByOwner,
    /// Number of opens that deny something. Clients hardly ever do that; without any, opens need not be
    /// compared.
    denying: usize,
}

struct Open {
    owner: Owner,
    seqid: u32,
    shares: ShareSet,
    /// How the caller was mapped at the first OPEN. A later OPEN under another mapping does not change it,
    /// since its check covered only its own access and not that of the first.
    mapping: Option<Mapping>,
    hold: Hold,
    /// The directory and the name by which it was opened, for operators.
    opened_as: Option<(Handle, Bytes)>,
}

struct LockState {
    owner: Owner,
    file: Handle,
    open: StateKey,
    seqid: u32,
    ranges: Ranges,
}

impl Open {
    /// Size in memory.
    fn bytes(&self) -> usize {
        audit::open_bytes(self.owner.1.len(), self.opened_as.as_ref().map_or(0, |(_, name)| name.len()))
    }
}

impl LockState {
    /// Size in memory.
    fn bytes(&self) -> usize {
        audit::lock_bytes(self.owner.1.len()) + self.ranges.len() * audit::RANGE_BYTES
    }
}

/// Either kind of state, found by its stateid.
enum Named<'a> {
    Open(&'a Open),
    Lock(&'a LockState),
}

impl Named<'_> {
    fn client(&self) -> ClientId {
        match self {
            Named::Open(open) => open.owner.0,
            Named::Lock(lock) => lock.owner.0,
        }
    }

    fn file(&self) -> Handle {
        match self {
            Named::Open(open) => open.hold.file(),
            Named::Lock(lock) => lock.file,
        }
    }

    fn seqid(&self) -> u32 {
        match self {
            Named::Open(open) => open.seqid,
            Named::Lock(lock) => lock.seqid,
        }
    }
}

impl Table {
    pub fn new(boot: Boot, limits: Limits) -> Table {
        Table {
            boot,
            limits,
            keys_given: 0,
            grace: Grace::begin(),
            clients: HashMap::new(),
            files: HashMap::new(),
            opens: HashMap::new(),
            locks: HashMap::new(),
            revoked: HashMap::new(),
        }
    }

    /// Allows a client to have state, which is charged to its account.
    pub fn add_client(&mut self, client: ClientId, account: &Arc<Account>) {
        self.clients.entry(client).or_insert_with(|| Holdings::new(account));
    }

    /// Releases unused memory.
    pub fn tidy(&mut self) {
        shrink(&mut self.clients);
        shrink(&mut self.files);
        shrink(&mut self.opens);
        shrink(&mut self.locks);
        shrink(&mut self.revoked);
    }

    /// Removes all state of a client permanently. The holds must be dropped after the lock is released.
    #[must_use]
    pub fn drop_client(&mut self, client: ClientId) -> Vec<Hold> {
        self.revoked.retain(|_, owner| *owner != client);
        let Some(holdings) = self.clients.remove(&client) else { return Vec::new() };
        holdings.into_keys().filter_map(|key| self.remove(key)).collect()
    }

    /// Removes all state of all clients at shutdown.
    pub fn drain(&mut self) -> impl Iterator<Item = Hold> {
        self.clients.clear();
        self.files.clear();
        self.locks.clear();
        self.opens.drain().map(|(_, open)| open.hold)
    }

    /// Returns true if the client has anything open or locked.
    pub fn client_has_state(&self, client: ClientId) -> bool {
        self.clients.get(&client).is_some_and(|holdings| holdings.states() > 0)
    }

    /// Checks whether the client may be given state in the volume now (RFC 8881 §8.4.2, §18.51.3).
    pub fn admit(&self, client: &Client, volume: VolumeId, reclaim: bool) -> Result<(), Status> {
        let complete = client.reclaim_is_complete();
        match (reclaim, self.grace.of(volume)) {
            (false, Phase::Normal) if complete => Ok(()),
            (false, _) => Err(Status::Grace),
            (true, Phase::Grace) if complete => Err(Status::NoGrace),
            (true, Phase::Grace) if client.may_reclaim() && self.is_recorded(client.id(), volume) => Ok(()),
            (true, Phase::Grace) => Err(Status::ReclaimBad),
            // With NFS4ERR_NO_GRACE a Linux client would stop to reclaim in the volumes where it still can.
            (true, _) if self.grace.takes_reclaims() && client.may_reclaim() && !complete => {
                Err(Status::ReclaimBad)
            }
            (true, _) => Err(Status::NoGrace),
        }
    }

    /// Returns true if the client's durable record names the volume, or if the client has left.
    pub fn is_recorded(&self, client: ClientId, volume: VolumeId) -> bool {
        self.clients.get(&client).is_none_or(|holdings| holdings.is_recorded(volume))
    }

    /// Like [`Table::is_recorded`], before the client gets state in the volume: the record cannot lose the
    /// volume before two more calls of [`Table::forget_unused_volumes`].
    pub fn is_recorded_for_use(&mut self, client: ClientId, volume: VolumeId) -> bool {
        self.clients.get_mut(&client).is_none_or(|holdings| holdings.is_recorded_for_use(volume))
    }

    /// Reserves room for an open of this size.
    pub fn reserve_open(&self, client: ClientId, bytes: usize) -> Result<OpenRoom, Status> {
        let holdings = self.clients.get(&client).ok_or(Status::Expired)?;
        if holdings.states_and_reserved() >= self.limits.states_max {
            return Err(Status::Delay);
        }
        Ok(holdings.reserve(bytes)?)
    }

    /// A stateid that refers to no state, and never will.
    pub fn unissued_stateid(&mut self) -> StateId {
        self.keys_given += 1;
        self.boot.stateid(StateKey(self.keys_given), 1)
    }

    /// The client's durable record names these volumes, besides those that it named already.
    pub fn set_recorded(&mut self, client: ClientId, volumes: &Volumes) {
        if let Some(holdings) = self.clients.get_mut(&client) {
            holdings.set_recorded(volumes);
        }
    }

    /// The volumes that the client's durable record must go on to name. It can lose the others, in which the client has had no state since
    /// the call before this one, and will get none until it names them again.
    pub fn forget_unused_volumes(&mut self, client: ClientId) -> Option<Volumes> {
        self.clients.get_mut(&client)?.forget_unused_volumes()
    }

    /// The state that a stateid of this client refers to.
    fn find(&self, client: ClientId, stateid: &StateId) -> Result<(StateKey, Named<'_>), Status> {
        if is_special(stateid) {
            return Err(Status::BadStateid);
        }
        let key = self.boot.key(stateid)?;
        let open = self.opens.get(&key).map(Named::Open);
        let named = open.or_else(|| self.locks.get(&key).map(Named::Lock));
        let named = named.ok_or_else(|| self.unknown(client, key))?;
        if named.client() != client {
            return Err(Status::BadStateid);
        }
        check_seqid(stateid.seqid, named.seqid())?;
        Ok((key, named))
    }

    /// As [`Table::find`], for an operation on `file`.
    fn find_on(
        &self,
        client: ClientId,
        file: Handle,
        stateid: &StateId,
    ) -> Result<(StateKey, Named<'_>), Status> {
        let (key, named) = self.find(client, stateid)?;
        if named.file() == file { Ok((key, named)) } else { Err(Status::BadStateid) }
    }

    /// TEST_STATEID of one stateid (RFC 8881 §18.48).
    pub fn test(&self, client: ClientId, stateid: &StateId) -> Result<(), Status> {
        self.find(client, stateid).map(|_| ())
    }

    /// FREE_STATEID (RFC 8881 §18.38): only revoked state, and a lock state without locks, can be freed.
    pub fn free(&mut self, client: ClientId, stateid: &StateId) -> Result<(), Status> {
        if let Ok(key) = self.boot.key(stateid)
            && self.unknown(client, key) == Status::AdminRevoked
        {
            self.revoked.remove(&key);
            if let Some(holdings) = self.clients.get_mut(&client) {
                holdings.give_back(REVOKED_BYTES);
            }
            return Ok(());
        }
        let (key, named) = self.find(client, stateid)?;
        match named {
            Named::Lock(lock) if lock.ranges.is_empty() => {
                self.remove(key);
                Ok(())
            }
            _ => Err(Status::LocksHeld),
        }
    }

    /// Creates a key for new state of a client in a volume, of this size, and adds it to the client's list.
    /// `room` may have been reserved for it.
    fn new_key(
        &mut self,
        client: ClientId,
        volume: VolumeId,
        bytes: usize,
        room: Option<OpenRoom>,
    ) -> Result<StateKey, Status> {
        let holdings = self.clients.get_mut(&client).ok_or(Status::Expired)?;
        match room {
            Some(room) => holdings.use_room(room),
            None if holdings.states_and_reserved() >= self.limits.states_max => return Err(Status::Delay),
            None => holdings.charge_state(bytes)?,
        }
        self.keys_given += 1;
        let key = StateKey(self.keys_given);
        holdings.insert(key, volume);
        Ok(key)
    }

    /// Removes a state, and for an open also its lock states.
    fn remove(&mut self, key: StateKey) -> Option<Hold> {
        if let Some(lock) = self.locks.remove(&key) {
            self.unlist_of_client(&lock.owner, (key, lock.file.volume), lock.bytes(), lock.ranges.len());
            self.unlist_of_file(lock.file, |file| file.locks.remove(&lock.owner));
            return None;
        }
        let open = self.opens.remove(&key)?;
        let file = open.hold.file();
        for lock in self.locks_under(file, key) {
            self.remove(lock);
        }
        self.unlist_of_client(&open.owner, (key, file.volume), open.bytes(), 0);
        self.unlist_of_file(file, |file| {
            let denied = usize::from(open.shares.effective().denies());
            file.denying = file.denying.saturating_sub(denied);
            file.opens.remove(&open.owner);
        });
        Some(open.hold)
    }

    fn locks_under(&self, file: Handle, open: StateKey) -> Vec<StateKey> {
        let Some(file) = self.files.get(&file) else { return Vec::new() };
        let is_under = |key: &StateKey| self.locks.get(key).is_some_and(|lock| lock.open == open);
        file.locks.iter().map(|(_, key)| key).filter(is_under).collect()
    }

    fn unlist_of_client(&mut self, owner: &Owner, state: (StateKey, VolumeId), bytes: usize, ranges: usize) {
        if let Some(holdings) = self.clients.get_mut(&owner.0) {
            holdings.remove(state, bytes, ranges);
        }
    }

    fn unlist_of_file(&mut self, handle: Handle, unlist: impl FnOnce(&mut File)) {
        let Some(file) = self.files.get_mut(&handle) else { return };
        unlist(file);
        if file.opens.is_empty() && file.locks.is_empty() {
            self.files.remove(&handle);
        }
    }
}
