//! Sessions: exactly-once semantics over any number of connections (RFC 8881 §2.10).
//!
//! A session belongs to a client and has slots. A slot carries one request at a time and stores its reply, so
//! that a retry gets the stored reply instead of being executed again ([`slot`], [`slots`]).

mod attributes;
mod back_channel;
mod slot;
mod slots;
mod table;

use std::sync::{Arc, Mutex, PoisonError, Weak};

pub use attributes::{negotiate, negotiate_back};
pub use back_channel::{Callback, Reach};
pub(crate) use slot::Slot;
pub use slot::{Fingerprint, Reply, Start};
pub use table::SessionTable;

use crate::memory::NoRoom;
use crate::rpc::Connection;
use crate::state::Client;
use back_channel::BackChannel;
use forebay_nfs_proto::xdr::nfs4::{ChannelAttributes, SessionId};
use slots::Slots;

/// Number of a session's connections shown to operators, the most recently used: as many as a Linux client
/// makes.
pub(crate) const CONNECTIONS_MAX: usize = 16;

/// A session of a client.
pub struct Session {
    /// The session's id, which is never reused.
    pub id: SessionId,
    /// The client that created it.
    pub client: Arc<Client>,
    /// Limits of requests and replies.
    pub fore: ChannelAttributes,
    /// Limits of callbacks.
    pub back: ChannelAttributes,
    back_channel: BackChannel,
    slots: Slots,
    /// The connections it was used on, for operators.
    connections: Mutex<Vec<Weak<Connection>>>,
}

impl Session {
    fn new(
        id: SessionId,
        client: Arc<Client>,
        (fore, back): (ChannelAttributes, ChannelAttributes),
        callback: Callback,
    ) -> Result<Session, NoRoom> {
        let slots = Slots::new(&client)?;
        Ok(Session {
            id,
            client,
            fore,
            back,
            back_channel: BackChannel::new(callback),
            slots,
            connections: Mutex::default(),
        })
    }

    /// The highest slot that the client may use.
    pub fn highest_slotid(&self) -> u32 {
        self.fore.maxrequests.saturating_sub(1)
    }

    /// The highest slot that the client should use, considering the available memory.
    pub fn target_highest_slotid(&self) -> u32 {
        self.slots.target(self.client.account(), self.highest_slotid())
    }

    /// Records a connection on which the session is used.
    pub fn is_used_on(self: &Arc<Self>, connection: &Arc<Connection>) {
        if !connection.carry(self, self.number()) {
            return;
        }
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.retain(|known| known.upgrade().is_some_and(|known| known.id != connection.id));
        if connections.len() >= CONNECTIONS_MAX {
            connections.remove(0);
        }
        connections.push(Arc::downgrade(connection));
    }

    /// Removes closed connections, since their entries keep memory in use.
    fn forget_closed_connections(&self) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.retain(|known| known.strong_count() > 0);
    }

    /// The connections on which the session is used.
    pub fn connections(&self) -> Vec<Arc<Connection>> {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().filter_map(Weak::upgrade).collect()
    }

    /// Number of slots with a request in progress.
    pub fn slots_in_work(&self) -> usize {
        self.slots.in_work()
    }

    /// The session's sequential number in the server.
    fn number(&self) -> u64 {
        self.id.0.last_chunk().map_or(0, |number| u64::from_be_bytes(*number))
    }
}

/// A claimed slot. If it is dropped without a reply (because the request's task was cancelled or panicked),
/// the slot is freed and its reply is marked as unknown.
pub struct SlotGuard {
    session: Arc<Session>,
    slotid: u32,
    finished: bool,
}
