//! Throughput limits of volumes: READ, READ_PLUS, WRITE and COPY are counted, and wait if they exceed the
//! limit.
//!
//! ```text
//!   dispatch ── admit ── no limit ──────────────────────────► execute
//!                 │                                              ▲
//!                 └─ lane of the volume ── its turn, its time ───┘
//!                        └─ too long, or no memory ── payload dropped ── NFS4ERR_DELAY when its time comes
//! ```
//!
//! What must hold:
//! - Only operations on data wait. SEQUENCE runs first, so a client keeps its lease while one of its requests
//!   waits.
//! - A waiting request holds only its own memory, which is limited for all waiting requests together. So
//!   other volumes and clients are not affected. Its own client only lacks a slot of the session.
//! - Admitted bytes that are not used, because a file ended or an operation failed, are returned.
//!
//! The limit is a property of the volume in the pool ([`forebay_pool::VolumeSpec::max_bytes_per_second`]).
//! The volume's snapshots share it.

mod bucket;
mod lane;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use forebay_pool::{Pool, VolumeId};
use tokio::sync::futures::Notified;
use tokio::sync::{Notify, watch};

use crate::clock::Clock;
use crate::compound::Context;
use crate::config::Config;
use crate::fs::FileHandle;
use crate::policy::gate;
use crate::xdr::nfs4::{CopyArgs, Operation, OperationResult, ReadPlusContent};
use bucket::Bucket;
pub use lane::Waits;
use lane::{Away, Demand, Lane};

/// The fraction of the memory for requests that waiting payloads may use, and the fraction of that for one
/// volume.
const HELD_PART: usize = 4;
const HELD_PER_VOLUME_PART: u64 = 2;

/// The limits of a server's volumes.
pub struct Throttle {
    pool: Pool,
    clock: Clock,
    /// The largest request, in bytes of data.
    request_bytes_max: u64,
    held_max: u64,
    /// Bytes of waiting payloads.
    held: AtomicU64,
    lifted: AtomicBool,
    lifting: Notify,
    lanes: RwLock<Lanes>,
}

/// The queues of volumes that have a limit, and of their snapshots.
#[derive(Default)]
struct Lanes {
    /// The version of the pool's volumes when this was built; `None` if it never was.
    version: Option<u64>,
    by_volume: HashMap<VolumeId, Arc<Lane>>,
}

impl Throttle {
    pub(crate) fn new(pool: Pool, config: &Config) -> Throttle {
        Throttle {
            pool,
            clock: config.clock.clone(),
            request_bytes_max: u64::from(config.io_bytes_max()),
            held_max: (config.requests_bytes_max / HELD_PART) as u64,
            held: AtomicU64::new(0),
            lifted: AtomicBool::new(false),
            lifting: Notify::new(),
            lanes: RwLock::default(),
        }
    }

    /// Counts of a volume's requests since its limit was set; `None` without a limit.
    pub fn waits(&self, volume: VolumeId) -> Option<Waits> {
        self.lane(volume).map(|lane| lane.waits())
    }

    /// Admits everything from now on, including waiting requests: the server is shutting down.
    pub fn lift(&self) {
        self.lifted.store(true, Ordering::Release);
        self.read_limits();
        self.lifting.notify_waiters();
    }

    fn lane(&self, volume: VolumeId) -> Option<Arc<Lane>> {
        self.current().by_volume.get(&volume).cloned()
    }

    /// Applies changes from the pool.
    fn refresh(&self) {
        drop(self.current());
    }

    fn current(&self) -> RwLockReadGuard<'_, Lanes> {
        let lanes = || self.lanes.read().unwrap_or_else(PoisonError::into_inner);
        let known = lanes();
        if known.version == Some(self.pool.volumes_version()) {
            return known;
        }
        drop(known);
        self.read_limits();
        lanes()
    }

    fn read_limits(&self) {
        // The map is replaced as a whole, so a panic leaves a valid one.
        let mut lanes = self.lanes.write().unwrap_or_else(PoisonError::into_inner);
        // Read before the volumes: a change in between is picked up next time.
        let version = self.pool.volumes_version();
        let lifted = self.lifted.load(Ordering::Acquire);
        let now = self.clock.now();
        let mut by_volume = HashMap::new();
        for volume in self.pool.volumes() {
            let limit = volume.spec.max_bytes_per_second.filter(|_| !lifted);
            let known = lanes.by_volume.get(&volume.id);
            let lane = match (known, limit) {
                (None, None) => continue,
                (Some(known), _) => {
                    known.change(limit, self.request_bytes_max, now);
                    known.clone()
                }
                (None, Some(limit)) => Arc::new(Lane::new(Bucket::new(limit, self.request_bytes_max, now))),
            };
            if limit.is_some() {
                by_volume.insert(volume.id, lane);
            }
        }
        for snapshot in self.pool.snapshots(None) {
            if let Some(lane) = by_volume.get(&snapshot.volume).cloned() {
                by_volume.insert(snapshot.id, lane);
            }
        }
        // Requests that wait for a deleted volume continue, and fail then.
        let gone = lanes.by_volume.iter().filter(|(id, _)| !by_volume.contains_key(id));
        gone.filter(|(_, lane)| by_volume.values().all(|kept| !Arc::ptr_eq(kept, lane)))
            .for_each(|(_, lane)| lane.change(None, self.request_bytes_max, now));
        *lanes = Lanes { version: Some(version), by_volume };
    }

    fn changes(&self) -> Changes<'_> {
        let mut lifting = Box::pin(self.lifting.notified());
        // Registered before the limits are read, so that no change is missed.
        lifting.as_mut().enable();
        Changes { volumes: self.pool.watch_volumes().ok(), lifting }
    }

    fn held_per_volume_max(&self) -> u64 {
        self.held_max / HELD_PER_VOLUME_PART
    }

    /// Reserves memory for a waiting payload. Returns false if there is none.
    fn hold(&self, bytes: u64) -> bool {
        let more = |held: u64| {
            let sum = held.saturating_add(bytes);
            // One payload always has room.
            (bytes == 0 || held == 0 || sum <= self.held_max).then_some(sum)
        };
        self.held.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }
}

