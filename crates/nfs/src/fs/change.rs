//! The change attributes of directories in replies.

use forebay_nfs_proto::xdr::nfs4::ChangeInfo;

/// The change attributes of a directory before and after an operation. The pool takes both under the directory's lock, so no other
/// change came in between.
pub fn change_info(change: forebay_pool::ChangeInfo) -> ChangeInfo {
    ChangeInfo { atomic: true, before: change.before, after: change.after }
}
