//! Attributes of the root directory of a file system that another server has (RFC 8881 §11.4).
//!
//! Only those of the place exist. A client that asks for other attributes gets them left out if it also asks for
//! `fs_locations`, since it then knows that the file system may be elsewhere. Otherwise it gets NFS4ERR_MOVED.

use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::attribute::{FS_LOCATIONS, FSID, MOUNTED_ON_FILEID, RDATTR_ERROR};
use forebay_nfs_proto::xdr::nfs4::{Bitmap, Fsid};

use crate::tree::PseudoId;

/// The attributes that exist.
const AVAILABLE: &[u32] = &[FSID, RDATTR_ERROR, FS_LOCATIONS, MOUNTED_ON_FILEID];

/// The fsids of file systems that are here are smaller.
const FSID_MINOR: u64 = 1 << 63;

/// Which of the `requested` attributes to return.
///
/// # Errors
/// Returns [`Status::Moved`] unless `fs_locations` is among them.
pub fn returned(requested: &Bitmap) -> Result<Bitmap, Status> {
    if requested.contains(FS_LOCATIONS) { Ok(available(requested)) } else { Err(Status::Moved) }
}

/// Which of the `requested` attributes exist.
pub fn available(requested: &Bitmap) -> Bitmap {
    let mut mask = Bitmap::default();
    requested.iter().filter(|attribute| AVAILABLE.contains(attribute)).for_each(|one| mask.insert(one));
    mask
}

/// Names the file system. `major` is that of this server.
pub fn fsid(major: u64, node: PseudoId) -> Fsid {
    Fsid { major, minor: FSID_MINOR | node.0 }
}
