//! The protocol's state: clients and their leases, opens, locks, and what a restart leaves of them.
//!
//! [`State`] is all that operations see. Behind it:
//!
//! - `registry`: which clients there are, confirmed or not; `client`: one of them, with its lease,
//! - `table`: what is open and locked, by stateid; `share` and `ranges` hold the rules of share reservations
//!   and byte-range locks, `stateid` how stateids look, `hold` what keeps an open inode alive,
//! - `records`: the durable records of clients with state; `recovery`: the grace period they are for,
//! - `lease`: what happens to clients that fall silent.
//!
//! Locks, in this order: the registry, then the table, each held for a few look-ups and never across an
//! `await`. What needs the disk (records) happens between.
//!
//! A client whose lease ran out keeps its state as a courtesy, for a while, as long as nobody else wants
//! what it has. Then it is *evicted*: its sessions are void at once, its durable record is removed, and only
//! then are its opens and locks free for others. That order is what keeps a client that lost its lock from
//! reclaiming it after a restart.

mod client;
mod hold;
mod lease;
mod ranges;
mod records;
mod recovery;
mod registry;
mod share;
mod stateid;
mod table;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use forebay_pool::{Handle, Pool};

pub use client::{Client, CreateSessionSlot, Renewal};
pub use lease::run;
pub use ranges::{Held, LockKind, Range};
pub use share::Share;
pub use table::Denied;

use crate::clock::Clock;
use crate::config::Config;
use crate::rpc::Principal;
use crate::xdr::Status;
use crate::xdr::nfs4::{ClientId, ClientOwner, LockArgs, Locker, StateId};
use hold::Hold;
use records::Records;
use recovery::Recovery;
use registry::Registry;
use stateid::Boot;
use table::{Limits, Outcome, Phase, Table};

/// Clients, opens and locks of one server.
pub struct State {
    pool: Pool,
    clock: Clock,
    lease: Duration,
    courtesy: Duration,
    registry: Mutex<Registry>,
    table: Mutex<Table>,
    records: Records,
    recovery: Recovery,
}

/// What a file may be read or written by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoBasis {
    /// An open, which checked the permissions.
    Open,
    /// A special stateid: the permissions are still to be checked.
    Anonymous,
}

/// What became of a LOCK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Locked {
    /// Locked.
    Granted(StateId),
    /// Another owner's lock is in the way.
    Denied(Denied),
}

