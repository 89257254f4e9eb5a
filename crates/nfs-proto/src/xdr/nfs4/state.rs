//! Arguments and results of the operations on opens, locks and delegations (RFC 8881 §18).

use bytes::Bytes;

use super::{Bitmap, ChangeInfo, ClientId, Fattr, NfsTime, StateId, StateOwner, Verifier};
use crate::xdr::{Decode, Decoder, Encode, Encoder, Status, XdrError, xdr_enum, xdr_struct, xdr_union};

/// `OPEN4_SHARE_*` (RFC 8881 §18.16).
pub mod share {
    /// Access to read.
    pub const ACCESS_READ: u32 = 0x1;
    /// Access to write.
    pub const ACCESS_WRITE: u32 = 0x2;
    /// Access to read and write.
    pub const ACCESS_BOTH: u32 = 0x3;
    /// Bits for the kind of delegation that the client wants.
    pub const ACCESS_WANT_DELEG_MASK: u32 = 0xff00;
    /// Bits for when a delegation may be signalled.
    pub const ACCESS_WHEN_MASK: u32 = 0xf_0000;
    /// A read delegation is wanted.
    pub const ACCESS_WANT_READ_DELEG: u32 = 0x100;
    /// A write delegation is wanted.
    pub const ACCESS_WANT_WRITE_DELEG: u32 = 0x200;
    /// Any delegation is wanted.
    pub const ACCESS_WANT_ANY_DELEG: u32 = 0x300;
    /// No delegation is wanted.
    pub const ACCESS_WANT_NO_DELEG: u32 = 0x400;
    /// An earlier request for a delegation is withdrawn.
    pub const ACCESS_WANT_CANCEL: u32 = 0x500;
    /// Denies nothing.
    pub const DENY_NONE: u32 = 0x0;
    /// Denies reading to others.
    pub const DENY_READ: u32 = 0x1;
    /// Denies writing to others.
    pub const DENY_WRITE: u32 = 0x2;
    /// Denies reading and writing to others.
    pub const DENY_BOTH: u32 = 0x3;
}

/// `OPEN4_RESULT_*` (RFC 8881 §18.16).
pub mod open_result_flags {
    /// Locks are POSIX locks.
    pub const LOCKTYPE_POSIX: u32 = 0x4;
    /// The file outlives its last name while it is open.
    pub const PRESERVE_UNLINKED: u32 = 0x8;
    /// The server may send CB_NOTIFY_LOCK.
    pub const MAY_NOTIFY_LOCK: u32 = 0x20;
}

xdr_struct! {
    /// Verifier and attributes of EXCLUSIVE4_1 (`creatverfattr`).
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub struct CreateVerifierAttributes {
        pub verifier: Verifier,
        pub attributes: Fattr,
    }
}

xdr_union! {
    /// How OPEN creates (`createhow4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub enum CreateHow {
        0 => Unchecked(attributes: Fattr),
        1 => Guarded(attributes: Fattr),
        2 => Exclusive(verifier: Verifier),
        3 => Exclusive41(create: CreateVerifierAttributes),
    }
}

xdr_union! {
    /// Whether OPEN creates (`openflag4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub enum OpenHow {
        0 => NoCreate,
        1 => Create(how: CreateHow),
    }
}

xdr_enum! {
    /// Kind of delegation (`open_delegation_type4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub enum DelegationType {
        None = 0,
        Read = 1,
        Write = 2,
        NoneExt = 3,
    }
}

xdr_struct! {
    /// A name and the delegation under which it is opened (`open_claim_delegate_cur4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub struct OpenClaimDelegateCurrent {
        pub delegate_stateid: StateId,
        pub file: Bytes,
    }
}

xdr_union! {
    /// The file to open and the claim to it (`open_claim4`).
    pub enum OpenClaim {
        /// A name in the current directory.
        0 => Null(file: Bytes),
        /// The current file, open before the server restarted.
        1 => Previous(delegate_type: DelegationType),
        /// A name in the current directory, under a delegation.
        2 => DelegateCurrent(claim: OpenClaimDelegateCurrent),
        /// A name in the current directory, under a delegation from before the client restarted.
        3 => DelegatePrevious(file: Bytes),
        /// The current file.
        4 => Fh,
        /// The current file, under a delegation.
        5 => DelegateCurrentFh(delegate_stateid: StateId),
        /// The current file, under a delegation from before the client restarted.
        6 => DelegatePreviousFh,
    }
}

