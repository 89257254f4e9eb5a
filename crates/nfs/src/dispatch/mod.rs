//! Turns an RPC record into a reply: executes COMPOUNDs (RFC 8881 §2.10.6, §16.2).
//!
//! Each operation is decoded when its turn comes, and operations are executed until one fails. This module
//! checks what concerns the COMPOUND as a whole: minor version, the position of each operation, sizes, and
//! whether the request is a retry that was already answered: in this session, or before a restart (`replay`).

mod limits;
mod replay;
mod results;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tracing::Instrument;

use crate::compound::Context;
use crate::connection::{Connection, ReplyRoom};
use crate::ops::sequence::Sequence;
use crate::ops::{self, sequence};
use crate::replies::Recording;
use crate::session::{Reply, Start};
use crate::shared::Shared;
use crate::throttle;
use crate::trace;
use forebay_net::memory::RequestMemory;
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_NULL, Refusal, encode_starttls, encode_success};
use forebay_nfs_proto::rpc::{Credential, Principal};
use forebay_nfs_proto::xdr::nfs4::{OpCode, Operation, OperationResult, SequenceArgs};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encoder, Status, XdrError};
use limits::Limits;
use results::Results;

/// Maximum length of a COMPOUND's tag, in bytes.
const TAG_BYTES_MAX: usize = 1024;

/// Executes one RPC call and returns the pieces of the reply. Returns an error if the record is not an RPC
/// call: the peer is out of step, and the connection must be closed. `memory` is held as long as the record.
pub async fn answer(
    server: &Arc<Shared>,
    connection: &Arc<Connection>,
    record: Bytes,
    memory: RequestMemory,
) -> Result<Vec<Bytes>, XdrError> {
    let request_bytes = record.len();
    let mut input = Decoder::new(record);
    let call = Call::decode(&mut input)?;
    let (xid, procedure, checked) = (call.xid, call.procedure, call.check());
    let asks_for_tls = call.asks_for_tls();
    // It holds slices of the record, and the record may be released before the reply is complete.
    drop(call);
    let mut out = Encoder::new();
    match checked {
        Err(_) if asks_for_tls && server.tls.is_some() => answer_probe(connection, xid, &mut out),
        Err(refusal) => refusal.encode_reply(xid, &mut out),
        Ok(_) if procedure == PROCEDURE_NULL => encode_success(xid, &mut out),
        Ok((credential, principal)) => match Compound::decode(input, request_bytes) {
            Err(_) => Refusal::GarbageArguments.encode_reply(xid, &mut out),
            Ok(compound) => {
                encode_success(xid, &mut out);
                let mut context = context(server, connection, credential, principal);
                context.memory = memory;
                let span = trace::of_compound(server, connection, xid);
                context.is_traced = !span.is_disabled();
                for piece in compound.run_compound(&mut context).instrument(span).await {
                    out.put_raw_bytes(piece);
                }
            }
        },
    }
    Ok(out.into_pieces())
}

/// Answers an AUTH_TLS probe: the client may start TLS unless it already has (RFC 9289 §4.1).
fn answer_probe(connection: &Connection, xid: u32, out: &mut Encoder) {
    if connection.protection().is_some() {
        return Refusal::BadCredential.encode_reply(xid, out);
    }
    connection.offer_tls();
    encode_starttls(xid, out);
}

fn context<'a>(
    server: &'a Arc<Shared>,
    connection: &Arc<Connection>,
    credential: Credential,
    principal: Principal,
) -> Context<'a> {
    Context {
        server,
        caller: credential.clone(),
        credential,
        grant: None,
        principal,
        current: None,
        saved: None,
        current_stateid: None,
        saved_stateid: None,
        minor_version: 0,
        session: None,
        client: None,
        recording: None,
        connection: connection.clone(),
        memory: RequestMemory::default(),
        is_traced: false,
        reply_room: ReplyRoom::default(),
    }
}

/// A COMPOUND whose operations are not decoded yet.
struct Compound {
    tag: Bytes,
    minor_version: u32,
    operations: u32,
    input: Decoder,
    request_bytes: usize,
}

