//! SEQUENCE (RFC 8881 §18.46): the session and slot of a COMPOUND, and whether it is new.

use std::sync::Arc;
use std::time::Instant;

use crate::compound::Context;
use crate::session::{Fingerprint, Reply, Session, Start};
use crate::state::Renewal;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{OpCode, SequenceArgs, SequenceResult, sequence_flags};

/// Size of the shortest reply that begins with SEQUENCE.
const REPLY_BYTES_MIN: u32 = 80;

/// The result of SEQUENCE.
pub struct Sequenced {
    /// The session.
    pub session: Arc<Session>,
    /// The operation's result.
    pub result: SequenceResult,
    /// Holds the client's lease while the COMPOUND is in progress.
    pub renewal: Renewal,
}

/// Claims the slot, renews the client's lease, and puts session and client into the context. A retry is
/// counted.
///
/// `operations` and `request_bytes` are those of the whole COMPOUND.
pub fn start(
    context: &mut Context<'_>,
    args: &SequenceArgs,
    operations: u32,
    request_bytes: usize,
    request: Fingerprint,
) -> Result<(Start, Sequenced), Status> {
    let begin = Instant::now();
    let started = claim(context, args, operations, request_bytes, request);
    let status = started.as_ref().err().copied().unwrap_or(Status::Ok);
    context.server.statistics.count(OpCode::Sequence as u32, begin.elapsed(), status);
    started
}

fn claim(
    context: &mut Context<'_>,
    args: &SequenceArgs,
    operations: u32,
    request_bytes: usize,
    request: Fingerprint,
) -> Result<(Start, Sequenced), Status> {
    let session = context.server.sessions.get(&args.sessionid)?;
    if operations > session.fore.maxoperations {
        return Err(Status::TooManyOps);
    }
    if request_bytes > session.fore.maxrequestsize as usize {
        return Err(Status::ReqTooBig);
    }
    if args.cachethis && session.fore.maxresponsesize_cached < REPLY_BYTES_MIN {
        return Err(Status::RepTooBigToCache);
    }
    // The result of SEQUENCE alone can be recreated without storing it.
    let keeps = args.cachethis && operations > 1;
    let reply_bytes_max = if keeps { session.fore.maxresponsesize_cached as usize } else { 0 };
    let start = session.start(args, request, reply_bytes_max)?;
    session.is_used_on(&context.connection);
    let renewal = session.client.renew();
    let (target_highest_slotid, status_flags) = match &start {
        Start::Retry(Reply::Sequence { target_highest_slotid, status_flags }) => {
            (*target_highest_slotid, *status_flags)
        }
        _ => (
            session.target_highest_slotid(),
            if session.client.has_revoked() { sequence_flags::ADMIN_STATE_REVOKED } else { 0 },
        ),
    };
    let result = SequenceResult {
        sessionid: session.id,
        sequenceid: args.sequenceid,
        slotid: args.slotid,
        highest_slotid: session.highest_slotid(),
        target_highest_slotid,
        status_flags,
    };
    context.client = Some(session.client.clone());
    context.session = Some(session.clone());
    Ok((start, Sequenced { session, result, renewal }))
}