xdr_struct! {
    /// Arguments of OPEN.
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub struct OpenArgs {
        pub seqid: u32,
        pub share_access: u32,
        pub share_deny: u32,
        pub owner: StateOwner,
        pub openhow: OpenHow,
        pub claim: OpenClaim,
    }
}

xdr_union! {
    /// The reason for not granting a delegation (`open_none_delegation4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub enum WhyNoDelegation {
        0 => NotWanted,
        1 => Contention(server_will_push: bool),
        2 => Resource(server_will_signal: bool),
        3 => NotSupportedForFileType,
        4 => WriteNotSupportedForFileType,
        5 => NotSupportedUpgrade,
        6 => NotSupportedDowngrade,
        7 => Cancelled,
        8 => IsDirectory,
    }
}

xdr_union! {
    /// The delegation granted with OPEN (`open_delegation4`); this server grants none.
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub enum OpenDelegation {
        0 => None,
        3 => NoneExt(why: WhyNoDelegation),
    }
}

xdr_struct! {
    /// Result of OPEN.
    #[expect(missing_docs, reason = "RFC 8881 §18.16")]
    pub struct OpenResult {
        pub stateid: StateId,
        pub change_info: ChangeInfo,
        /// See [`open_result_flags`].
        pub rflags: u32,
        /// Attributes set by the creation.
        pub attributes_set: Bitmap,
        pub delegation: OpenDelegation,
    }
}

xdr_struct! {
    /// Arguments of OPEN_DOWNGRADE.
    #[expect(missing_docs, reason = "RFC 8881 §18.18")]
    pub struct OpenDowngradeArgs {
        pub open_stateid: StateId,
        pub seqid: u32,
        pub share_access: u32,
        pub share_deny: u32,
    }
}

xdr_struct! {
    /// Result of OPEN_DOWNGRADE.
    #[expect(missing_docs, reason = "RFC 8881 §18.18")]
    pub struct OpenDowngradeResult {
        pub open_stateid: StateId,
    }
}

xdr_struct! {
    /// Arguments of CLOSE.
    #[expect(missing_docs, reason = "RFC 8881 §18.2")]
    pub struct CloseArgs {
        pub seqid: u32,
        pub open_stateid: StateId,
    }
}

xdr_struct! {
    /// Result of CLOSE.
    #[expect(missing_docs, reason = "RFC 8881 §18.2")]
    pub struct CloseResult {
        pub open_stateid: StateId,
    }
}

xdr_enum! {
    /// Kind of lock (`nfs_lock_type4`). The `Blocking` ones mean that the client will ask again.
    #[expect(missing_docs, reason = "the names say it")]
    pub enum LockType {
        Read = 1,
        Write = 2,
        BlockingRead = 3,
        BlockingWrite = 4,
    }
}

xdr_struct! {
    /// A lock owner's first lock on a file (`open_to_lock_owner4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.10")]
    pub struct OpenToLockOwner {
        pub open_seqid: u32,
        pub open_stateid: StateId,
        pub lock_seqid: u32,
        pub lock_owner: StateOwner,
    }
}

xdr_struct! {
    /// A lock owner's further lock on a file (`exist_lock_owner4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.10")]
    pub struct ExistingLockOwner {
        pub lock_stateid: StateId,
        pub lock_seqid: u32,
    }
}

xdr_union! {
    /// The owner of a lock (`locker4`).
    #[expect(missing_docs, reason = "RFC 8881 §18.10")]
    pub enum Locker {
        1 => New(open_owner: OpenToLockOwner),
        0 => Existing(lock_owner: ExistingLockOwner),
    }
}

xdr_struct! {
    /// Arguments of LOCK.
    #[expect(missing_docs, reason = "RFC 8881 §18.10")]
    pub struct LockArgs {
        pub locktype: LockType,
        pub reclaim: bool,
        pub offset: u64,
        /// `u64::MAX` means to the end of the file, whatever its size.
        pub length: u64,
        pub locker: Locker,
    }
}