impl State {
    /// The state of a server that starts on `pool`: nothing is open, and a grace period begins if clients left
    /// records. Fails if the pool does.
    pub async fn open(pool: Pool, config: &Config) -> forebay_pool::Result<State> {
        let boot = Boot::new(pool.boot());
        let limits =
            Limits { states_max: config.opens_per_client_max, ranges_max: config.locks_per_client_max };
        let state = State {
            clock: config.clock.clone(),
            lease: Duration::from_secs(config.lease_seconds.into()),
            courtesy: Duration::from_secs(config.courtesy_seconds.into()),
            registry: Mutex::new(Registry::new(boot, config.clock.clone(), config.clients_max)),
            table: Mutex::new(Table::new(boot, limits, Phase::Grace)),
            records: Records::load(&pool)?,
            recovery: Recovery::new(&config.clock, Duration::from_secs(config.grace_seconds.into())),
            pool,
        };
        state.begin().await?;
        Ok(state)
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // ---- clients ----

    /// EXCHANGE_ID (RFC 8881 §18.35): the client's registration, an old one or one to be confirmed.
    pub fn register(&self, owner: &ClientOwner, principal: Principal) -> Result<Arc<Client>, Status> {
        self.registry().register(owner, principal, |client| {
            client.overdue(self.lease).is_none() && self.table().client_has_state(client.id())
        })
    }

    /// EXCHANGE_ID that updates a confirmed registration.
    pub fn update_registration(
        &self,
        owner: &ClientOwner,
        principal: Principal,
    ) -> Result<Arc<Client>, Status> {
        self.registry().update(owner, principal)
    }

    /// The client of that id; [`Status::StaleClientid`] if there is none.
    pub fn client(&self, id: ClientId) -> Result<Arc<Client>, Status> {
        self.registry().get(id).cloned()
    }

    /// Confirms a client, at its first CREATE_SESSION. If it restarted, all that its earlier incarnation had
    /// is free when this returns.
    pub async fn confirm(&self, client: &Arc<Client>) -> Result<(), Status> {
        let earlier = {
            let mut registry = self.registry();
            let earlier = registry.confirm(client)?;
            self.table().add_client(client.id());
            earlier
        };
        if let Some(earlier) = earlier {
            self.take_all(&earlier).await?;
        }
        self.records.arrive(client).await?;
        self.end_grace_if_all_are_back().await
    }

    /// DESTROY_CLIENTID (RFC 8881 §18.50); [`Status::ClientidBusy`] for a client that has state. The caller
    /// has seen that it has no sessions.
    pub async fn destroy_client(&self, id: ClientId) -> Result<(), Status> {
        let client = {
            let mut registry = self.registry();
            registry.get(id)?;
            if self.table().client_has_state(id) {
                return Err(Status::ClientidBusy);
            }
            registry.remove(id)
        };
        match client {
            Some(client) => self.take_all(&client).await,
            None => Ok(()),
        }
    }

    /// Takes everything from a client that is gone. May be repeated if it failed.
    async fn take_all(&self, client: &Client) -> Result<(), Status> {
        self.records.remove(client).await?;
        let holds = self.table().drop_client(client.id());
        drop(holds);
        self.registry().left(client.id());
        self.end_grace_if_all_are_back().await
    }

    // ---- opens ----

    /// Whether the client may open and lock now: [`Status::Grace`] if not yet, and for reclaims
    /// [`Status::NoGrace`] or [`Status::ReclaimBad`] (RFC 8881 §8.4.2).
    pub fn admit(&self, client: &Client, reclaim: bool) -> Result<(), Status> {
        self.table().admit(client, reclaim)
    }

    /// Opens `file` for an owner of the client, or adds `share` to the owner's open. The inode outlives its
    /// last name until CLOSE. [`Status::ShareDenied`] (or, when reclaiming, [`Status::ReclaimConflict`]) if
    /// another's open is in the way, [`Status::Stale`] if the inode is gone.
    pub async fn open_file(
        &self,
        client: &Client,
        owner: &[u8],
        file: Handle,
        share: Share,
        reclaim: bool,
    ) -> Result<StateId, Status> {
        let mut hold = Hold::new(&self.pool, file)?;
        self.records.ensure(client).await?;
        loop {
            let (opened, conflict) = {
                let mut table = self.table();
                table.admit(client, reclaim)?;
                match table.share_conflict(file, Some((client.id(), owner)), share) {
                    Some(conflict) => (Err((Status::ShareDenied, hold)), Some(conflict)),
                    None => (table.open(client.id(), owner, share, hold), None),
                }
            };
            let status = match opened {
                Ok((stateid, _)) => return Ok(stateid),
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

    /// Checks that a READ, a WRITE or a change of size may go on (RFC 8881 §9.1.2): `access` is
    /// [`Share::READ`] or [`Share::WRITE`]. An open for writing may also be read from, because a client reads
    /// what surrounds the bytes that it writes.
    pub async fn check_io(
        &self,
        client: &Client,
        file: Handle,
        stateid: &StateId,
        access: Share,
    ) -> Result<IoBasis, Status> {
        if !matches!(*stateid, StateId::ANONYMOUS | StateId::READ_BYPASS) {
            let share = self.table().share_of(client.id(), file, stateid)?;
            let refused = access.writes() && !share.writes();
            return if refused { Err(Status::OpenMode) } else { Ok(IoBasis::Open) };
        }
        loop {
            let conflict = {
                let table = self.table();
                if table.phase != Phase::Normal {
                    return Err(Status::Grace);
                }
                table.share_conflict(file, None, access)
            };
            match conflict {
                None => return Ok(IoBasis::Anonymous),
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
                table.admit(client, args.reclaim)?;
                table.lock(client.id(), file, &locker, range, args.locktype.into())?
            };
            match outcome {
                Outcome::Granted(stateid) => return Ok(Locked::Granted(stateid)),
                Outcome::Denied(denied) if self.evict_if_overdue(denied.client).await? => {}
                Outcome::Denied(_) if args.reclaim => return Err(Status::ReclaimConflict),
                Outcome::Denied(denied) => return Ok(Locked::Denied(denied)),
            }
        }
    }

    /// LOCKT: the lock that would be in the way of this one.
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
                table.admit(client, false)?;
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
    pub fn free_stateid(&self, client: &Client, stateid: &StateId) -> Result<(), Status> {
        self.table().free(client.id(), stateid)
    }
}

impl Drop for State {
    /// A server that goes down must not free the orphans that clients have open: they will reclaim them.
    fn drop(&mut self) {
        self.table().drain().for_each(Hold::leave);
    }
}
