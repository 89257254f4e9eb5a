//! Classes of statuses: what an operator would do about them decides which belong together.

use forebay_nfs_proto::xdr::Status;

/// A class of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusClass {
    /// No such file, or no more: part of every day.
    NotFound,
    /// Something is there already, or not empty: part of every day.
    Exists,
    /// Not permitted to this user or client.
    Access,
    /// Somebody else has it open or locked.
    Conflict,
    /// VERIFY and NVERIFY found what they were asked about.
    Compared,
    /// To come again later: grace period, limits, things being looked up.
    Delay,
    /// No space in the pool or the volume.
    Space,
    /// The pool or its disk failed.
    Io,
    /// The client's stateids, leases or sessions are not, or no longer, known.
    State,
    /// The server does not offer that.
    Unsupported,
    /// The client asked for what is not allowed.
    Invalid,
}

impl StatusClass {
    /// All of them.
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

    /// The class of a status, which is not OK.
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

    /// The name that metrics have it under.
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