impl Compound {
    fn decode(mut input: Decoder, request_bytes: usize) -> Result<Self, XdrError> {
        Ok(Compound {
            // A copy, so that it does not keep the record in memory.
            tag: Bytes::copy_from_slice(&input.opaque(TAG_BYTES_MAX)?),
            minor_version: Decode::decode(&mut input)?,
            operations: Decode::decode(&mut input)?,
            input,
            request_bytes,
        })
    }

    /// Runs the COMPOUND: in a session if it begins with SEQUENCE, otherwise its first operation only.
    async fn run_compound(mut self, context: &mut Context<'_>) -> Vec<Bytes> {
        let mut results = Results::new(self.tag.clone());
        if !matches!(self.minor_version, 1 | 2) {
            return results.fail(Status::MinorVersMismatch);
        }
        context.minor_version = self.minor_version;
        if self.operations == 0 {
            return results.into_pieces();
        }
        match self.next_operation() {
            Ok(Operation::Sequence(args)) => return self.run_in_session(context, args, results).await,
            Ok(operation) => match outside_session(&operation, self.operations) {
                Ok(()) => results.push(&run_traced(context, operation).await),
                Err(status) => results.push(&OperationResult::failed(operation.code(), status)),
            },
            Err(unread) => results.push(&unread.into_result()),
        }
        results.into_pieces()
    }

    /// Claims a slot of the session and runs the further operations, or answers a retry from the slot.
    async fn run_in_session(
        mut self,
        context: &mut Context<'_>,
        args: SequenceArgs,
        mut results: Results,
    ) -> Vec<Bytes> {
        let rest = self.input.rest().clone();
        let started = sequence::start(context, &args, self.operations, self.request_bytes, &rest);
        let (start, sequenced) = match started {
            Ok(Sequence::InSession(start, sequenced)) => (start, sequenced),
            Ok(Sequence::Replay(row, result)) => {
                context.server.statistics.events.replays.one();
                results.push(&OperationResult::Sequence(Ok(result)));
                return self.answer_from(&row, context, results).await;
            }
            Err(status) => {
                results.push(&OperationResult::Sequence(Err(status)));
                return results.into_pieces();
            }
        };
        let _renewal = sequenced.renewal;
        if context.is_traced {
            trace::record_session(&sequenced.session);
        }
        context.server.state.is_present(&sequenced.session.client).await;
        let keep = args.cachethis;
        let alone = Reply::Sequence {
            target_highest_slotid: sequenced.result.target_highest_slotid,
            status_flags: sequenced.result.status_flags,
        };
        results.push(&OperationResult::Sequence(Ok(sequenced.result)));
        if matches!(start, Start::Retry(_)) {
            context.server.statistics.events.replays.one();
        }
        match start {
            Start::Retry(Reply::Cached(reply)) => vec![reply],
            Start::Retry(Reply::Sequence { .. }) => results.into_pieces(),
            Start::Retry(Reply::Uncached) => self.answer_uncached_retry(results),
            Start::New(slot) if self.operations == 1 => {
                slot.finish(alone);
                results.into_pieces()
            }
            Start::New(slot) => {
                let limits = Limits::of(&sequenced.session.fore, keep, &slot);
                let (pool, principal) = (context.server.pool.id(), context.principal);
                let session = &sequenced.session;
                let recording = || Recording::new(pool, session, &args, principal, rest);
                context.recording = session.is_persistent.then(recording);
                self.run_operations(context, &limits, &mut results).await;
                let pieces = results.into_pieces();
                slot.finish(if keep { Reply::Cached(pieces.concat().into()) } else { Reply::Uncached });
                pieces
            }
        }
    }

    /// Runs the operations after SEQUENCE in order, until one fails.
    async fn run_operations(
        &mut self,
        context: &mut Context<'_>,
        limits: &Limits<'_>,
        results: &mut Results,
    ) {
        for index in 1..self.operations {
            if let Some(recording) = &mut context.recording {
                recording.begin_operation(index);
            }
            let result = match self.next_operation() {
                Err(unread) => unread.into_result(),
                Ok(operation) => {
                    let code = operation.code();
                    let last = index + 1 == self.operations;
                    let allowed = within_session(context, &operation, last)
                        .and_then(|()| limits.check_before(&operation, results));
                    match allowed {
                        Ok(()) => self.run_within_throughput_limits(context, operation).await,
                        Err(status) => OperationResult::failed(code, status),
                    }
                }
            };
            if results.push_within(&result, limits) != Status::Ok {
                break;
            }
        }
    }

