//! Requests in a session: each claims a slot, unless it is a retry, and stores its reply there.

use std::sync::Arc;

use super::client_session::Session;
use super::slot::{Fingerprint, Reply};
use crate::memory::NoRoom;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::SequenceArgs;

/// How a request starts.
pub enum Start {
    /// It is new and must be executed.
    New(SlotGuard),
    /// It was already answered.
    Retry(Reply),
}

/// A claimed slot. If it is dropped without a reply (because the request's task was cancelled or panicked),
/// the slot is freed and its reply is marked as unknown.
pub struct SlotGuard {
    session: Arc<Session>,
    slotid: u32,
    finished: bool,
}

impl Session {
    /// Claims the slot for a request, or detects a retry (RFC 8881 §2.10.6.1, §18.46). A reply that must be
    /// stored may have `reply_bytes_max` bytes. Returns [`Status::Delay`] if there is no room for a further
    /// slot; nothing has changed in that case.
    pub fn start(
        self: &Arc<Self>,
        args: &SequenceArgs,
        request: Fingerprint,
        reply_bytes_max: usize,
    ) -> Result<Start, Status> {
        if args.slotid > self.highest_slotid() {
            return Err(Status::BadSlot);
        }
        if args.highest_slotid > self.highest_slotid() {
            return Err(Status::BadHighSlot);
        }
        match self.slots.start(args, request, reply_bytes_max)? {
            Some(earlier) => Ok(Start::Retry(earlier)),
            None => Ok(Start::New(SlotGuard { session: self.clone(), slotid: args.slotid, finished: false })),
        }
    }
}

impl SlotGuard {
    /// Reserves memory to store a reply of this size.
    pub fn reserve(&self, reply_bytes: usize) -> Result<(), NoRoom> {
        self.session.slots.reserve(self.slotid, reply_bytes)
    }

    /// Stores the reply and frees the slot.
    pub fn finish(mut self, reply: Reply) {
        self.finished = true;
        self.session.slots.finish(self.slotid, reply);
    }
}

impl Drop for SlotGuard {
    fn drop(&mut self) {
        if !self.finished {
            self.session.slots.finish(self.slotid, Reply::Uncached);
        }
    }
}
