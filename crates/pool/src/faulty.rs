//! A disk for tests, that fails at a chosen step and then loses what was not synced.
//!
//! Unsynced segment writes are kept, dropped or torn one by one, at random. Of the unsynced batches of metadata a random
//! prefix is kept, as the trait promises. Both are chosen independently: a batch may survive although
//! an unsynced frame did not, which is the worst case for the order of a flush.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::engine::{Engine, Foundation};
use crate::keys::Key;
use crate::meta::{Batch, MemoryMeta, MetaStore, MetaView, Visit};
use crate::segment::{MemorySegments, SegmentId, SegmentStore};
use crate::sources::{Clock, SystemClock, SystemEntropy};
use crate::space::UnlimitedRoom;
use crate::{Error, Pool, PoolOptions, Result, sync};

/// Small enough that a short test reaches every bound.
pub(crate) fn options() -> PoolOptions {
    PoolOptions {
        bytes_max: None,
        dirty_bytes_max: 4 << 20,
        dirty_age_ms_max: 3_600_000,
        segment_bytes: 300_000,
        cache_bytes: 1 << 20,
        scrub_period: None,
        ..PoolOptions::default()
    }
}

/// Reproducible random numbers (SplitMix64).
#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

#[derive(Default)]
struct Platters {
    meta: BTreeMap<Key, Bytes>,
    batches: Vec<Batch>,
    segments: HashMap<SegmentId, Vec<u8>>,
    /// Unsynced: segment, offset, bytes.
    writes: Vec<(SegmentId, u64, Bytes)>,
    created: Vec<SegmentId>,
}

#[derive(Default)]
struct Failing {
    steps: u64,
    at: Option<u64>,
    failed: bool,
    /// Writes to segments find no space.
    full: bool,
}

/// See the module. What it holds outlives the pools that are opened on it.
#[derive(Default)]
pub(crate) struct FaultyDisk {
    platters: Mutex<Platters>,
    failing: Mutex<Failing>,
}

/// What becomes of a step of the I/O.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Works,
    /// The power fails: what the step was to do may be done, in part or not at all.
    FailsNow,
    /// The power has failed: nothing happens.
    Dead,
}

impl Outcome {
    fn check(self) -> Result<()> {
        if self == Outcome::Works { Ok(()) } else { Err(power_failure()) }
    }
}

fn power_failure() -> Error {
    Error::Io {
        path: PathBuf::from("the faulty disk"),
        action: "do anything",
        source: std::io::Error::from_raw_os_error(5),
    }
}

impl FaultyDisk {
    /// From now on the step of that number, and every one after it, fails.
    pub(crate) fn fail_at(&self, step: u64) {
        *sync::lock(&self.failing) = Failing { at: Some(step), ..Failing::default() };
    }

    pub(crate) fn has_failed(&self) -> bool {
        sync::lock(&self.failing).failed
    }

    pub(crate) fn set_full(&self, full: bool) {
        sync::lock(&self.failing).full = full;
    }

    /// Bytes of all segments.
    pub(crate) fn segment_bytes(&self) -> usize {
        sync::lock(&self.platters).segments.values().map(Vec::len).sum()
    }

    /// Flips a bit of each segment's every byte from `offset` on.
    pub(crate) fn damage(&self, from: usize) {
        for segment in sync::lock(&self.platters).segments.values_mut() {
            segment.iter_mut().skip(from).for_each(|byte| *byte ^= 1);
        }
    }

    /// The power is back: what was not synced is lost in part.
    pub(crate) fn crash(&self, seed: u64) {
        let mut random = Random::new(seed);
        let mut platters = sync::lock(&self.platters);
        let batches = std::mem::take(&mut platters.batches);
        let kept = random.below(batches.len() as u64 + 1) as usize;
        for batch in batches.into_iter().take(kept) {
            apply(&mut platters.meta, &batch);
        }
        for (id, offset, bytes) in std::mem::take(&mut platters.writes) {
            let kept = match random.below(3) {
                0 => 0,
                1 => bytes.len(),
                _ => random.below(bytes.len() as u64 + 1) as usize,
            };
            if let Some(segment) = platters.segments.get_mut(&id) {
                write_at(segment, offset, &bytes[..kept]);
            }
        }
        for id in std::mem::take(&mut platters.created) {
            if random.below(2) == 0 {
                platters.segments.remove(&id);
            }
        }
        *sync::lock(&self.failing) = Failing::default();
    }

    /// Opens a pool on what the disk holds.
    pub(crate) fn open(self: &Arc<Self>, options: PoolOptions) -> Result<Pool> {
        self.open_at(options, Arc::new(SystemClock))
    }

