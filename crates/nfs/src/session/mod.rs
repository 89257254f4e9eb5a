//! Sessions: exactly-once semantics over any number of connections (RFC 8881 §2.10).
//!
//! A session belongs to a client and has slots. A slot carries one request at a time and remembers its
//! reply, so that a request sent again is answered again instead of being executed again ([`slot`]).

mod attributes;
mod back_channel;
mod slot;
mod table;

use std::sync::{Arc, Mutex, PoisonError, Weak};

pub use attributes::{negotiate, negotiate_back};
pub use back_channel::{Callback, Reach};
pub use slot::{Fingerprint, Reply, Start};
pub use table::SessionTable;

use crate::rpc::Connection;
use crate::state::Client;
use crate::xdr::Status;
use crate::xdr::nfs4::{ChannelAttributes, SequenceArgs, SessionId};
use back_channel::BackChannel;
use slot::Slot;

/// A session of a client.
pub struct Session {
    /// The session's name, never used again.
    pub id: SessionId,
    /// The client that created it.
    pub client: Arc<Client>,
    /// What requests and replies may be.
    pub fore: ChannelAttributes,
    /// What callbacks may be.
    pub back: ChannelAttributes,
    back_channel: BackChannel,
    slots: Mutex<Box<[Slot]>>,
    /// Where it was used, for operators.
    connections: Mutex<Vec<Weak<Connection>>>,
}

impl Session {
    fn new(
        id: SessionId,
        client: Arc<Client>,
        (fore, back): (ChannelAttributes, ChannelAttributes),
        callback: Callback,
    ) -> Session {
        let slots = (0..fore.maxrequests).map(|_| Slot::default()).collect();
        Session {
            id,
            client,
            fore,
            back,
            back_channel: BackChannel::new(callback),
            slots: Mutex::new(slots),
            connections: Mutex::default(),
        }
    }

    /// The highest slot that the client may use.
    pub fn highest_slotid(&self) -> u32 {
        self.fore.maxrequests.saturating_sub(1)
    }

    /// Takes note of a connection that the session is used on.
    pub fn is_used_on(self: &Arc<Self>, connection: &Arc<Connection>) {
        if !connection.carry(self, self.number()) {
            return;
        }
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.retain(|known| known.upgrade().is_some_and(|known| known.id != connection.id));
        connections.push(Arc::downgrade(connection));
    }

    /// The connections that the session is used on.
    pub fn connections(&self) -> Vec<Arc<Connection>> {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().filter_map(Weak::upgrade).collect()
    }

    /// How many slots have a request in work.
    pub fn slots_in_work(&self) -> usize {
        self.lock().iter().filter(|slot| slot.is_in_work()).count()
    }

    /// Counts the sessions of the server.
    fn number(&self) -> u64 {
        self.id.0.last_chunk().map_or(0, |number| u64::from_be_bytes(*number))
    }

    /// Claims the slot for a request, or finds that it is a repetition (RFC 8881 §2.10.6.1, §18.46).
    /// Whoever gets [`Start::New`] must call [`Session::finish`]; see [`crate::session::SlotGuard`].
    pub fn start(self: &Arc<Self>, args: &SequenceArgs, request: Fingerprint) -> Result<Start, Status> {
        let mut slots = self.lock();
        let slot = slots.get_mut(args.slotid as usize).ok_or(Status::BadSlot)?;
        if args.highest_slotid > self.highest_slotid() {
            return Err(Status::BadHighSlot);
        }
        slot.start(args.sequenceid, request)?.map_or_else(
            || Ok(Start::New(SlotGuard::new(self.clone(), args.slotid))),
            |r| Ok(Start::Retry(r)),
        )
    }

    /// Stores what became of the request in a slot, and frees it.
    fn finish(&self, slotid: u32, reply: Reply) {
        if let Some(slot) = self.lock().get_mut(slotid as usize) {
            slot.finish(reply);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Box<[Slot]>> {
        // A slot is changed by single assignments, so a panic elsewhere leaves no half-done change.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A claimed slot. Dropping it unfinished (the request's task was cancelled or panicked) frees the slot
/// and leaves a reply that is known not to be known.
pub struct SlotGuard {
    session: Arc<Session>,
    slotid: u32,
    finished: bool,
}

impl SlotGuard {
    fn new(session: Arc<Session>, slotid: u32) -> Self {
        SlotGuard { session, slotid, finished: false }
    }

    /// Stores the reply and frees the slot.
    pub fn finish(mut self, reply: Reply) {
        self.finished = true;
        self.session.finish(self.slotid, reply);
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        if !self.finished {
            self.session.finish(self.slotid, Reply::Uncached);
        }
    }
}
