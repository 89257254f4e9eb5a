//! One slot of a session: its last request and the reply (RFC 8881 §2.10.6.1).

use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;

use crate::memory::audit::{SLOT_OBJECT_BYTES, further_reply_bytes};
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::Status;

/// Number of request bytes that are compared to detect a retry.
const FINGERPRINT_BYTES_MAX: usize = 1024;

// The charge for a slot covers it.
const _: () = assert!(size_of::<Slot>() <= SLOT_OBJECT_BYTES);

/// Distinguishes a retry from another request that wrongly uses the same sequence id.
///
/// Covers the caller and the operations after SEQUENCE: their total length and first KiB. SEQUENCE itself is
/// excluded, because a client may report another highest slot when it encodes a request again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// The fingerprint of a request.
    pub fn of(principal: &Principal, operations: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        principal.hash(&mut hasher);
        operations.len().hash(&mut hasher);
        hasher.write(operations.get(..FINGERPRINT_BYTES_MAX).unwrap_or(operations));
        Fingerprint(hasher.finish())
    }
}

/// The stored reply to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The whole encoded COMPOUND result. In a slot its buffer has no spare capacity.
    Cached(Bytes),
    /// SEQUENCE was the only operation. The rest of its result follows from the request.
    Sequence {
        /// The highest slot that the client was asked to use.
        target_highest_slotid: u32,
        /// The status flags of the result.
        status_flags: u32,
    },
    /// The client did not ask for the reply to be stored.
    Uncached,
}

impl Reply {
    /// The memory of the reply beyond what is charged for its slot.
    fn further_bytes(&self) -> usize {
        match self {
            Reply::Cached(reply) => further_reply_bytes(reply.len()),
            Reply::Sequence { .. } | Reply::Uncached => 0,
        }
    }
}

/// One slot.
#[derive(Default)]
pub(super) struct Slot {
    /// Of the last request; 0 if there was none.
    sequenceid: u32,
    /// Bytes charged for its reply beyond those of the slot; while the request is in progress, the maximum
    /// size of the reply.
    charged: u32,
    /// Whether a row with the outcomes of a request may be stored for the slot.
    has_row: bool,
    last: Option<Last>,
}

struct Last {
    request: Fingerprint,
    /// `None` while the request is in progress.
    reply: Option<Reply>,
}

impl Slot {
    /// Checks whether a request may start: `None` if it is new, otherwise the stored reply.
    pub(super) fn check(&self, sequenceid: u32, request: Fingerprint) -> Result<Option<Reply>, Status> {
        match &self.last {
            Some(last) if sequenceid == self.sequenceid => match &last.reply {
                _ if last.request != request => Err(Status::SeqFalseRetry),
                None => Err(Status::Delay),
                Some(reply) => Ok(Some(reply.clone())),
            },
            Some(Last { reply: None, .. }) => Err(Status::SeqMisordered),
            _ if sequenceid == self.sequenceid.wrapping_add(1) => Ok(None),
            _ => Err(Status::SeqMisordered),
        }
    }

    /// Starts a new request. The previous reply is dropped, and its charge stays for the next one.
    pub(super) fn begin(&mut self, sequenceid: u32, request: Fingerprint) {
        self.sequenceid = sequenceid;
        self.last = Some(Last { request, reply: None });
    }

    /// Returns true while a request is in progress.
    pub(super) fn is_in_work(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.reply.is_none())
    }

    /// Ends the request in progress.
    pub(super) fn finish(&mut self, reply: Reply) {
        if let Some(last) = &mut self.last {
            self.charged = u32::try_from(reply.further_bytes()).unwrap_or(u32::MAX);
            last.reply = Some(reply);
        }
    }

    pub(super) fn has_row(&self) -> bool {
        self.has_row
    }

    pub(super) fn note_row(&mut self) {
        self.has_row = true;
    }

    /// Bytes charged for its reply.
    pub(super) fn charged(&self) -> usize {
        self.charged as usize
    }

    pub(super) fn set_charged(&mut self, bytes: usize) {
        self.charged = u32::try_from(bytes).unwrap_or(u32::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(operations: &[u8]) -> Fingerprint {
        Fingerprint::of(&Principal { flavor: 1, uid: 0 }, operations)
    }

    fn start(slot: &mut Slot, sequenceid: u32, operations: &[u8]) -> Result<Option<Reply>, Status> {
        let request = fingerprint(operations);
        let earlier = slot.check(sequenceid, request)?;
        if earlier.is_none() {
            slot.begin(sequenceid, request);
            slot.set_charged(1000);
        }
        Ok(earlier)
    }

    #[test]
    fn a_retry_gets_the_earlier_reply_and_the_next_request_is_new() {
        let mut slot = Slot::default();
        assert_eq!(start(&mut slot, 1, b"a"), Ok(None));
        assert_eq!(start(&mut slot, 1, b"a"), Err(Status::Delay));
        let reply = Reply::Cached(Bytes::from_static(&[7; 1500]));
        slot.finish(reply.clone());
        assert_eq!(slot.charged(), further_reply_bytes(1500));
        assert_eq!(start(&mut slot, 1, b"a"), Ok(Some(reply)));
        assert_eq!(start(&mut slot, 2, b"b"), Ok(None));
        assert_eq!(slot.charged(), 1000);
    }

    #[test]
    fn another_request_under_the_same_sequence_id_is_a_false_retry() {
        let mut slot = Slot::default();
        start(&mut slot, 1, b"a").unwrap();
        slot.finish(Reply::Uncached);
        assert_eq!(start(&mut slot, 1, b"b"), Err(Status::SeqFalseRetry));
    }

    #[test]
    fn sequence_ids_out_of_order_are_refused_and_wrap_around() {
        let mut slot = Slot::default();
        for wrong in [0, 2, u32::MAX] {
            assert_eq!(start(&mut slot, wrong, b""), Err(Status::SeqMisordered));
        }
        slot.sequenceid = u32::MAX;
        assert_eq!(start(&mut slot, 0, b""), Ok(None));
    }
}
