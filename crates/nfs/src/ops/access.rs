//! ACCESS (RFC 8881 §18.1): the caller's permissions for the current object.

use forebay_pool::Kind;

use crate::compound::Context;
use crate::fs;
use crate::fs::access::{EXECUTE, READ, WRITE, granted};
use crate::gate;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::access as bits;
use forebay_nfs_proto::xdr::nfs4::{AccessArgs, AccessResult};

/// Each right with the permissions that it needs, for directories and for other objects.
const DIRECTORY_RIGHTS: &[(u32, u32)] = &[
    (bits::READ, READ),
    (bits::LOOKUP, EXECUTE),
    (bits::MODIFY, WRITE | EXECUTE),
    (bits::EXTEND, WRITE | EXECUTE),
    (bits::DELETE, WRITE | EXECUTE),
];
const FILE_RIGHTS: &[(u32, u32)] =
    &[(bits::READ, READ), (bits::MODIFY, WRITE), (bits::EXTEND, WRITE), (bits::EXECUTE, EXECUTE)];

/// The rights for extended attributes, for files and directories.
const XATTR_RIGHTS: &[(u32, u32)] = &[(bits::XAREAD, READ), (bits::XAWRITE, WRITE), (bits::XALIST, READ)];

/// Nothing can be changed above the volumes, or in a volume that the client may only read. Rights that do not
/// apply to the object's kind, or that the server does not know, are not `supported`.
pub async fn access(context: &mut Context<'_>, args: AccessArgs) -> Result<AccessResult, Status> {
    let node = fs::node(context.server, context.current()?).await?;
    let rights = if node.kind == Kind::Directory { DIRECTORY_RIGHTS } else { FILE_RIGHTS };
    let mut granted = granted(&context.credential, &node);
    if fs::is_read_only(context.server, node.handle)? || !gate::is_writable(context) {
        granted &= !WRITE;
    }
    let has_xattrs = context.minor_version >= 2 && matches!(node.kind, Kind::File | Kind::Directory);
    let rights = rights.iter().chain(if has_xattrs { XATTR_RIGHTS } else { &[] });
    let mut result = AccessResult { supported: 0, access: 0 };
    for (right, needed) in rights.filter(|(right, _)| args.access & right != 0) {
        result.supported |= right;
        if granted & needed == *needed {
            result.access |= right;
        }
    }
    Ok(result)
}
