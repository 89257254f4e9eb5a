//! PUTPUBFH (RFC 8881 §18.20): the public filehandle, which is the root's, becomes current.

use crate::compound::Context;
use crate::ops::putrootfh::putrootfh;
use forebay_nfs_proto::xdr::Status;

/// Cannot fail.
pub async fn putpubfh(context: &mut Context<'_>, args: ()) -> Result<(), Status> {
    putrootfh(context, args).await
}
