//! TEST_STATEID (RFC 8881 §18.48).

use crate::compound::Context;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{TestStateidArgs, TestStateidResult};

/// Returns for each stateid whether an operation could use it.
pub async fn test_stateid(
    context: &mut Context<'_>,
    args: TestStateidArgs,
) -> Result<TestStateidResult, Status> {
    let client = context.client()?;
    let test = |stateid| context.server.state.test_stateid(client, stateid);
    Ok(TestStateidResult { status_codes: args.stateids.iter().map(test).collect() })
}
