//! File attributes: which ones exist, which can be set, and their encoding.
//!
//! [`encode`] serves GETATTR, READDIR, VERIFY and NVERIFY; [`settable`] decodes the attributes of SETATTR,
//! CREATE and OPEN. [`absent`] says what remains of them where another server has the file system. Not supported, and so
//! never returned: ACLs, named attributes, security labels, quotas, layouts, and `space_freed`, which with shared chunks would
//! require a scan of the file's extents.

mod absent;
mod encode;
mod settable;

pub use encode::Source;
pub use settable::decode;

use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::Bitmap;
use forebay_nfs_proto::xdr::nfs4::attribute::*;

/// CLONE accepts offsets that are multiples of this (`clone_blksize`). The pool would accept any offset, but
/// clients cache pages, and a clone that begins or ends within a page would leave the client's copy wrong.
pub const CLONE_BLOCK_BYTES: u32 = 4096;

/// Attributes that can be read, in every minor version.
const READABLE: &[u32] = &[
    SUPPORTED_ATTRS,
    TYPE,
    FH_EXPIRE_TYPE,
    CHANGE,
    SIZE,
    LINK_SUPPORT,
    SYMLINK_SUPPORT,
    NAMED_ATTR,
    FSID,
    UNIQUE_HANDLES,
    LEASE_TIME,
    RDATTR_ERROR,
    CANSETTIME,
    CASE_INSENSITIVE,
    CASE_PRESERVING,
    CHOWN_RESTRICTED,
    FILEHANDLE,
    FILEID,
    FILES_AVAIL,
    FILES_FREE,
    FILES_TOTAL,
    FS_LOCATIONS,
    HOMOGENEOUS,
    MAXFILESIZE,
    MAXLINK,
    MAXNAME,
    MAXREAD,
    MAXWRITE,
    MODE,
    NO_TRUNC,
    NUMLINKS,
    OWNER,
    OWNER_GROUP,
    RAWDEV,
    SPACE_AVAIL,
    SPACE_FREE,
    SPACE_TOTAL,
    SPACE_USED,
    TIME_ACCESS,
    TIME_CREATE,
    TIME_DELTA,
    TIME_METADATA,
    TIME_MODIFY,
    MOUNTED_ON_FILEID,
    SUPPATTR_EXCLCREAT,
    FS_CHARSET_CAP,
];

/// Attributes introduced with minor version 2.
const READABLE_FROM_MINOR_2: &[u32] = &[CLONE_BLKSIZE, CHANGE_ATTR_TYPE, XATTR_SUPPORT];

/// Attributes that can be set. An exclusive create can set all of them too, because the pool stores its
/// verifier separately and not in an attribute.
const SETTABLE: &[u32] = &[SIZE, MODE, OWNER, OWNER_GROUP, TIME_ACCESS_SET, TIME_MODIFY_SET];

/// Attributes that can be set but not read.
const WRITE_ONLY: &[u32] = &[TIME_ACCESS_SET, TIME_MODIFY_SET];

fn is_readable(minor_version: u32, attribute: u32) -> bool {
    READABLE.contains(&attribute) || (minor_version >= 2 && READABLE_FROM_MINOR_2.contains(&attribute))
}

fn supported(minor_version: u32) -> Bitmap {
    let mut supported = Bitmap::of(READABLE);
    let later = if minor_version >= 2 { READABLE_FROM_MINOR_2 } else { &[] };
    for attribute in later.iter().chain(WRITE_ONLY) {
        supported.insert(*attribute);
    }
    supported
}

/// Refuses a request to read attributes that can only be set (RFC 8881 §5.5).
pub fn check_readable(requested: &Bitmap) -> Result<(), Status> {
    let write_only = WRITE_ONLY.iter().any(|attribute| requested.contains(*attribute));
    if write_only { Err(Status::Inval) } else { Ok(()) }
}

/// Refuses a comparison with attributes that do not exist or cannot be compared (RFC 8881 §18.30.3).
pub fn check_comparable(minor_version: u32, given: &Bitmap) -> Result<(), Status> {
    check_readable(given)?;
    if given.contains(RDATTR_ERROR) {
        Err(Status::Inval)
    } else if given.iter().all(|attribute| is_readable(minor_version, attribute)) {
        Ok(())
    } else {
        Err(Status::AttrNotSupp)
    }
}