xdr_struct! {
    /// The conflicting lock (`LOCK4denied`).
    #[expect(missing_docs, reason = "RFC 8881 §18.10")]
    pub struct LockDenied {
        pub offset: u64,
        pub length: u64,
        pub locktype: LockType,
        pub owner: StateOwner,
    }
}

/// Result of LOCK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockResult {
    /// Locked.
    Granted(StateId),
    /// NFS4ERR_DENIED, with the conflicting lock.
    Denied(LockDenied),
}

/// Result of LOCKT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocktResult {
    /// No lock conflicts.
    Free,
    /// NFS4ERR_DENIED, with the conflicting lock.
    Denied(LockDenied),
}

xdr_struct! {
    /// Arguments of LOCKT.
    #[expect(missing_docs, reason = "RFC 8881 §18.11")]
    pub struct LocktArgs {
        pub locktype: LockType,
        pub offset: u64,
        pub length: u64,
        pub owner: StateOwner,
    }
}

xdr_struct! {
    /// Arguments of LOCKU.
    #[expect(missing_docs, reason = "RFC 8881 §18.12")]
    pub struct LockuArgs {
        pub locktype: LockType,
        pub seqid: u32,
        pub lock_stateid: StateId,
        pub offset: u64,
        pub length: u64,
    }
}

xdr_struct! {
    /// Result of LOCKU.
    #[expect(missing_docs, reason = "RFC 8881 §18.12")]
    pub struct LockuResult {
        pub lock_stateid: StateId,
    }
}

xdr_struct! {
    /// Arguments of DELEGRETURN.
    #[expect(missing_docs, reason = "RFC 8881 §18.6")]
    pub struct DelegreturnArgs {
        pub stateid: StateId,
    }
}

xdr_struct! {
    /// Arguments of GET_DIR_DELEGATION.
    #[expect(missing_docs, reason = "RFC 8881 §18.39")]
    pub struct GetDirDelegationArgs {
        pub signal_deleg_avail: bool,
        pub notification_types: Bitmap,
        pub child_attr_delay: NfsTime,
        pub dir_attr_delay: NfsTime,
        pub child_attributes: Bitmap,
        pub dir_attributes: Bitmap,
    }
}

xdr_union! {
    /// Result of GET_DIR_DELEGATION (`GET_DIR_DELEGATION4res_non_fatal`); this server grants none.
    pub enum GetDirDelegationResult {
        /// No delegation; true if the server will signal when one is available.
        1 => Unavailable(will_signal_deleg_avail: bool),
    }
}

xdr_struct! {
    /// Arguments of DELEGPURGE.
    #[expect(missing_docs, reason = "RFC 8881 §18.5")]
    pub struct DelegpurgeArgs {
        pub clientid: ClientId,
    }
}

impl super::ResultBody for LockResult {
    fn status(&self) -> Status {
        match self {
            LockResult::Granted(_) => Status::Ok,
            LockResult::Denied(_) => Status::Denied,
        }
    }

    fn encode_body(&self, out: &mut Encoder) {
        match self {
            LockResult::Granted(stateid) => stateid.encode(out),
            LockResult::Denied(denied) => denied.encode(out),
        }
    }

    fn decode_body(status: Status, input: &mut Decoder) -> Result<Result<Self, Status>, XdrError> {
        match status {
            Status::Ok => Ok(Ok(LockResult::Granted(Decode::decode(input)?))),
            Status::Denied => Ok(Ok(LockResult::Denied(Decode::decode(input)?))),
            error => Ok(Err(error)),
        }
    }
}

impl super::ResultBody for LocktResult {
    fn status(&self) -> Status {
        match self {
            LocktResult::Free => Status::Ok,
            LocktResult::Denied(_) => Status::Denied,
        }
    }

    fn encode_body(&self, out: &mut Encoder) {
        if let LocktResult::Denied(denied) = self {
            denied.encode(out);
        }
    }

    fn decode_body(status: Status, input: &mut Decoder) -> Result<Result<Self, Status>, XdrError> {
        match status {
            Status::Ok => Ok(Ok(LocktResult::Free)),
            Status::Denied => Ok(Ok(LocktResult::Denied(Decode::decode(input)?))),
            error => Ok(Err(error)),
        }
    }
}
