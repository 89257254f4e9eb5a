//! SETXATTR (RFC 8276 §8.4.2).

use crate::fs::change_info;
use forebay_pool::{ChangeInfo, SetXattr};

use super::xattr;
use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OperationResult, SetxattrArgs, SetxattrOption, SetxattrResult};

/// Durable before the response. Returns [`Status::Xattr2Big`] for a value larger than 64 KiB, and
/// [`Status::NoSpc`] if the object's attributes would exceed their limit.
pub async fn setxattr(context: &mut Context<'_>, args: SetxattrArgs) -> Result<SetxattrResult, Status> {
    xattr::check_changeable(&args.name)?;
    let handle = xattr::writable(context).await?;
    let how = match args.option {
        SetxattrOption::Either => SetXattr::Either,
        SetxattrOption::Create => SetXattr::Create,
        SetxattrOption::Replace => SetXattr::Replace,
    };
    let result = |change: &ChangeInfo| SetxattrResult { change_info: change_info(*change) };
    let record = context.record(move |change| OperationResult::Setxattr(Ok(result(change))));
    let pool = &context.server.pool;
    let change = pool.xattr_set_with(handle, &args.name, args.value, how, record).await;
    Ok(result(&change.map_err(xattr::status)?))
}
