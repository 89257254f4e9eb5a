//! Throughput limits of volumes: the bytes that requests move are counted, and requests beyond the limit wait.
//!
//! ```text
//!   request ── lane of the volume ── within the limit ─────────► carried out
//!                  │                                                 ▲
//!                  ├─ queued: its turn, then its time ───────────────┘
//!                  └─ too long, or no memory ── turned away; told so when its turn would have come
//! ```
//!
//! What must hold:
//! - A request waits before it takes anything but its own memory, and the memory of all waiting requests is limited: other volumes and
//!   other clients do not notice.
//! - Bytes that were admitted and not used, because a file ended or an operation failed, are given back.
//!
//! The limit is the volume's, in the pool ([`forebay_pool::VolumeSpec::max_bytes_per_second`]). Its snapshots count with it. How a
//! request of a protocol becomes a [`Demand`], and how a client is turned away, is the protocol's business.

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
use bucket::Bucket;
pub use lane::{Away, Demand, Lane, Waits};

/// The share of the memory for requests in progress that waiting payloads may take, and the share of that for one volume.
const HELD_PART: usize = 4;
const HELD_PER_VOLUME_PART: u64 = 2;

/// The throughput limits of a pool's volumes.
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

/// The lanes of volumes that have a limit, and of their snapshots.
#[derive(Default)]
struct Lanes {
    /// The version of the pool's volumes that this was made from; `None` at first.
    version: Option<u64>,
    by_volume: HashMap<VolumeId, Arc<Lane>>,
}

impl Throttle {
    /// The limits of a pool's volumes. A request moves at most `request_bytes_max` bytes, and the payloads of all waiting requests take a
    /// quarter of `requests_bytes_max`, the memory for all requests in progress.
    pub fn new(pool: Pool, clock: Clock, request_bytes_max: u64, requests_bytes_max: usize) -> Throttle {
        Throttle {
            pool,
            clock,
            request_bytes_max,
            held_max: (requests_bytes_max / HELD_PART) as u64,
            held: AtomicU64::new(0),
            lifted: AtomicBool::new(false),
            lifting: Notify::new(),
            lanes: RwLock::default(),
        }
    }

    /// The time that throttled requests measure waiting in.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// The waits of a volume's requests since it has a limit; `None` if it has no limit.
    pub fn waits(&self, volume: VolumeId) -> Option<Waits> {
        self.lane(volume).map(|lane| lane.waits())
    }

    /// Lets everything through from now on, including what waits: the daemon stops.
    pub fn lift(&self) {
        self.lifted.store(true, Ordering::Release);
        self.read_limits();
        self.lifting.notify_waiters();
    }

    /// Where the requests for a volume wait; `None` if it has no limit.
    pub fn lane(&self, volume: VolumeId) -> Option<Arc<Lane>> {
        self.current().by_volume.get(&volume).cloned()
    }

    /// Reads the limits again if the pool's volumes have changed.
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
        // The map is replaced as a whole, so a panic leaves a consistent one.
        let mut lanes = self.lanes.write().unwrap_or_else(PoisonError::into_inner);
        // Read before the volumes, so that a change in between is read again.
        let version = self.pool.volumes_version();
        // A closing pool refuses what is let through, so its limits may stay as they were.
        let (Ok(volumes), Ok(buckets)) = (self.pool.volumes(), self.pool.buckets()) else { return };
        let Ok(snapshots) = self.pool.snapshots(None) else { return };
        let limits = volumes.into_iter().map(|volume| (volume.id, volume.spec.max_bytes_per_second));
        let limits = limits.chain(buckets.into_iter().map(|it| (it.id, it.spec.max_bytes_per_second)));
        let lifted = self.lifted.load(Ordering::Acquire);
        let now = self.clock.now();
        let mut by_volume = HashMap::new();
        for (id, limit) in limits {
            let limit = limit.filter(|_| !lifted);
            let known = lanes.by_volume.get(&id);
            let lane = match (known, limit) {
                (None, None) => continue,
                (Some(known), _) => {
                    known.change(limit, self.request_bytes_max, now);
                    known.clone()
                }
                (None, Some(limit)) => Arc::new(Lane::new(Bucket::new(limit, self.request_bytes_max, now))),
            };
            if limit.is_some() {
                by_volume.insert(id, lane);
            }
        }
        for snapshot in snapshots {
            if let Some(lane) = by_volume.get(&snapshot.volume).cloned() {
                by_volume.insert(snapshot.id, lane);
            }
        }
        // Requests that wait for a deleted volume continue, and fail.
        let gone = lanes.by_volume.iter().filter(|(id, _)| !by_volume.contains_key(id));
        gone.filter(|(_, lane)| by_volume.values().all(|kept| !Arc::ptr_eq(kept, lane)))
            .for_each(|(_, lane)| lane.change(None, self.request_bytes_max, now));
        *lanes = Lanes { version: Some(version), by_volume };
    }

    fn changes(&self) -> Changes<'_> {
        let mut lifting = Box::pin(self.lifting.notified());
        // Registered before the limits are looked at, so that nothing falls in between.
        lifting.as_mut().enable();
        Changes { volumes: self.pool.watch_volumes().ok(), lifting }
    }

    fn held_per_volume_max(&self) -> u64 {
        self.held_max / HELD_PER_VOLUME_PART
    }

    /// Reserves memory for a waiting payload; false if there is none.
    fn hold(&self, bytes: u64) -> bool {
        let more = |held: u64| {
            let sum = held.saturating_add(bytes);
            // A single payload always has room.
            (bytes == 0 || held == 0 || sum <= self.held_max).then_some(sum)
        };
        self.held.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok()
    }
}

/// Resolves when limits may have changed.
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
    // The pool is closed. Waiting requests continue when their time comes, and fail then.
    std::future::pending().await
}