/// Signals that limits may have changed.
struct Changes<'a> {
    volumes: Option<watch::Receiver<u64>>,
    lifting: Pin<Box<Notified<'a>>>,
}

impl Changes<'_> {
    async fn next(&mut self) {
        tokio::select! {
            () = changed(&mut self.volumes) => {}
            () = &mut self.lifting => {}
        }
    }
}

async fn changed(volumes: &mut Option<watch::Receiver<u64>>) {
    if let Some(changes) = volumes
        && changes.changed().await.is_ok()
    {
        return;
    }
    // The pool is closed: waiting requests continue when their time comes, and fail then.
    std::future::pending().await
}

/// Bytes with which an operation was admitted.
#[derive(Default)]
pub(crate) struct Admitted {
    lanes: Vec<Arc<Lane>>,
    bytes: u64,
    /// How long it waited, if it had to.
    pub waited: Option<Duration>,
}

impl Admitted {
    /// Returns the bytes that the operation did not use.
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

/// Waits until the limits of its volumes admit an operation. If that would take too long, returns
/// immediately: the caller must drop the operation, and answer it with NFS4ERR_DELAY when [`Away::over`]
/// completes. Of a COPY the first part may be admitted.
pub(crate) async fn admit<'a>(
    context: &mut Context<'a>,
    operation: &mut Operation,
) -> Result<Admitted, Away<'a>> {
    let Some(mut demand) = demand(context, operation) else { return Ok(Admitted::default()) };
    let lanes = lanes(context, operation);
    // An operation that is not allowed fails without waiting.
    if lanes.is_empty() || gate::try_check(context, operation).await.is_err() {
        return Ok(Admitted::default());
    }
    if let Operation::Copy(args) = operation {
        let whole = lanes.iter().map(|lane| lane.burst()).min().unwrap_or(u64::MAX);
        demand.bytes = cut_copy(context, args, whole).await;
    }
    let throttle = &context.server.throttle;
    let begin = throttle.clock.now();
    let mut admitted = Admitted { lanes: Vec::with_capacity(lanes.len()), bytes: demand.bytes, waited: None };
    for lane in lanes {
        if !lane.try_pass(demand, throttle.clock.now()) {
            // Boxed, since few operations wait and all of them would carry its size.
            if let Err(away) = Box::pin(lane.pass(throttle, demand)).await {
                admitted.give_back(0);
                return Err(away);
            }
            admitted.waited = Some(throttle.clock.now().saturating_sub(begin));
        }
        admitted.lanes.push(lane);
    }
    Ok(admitted)
}

/// The bytes that an operation will move according to its arguments; `None` if it moves no data.
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

/// The bytes that an operation has moved.
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

/// The queues that an operation passes: those of its volumes that have a limit.
fn lanes(context: &Context<'_>, operation: &Operation) -> Vec<Arc<Lane>> {
    let saved = context.saved.filter(|_| matches!(operation, Operation::Copy(_)));
    let mut lanes: Vec<Arc<Lane>> = Vec::new();
    for handle in [saved, context.current].into_iter().flatten() {
        if let FileHandle::Inode(handle) = handle
            && let Some(lane) = context.server.throttle.lane(handle.volume)
            && lanes.iter().all(|other| !Arc::ptr_eq(other, &lane))
        {
            lanes.push(lane);
        }
    }
    lanes
}

/// Reduces a COPY to this many bytes, and returns its new length. The client continues with the rest (RFC
/// 7862 §15.2.3).
async fn cut_copy(context: &Context<'_>, args: &mut CopyArgs, bytes_max: u64) -> u64 {
    let Some(FileHandle::Inode(source)) = context.saved else { return 0 };
    let Ok(attributes) = context.server.pool.getattr(source).await else { return 0 };
    let rest = attributes.size.saturating_sub(args.src_offset);
    if args.count > rest {
        // The operation fails and moves nothing.
        return 0;
    }
    let wanted = if args.count == 0 { rest } else { args.count };
    if wanted > bytes_max {
        args.count = bytes_max;
    }
    wanted.min(bytes_max)
}
