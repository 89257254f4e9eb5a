//! One slot of a session: the last request it carried and what was answered (RFC 8881 §2.10.6.1).

use std::hash::{DefaultHasher, Hash, Hasher};

use bytes::Bytes;

use super::SlotGuard;
use crate::rpc::Principal;
use crate::xdr::Status;

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
#[derive(Clone, Debug)]
pub enum Reply {
    /// The whole encoded COMPOUND result.
    Cached(Vec<Bytes>),
    /// The client did not ask for the reply to be kept.
    Uncached,
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
pub(super) struct Slot {
    /// Of the last request; 0 if there was none.
    sequenceid: u32,
    last: Option<Last>,
}

struct Last {
    request: Fingerprint,
    /// `None` while the request is in work.
    reply: Option<Reply>,
}

impl Slot {
    /// Begins a request: `None` if it is new, else the earlier answer.
    pub(super) fn start(&mut self, sequenceid: u32, request: Fingerprint) -> Result<Option<Reply>, Status> {
        match &self.last {
            Some(last) if sequenceid == self.sequenceid => match &last.reply {
                _ if last.request != request => Err(Status::SeqFalseRetry),
                None => Err(Status::Delay),
                Some(reply) => Ok(Some(reply.clone())),
            },
            Some(Last { reply: None, .. }) => Err(Status::SeqMisordered),
            _ if sequenceid == self.sequenceid.wrapping_add(1) => {
                self.sequenceid = sequenceid;
                self.last = Some(Last { request, reply: None });
                Ok(None)
            }
            _ => Err(Status::SeqMisordered),
        }
    }

    /// True while a request is in work.
    pub(super) fn is_in_work(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.reply.is_none())
    }

    /// Ends the request in work.
    pub(super) fn finish(&mut self, reply: Reply) {
        if let Some(last) = &mut self.last {
            last.reply = Some(reply);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(operations: &[u8]) -> Fingerprint {
        Fingerprint::of(&Principal { flavor: 1, uid: 0 }, operations)
    }

    #[test]
    fn a_retry_gets_the_earlier_reply_and_the_next_request_is_new() {
        let mut slot = Slot::default();
        assert!(slot.start(1, fingerprint(b"a")).unwrap().is_none());
        assert_eq!(slot.start(1, fingerprint(b"a")).unwrap_err(), Status::Delay);
        slot.finish(Reply::Cached(vec![Bytes::from_static(b"reply")]));
        let retry = slot.start(1, fingerprint(b"a")).unwrap();
        assert!(matches!(retry, Some(Reply::Cached(pieces)) if pieces == [Bytes::from_static(b"reply")]));
        assert!(slot.start(2, fingerprint(b"b")).unwrap().is_none());
    }

    #[test]
    fn another_request_under_the_same_sequence_id_is_a_false_retry() {
        let mut slot = Slot::default();
        slot.start(1, fingerprint(b"a")).unwrap();
        slot.finish(Reply::Uncached);
        assert_eq!(slot.start(1, fingerprint(b"b")).unwrap_err(), Status::SeqFalseRetry);
    }

    #[test]
    fn sequence_ids_out_of_order_are_refused_and_wrap_around() {
        let mut slot = Slot::default();
        for wrong in [0, 2, u32::MAX] {
            assert_eq!(slot.start(wrong, fingerprint(b"")).unwrap_err(), Status::SeqMisordered);
        }
        slot.sequenceid = u32::MAX;
        assert!(slot.start(0, fingerprint(b"")).unwrap().is_none());
    }
}
