//! READ_PLUS (RFC 7862 §15.10).

use forebay_pool::Stretch;

use super::file;
use crate::compound::Context;
use crate::state::Share;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{
    DataContent, HoleContent, Payload, ReadPlusArgs, ReadPlusContent, ReadPlusResult,
};

/// Shorter holes are sent as zeros. So holes and their headers never make a reply longer than that of a READ
/// of the same range: clients have little more room.
const HOLE_BYTES_MIN: u64 = 4096;

/// As READ, with separate segments for holes.
pub async fn read_plus(context: &mut Context<'_>, args: ReadPlusArgs) -> Result<ReadPlusResult, Status> {
    let handle = file::inode(context)?;
    file::check_io(context, handle, context.stateid(args.stateid)?, Share::READ).await?;
    let count = args.count.min(context.server.config.io_bytes_max());
    context.reserve_reply(count).await;
    match context.server.pool.read_stretches(handle, args.offset, count, HOLE_BYTES_MIN).await {
        Ok(read) => Ok(ReadPlusResult { eof: read.eof, contents: contents(args.offset, read.stretches) }),
        Err(error) => Err(file::status(context, handle, error).await),
    }
}

fn contents(mut offset: u64, stretches: Vec<Stretch>) -> Vec<ReadPlusContent> {
    let content = |stretch| {
        let (content, length) = match stretch {
            Stretch::Hole(length) => (ReadPlusContent::Hole(HoleContent { offset, length }), length),
            Stretch::Data(pieces) => {
                let data = Payload(pieces);
                let length = data.len() as u64;
                (ReadPlusContent::Data(DataContent { offset, data }), length)
            }
        };
        offset = offset.saturating_add(length);
        content
    };
    stretches.into_iter().map(content).collect()
}
