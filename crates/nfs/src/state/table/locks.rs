//! Byte-range locks (RFC 8881 §9.1–9.6, 18.10–18.12). They are advisory: READ and WRITE ignore them.

use bytes::Bytes;
use forebay_pool::Handle;

use super::{LockState, Named, Owner, Table};
use crate::memory::audit::{RANGE_BYTES, lock_bytes};
use crate::state::ranges::{Held, LockKind, Range, Ranges};
use crate::state::stateid::{StateKey, next_seqid};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ClientId, StateId};

/// Maximum number of additional ranges after a lock: one that is split by another kind becomes three.
const RANGES_LOCKED_MAX: usize = 2;

/// The owner of a LOCK.
pub(crate) enum Locker<'a> {
    /// A lock owner that may not have a lock on the file yet.
    New {
        /// The open under which it locks.
        open: StateId,
        /// The client's name for the owner.
        owner: &'a [u8],
    },
    /// A lock owner that already has a stateid for the file.
    Existing(StateId),
}

/// The result of a LOCK.
pub(crate) enum Outcome {
    /// Locked.
    Granted(StateId),
    /// Another owner's lock conflicts.
    Denied(Denied),
}

/// A conflicting lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The client that holds it.
    pub client: ClientId,
    /// The client's name for its owner.
    pub owner: Bytes,
    /// The locked range.
    pub held: Held,
}

/// The lock owner of a LOCK, and its lock state on the file.
struct Target {
    open: StateKey,
    owner: Owner,
    state: Option<StateKey>,
}

impl Table {
    /// A lock on `file` that conflicts with another owner's lock.
    pub fn lock_conflict(
        &self,
        file: Handle,
        (client, owner): (ClientId, &[u8]),
        range: Range,
        kind: LockKind,
    ) -> Option<Denied> {
        let file = self.files.get(&file)?;
        let mut others =
            file.locks.iter().filter(|((other, name), _)| (*other, &name[..]) != (client, owner));
        others.find_map(|((client, owner), key)| {
            let held = self.locks.get(&key)?.ranges.conflict(range, kind)?;
            Some(Denied { client: *client, owner: owner.clone(), held })
        })
    }

    /// LOCK (RFC 8881 §18.10).
    pub fn lock(
        &mut self,
        client: ClientId,
        file: Handle,
        locker: &Locker<'_>,
        range: Range,
        kind: LockKind,
    ) -> Result<Outcome, Status> {
        let target = self.target(client, file, locker)?;
        let share = self.opens.get(&target.open).ok_or(Status::BadStateid)?.shares.effective();
        if !(if kind == LockKind::Write { share.writes() } else { share.reads() }) {
            return Err(Status::OpenMode);
        }
        if let Some(denied) = self.lock_conflict(file, (client, &target.owner.1), range, kind) {
            return Ok(Outcome::Denied(denied));
        }
        if self.clients.get(&client).ok_or(Status::Expired)?.ranges() >= self.limits.ranges_max {
            return Err(Status::Delay);
        }
        self.reserve_ranges(client, RANGES_LOCKED_MAX)?;
        let key = match target.state {
            Some(key) => Ok(key),
            None => self.new_lock_state(client, file, target),
        };
        let locked = key.and_then(|key| self.change(key, |ranges| ranges.lock(range, kind)));
        self.release_ranges(client, RANGES_LOCKED_MAX);
        locked.map(Outcome::Granted)
    }

    /// Charges the ranges that a change may add, until the result is known.
    fn reserve_ranges(&mut self, client: ClientId, ranges: usize) -> Result<(), Status> {
        Ok(self.clients.get_mut(&client).ok_or(Status::Expired)?.charge(ranges * RANGE_BYTES)?)
    }

    fn release_ranges(&mut self, client: ClientId, ranges: usize) {
        if let Some(holdings) = self.clients.get_mut(&client) {
            holdings.give_back(ranges * RANGE_BYTES);
        }
    }

    fn target(&self, client: ClientId, file: Handle, locker: &Locker<'_>) -> Result<Target, Status> {
        match locker {
            Locker::New { open, owner } => {
                let open = self.find_open(client, file, open)?;
                let owner = (client, Bytes::copy_from_slice(owner));
                let state = self.files.get(&file).and_then(|file| file.locks.get(&owner));
                Ok(Target { open, owner, state })
            }
            Locker::Existing(stateid) => match self.find_on(client, file, stateid)? {
                (key, Named::Lock(lock)) => {
                    Ok(Target { open: lock.open, owner: lock.owner.clone(), state: Some(key) })
                }
                (_, Named::Open(_)) => Err(Status::BadStateid),
            },
        }
    }

    /// A lock state without locks; its seqid becomes 1 with the first one.
    fn new_lock_state(&mut self, client: ClientId, file: Handle, target: Target) -> Result<StateKey, Status> {
        let Target { open, owner, .. } = target;
        let key = self.new_key(client, file.volume, lock_bytes(owner.1.len()), None)?;
        self.files.entry(file).or_default().locks.insert(owner.clone(), key);
        self.locks.insert(key, LockState { owner, file, open, seqid: 0, ranges: Ranges::default() });
        Ok(key)
    }

    /// Changes the locked ranges of a lock state, and updates their number.
    fn change(&mut self, key: StateKey, change: impl FnOnce(&mut Ranges)) -> Result<StateId, Status> {
        let lock = self.locks.get_mut(&key).ok_or(Status::BadStateid)?;
        let before = lock.ranges.len();
        change(&mut lock.ranges);
        lock.seqid = next_seqid(lock.seqid);
        if let Some(holdings) = self.clients.get_mut(&lock.owner.0) {
            holdings.change_ranges(before, lock.ranges.len());
        }
        Ok(self.boot.stateid(key, lock.seqid))
    }

    /// LOCKU (RFC 8881 §18.12). Returns [`Status::Delay`] if it would split a range, and there is no memory
    /// for one more.
    pub fn unlock(
        &mut self,
        client: ClientId,
        file: Handle,
        stateid: &StateId,
        range: Range,
    ) -> Result<StateId, Status> {
        match self.find_on(client, file, stateid)? {
            (key, Named::Lock(lock)) if lock.ranges.is_cut_by(range) => {
                if self
                    .clients
                    .get(&client)
                    .is_none_or(|holdings| holdings.ranges() >= self.limits.ranges_max)
                {
                    return Err(Status::Delay);
                }
                self.reserve_ranges(client, 1)?;
                let unlocked = self.change(key, |ranges| ranges.unlock(range));
                self.release_ranges(client, 1);
                unlocked
            }
            (key, Named::Lock(_)) => self.change(key, |ranges| ranges.unlock(range)),
            (_, Named::Open(_)) => Err(Status::BadStateid),
        }
    }
}
