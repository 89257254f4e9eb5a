//! GETATTR (RFC 8881 §18.7).

use crate::compound::Context;
use crate::fs;
use crate::fs::attributes::Source;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{GetattrArgs, GetattrResult};

/// Needs no permission, and works on deleted files that are still open: their `numlinks` is 0.
pub async fn getattr(context: &mut Context<'_>, args: GetattrArgs) -> Result<GetattrResult, Status> {
    let node = fs::node(context.server, context.current()?).await?;
    if context.server.identities.are_wanted(&args.attributes) {
        context.server.identities.prepare(node.uid, node.gid).await;
    }
    let source = Source::new(context.server, context.minor_version);
    Ok(GetattrResult { attributes: source.encode(&node, &args.attributes)? })
}
