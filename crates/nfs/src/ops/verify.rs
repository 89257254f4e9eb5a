//! VERIFY (RFC 8881 §18.31): continues only if attributes are equal to the client's.

use crate::compound::Context;
use crate::fs;
use crate::fs::attributes::{Source, check_comparable};
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{Fattr, VerifyArgs};

/// Returns [`Status::NotSame`] if they differ.
pub async fn verify(context: &mut Context<'_>, args: VerifyArgs) -> Result<(), Status> {
    if are_same(context, &args.attributes).await? { Ok(()) } else { Err(Status::NotSame) }
}

/// Whether the current object's attributes are equal to `given`.
pub(super) async fn are_same(context: &Context<'_>, given: &Fattr) -> Result<bool, Status> {
    check_comparable(context.minor_version, &given.mask)?;
    let node = fs::node(context.server, context.current()?).await?;
    if context.server.identities.are_wanted(&given.mask) {
        context.server.identities.prepare(node.uid, node.gid).await;
    }
    let source = Source::new(context.server, context.minor_version);
    let current = source.encode(&node, &given.mask)?;
    if !current.mask.iter().eq(given.mask.iter()) {
        // Another server has the file system, and so the attributes that are left out (RFC 8881 §11.4.1).
        return Err(Status::Moved);
    }
    // Each value has exactly one encoding, so equal values have equal bytes.
    Ok(current.values == given.values)
}
