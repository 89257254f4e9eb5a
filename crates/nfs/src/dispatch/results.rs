//! The accumulated results of a COMPOUND.

use bytes::Bytes;

use super::limits::Limits;
use forebay_nfs_proto::xdr::nfs4::{OperationResult, errors};
use forebay_nfs_proto::xdr::{Encode, Encoder, Status};

/// The results so far, and the status of the last one.
pub(super) struct Results {
    tag: Bytes,
    status: Status,
    count: u32,
    body: Encoder,
}

impl Results {
    /// Without results; the tag is the client's.
    pub(super) fn new(tag: Bytes) -> Self {
        Results { tag, status: Status::Ok, count: 0, body: Encoder::new() }
    }

    /// Size of the COMPOUND's result so far.
    pub(super) fn len(&self) -> usize {
        let head = 3 * size_of::<u32>() + self.tag.len().next_multiple_of(4);
        head + self.body.len()
    }

    /// Adds the result of an operation.
    pub(super) fn push(&mut self, result: &OperationResult) {
        assert_valid(result);
        self.status = result.status();
        self.count += 1;
        result.encode(&mut self.body);
    }

    /// Adds the result of an operation, or, if it is too long, that error. Returns the status that was added.
    pub(super) fn push_within(&mut self, result: &OperationResult, limits: &Limits<'_>) -> Status {
        let encoded = Encoder::of(result);
        match limits.check(self.len() + encoded.len()) {
            Ok(()) => {
                assert_valid(result);
                self.status = result.status();
                self.count += 1;
                self.body.append(encoded);
            }
            // An operation without NFS4ERR_DELAY changes nothing, and clients expect that its result may be
            // too long.
            Err(Status::Delay) if !errors::is_valid_for(result.code(), Status::Delay) => {
                self.push(&OperationResult::failed(result.code(), Status::RepTooBigToCache));
            }
            Err(status) => self.push(&OperationResult::failed(result.code(), status)),
        }
        self.status
    }

    /// Adds the last result and finishes.
    pub(super) fn and(mut self, result: &OperationResult) -> Vec<Bytes> {
        self.push(result);
        self.into_pieces()
    }

    /// Finishes with a status that belongs to no operation.
    pub(super) fn fail(mut self, status: Status) -> Vec<Bytes> {
        self.status = status;
        self.into_pieces()
    }

    /// The encoded COMPOUND result.
    pub(super) fn into_pieces(self) -> Vec<Bytes> {
        let mut out = Encoder::new();
        self.status.encode(&mut out);
        self.tag.encode(&mut out);
        self.count.encode(&mut out);
        out.append(self.body);
        out.into_pieces()
    }
}

/// Checks that an operation returns only errors that clients expect of it. Operations that this server does
/// not support all return the same error.
fn assert_valid(result: &OperationResult) {
    debug_assert!(
        errors::is_valid_for(result.code(), result.status()) || matches!(result, OperationResult::Other(..)),
        "this operation has no such error: {result:?}"
    );
}
