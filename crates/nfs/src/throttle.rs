//! Throughput limits on NFS operations: READ, READ_PLUS, WRITE and COPY wait where their volume's limit is reached.
//!
//! Only operations on data wait. SEQUENCE runs before they do, so leases are renewed, and a client keeps its lease while a request of it
//! waits. The only thing that a waiting request keeps from its own client is a slot of the session. A request that would have to wait
//! for too long drops its payload and gets NFS4ERR_DELAY when its turn would have come. See [`forebay_service::throttle`].

use std::sync::Arc;
use std::time::Duration;

use forebay_nfs_proto::xdr::nfs4::{CopyArgs, Operation, OperationResult, ReadPlusContent};
use forebay_service::throttle::{Away, Demand, Lane};

use crate::compound::Context;
use crate::gate;
use crate::tree::FileHandle;

/// Bytes that an operation was let through with.
#[derive(Default)]
pub(crate) struct Admitted {
    lanes: Vec<Arc<Lane>>,
    bytes: u64,
    /// How long it had to wait, if it had to.
    pub waited: Option<Duration>,
}

impl Admitted {
    /// Gives back what the operation did not use.
    pub fn settle(self, result: &OperationResult) {
        if !self.lanes.is_empty() {
            self.give_back(moved(result));
        }
    }

    fn give_back(&self, used: u64) {
        let unused = self.bytes.saturating_sub(used);
        self.lanes.iter().for_each(|lane| lane.give_back(unused));
    }
}

/// Waits until the limits of its volumes let an operation through. Where that would take too long it says so at once: the operation is to
/// be dropped, and when [`Away::over`] says so, answered with NFS4ERR_DELAY. Of a COPY the first part may be let through.
pub(crate) async fn admit<'a>(
    context: &mut Context<'a>,
    operation: &mut Operation,
) -> Result<Admitted, Away<'a>> {
    let Some(mut demand) = demand(context, operation) else { return Ok(Admitted::default()) };
    let lanes = lanes(context, operation);
    // What is not allowed fails without waiting.
    if lanes.is_empty() || gate::try_check(context, operation).await.is_err() {
        return Ok(Admitted::default());
    }
    if let Operation::Copy(args) = operation {
        let whole = lanes.iter().map(|lane| lane.burst()).min().unwrap_or(u64::MAX);
        demand.bytes = cut_copy(context, args, whole).await;
    }
    let throttle = &context.server.service.throttle;
    let begin = throttle.now();
    let mut admitted = Admitted { lanes: Vec::with_capacity(lanes.len()), bytes: demand.bytes, waited: None };
    for lane in lanes {
        if !lane.try_pass(demand, throttle.now()) {
            // In a box, because few wait and all would carry the room for it.
            if let Err(away) = Box::pin(lane.pass(throttle, demand)).await {
                admitted.give_back(0);
                return Err(away);
            }
            admitted.waited = Some(throttle.now().saturating_sub(begin));
        }
        admitted.lanes.push(lane);
    }
    Ok(admitted)
}

/// What an operation is going to move, as far as its arguments say; none if it moves no data.
fn demand(context: &Context<'_>, operation: &Operation) -> Option<Demand> {
    let read = |count: u32| Demand { bytes: count.min(context.server.config.io_bytes_max()).into(), held: 0 };
    match operation {
        Operation::Read(args) => Some(read(args.count)),
        Operation::ReadPlus(args) => Some(read(args.count)),
        Operation::Write(args) => {
            let bytes = args.data.len() as u64;
            Some(Demand { bytes, held: bytes })
        }
        Operation::Copy(_) => Some(Demand { bytes: 0, held: 0 }),
        _ => None,
    }
}

/// What it did move.
fn moved(result: &OperationResult) -> u64 {
    let length = |content: &ReadPlusContent| match content {
        ReadPlusContent::Data(data) => data.data.len() as u64,
        ReadPlusContent::Hole(_) => 0,
    };
    match result {
        OperationResult::Read(Ok(read)) => read.data.len() as u64,
        OperationResult::ReadPlus(Ok(read)) => read.contents.iter().map(length).sum(),
        OperationResult::Write(Ok(written)) => written.count.into(),
        OperationResult::Copy(Ok(copied)) => copied.response.count,
        _ => 0,
    }
}

/// The lanes that an operation goes through: those of its volumes that have a limit.
fn lanes(context: &Context<'_>, operation: &Operation) -> Vec<Arc<Lane>> {
    let saved = context.saved.filter(|_| matches!(operation, Operation::Copy(_)));
    let mut lanes: Vec<Arc<Lane>> = Vec::new();
    for handle in [saved, context.current].into_iter().flatten() {
        if let FileHandle::Inode(handle) = handle
            && let Some(lane) = context.server.service.throttle.lane(handle.volume)
            && lanes.iter().all(|other| !Arc::ptr_eq(other, &lane))
        {
            lanes.push(lane);
        }
    }
    lanes
}

/// Cuts a COPY to so many bytes, and returns how many it is then. The client goes on with the rest (RFC 7862 §15.2.3).
async fn cut_copy(context: &Context<'_>, args: &mut CopyArgs, bytes_max: u64) -> u64 {
    let Some(FileHandle::Inode(source)) = context.saved else { return 0 };
    let Ok(attributes) = context.server.pool.getattr(source).await else { return 0 };
    let rest = attributes.size.saturating_sub(args.src_offset);
    if args.count > rest {
        // Fails, and moves nothing.
        return 0;
    }
    let wanted = if args.count == 0 { rest } else { args.count };
    if wanted > bytes_max {
        args.count = bytes_max;
    }
    wanted.min(bytes_max)
}
