//! The errors that each operation may return (RFC 8881 §15.2, RFC 7862 §11, RFC 8276 §8.5).
//!
//! Clients decide by the error what to do next, and handle the errors in an operation's row: any other error
//! at best becomes an I/O error in the application. Builds with debug assertions check every result with
//! [`is_valid`], so every test checks the operations that it uses.

use super::OpCode;
use super::status::Status::{self, *};

/// Errors that any operation may return. The RFC repeats them in almost every row.
const GENERAL: &[Status] = &[
    BadXdr,
    DeadSession,
    Delay,
    OpNotInSession,
    RepTooBig,
    RepTooBigToCache,
    ReqTooBig,
    RetryUncachedRep,
    ServerFault,
    TooManyOps,
];

/// Returns true if the operation may return this status.
pub fn is_valid(operation: OpCode, status: Status) -> bool {
    status == Ok
        || GENERAL.contains(&status)
        || row(operation).contains(&status)
        || beyond(operation).contains(&status)
}

/// Like [`is_valid`], for an operation's number. Returns false for invalid numbers.
pub fn is_valid_for(code: u32, status: Status) -> bool {
    OpCode::try_from(code).is_ok_and(|operation| is_valid(operation, status))
}

/// Errors that are returned although the RFC does not list them, because the listed ones would be misleading.
fn beyond(operation: OpCode) -> &'static [Status] {
    match operation {
        // Accepted writes found the pool full when they became durable. Linux passes this error on to the
        // application; NFS4ERR_IO would look like a broken disk.
        OpCode::Commit => &[NoSpc, WrongSec],
        // Required by §18.35.4, case 9.
        OpCode::ExchangeId => &[Perm],
        // According to §2.6.3.1.1, PUTFH checks the operation that follows it and returns this error. Here that
        // operation returns the error itself. The COMPOUND ends in the same way.
        _ => &[WrongSec],
    }
}