    /// Runs an operation when the throughput limits of its volumes admit it. If they do not, only the request's slot
    /// is kept until the client is asked to retry.
    async fn run_within_throughput_limits(
        &mut self,
        context: &mut Context<'_>,
        mut operation: Operation,
    ) -> OperationResult {
        let (server, code) = (context.server, operation.code());
        match throttle::admit(context, &mut operation).await {
            Ok(admitted) => {
                if let Some(waited) = admitted.waited {
                    server.statistics.count_wait(code, waited);
                }
                let result = run_traced(context, operation).await;
                admitted.settle(&result);
                result
            }
            Err(away) => {
                drop(operation);
                self.input = Decoder::new(Bytes::new());
                context.recording = None;
                context.memory.release();
                server.statistics.count_wait(code, away.over().await);
                server.statistics.count(code, Duration::ZERO, Status::Delay);
                server.statistics.events.turned_away.one();
                OperationResult::failed(code, Status::Delay)
            }
        }
    }

    /// The client retries a request whose reply it did not want to be stored (RFC 8881 §2.10.6.1.3).
    fn answer_uncached_retry(mut self, results: Results) -> Vec<Bytes> {
        results.and(&match self.next_operation() {
            Ok(operation) => OperationResult::failed(operation.code(), Status::RetryUncachedRep),
            Err(unread) => unread.into_result(),
        })
    }

    /// Decodes the next operation.
    fn next_operation(&mut self) -> Result<Operation, Unread> {
        const ILLEGAL: u32 = OpCode::Illegal as u32;
        let illegal = Unread { code: ILLEGAL, status: Status::OpIllegal };
        let code = u32::decode(&mut self.input).map_err(|_| Unread { status: Status::BadXdr, ..illegal })?;
        match OpCode::try_from(code) {
            Ok(OpCode::Illegal) | Err(_) => Err(illegal),
            Ok(known) if known.is_of_minor_2() && self.minor_version < 2 => Err(illegal),
            Ok(_) => Operation::decode_args(code, &mut self.input)
                .map_err(|_| Unread { code, status: Status::BadXdr }),
        }
    }
}

/// Runs an operation, with its own span if the COMPOUND is traced.
async fn run_traced(context: &mut Context<'_>, operation: Operation) -> OperationResult {
    if !context.is_traced {
        return ops::check_and_run(context, operation).await;
    }
    let span = trace::of_operation(operation.code());
    let result = ops::check_and_run(context, operation).instrument(span.clone()).await;
    trace::record_status(&span, result.status());
    result
}

/// An operation that fails without being executed because it cannot be decoded.
#[derive(Clone, Copy)]
struct Unread {
    /// The operation number of the result: the operation's own, or OP_ILLEGAL.
    code: u32,
    status: Status,
}

impl Unread {
    fn into_result(self) -> OperationResult {
        OperationResult::failed(self.code, self.status)
    }
}

/// Checks whether the first operation of a COMPOUND may run without SEQUENCE (RFC 8881 §2.10.2.3, §16.2.1).
fn outside_session(operation: &Operation, operations: u32) -> Result<(), Status> {
    match operation {
        Operation::ExchangeId(_)
        | Operation::CreateSession(_)
        | Operation::DestroySession(_)
        | Operation::DestroyClientid(_)
        | Operation::BindConnToSession(_) => {
            if operations == 1 {
                Ok(())
            } else {
                Err(Status::NotOnlyOp)
            }
        }
        _ => Err(Status::OpNotInSession),
    }
}

/// Checks whether an operation may follow SEQUENCE.
fn within_session(context: &Context<'_>, operation: &Operation, last: bool) -> Result<(), Status> {
    let own = |id| context.session.as_ref().is_some_and(|session| session.id == id);
    match operation {
        Operation::Sequence(_) => Err(Status::SequencePos),
        Operation::BindConnToSession(_) => Err(Status::NotOnlyOp),
        Operation::DestroySession(args) if own(args.sessionid) && !last => Err(Status::NotOnlyOp),
        _ => Ok(()),
    }
}
