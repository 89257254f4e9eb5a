//! One slot of a session: the last request it carried and what was answered (RFC 8881 §2.10.6.1).

use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;

use super::SlotGuard;
use crate::memory::audit::further_reply_bytes;
use forebay_nfs_proto::rpc::Principal;
use forebay_nfs_proto::xdr::Status;

/// Bytes of a request that are looked at to tell whether it is the same as an earlier one.
const FINGERPRINT_BYTES_MAX: usize = 1024;

/// Tells a repeated request from another one that wrongly bears the same sequence id.
///
/// Covers who calls and the operations after SEQUENCE: their total length and first KiB. SEQUENCE itself
/// is left out, because a client may report another highest slot when it encodes a request again.
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

/// What is known of the answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The whole encoded COMPOUND result. In a slot it takes no more bytes than it has.
    Cached(Bytes),
    /// SEQUENCE was all there was. The rest of its result follows from the request.
    Sequence {
        /// The highest slot that the client was asked to use.
        target_highest_slotid: u32,
        /// What else it was told.
        status_flags: u32,
    },
    /// The client did not ask for the reply to be kept.
    Uncached,
}

impl Reply {
    /// What the reply takes in memory beyond what is charged for its slot.
    fn further_bytes(&self) -> usize {
        match self {
            Reply::Cached(reply) => further_reply_bytes(reply.len()),
            Reply::Sequence { .. } | Reply::Uncached => 0,
        }
    }
}

/// How a request begins.
pub enum Start {
    /// It is new and must be executed.
    New(SlotGuard),
    /// It was answered before.
    Retry(Reply),
}

/// One slot.
#[derive(Default)]
pub(crate) struct Slot {
    /// Of the last request; 0 if there was none.
    sequenceid: u32,
    /// Bytes that are charged for its reply beyond those of the slot: while it is in work, those that the reply may take.
    charged: u32,
    last: Option<Last>,
}

struct Last {
    request: Fingerprint,
    /// `None` while the request is in work.
    reply: Option<Reply>,
}

impl Slot {
    /// Whether a request may begin: `None` if it is new, else the earlier answer.
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

    /// Begins a new request; the earlier reply is forgotten, and what is charged for it stays for the next.
    pub(super) fn begin(&mut self, sequenceid: u32, request: Fingerprint) {
        self.sequenceid = sequenceid;
        self.last = Some(Last { request, reply: None });
    }

    /// True while a request is in work.
    pub(super) fn is_in_work(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.reply.is_none())
    }

    /// Ends the request in work.
    pub(super) fn finish(&mut self, reply: Reply) {
        if let Some(last) = &mut self.last {
            self.charged = u32::try_from(reply.further_bytes()).unwrap_or(u32::MAX);
            last.reply = Some(reply);
        }
    }

    /// Bytes that are charged for its reply.
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