/// The errors in an operation's row, without the [`GENERAL`] ones.
#[rustfmt::skip]
fn row(operation: OpCode) -> &'static [Status] {
    match operation {
        OpCode::Access => &[Access, FhExpired, Inval, Io, Moved, NoFileHandle, Stale],
        OpCode::Close => &[
            AdminRevoked, BadStateid, Expired, FhExpired, LocksHeld, Moved, NoFileHandle, OldStateid, Stale,
            WrongCred,
        ],
        OpCode::Commit => &[Access, FhExpired, Io, IsDir, Moved, NoFileHandle, Stale, Symlink, WrongType],
        OpCode::Create => &[
            Access, AttrNotSupp, BadChar, BadName, BadOwner, BadType, DQuot, Exist, FhExpired, Inval, Io, MLink,
            Moved, NameTooLong, NoFileHandle, NoSpc, NotDir, Perm, RoFs, Stale, UnsafeCompound,
        ],
        OpCode::Delegpurge => &[NotSupp, WrongCred],
        OpCode::Delegreturn => &[
            AdminRevoked, BadStateid, DelegRevoked, Expired, FhExpired, Inval, Moved, NoFileHandle, NotSupp,
            OldStateid, Stale, WrongCred,
        ],
        OpCode::Getattr => &[Access, FhExpired, Grace, Inval, Io, Moved, NoFileHandle, Stale, WrongType],
        OpCode::Getfh => &[FhExpired, Moved, NoFileHandle, Stale],
        OpCode::Link => &[
            Access, BadChar, BadName, DQuot, Exist, FhExpired, FileOpen, Grace, Inval, Io, IsDir, MLink, Moved,
            NameTooLong, NoFileHandle, NoSpc, NotDir, NotSupp, RoFs, Stale, Symlink, WrongSec, WrongType, XDev,
        ],
        OpCode::Lock => &[
            Access, AdminRevoked, BadRange, BadStateid, Deadlock, Denied, Expired, FhExpired, Grace, Inval, IsDir,
            LockNotSupp, LockRange, Moved, NoFileHandle, NoGrace, OldStateid, OpenMode, ReclaimBad, ReclaimConflict,
            RoFs, Stale, Symlink, WrongCred, WrongType,
        ],
        OpCode::Lockt => &[
            Access, BadRange, Denied, FhExpired, Grace, Inval, IsDir, LockRange, Moved, NoFileHandle, RoFs, Stale,
            Symlink, WrongCred, WrongType,
        ],
        OpCode::Locku => &[
            Access, AdminRevoked, BadRange, BadStateid, Expired, FhExpired, Inval, LockRange, Moved, NoFileHandle,
            OldStateid, Stale, WrongCred,
        ],
        OpCode::Lookup => &[
            Access, BadChar, BadName, FhExpired, Inval, Io, Moved, NameTooLong, NoEnt, NoFileHandle, NotDir, Stale,
            Symlink, WrongSec,
        ],
        OpCode::Lookupp => &[Access, FhExpired, Io, Moved, NoEnt, NoFileHandle, NotDir, Stale, Symlink, WrongSec],
        OpCode::Nverify => &[
            Access, AttrNotSupp, BadChar, FhExpired, Grace, Inval, Io, Moved, NoFileHandle, Same, Stale,
            UnknownLayoutType, WrongType,
        ],
        OpCode::Open => &[
            Access, AdminRevoked, AttrNotSupp, BadChar, BadName, BadOwner, BadStateid, DQuot, DelegAlreadyWanted,
            DelegRevoked, Exist, Expired, FBig, FhExpired, Grace, Inval, Io, IsDir, Moved, NameTooLong, NoEnt,
            NoFileHandle, NoGrace, NoSpc, NotDir, OldStateid, Perm, ReclaimBad, ReclaimConflict, RoFs, ShareDenied,
            Stale, Symlink, UnsafeCompound, WrongSec, WrongType,
        ],
        OpCode::Openattr => &[
            Access, DQuot, FhExpired, Io, Moved, NoEnt, NoFileHandle, NoSpc, NotSupp, RoFs, Stale, UnsafeCompound,
            WrongType,
        ],
        OpCode::OpenDowngrade => &[
            AdminRevoked, BadStateid, Expired, FhExpired, Inval, Moved, NoFileHandle, OldStateid, RoFs, Stale,
            WrongCred,
        ],
        OpCode::Putfh => &[BadHandle, Moved, Stale, WrongSec],
        OpCode::Putpubfh => &[WrongSec],
        OpCode::Putrootfh => &[WrongSec],
        OpCode::Read => &[
            Access, AdminRevoked, BadStateid, DelegRevoked, Expired, FhExpired, Grace, Inval, Io, IsDir, Locked,
            Moved, NoFileHandle, OldStateid, OpenMode, PnfsIoHole, PnfsNoLayout, Stale, Symlink, WrongType,
        ],
        OpCode::Readdir => &[
            Access, BadCookie, FhExpired, Inval, Io, Moved, NoFileHandle, NotDir, NotSame, Stale, TooSmall,
        ],
        OpCode::Readlink => &[Access, FhExpired, Inval, Io, Moved, NoFileHandle, Stale, WrongType],
        OpCode::Remove => &[
            Access, BadChar, BadName, FhExpired, FileOpen, Grace, Inval, Io, Moved, NameTooLong, NoEnt, NoFileHandle,
            NotDir, NotEmpty, RoFs, Stale,
        ],
        OpCode::Rename => &[
            Access, BadChar, BadName, DQuot, Exist, FhExpired, FileOpen, Grace, Inval, Io, MLink, Moved, NameTooLong,
            NoEnt, NoFileHandle, NoSpc, NotDir, NotEmpty, RoFs, Stale, WrongSec, XDev,
        ],
        OpCode::Restorefh => &[FhExpired, Moved, NoFileHandle, Stale, WrongSec],
        OpCode::Savefh => &[FhExpired, Moved, NoFileHandle, Stale],
        OpCode::Secinfo => &[
            Access, BadChar, BadName, FhExpired, Inval, Moved, NameTooLong, NoEnt, NoFileHandle, NotDir, Stale,
        ],
        OpCode::Setattr => &[
            Access, AdminRevoked, AttrNotSupp, BadChar, BadOwner, BadStateid, DQuot, DelegRevoked, Expired, FBig,
            FhExpired, Grace, Inval, Io, Locked, Moved, NoFileHandle, NoSpc, OldStateid, OpenMode, Perm, RoFs, Stale,
            UnknownLayoutType, WrongType,
        ],
        OpCode::Verify => &[
            Access, AttrNotSupp, BadChar, FhExpired, Grace, Inval, Io, Moved, NoFileHandle, NotSame, Stale,
            UnknownLayoutType, WrongType,
        ],
        OpCode::Write => &[
            Access, AdminRevoked, BadStateid, DQuot, DelegRevoked, Expired, FBig, FhExpired, Grace, Inval, Io, IsDir,
            Locked, Moved, NoFileHandle, NoSpc, OldStateid, OpenMode, PnfsIoHole, PnfsNoLayout, RoFs, Stale, Symlink,
            WrongType,
        ],
        OpCode::BackchannelCtl => &[Inval, NoEnt],
        OpCode::BindConnToSession => &[BadSession, BadSessionDigest, Inval, NotOnlyOp],
        OpCode::ExchangeId => &[BadChar, ClidInUse, EncrAlgUnsupp, HashAlgUnsupp, Inval, NoEnt, NotOnlyOp, NotSame],
        OpCode::CreateSession => &[
            ClidInUse, Inval, NoEnt, NoSpc, NotOnlyOp, SeqMisordered, StaleClientid, TooSmall, WrongCred,
        ],
        OpCode::DestroySession => &[
            BackChanBusy, BadSession, CbPathDown, ConnNotBoundToSession, NotOnlyOp, StaleClientid, WrongCred,
        ],
        OpCode::FreeStateid => &[BadStateid, LocksHeld, OldStateid, WrongCred],
        OpCode::GetDirDelegation => &[
            Access, DirDelegUnavail, FhExpired, Grace, Inval, Io, Moved, NoFileHandle, NotDir, NotSupp, Stale,
        ],
        OpCode::Getdeviceinfo => &[Inval, NoEnt, NotSupp, TooSmall, UnknownLayoutType],
        OpCode::Getdevicelist => &[
            BadCookie, FhExpired, Inval, Io, NoFileHandle, NotSame, NotSupp, UnknownLayoutType,
        ],
        OpCode::Layoutcommit => &[
            Access, AdminRevoked, AttrNotSupp, BadIoMode, BadLayout, DelegRevoked, Expired, FBig, FhExpired, Grace,
            Inval, Io, IsDir, Moved, NoFileHandle, NoGrace, NotSupp, ReclaimBad, ReclaimConflict, Stale, Symlink,
            UnknownLayoutType, WrongCred,
        ],
        OpCode::Layoutget => &[
            Access, AdminRevoked, BadIoMode, BadLayout, BadStateid, DQuot, DelegRevoked, FhExpired, Grace, Inval, Io,
            LayoutTryLater, LayoutUnavailable, Locked, Moved, NoFileHandle, NoSpc, NotSupp, OldStateid, OpenMode,
            RecallConflict, Stale, TooSmall, UnknownLayoutType, WrongType,
        ],
        OpCode::Layoutreturn => &[
            AdminRevoked, BadStateid, DelegRevoked, Expired, FhExpired, Grace, Inval, IsDir, Moved, NoFileHandle,
            NoGrace, NotSupp, OldStateid, Stale, UnknownLayoutType, WrongCred, WrongType,
        ],
        OpCode::SecinfoNoName => &[Access, FhExpired, Inval, Moved, NoEnt, NoFileHandle, NotDir, NotSupp, Stale],
        OpCode::Sequence => &[
            BadHighSlot, BadSession, BadSlot, ConnNotBoundToSession, SeqFalseRetry, SeqMisordered, SequencePos,
        ],
        OpCode::SetSsv => &[BadSessionDigest, Inval],
        OpCode::TestStateid => &[],
        OpCode::WantDelegation => &[
            DelegAlreadyWanted, FhExpired, Grace, Inval, Io, Moved, NoFileHandle, NoGrace, NotSupp, RecallConflict,
            ReclaimBad, ReclaimConflict, Stale, WrongType,
        ],
        OpCode::DestroyClientid => &[ClientidBusy, NotOnlyOp, StaleClientid, WrongCred],
        OpCode::ReclaimComplete => &[
            CompleteAlready, FhExpired, Inval, Moved, NoFileHandle, Stale, WrongCred, WrongType,
        ],
        OpCode::Allocate => &[
            Access, AdminRevoked, BadStateid, DQuot, DelegRevoked, Expired, FBig, FhExpired, Grace, Inval, Io, IsDir,
            Locked, Moved, NoFileHandle, NoSpc, NotSupp, OldStateid, OpenMode, RoFs, Stale, Symlink, WrongType,
        ],
        OpCode::Copy => &[
            Access, AdminRevoked, BadStateid, DQuot, DelegRevoked, Expired, FBig, FhExpired, Grace, Inval, Io, IsDir,
            Locked, Moved, NoFileHandle, NoSpc, NotSupp, OffloadDenied, OffloadNoReqs, OldStateid, OpenMode,
            PartnerNoAuth, PartnerNotSupp, RoFs, Stale, Symlink, WrongType, XDev,
        ],
        OpCode::CopyNotify => &[
            Access, AdminRevoked, BadStateid, DelegRevoked, Expired, FhExpired, Grace, Inval, Io, IsDir, Locked,
            Moved, NoFileHandle, NotSupp, OldStateid, OpenMode, Stale, Symlink, WrongType,
        ],
        OpCode::Deallocate => &[
            Access, AdminRevoked, BadStateid, DQuot, DelegRevoked, Expired, FBig, FhExpired, Grace, Inval, Io, IsDir,
            Locked, Moved, NoFileHandle, NoSpc, NotSupp, OldStateid, OpenMode, RoFs, Stale, Symlink, WrongType,
        ],
        OpCode::IoAdvise => &[
            Access, AdminRevoked, BadStateid, DelegRevoked, Expired, FhExpired, Grace, Inval, Io, IsDir, Locked,
            Moved, NoFileHandle, NotSupp, OldStateid, OpenMode, Stale, Symlink, WrongType,
        ],
        OpCode::OffloadCancel => &[
            AdminRevoked, BadStateid, CompleteAlready, Expired, Grace, NoFileHandle, NotSupp, OldStateid, Stale,
        ],
        OpCode::OffloadStatus => &[
            AdminRevoked, BadStateid, Expired, Grace, NoFileHandle, NotSupp, OldStateid, Stale,
        ],
        OpCode::ReadPlus => &[
            Access, AdminRevoked, BadStateid, DelegRevoked, Expired, FhExpired, Grace, Inval, Io, IsDir, Locked,
            Moved, NoFileHandle, NotSupp, OldStateid, OpenMode, PartnerNoAuth, PnfsIoHole, PnfsNoLayout, Stale,
            Symlink, UnionNotSupp, WrongType,
        ],
        OpCode::Seek => &[
            Access, AdminRevoked, BadStateid, DelegRevoked, Expired, FhExpired, Grace, Inval, Io, IsDir, Locked,
            Moved, NoFileHandle, NotSupp, Nxio, OldStateid, OpenMode, PnfsIoHole, PnfsNoLayout, Stale, Symlink,
            UnionNotSupp, WrongType,
        ],
        OpCode::WriteSame => &[
            Access, AdminRevoked, BadStateid, DQuot, DelegRevoked, Expired, FBig, FhExpired, Grace, Inval, Io, IsDir,
            Locked, Moved, NoFileHandle, NoSpc, NotSupp, OldStateid, OpenMode, RoFs, Stale, Symlink, UnionNotSupp,
            WrongType,
        ],
        OpCode::Clone => &[
            Access, AdminRevoked, BadStateid, DQuot, DelegRevoked, Expired, FBig, FhExpired, Grace, Inval, Io, IsDir,
            Locked, Moved, NoFileHandle, NoSpc, NotSupp, OldStateid, OpenMode, RoFs, Stale, Symlink, WrongType, XDev,
        ],
        OpCode::Getxattr => &[
            Access, BadChar, FhExpired, Inval, Io, Moved, NameTooLong, NoFileHandle, NoXattr, NotSupp, Perm, Stale,
            TooSmall, WrongType, Xattr2Big,
        ],
        OpCode::Setxattr => &[
            Access, BadChar, DQuot, Exist, FhExpired, Inval, Io, Moved, NameTooLong, NoFileHandle, NoSpc, NoXattr,
            NotSupp, Perm, RoFs, Stale, WrongType, Xattr2Big,
        ],
        OpCode::Listxattrs => &[
            Access, BadCookie, FhExpired, Inval, Io, Moved, NameTooLong, NoFileHandle, NoXattr, NotSupp, Perm, Stale,
            TooSmall, WrongType,
        ],
        OpCode::Removexattr => &[
            Access, BadChar, DQuot, Exist, FhExpired, Inval, Io, Locked, Moved, NameTooLong, NoFileHandle, NoSpc,
            NoXattr, NotSupp, OldStateid, OpenMode, Perm, RoFs, Stale, WrongType,
        ],
        OpCode::Illegal => &[OpIllegal],
        // Operations of minor version 0, which 4.1 does not have.
        OpCode::OpenConfirm
        | OpCode::ReleaseLockowner
        | OpCode::Renew
        | OpCode::Setclientid
        | OpCode::SetclientidConfirm => &[NotSupp],
        // Extensions of flexible file layouts, which require pNFS.
        OpCode::Layouterror | OpCode::Layoutstats => &[NotSupp],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_answers_what_its_row_says_and_what_any_may() {
        assert!(is_valid(OpCode::Remove, Ok));
        assert!(is_valid(OpCode::Remove, NotEmpty));
        assert!(is_valid(OpCode::Remove, Delay));
        assert!(!is_valid(OpCode::Remove, BadStateid));
        assert!(!is_valid(OpCode::Getattr, NoEnt));
    }
}
