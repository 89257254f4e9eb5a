//! Operations of clients on files: open, lock and close; and the validity of stateids.
//!
//! The table makes the decisions. This module contains what may have to wait: the inode's hold and the
//! client's durable record precede an open, and a conflicting client whose lease has expired is evicted
//! before the decision is repeated.

use forebay_pool::{Handle, VolumeId};

use super::client::Client;
use super::hold::Hold;
use super::protocol::State;
use super::ranges::{LockKind, Range};
use super::share::Share;
use super::table::{self, Denied, OpenRoom, Outcome, Phase};
use super::volumes::Volumes;
use crate::memory::audit::open_bytes;
use crate::policy::Mapping;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{LockArgs, Locker, StateId};

/// What entitles a client to read or write a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoBasis {
    /// An open, for which the permissions were checked.
    Open,
    /// A special stateid, or an open from when the export policy mapped the caller to another user. The
    /// permissions must still be checked.
    Unchecked,
}

/// The result of a LOCK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locked {
    /// Locked.
    Granted(StateId),
    /// Another owner's lock conflicts.
    Denied(Denied),
}

impl State {
    // ---- opens ----

    /// Checks whether the client may open and lock in the volume now. Returns [`Status::Grace`] if not yet, and for
    /// reclaims [`Status::NoGrace`] or [`Status::ReclaimBad`] (RFC 8881 §8.4.2).
    pub fn admit(&self, client: &Client, volume: VolumeId, reclaim: bool) -> Result<(), Status> {
        self.table().admit(client, volume, reclaim)
    }

    /// Ensures that the client's durable record names the volume, and goes on to do so for at least a lease.
    /// Cheap, except for the first time.
    pub async fn ensure_recorded(&self, client: &Client, volume: VolumeId) -> Result<(), Status> {
        if self.table().is_recorded_for_use(client.id(), volume) {
            return Ok(());
        }
        let note = |volumes: &Volumes| self.table().set_recorded(client.id(), volumes);
        self.records.ensure(client, volume, note).await
    }

    /// Reserves room for one more open by an owner with a name of this length. Returns [`Status::Delay`] if there is none.
    pub fn reserve_open(&self, client: &Client, owner: usize) -> Result<OpenRoom, Status> {
        self.table().reserve_open(client.id(), open_bytes(owner, 0))
    }

    /// A stateid that every later use finds invalid.
    pub fn unissued_stateid(&self) -> StateId {
        self.table().unissued_stateid()
    }

    /// Opens `file` for an owner of the client, or adds `share` to the owner's open. `mapping` is how the
    /// caller was mapped when the permissions were checked. The inode outlives its last name until CLOSE.
    /// Returns [`Status::ShareDenied`] (or, when reclaiming, [`Status::ReclaimConflict`]) if another open
    /// conflicts, and [`Status::Stale`] if the inode is gone. With `room`, which must have been reserved for this
    /// owner, it does not fail for lack of room.
    pub async fn open_file(
        &self,
        client: &Client,
        owner: &[u8],
        file: Handle,
        (share, mapping): (Share, Option<Mapping>),
        reclaim: bool,
        mut room: Option<OpenRoom>,
    ) -> Result<StateId, Status> {
        let mut hold = Hold::new(&self.pool, file)?;
        loop {
            if !reclaim {
                self.ensure_recorded(client, file.volume).await?;
            }
            let (opened, conflict) = {
                let mut table = self.table();
                table.admit(client, file.volume, reclaim)?;
                if !table.is_recorded(client.id(), file.volume) {
                    // The record has just lost the volume, in which the client had no state.
                    continue;
                }
                match table.share_conflict(file, Some((client.id(), owner)), share) {
                    Some(conflict) => (Err((Status::ShareDenied, hold)), Some(conflict)),
                    None => (table.open(client.id(), owner, (share, mapping), hold, room.take()), None),
                }
            };
            let status = match opened {
                Ok((stateid, _)) => {
                    if reclaim {
                        self.note_reclaim();
                    }
                    return Ok(stateid);
                }
                Err((status, unused)) => {
                    hold = unused;
                    status
                }
            };
            match conflict {
                None => return Err(status),
                Some(holder) if self.evict_if_overdue(holder).await? => {}
                Some(_) if reclaim => return Err(Status::ReclaimConflict),
                Some(_) => return Err(status),
            }
        }
    }

    /// OPEN_DOWNGRADE.
    pub fn downgrade(
        &self,
        client: &Client,
        file: Handle,
        stateid: &StateId,
        to: Share,
    ) -> Result<StateId, Status> {
        self.table().downgrade(client.id(), file, stateid, to)
    }

