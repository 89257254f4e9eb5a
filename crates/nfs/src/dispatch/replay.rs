//! Answers a request whose effects are durable and whose reply was lost in a restart ([`crate::replies`]).
//!
//! The request has no session, so it gets no state, and renews no lease. Operations whose outcome is stored return it, and are not
//! checked again: the caller's permissions or the volume may have changed since. Operations that only find and describe objects are
//! executed again. The first other operation ends the COMPOUND with DEADSESSION: it was not executed, and can be sent again in
//! another session (RFC 8881 §2.10.6.5).

use bytes::Bytes;

use super::results::Results;
use super::{Compound, run_traced};
use crate::compound::Context;
use crate::replies::Row;
use crate::tree::FileHandle;
use forebay_nfs_proto::xdr::Status;
use forebay_nfs_proto::xdr::nfs4::{Operation, OperationResult};

impl Compound {
    /// Runs the operations after SEQUENCE in order, until one fails.
    pub(super) async fn answer_from(
        mut self,
        row: &Row,
        context: &mut Context<'_>,
        mut results: Results,
    ) -> Vec<Bytes> {
        for index in 1..self.operations {
            let result = match self.next_operation() {
                Err(unread) => unread.into_result(),
                Ok(operation) => match recall(row, context, index, operation.code()) {
                    Some(result) => result,
                    None if is_repeatable(&operation) => run_traced(context, operation).await,
                    None => OperationResult::failed(operation.code(), Status::DeadSession),
                },
            };
            results.push(&result);
            if result.status() != Status::Ok {
                break;
            }
        }
        results.into_pieces()
    }
}

/// The stored outcome of an operation, whose filehandle and stateid become the current ones.
fn recall(row: &Row, context: &mut Context<'_>, index: u32, code: u32) -> Option<OperationResult> {
    let outcome = row.outcome(index, code)?;
    if !outcome.current.is_empty() {
        context.set_current(FileHandle::from_wire(&outcome.current, context.server.pool.id()).ok()?);
    }
    if let OperationResult::Open(Ok(opened)) = &outcome.result {
        context.current_stateid = Some(opened.stateid);
    }
    Some(outcome.result.clone())
}

/// Whether the operation finds or describes an object, and needs no session for that.
fn is_repeatable(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Access(_)
            | Operation::Getattr(_)
            | Operation::Getfh(())
            | Operation::Lookup(_)
            | Operation::Putfh(_)
            | Operation::Putrootfh(())
            | Operation::Restorefh(())
            | Operation::Savefh(())
            | Operation::Secinfo(_)
            | Operation::SecinfoNoName(_)
    )
}
