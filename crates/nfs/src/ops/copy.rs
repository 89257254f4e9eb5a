//! COPY (RFC 7862 §15.2) from the saved into the current file, within this server.

use super::file;
use crate::compound::Context;
use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    COPY_REQUIREMENTS, CopyArgs, CopyResult, StableHow, Verifier, WriteResponse,
};

/// Copies by sharing stored data, so the response is sent when everything is done and durable, whether or not
/// the client would accept an asynchronous copy. Of a large range only a first part may be copied; the count
/// says so, and the client continues.
///
/// Returns [`Status::NotSupp`] for a source on another server. COPY_NOTIFY, OFFLOAD_CANCEL and OFFLOAD_STATUS
/// are not supported either, since no copy continues after its response (RFC 7862 §15.2.3).
pub async fn copy(context: &mut Context<'_>, args: CopyArgs) -> Result<CopyResult, Status> {
    if !args.source_server.is_empty() {
        return Err(Status::NotSupp);
    }
    let (from, to) = file::source_and_target(context, args.src_stateid, args.dst_stateid).await?;
    let length = Some(args.count).filter(|count| *count > 0);
    let pool = &context.server.pool;
    let copied = pool.copy_range((from, args.src_offset), (to, args.dst_offset), length).await.or_status()?;
    file::drop_privileges(context, &copied.attributes).await?;
    let response = WriteResponse {
        callback_id: None,
        count: copied.bytes,
        committed: StableHow::FileSync,
        writeverf: Verifier(pool.write_verifier()),
    };
    Ok(CopyResult { response, requirements: COPY_REQUIREMENTS })
}
