//! How long a reply may become (RFC 8881 §2.10.6.4).

use super::results::Results;
use crate::session::SlotGuard;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{ChannelAttributes, Operation};

/// Bytes before a COMPOUND's result in a reply: xid, kind, status, verifier, status.
const RPC_HEADER_BYTES: usize = 24;
/// Longest successful result of an operation that changes something, in bytes: OPEN's, with three words of
/// attributes set.
const CHANGING_RESULT_BYTES_MAX: usize = 96;

/// How long a COMPOUND's result may become.
pub(super) struct Limits<'a> {
    response: usize,
    /// If it is to be kept.
    cached: Option<usize>,
    /// Where it is to be kept.
    slot: &'a SlotGuard,
}

impl<'a> Limits<'a> {
    /// The limits of a session's channel for a request in that slot whose reply is to be kept, or not.
    pub(super) fn of(fore: &ChannelAttributes, cachethis: bool, slot: &'a SlotGuard) -> Self {
        let result_bytes = |reply: u32| (reply as usize).saturating_sub(RPC_HEADER_BYTES);
        Limits {
            response: result_bytes(fore.maxresponsesize),
            cached: cachethis.then(|| result_bytes(fore.maxresponsesize_cached)),
            slot,
        }
    }

    /// Whether a result of that many bytes may be sent and kept. [`Status::Delay`] if there is no memory to keep it in.
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

    /// Refuses an operation that would change something and then find no room to say so.
    pub(super) fn check_before(&self, operation: &Operation, results: &Results) -> Result<(), Status> {
        if changes(operation) { self.check(results.len() + CHANGING_RESULT_BYTES_MAX) } else { Ok(()) }
    }
}

/// True if the operation changes files or state.
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
