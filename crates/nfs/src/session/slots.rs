//! The slots of one session, and the memory for them and their replies.
//!
//! A session may have as many slots as its client requested, and takes memory for those that were used; it
//! begins with a few. A slot's charge covers most replies, so a client that is short of memory continues with
//! the slots that it has, and can always release its state (CLOSE). A further slot, and the excess of a long
//! reply, are charged before the operation is executed; if there is no room, the client is asked to retry.
//! SEQUENCE (`sr_target_highest_slotid`) asks the client to use only the slots that it has.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::slot::{Fingerprint, Reply, Slot};
use crate::memory::audit::{SESSION_BYTES, SLOT_BYTES, SLOTS_FIRST, further_reply_bytes};
use crate::memory::{Account, Charge, Kind, NoRoom};
use crate::state::{Client, FirstSession};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::SequenceArgs;

/// The initial charge for a reply that must be stored; most are shorter.
const REPLY_BYTES_USUAL: usize = 2048;

/// See the module documentation.
pub(super) struct Slots(Mutex<Inner>);

struct Inner {
    /// Up to the highest slot used; unused ones are `None`.
    slots: Vec<Option<Box<Slot>>>,
    charge: Charge,
    _paid: Option<FirstSession>,
}

impl Inner {
    /// The slot, created if it was never used.
    fn provide(&mut self, slotid: usize) -> Result<&mut Slot, NoRoom> {
        if self.get(slotid).is_none() {
            let further = (slotid + 1).saturating_sub(self.slots.len());
            self.charge
                .resize(self.charge.bytes() + SLOT_BYTES + further * size_of::<Option<Box<Slot>>>())?;
            self.slots.reserve_exact(further);
            self.slots.resize_with(self.slots.len() + further, || None);
        }
        // The vector is long enough by now.
        self.slots.get_mut(slotid).map(|slot| &mut **slot.get_or_insert_default()).ok_or(NoRoom)
    }

    fn get(&self, slotid: usize) -> Option<&Slot> {
        self.slots.get(slotid)?.as_deref()
    }

    fn get_mut(&mut self, slotid: usize) -> Option<&mut Slot> {
        self.slots.get_mut(slotid)?.as_deref_mut()
    }

    fn made(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().flatten().map(Box::as_ref)
    }

    /// The total charge without that for the reply in this slot.
    fn charged_but_for(&self, slotid: usize) -> usize {
        self.charge.bytes().saturating_sub(self.get(slotid).map_or(0, Slot::charged))
    }
}

impl Slots {
    /// The initial slots. They and the session are charged if the client already has another session. The
    /// first session is charged with the client, so that every client can have one.
    pub fn new(client: &Arc<Client>) -> Result<Slots, NoRoom> {
        let paid = client.take_first_session();
        let mut charge = client.account().nothing(Kind::Session);
        if paid.is_none() {
            charge.resize(SESSION_BYTES + SLOTS_FIRST * SLOT_BYTES)?;
        }
        let slots = std::iter::repeat_with(|| Some(Box::default())).take(SLOTS_FIRST).collect();
        Ok(Slots(Mutex::new(Inner { slots, charge, _paid: paid })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A slot is changed by single assignments, so a panic elsewhere leaves no partial change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of slots with a request in progress.
    pub fn in_work(&self) -> usize {
        self.lock().made().filter(|slot| slot.is_in_work()).count()
    }

    /// Notes that a row is about to be stored for the slot.
    pub fn note_row(&self, slotid: u32) {
        if let Some(slot) = self.lock().get_mut(slotid as usize) {
            slot.note_row();
        }
    }

    /// The slots for which rows were stored.
    pub fn rows(&self) -> Vec<u32> {
        let inner = self.lock();
        let slots = (0..).zip(&inner.slots);
        slots.filter(|(_, slot)| slot.as_ref().is_some_and(|slot| slot.has_row())).map(|(id, _)| id).collect()
    }

    /// The highest slot that the client should use, given the highest that it may use and assuming that it
    /// uses low ones first.
    pub fn target(&self, account: &Account, highest: u32) -> u32 {
        if !account.is_short() {
            return highest;
        }
        let made = self.lock().made().count().saturating_sub(1);
        u32::try_from(made).map_or(highest, |made| made.min(highest))
    }

    /// Returns the stored reply to a retry, or `None` if the request is new. In that case it has started, and
    /// the caller must call [`Slots::finish`].
    pub fn start(
        &self,
        args: &SequenceArgs,
        request: Fingerprint,
        reply_bytes_max: usize,
    ) -> Result<Option<Reply>, Status> {
        let mut inner = self.lock();
        let slotid = args.slotid as usize;
        let slot = inner.provide(slotid)?;
        if let Some(earlier) = slot.check(args.sequenceid, request)? {
            return Ok(Some(earlier));
        }
        let usual = further_reply_bytes(reply_bytes_max.min(REPLY_BYTES_USUAL));
        let others = inner.charged_but_for(slotid);
        let has_room = inner.charge.resize_if_room(others + usual);
        if let Some(slot) = inner.get_mut(slotid) {
            slot.begin(args.sequenceid, request);
            if has_room {
                slot.set_charged(usual);
            }
        }
        Ok(None)
    }

    /// Reserves memory to store a reply of this size for the request in progress.
    pub fn reserve(&self, slotid: u32, reply: usize) -> Result<(), NoRoom> {
        let (slotid, bytes) = (slotid as usize, further_reply_bytes(reply));
        let mut inner = self.lock();
        if inner.get(slotid).is_none_or(|slot| slot.charged() >= bytes) {
            return Ok(());
        }
        let others = inner.charged_but_for(slotid);
        inner.charge.resize(others + bytes)?;
        if let Some(slot) = inner.get_mut(slotid) {
            slot.set_charged(bytes);
        }
        Ok(())
    }

    /// Stores the reply in a slot, and frees the slot.
    pub fn finish(&self, slotid: u32, reply: Reply) {
        let mut inner = self.lock();
        let Some(slot) = inner.get_mut(slotid as usize) else { return };
        let before = slot.charged();
        slot.finish(reply);
        let after = slot.charged();
        let bytes = (inner.charge.bytes() + after).saturating_sub(before);
        inner.charge.settle(bytes);
    }
}