    /// Opens a pool on what the disk holds, that takes the time from `clock`.
    pub(crate) fn open_at(self: &Arc<Self>, options: PoolOptions, clock: Arc<dyn Clock>) -> Result<Pool> {
        let meta = FaultyMeta { disk: self.clone(), seen: MemoryMeta::default() };
        let store = FaultySegments { disk: self.clone(), seen: MemorySegments::default() };
        {
            let platters = sync::lock(&self.platters);
            let changes =
                platters.meta.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect();
            meta.seen.write(Batch { changes })?;
            for (id, bytes) in &platters.segments {
                store.seen.create(*id, 0)?;
                store.seen.write(*id, 0, &[Bytes::copy_from_slice(bytes)])?;
            }
        }
        let foundation = Foundation {
            meta: Arc::new(meta),
            store: Arc::new(store),
            room: Box::new(UnlimitedRoom),
            clock,
            entropy: Arc::new(SystemEntropy::seeded([7; 32])),
            home: None,
        };
        Ok(Pool::on(Engine::open(foundation, options)?))
    }

    /// Counts a step, and says what becomes of it.
    fn step(&self) -> Outcome {
        let mut failing = sync::lock(&self.failing);
        let dead = failing.failed;
        failing.failed |= failing.at.is_some_and(|at| failing.steps >= at);
        failing.steps += 1;
        match (dead, failing.failed) {
            (true, _) => Outcome::Dead,
            (false, true) => Outcome::FailsNow,
            (false, false) => Outcome::Works,
        }
    }
}

fn apply(map: &mut BTreeMap<Key, Bytes>, batch: &Batch) {
    for (key, value) in &batch.changes {
        match value {
            Some(value) => map.insert(key.clone(), value.clone()),
            None => map.remove(key),
        };
    }
}

fn write_at(segment: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let offset = offset as usize;
    if segment.len() < offset + bytes.len() {
        segment.resize(offset + bytes.len(), 0);
    }
    segment[offset..offset + bytes.len()].copy_from_slice(bytes);
}

struct FaultyMeta {
    disk: Arc<FaultyDisk>,
    seen: MemoryMeta,
}

impl MetaView for FaultyMeta {
    fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        self.seen.get(key)
    }
    fn scan(&self, range: Range<Key>, visit: &mut Visit<'_>) -> Result<()> {
        self.seen.scan(range, visit)
    }
}

impl MetaStore for FaultyMeta {
    fn write(&self, batch: Batch) -> Result<()> {
        let outcome = self.disk.step();
        if outcome != Outcome::Dead {
            sync::lock(&self.disk.platters).batches.push(batch.clone());
        }
        outcome.check()?;
        self.seen.write(batch)
    }
    fn make_durable(&self) -> Result<()> {
        self.disk.step().check()?;
        let mut platters = sync::lock(&self.disk.platters);
        for batch in std::mem::take(&mut platters.batches) {
            apply(&mut platters.meta, &batch);
        }
        Ok(())
    }
}

struct FaultySegments {
    disk: Arc<FaultyDisk>,
    seen: MemorySegments,
}

impl SegmentStore for FaultySegments {
    fn create(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.disk.step().check()?;
        let mut platters = sync::lock(&self.disk.platters);
        platters.segments.insert(id, Vec::new());
        platters.created.push(id);
        drop(platters);
        self.seen.create(id, bytes)
    }
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        if sync::lock(&self.disk.failing).full {
            return Err(Error::NoSpace);
        }
        let outcome = self.disk.step();
        if outcome == Outcome::Dead {
            return Err(power_failure());
        }
        let mut at = offset;
        for part in parts {
            sync::lock(&self.disk.platters).writes.push((id, at, part.clone()));
            at += part.len() as u64;
        }
        outcome.check()?;
        self.seen.write(id, offset, parts)
    }
    fn sync(&self, id: SegmentId) -> Result<()> {
        self.disk.step().check()?;
        let mut platters = sync::lock(&self.disk.platters);
        platters.created.retain(|created| *created != id);
        let writes = std::mem::take(&mut platters.writes);
        for (written, offset, bytes) in writes {
            if written != id {
                platters.writes.push((written, offset, bytes));
            } else if let Some(segment) = platters.segments.get_mut(&id) {
                write_at(segment, offset, &bytes);
            }
        }
        Ok(())
    }
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.seen.seal(id, bytes)
    }
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.seen.read(id, offset, length)
    }
    fn delete(&self, id: SegmentId) -> Result<()> {
        self.disk.step().check()?;
        sync::lock(&self.disk.platters).segments.remove(&id);
        self.seen.delete(id)
    }
    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.seen.list()
    }
}
