//! A session of a client.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::back_channel::{BackChannel, Callback};
use super::slots::Slots;
use crate::connection::{Carried, Connection};
use crate::memory::NoRoom;
use crate::memory::audit::{CONNECTIONS_MAX, SESSION_OBJECT_BYTES};
use crate::state::Client;
use forebay_nfs_proto::xdr::nfs4::{ChannelAttributes, SessionId};

// The charge for a session covers it.
const _: () = assert!(size_of::<Session>() <= SESSION_OBJECT_BYTES);

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
    /// Whether replies to its requests survive a restart.
    pub is_persistent: bool,
    pub(super) back_channel: BackChannel,
    pub(super) slots: Slots,
    /// The connections it was used on, for operators.
    connections: Mutex<Vec<Weak<Connection>>>,
}

impl Session {
    pub(super) fn new(
        id: SessionId,
        client: Arc<Client>,
        (fore, back): (ChannelAttributes, ChannelAttributes),
        is_persistent: bool,
        callback: Callback,
    ) -> Result<Session, NoRoom> {
        let slots = Slots::new(&client)?;
        Ok(Session {
            id,
            client,
            fore,
            back,
            is_persistent,
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

    /// Notes that a row with outcomes is about to be stored for a slot.
    pub fn note_row(&self, slotid: u32) {
        self.slots.note_row(slotid);
    }

    /// The slots for which rows were stored.
    pub fn rows(&self) -> Vec<u32> {
        self.slots.rows()
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
    pub(super) fn forget_closed_connections(&self) {
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

impl Carried for Session {
    fn is_gone(&self) -> bool {
        self.client.is_gone()
    }
}
