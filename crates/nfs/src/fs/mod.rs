//! The pool as NFS clients see it: filehandles, the pseudo file system above the volumes, attributes and
//! permissions.
//!
//! Operations pass a [`FileHandle`] and get a [`Node`] with an object's attributes, whether it is an inode of
//! a volume or a directory of the pseudo file system. Changes go directly to the pool. Start at [`resolve`],
//! which finds objects; [`access`] checks permissions; [`status`] converts the pool's errors to statuses.

pub mod access;
pub mod attributes;
mod exports;
mod handle;
pub mod name;
mod new;
mod node;
mod resolve;
mod setting;
mod status;

pub use exports::{Child, Exports, Junction, PseudoDirectory, Tree};
use forebay_nfs_proto::xdr::nfs4::ChangeInfo;

pub use handle::{FileHandle, PseudoId};
pub use new::new_inode;
pub use node::Node;
pub use resolve::{
    check_changed, check_victim, directory, is_read_only, lookup, node, parent, search_directory, snapshots,
    writable_directory,
};
pub use setting::authorize;
pub use status::{OrStatus, status_of};

/// The change attributes of a directory before and after an operation. The pool takes both under the directory's lock, so no other
/// change came in between.
pub fn change_info(change: forebay_pool::ChangeInfo) -> ChangeInfo {
    ChangeInfo { atomic: true, before: change.before, after: change.after }
}
