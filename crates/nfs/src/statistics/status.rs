//! Classes of statuses, grouped by what an operator would do about them.

use forebay_nfs_proto::xdr::Status;

/// A class of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusClass {
    /// The file does not exist, or no longer: normal.
    NotFound,
    /// The name exists already, or the directory is not empty: normal.
    Exists,
    /// Not permitted for this user or client.
    Access,
    /// Another client has the file open or locked.
    Conflict,
    /// The result of a comparison by VERIFY or NVERIFY.
    Compared,
    /// The client should retry later: grace period, limits, pending lookups.
    Delay,
    /// No space in the pool or the volume.
    Space,
    /// The pool or its disk failed.
    Io,
    /// The client's stateid, lease or session is unknown or no longer valid.
    State,
    /// The server does not support the operation.
    Unsupported,
    /// The request is invalid.
    Invalid,
}

impl StatusClass {
    /// All classes.
    pub const ALL: [StatusClass; 11] = [
        StatusClass::NotFound,
        StatusClass::Exists,
        StatusClass::Access,
        StatusClass::Conflict,
        StatusClass::Compared,
        StatusClass::Delay,
        StatusClass::Space,
        StatusClass::Io,
        StatusClass::State,
        StatusClass::Unsupported,
        StatusClass::Invalid,
    ];

    /// The class of a status other than OK.
    pub fn of(status: Status) -> StatusClass {
        match status {
            Status::NoEnt | Status::Stale | Status::BadHandle | Status::FhExpired | Status::NoXattr => {
                StatusClass::NotFound
            }
            Status::Exist | Status::NotEmpty => StatusClass::Exists,
            Status::Perm | Status::Access | Status::RoFs | Status::WrongSec | Status::WrongCred => {
                StatusClass::Access
            }
            Status::Denied
            | Status::Locked
            | Status::LocksHeld
            | Status::ShareDenied
            | Status::Deadlock
            | Status::FileOpen
            | Status::OpenMode
            | Status::ClidInUse
            | Status::ClientidBusy => StatusClass::Conflict,
            Status::Same | Status::NotSame => StatusClass::Compared,
            Status::Delay
            | Status::Grace
            | Status::BackChanBusy
            | Status::LayoutTryLater
            | Status::Resource
            | Status::DirDelegUnavail => StatusClass::Delay,
            Status::NoSpc | Status::DQuot => StatusClass::Space,
            Status::Io | Status::ServerFault | Status::Nxio => StatusClass::Io,
            Status::BadStateid
            | Status::StaleStateid
            | Status::OldStateid
            | Status::Expired
            | Status::AdminRevoked
            | Status::DelegRevoked
            | Status::StaleClientid
            | Status::NoGrace
            | Status::ReclaimBad
            | Status::ReclaimConflict
            | Status::CompleteAlready
            | Status::BadSession
            | Status::DeadSession
            | Status::BadSlot
            | Status::BadHighSlot
            | Status::SeqMisordered
            | Status::SeqFalseRetry
            | Status::RetryUncachedRep
            | Status::ConnNotBoundToSession
            | Status::CbPathDown => StatusClass::State,
            Status::NotSupp
            | Status::AttrNotSupp
            | Status::LockNotSupp
            | Status::OpIllegal
            | Status::MinorVersMismatch
            | Status::UnionNotSupp
            | Status::HashAlgUnsupp
            | Status::EncrAlgUnsupp => StatusClass::Unsupported,
            _ => StatusClass::Invalid,
        }
    }

    /// The name used in metrics.
    pub fn name(self) -> &'static str {
        match self {
            StatusClass::NotFound => "not_found",
            StatusClass::Exists => "exists",
            StatusClass::Access => "access",
            StatusClass::Conflict => "conflict",
            StatusClass::Compared => "compared",
            StatusClass::Delay => "delay",
            StatusClass::Space => "space",
            StatusClass::Io => "io",
            StatusClass::State => "state",
            StatusClass::Unsupported => "unsupported",
            StatusClass::Invalid => "invalid",
        }
    }
}
