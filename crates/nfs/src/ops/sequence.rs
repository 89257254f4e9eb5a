//! SEQUENCE (RFC 8881 §18.46): the session and slot of a COMPOUND, and whether it is new.

use std::sync::Arc;
use std::time::Instant;

use crate::compound::Context;
use crate::replies::Row;
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

/// How a COMPOUND is answered.
pub enum Sequence {
    /// In its session.
    InSession(Start, Sequenced),
    /// From outcomes that were stored before a restart, or before the client was evicted.
    Replay(Row, SequenceResult),
}

/// Claims the slot, renews the client's lease, and puts session and client into the context. A retry is
/// counted. A request of a session that no longer exists gets BADSESSION, unless its outcomes are stored.
///
/// `operations` and `request_bytes` are those of the whole COMPOUND; `rest` are the operations after SEQUENCE, encoded.
pub fn start(
    context: &mut Context<'_>,
    args: &SequenceArgs,
    operations: u32,
    request_bytes: usize,
    rest: &[u8],
) -> Result<Sequence, Status> {
    let begin = Instant::now();
    let started = match context.server.sessions.get(&args.sessionid) {
        Ok(session) => {
            let request = Fingerprint::of(&context.principal, rest);
            claim(context, session, args, (operations, request_bytes), request)
                .map(|(start, sequenced)| Sequence::InSession(start, sequenced))
        }
        Err(status) => replay(context, args, rest).ok_or(status),
    };
    let status = started.as_ref().err().copied().unwrap_or(Status::Ok);
    context.server.statistics.count(OpCode::Sequence as u32, begin.elapsed(), status);
    started
}

/// The outcomes of a request that the client sends again, although its session no longer exists.
///
/// The client notices by SEQ4_STATUS_BACKCHANNEL_FAULT that it needs another session, and that its client id is stale. If it noticed
/// by SEQ4_STATUS_RESTART_RECLAIM_NEEDED, a Linux client would reclaim before a file that this COMPOUND opens is among its files.
fn replay(context: &Context<'_>, args: &SequenceArgs, rest: &[u8]) -> Option<Sequence> {
    let row = context.server.replies.find(args, &context.principal, rest)?;
    let result = SequenceResult {
        sessionid: args.sessionid,
        sequenceid: args.sequenceid,
        slotid: args.slotid,
        highest_slotid: row.highest_slotid(),
        target_highest_slotid: row.highest_slotid(),
        status_flags: sequence_flags::BACKCHANNEL_FAULT,
    };
    Some(Sequence::Replay(row, result))
}

fn claim(
    context: &mut Context<'_>,
    session: Arc<Session>,
    args: &SequenceArgs,
    (operations, request_bytes): (u32, usize),
    request: Fingerprint,
) -> Result<(Start, Sequenced), Status> {
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
