//! Size limits of replies (RFC 8881 §2.10.6.4).

use super::results::Results;
use crate::session::SlotGuard;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ChannelAttributes, Operation};

/// Size of a reply before the COMPOUND's result: xid, kind, status, verifier, status.
const RPC_HEADER_BYTES: usize = 24;
/// Maximum size of a successful result of an operation that changes something: OPEN's, with three words of
/// attributes set.
const CHANGING_RESULT_BYTES_MAX: usize = 96;

/// Size limits of a COMPOUND's result.
pub(super) struct Limits<'a> {
    response: usize,
    /// The limit if the reply must be stored.
    cached: Option<usize>,
    /// The slot in which it is stored.
    slot: &'a SlotGuard,
}

impl<'a> Limits<'a> {
    /// The limits of a session's channel, for a request in this slot whose reply must be stored if
    /// `cachethis` is set.
    pub(super) fn of(fore: &ChannelAttributes, cachethis: bool, slot: &'a SlotGuard) -> Self {
        let result_bytes = |reply: u32| (reply as usize).saturating_sub(RPC_HEADER_BYTES);
        Limits {
            response: result_bytes(fore.maxresponsesize),
            cached: cachethis.then(|| result_bytes(fore.maxresponsesize_cached)),
            slot,
        }
    }

    /// Checks whether a result of this size may be sent and stored. Returns [`Status::Delay`] if there is no
    /// memory to store it.
    pub(super) fn check(&self, bytes: usize) -> Result<(), Status> {
        if bytes > self.response {
            return Err(Status::RepTooBig);
        }
        match self.cached {
            Some(cached) if bytes > cached => Err(Status::RepTooBigToCache),
            Some(_) => Ok(self.slot.reserve(bytes)?),
            None => Ok(()),
        }
    }

    /// Refuses an operation that would change something and then have no room for its result.
    pub(super) fn check_before(&self, operation: &Operation, results: &Results) -> Result<(), Status> {
        if changes(operation) { self.check(results.len() + CHANGING_RESULT_BYTES_MAX) } else { Ok(()) }
    }
}

/// Returns true if the operation changes files or state.
fn changes(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Allocate(_)
            | Operation::BackchannelCtl(_)
            | Operation::Clone(_)
            | Operation::Close(_)
            | Operation::Copy(_)
            | Operation::Create(_)
            | Operation::CreateSession(_)
            | Operation::Deallocate(_)
            | Operation::DestroyClientid(_)
            | Operation::DestroySession(_)
            | Operation::FreeStateid(_)
            | Operation::Link(_)
            | Operation::Lock(_)
            | Operation::Locku(_)
            | Operation::Open(_)
            | Operation::OpenDowngrade(_)
            | Operation::ReclaimComplete(_)
            | Operation::Remove(_)
            | Operation::Removexattr(_)
            | Operation::Rename(_)
            | Operation::Setattr(_)
            | Operation::Setxattr(_)
            | Operation::Write(_)
    )
}