    /// CLOSE.
    pub fn close(&self, client: &Client, file: Handle, stateid: &StateId) -> Result<(), Status> {
        let hold = self.table().close(client.id(), file, stateid)?;
        drop(hold);
        Ok(())
    }

    /// Checks that a READ, a WRITE or a change of size may proceed (RFC 8881 §9.1.2): `access` is
    /// [`Share::READ`] or [`Share::WRITE`]. An open for writing may also be read from, with the permissions
    /// of a READ without an open, because a client reads the data around the bytes that it writes. `mapping`
    /// is how the caller is mapped now.
    pub async fn check_io(
        &self,
        client: &Client,
        file: Handle,
        stateid: &StateId,
        access: Share,
        mapping: Option<Mapping>,
    ) -> Result<IoBasis, Status> {
        let special = matches!(*stateid, StateId::ANONYMOUS | StateId::READ_BYPASS);
        loop {
            let conflict = {
                let table = self.table();
                let owner = if special {
                    if table.grace.of(file.volume) != Phase::Normal {
                        return Err(Status::Grace);
                    }
                    None
                } else {
                    let (share, opened_under, owner) = table.share_of(client.id(), file, stateid)?;
                    match (access.writes(), share.reads(), share.writes()) {
                        (true, _, true) | (false, true, _) if opened_under != mapping => {
                            return Ok(IoBasis::Unchecked);
                        }
                        (true, _, true) | (false, true, _) => return Ok(IoBasis::Open),
                        (true, _, false) => return Err(Status::OpenMode),
                        (false, false, _) => Some((client.id(), owner)),
                    }
                };
                table.share_conflict(file, owner, access)
            };
            match conflict {
                None => return Ok(IoBasis::Unchecked),
                Some(holder) if self.evict_if_overdue(holder).await? => {}
                Some(_) => return Err(Status::Locked),
            }
        }
    }

    // ---- locks ----

    /// LOCK.
    pub async fn lock(&self, client: &Client, file: Handle, args: &LockArgs) -> Result<Locked, Status> {
        let range = Range::new(args.offset, args.length)?;
        let locker = match &args.locker {
            Locker::New(new) => table::Locker::New { open: new.open_stateid, owner: &new.lock_owner.owner },
            Locker::Existing(existing) => table::Locker::Existing(existing.lock_stateid),
        };
        loop {
            let outcome = {
                let mut table = self.table();
                table.admit(client, file.volume, args.reclaim)?;
                table.lock(client.id(), file, &locker, range, args.locktype.into())?
            };
            match outcome {
                Outcome::Granted(stateid) => {
                    if args.reclaim {
                        self.note_reclaim();
                    }
                    return Ok(Locked::Granted(stateid));
                }
                Outcome::Denied(denied) if self.evict_if_overdue(denied.client).await? => {}
                Outcome::Denied(_) if args.reclaim => return Err(Status::ReclaimConflict),
                Outcome::Denied(denied) => return Ok(Locked::Denied(denied)),
            }
        }
    }

    /// LOCKT: the lock that would conflict with this one.
    pub async fn test_lock(
        &self,
        client: &Client,
        file: Handle,
        owner: &[u8],
        range: Range,
        kind: LockKind,
    ) -> Result<Option<Denied>, Status> {
        loop {
            let conflict = {
                let table = self.table();
                table.admit(client, file.volume, false)?;
                table.lock_conflict(file, (client.id(), owner), range, kind)
            };
            match conflict {
                Some(denied) if self.evict_if_overdue(denied.client).await? => {}
                conflict => return Ok(conflict),
            }
        }
    }

    /// LOCKU.
    pub fn unlock(
        &self,
        client: &Client,
        file: Handle,
        stateid: &StateId,
        range: Range,
    ) -> Result<StateId, Status> {
        self.table().unlock(client.id(), file, stateid, range)
    }

    // ---- stateids ----

    /// TEST_STATEID of one stateid.
    pub fn test_stateid(&self, client: &Client, stateid: &StateId) -> Status {
        self.table().test(client.id(), stateid).err().unwrap_or(Status::Ok)
    }

    /// FREE_STATEID.
    pub async fn free_stateid(&self, client: &Client, stateid: &StateId) -> Result<(), Status> {
        self.table().free(client.id(), stateid)?;
        if client.has_revoked() {
            self.records
                .settle(client, || client.set_has_revoked(self.table().has_revoked(client.id())))
                .await?;
        }
        Ok(())
    }
}
