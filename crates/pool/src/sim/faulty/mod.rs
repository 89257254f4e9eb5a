//! A disk for tests: it fails when the test says so, and a crash loses unsynced data.
//!
//! A crash keeps this part of the unsynced data:
//! - For metadata, a random prefix of the batches, as the trait promises.
//! - For segments, each 512-byte sector independently and in any order: writes are lost, torn and reordered.
//! - The file of a segment that was created may be missing, of one that was deleted may be back, and of one that was
//!   sealed may have its old length.
//! - For the intent log, each sector as in a segment. Or nothing of it is lost and nothing becomes durable, as when only the
//!   process was killed; the next crash may then lose it.
//! - For the witness, the last established state or any later one.
//! - For segments in a bucket, all of an object or nothing of it (`bucket.rs`).
//!
//! All of these are chosen independently: a batch may survive although an unsynced frame did not, which is the worst
//! case for the order of a flush. After a failed sync, the writes that it covered are lost although readers still see
//! them, as Linux drops pages that it could not write. Later syncs succeed.

mod at_rest;
mod bucket;
mod metadata;
mod node;
mod stores;

pub(crate) use at_rest::Damage;
pub(crate) use node::{Fence, Plan, Protection};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use tokio::sync::Notify;

use self::bucket::FaultyBucket;
use self::metadata::{Fate, Second, Stored};
use self::node::Node;
use self::stores::{FaultyLog, FaultySegments, FaultyWitness};
use crate::base::sources::{Clock, SystemClock, SystemEntropy};
use crate::engine::Engine;
use crate::format::frames::Naming;
use crate::format::keys::{Key, SegmentId};
use crate::opening::examine::Wanted;
use crate::opening::lifecycle::Foundation;
use crate::parts::log::Rule;
use crate::sim::random::Random;
use crate::store::log::LogFiles;
use crate::store::meta::Batch;
use crate::store::room::UnlimitedRoom;
use crate::store::segment::{SegmentCopies, SegmentFiles};
use crate::store::witness::State;
use crate::{Pool, PoolOptions, Result};

/// The unit that a disk writes completely or not at all.
const SECTOR_BYTES: u64 = 512;

/// Options so small that a short test reaches every limit.
pub(crate) fn options() -> PoolOptions {
    PoolOptions {
        bytes_max: None,
        dirty_bytes_max: 4 << 20,
        dirty_age_ms_max: 3_600_000,
        segment_bytes: 300_000,
        cache_bytes: 1 << 20,
        fingerprint_bytes: 64 << 10,
        scrub_period: None,
        ..PoolOptions::default()
    }
}

/// A sync that a disk reports but does not perform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    Segments,
    Metadata,
    Log,
}

#[derive(Default)]
struct Segment {
    durable: Vec<u8>,
    /// The content that readers see. `None` if the segment is deleted.
    seen: Option<Vec<u8>>,
    /// Unsynced writes, with their offsets.
    writes: Vec<(u64, Bytes)>,
    /// Whether its file survives a crash.
    created: bool,
    /// The length to which it was sealed, if that is unsynced.
    sealed: Option<u64>,
}

#[derive(Default)]
struct Inner {
    /// The first copy of the metadata.
    meta: Stored,
    /// What the second directory has of the metadata.
    second: Second,
    fate: Fate,
    /// The segments of each copy.
    copies: [BTreeMap<SegmentId, Segment>; 2],
    /// Segments that were set aside, of each copy. Setting aside is durable immediately.
    aside: [BTreeMap<SegmentId, Vec<u8>>; 2],
    /// Whether the pool keeps a second copy.
    mirrored: bool,
    /// Whether segments are objects in a bucket.
    objects: bool,
    /// The files of each copy of the intent log.
    log: [BTreeMap<u32, Segment>; 2],
    /// The copy of the log that has lost something that was not put back yet.
    log_hurt: Option<usize>,
    /// The number of files of a new ring; 0 for no log.
    log_files: u32,
    /// A rule of the log that does not hold.
    broken: Option<Rule>,
    /// How often others may have a turn before a sync of the metadata takes effect.
    slow: u64,
    /// The same before a sync of the log.
    slow_log: u64,
    /// The witness's states: the last established one, and those noted since.
    states: Vec<State>,
    /// The protection from a node that was replaced.
    protection: Protection,
    /// Whether all writes to segments find no space.
    full: bool,
    /// Segments of which every read and deletion fails.
    stuck: BTreeSet<SegmentId>,
    lie: Option<Lie>,
    /// Whether a pool was created here, so that its FORMAT file exists.
    created: bool,
    /// Whether the first opening is that of a release of format 4, which named chunks otherwise.
    older: bool,
    opened: u8,
    trace: u64,
}

/// See the module. The content outlives the pools that are opened on it. It belongs to one node, and shares the content with the nodes
/// that it was taken over from.
#[derive(Default)]
pub(crate) struct FaultyDisk {
    inner: Arc<Mutex<Inner>>,
    node: Mutex<Node>,
    /// Notified when the power fails.
    pub(crate) power_failed: Notify,
}

impl FaultyDisk {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Not through `crate::base::sync`: no other thread has a turn while the disk works.
        self.inner.lock().unwrap()
    }

    /// A disk that reports syncs without performing them, which a test must detect.
    pub(crate) fn lying(lie: Lie) -> FaultyDisk {
        let inner = Inner { lie: Some(lie), ..Inner::default() };
        FaultyDisk { inner: Arc::new(Mutex::new(inner)), ..FaultyDisk::default() }
    }

    /// Two disks, with a copy of each segment on each. They lose different parts of their unsynced data.
    pub(crate) fn mirrored() -> FaultyDisk {
        let inner = Inner { mirrored: true, ..Inner::default() };
        FaultyDisk { inner: Arc::new(Mutex::new(inner)), ..FaultyDisk::default() }
    }

    /// A database and a bucket. What a node has not stored there is gone with it.
    pub(crate) fn elsewhere() -> FaultyDisk {
        let inner = Inner { objects: true, protection: Protection::Database, ..Inner::default() };
        FaultyDisk { inner: Arc::new(Mutex::new(inner)), ..FaultyDisk::default() }
    }

    /// Protects it by this from nodes that were replaced.
    pub(crate) fn protected_by(self, protection: Protection) -> FaultyDisk {
        self.inner().protection = protection;
        self
    }

    fn protection(&self) -> Protection {
        self.inner().protection
    }

    /// Lets the pool have an intent log with this many files.
    pub(crate) fn with_log(self, files: u32) -> FaultyDisk {
        self.inner().log_files = files;
        self
    }

    /// Switches a rule of the log off.
    pub(crate) fn breaking(self, rule: Rule) -> FaultyDisk {
        self.inner().broken = Some(rule);
        self
    }

    /// Lets syncs of the metadata take long.
    pub(crate) fn set_slow(&self, turns: u64) {
        self.inner().slow = turns;
    }

    /// Lets syncs of the log take long.
    pub(crate) fn set_slow_log(&self, turns: u64) {
        self.inner().slow_log = turns;
    }

    /// Lets a release of format 4 open the pool first.
    pub(crate) fn older(self) -> FaultyDisk {
        self.inner().older = true;
        self
    }

    /// The files of the intent log.
    fn log_files(self: &Arc<Self>) -> LogFiles {
        let of = |disk: &Arc<FaultyDisk>, copy| FaultyLog { disk: disk.clone(), copy };
        let mut files = LogFiles::single(Arc::new(of(self, 0)));
        if self.inner().mirrored {
            let disk = self.clone();
            files.second = Some(Box::new(move || Ok(Arc::new(of(&disk, 1)))));
        }
        files
    }

    /// Lets every read and deletion of these segments fail.
    pub(crate) fn set_stuck(&self, stuck: &[SegmentId]) {
        self.inner().stuck = stuck.iter().copied().collect();
    }

    /// Loses all segments.
    pub(crate) fn lose_segments(&self) {
        self.inner().copies.iter_mut().for_each(BTreeMap::clear);
    }

    /// Fails for a segment that is stuck.
    fn reach(&self, id: SegmentId) -> Result<()> {
        if self.inner().stuck.contains(&id) { Err(node::failure("reach a segment")) } else { Ok(()) }
    }

    pub(crate) fn set_full(&self, full: bool) {
        self.inner().full = full;
    }

    /// A new disk with the content that this one has after a restart.
    pub(crate) fn copy(&self) -> FaultyDisk {
        let inner = self.inner();
        let segment = |segment: &Segment| Segment {
            durable: segment.durable.clone(),
            created: true,
            ..Segment::default()
        };
        let copies = inner
            .copies
            .each_ref()
            .map(|segments| segments.iter().map(|(id, known)| (*id, segment(known))).collect());
        let copy = Inner {
            meta: inner.meta.clone(),
            second: inner.second.clone(),
            copies,
            aside: inner.aside.clone(),
            mirrored: inner.mirrored,
            objects: inner.objects,
            protection: inner.protection,
            states: inner.states.clone(),
            log: inner
                .log
                .each_ref()
                .map(|files| files.iter().map(|(file, known)| (*file, segment(known))).collect()),
            log_hurt: inner.log_hurt,
            log_files: inner.log_files,
            broken: inner.broken,
            created: inner.created,
            ..Inner::default()
        };
        FaultyDisk { inner: Arc::new(Mutex::new(copy)), ..FaultyDisk::default() }
    }

    /// A hash of all steps so far, including their data.
    pub(crate) fn trace(&self) -> u64 {
        self.inner().trace
    }

    /// The total size of all segments.
    pub(crate) fn segment_bytes(&self) -> usize {
        self.inner().copies[0].values().filter_map(|segment| segment.seen.as_ref()).map(Vec::len).sum()
    }

    /// Flips a bit in every byte of each segment from offset `from` on.
    pub(crate) fn damage(&self, from: usize) {
        for segment in self.inner().copies[0].values_mut() {
            segment.durable.iter_mut().skip(from).for_each(|byte| *byte ^= 1);
        }
    }

    /// The total size of all segments after a restart.
    pub(crate) fn bytes_at_rest(&self) -> u64 {
        self.inner().copies[0].values().map(|segment| segment.durable.len() as u64).sum()
    }

    /// Flips one bit of the segments. `byte` counts through all segments. Returns the place.
    pub(crate) fn flip_in_segments(&self, mut byte: u64, bit: u8) -> Option<(SegmentId, u64)> {
        for (id, segment) in &mut self.inner().copies[0] {
            if let Some(hit) = segment.durable.get_mut(byte as usize) {
                *hit ^= 1 << bit;
                return Some((*id, byte));
            }
            byte -= segment.durable.len() as u64;
        }
        None
    }

    /// All keys of the metadata after a restart.
    pub(crate) fn keys(&self) -> Vec<Key> {
        self.inner().meta.map.keys().cloned().collect()
    }

    /// The number of segments.
    pub(crate) fn segments(&self) -> usize {
        self.inner().copies.iter().flat_map(BTreeMap::values).filter(|segment| segment.seen.is_some()).count()
    }

    /// Restores the power after losing a part of the unsynced data.
    pub(crate) fn crash(&self, seed: u64) {
        self.lose_unsynced(seed, true);
        *self.node() = Node::default();
    }

    /// Loses a part of the unsynced data. `may_be_kill`: if only the process was killed, the log loses nothing.
    fn lose_unsynced(&self, seed: u64, may_be_kill: bool) {
        let mut random = Random::new(seed);
        let mut inner = self.inner();
        inner.meta.lose_unsynced(&mut random);
        let mut of_second = random.clone().fork();
        FaultyDisk::lose_unsynced_of_second(&mut inner, &mut of_second);
        if !inner.states.is_empty() {
            let kept = random.below(inner.states.len() as u64) as usize;
            inner.states = vec![inner.states[kept]];
        }
        let mood = random.below(4);
        let copies = std::mem::take(&mut inner.copies);
        let segments = copies.into_iter().enumerate();
        for (copy, (id, mut segment)) in
            segments.flat_map(|(copy, all)| all.into_iter().map(move |one| (copy, one)))
        {
            segment.lose_unsynced(mood, &mut random);
            let there = segment.created || random.permille(500);
            let undeleted = segment.seen.is_some() || random.permille(500);
            if there && undeleted {
                let durable = segment.durable;
                let seen = Some(durable.clone());
                inner.copies[copy].insert(id, Segment { durable, seen, created: true, ..Segment::default() });
            }
        }
        let is_kill = random.permille(300) && may_be_kill;
        for file in inner.log.iter_mut().flat_map(BTreeMap::values_mut) {
            file.lose_unsynced_of_log(mood, is_kill, &mut random);
        }
        if inner.mirrored && random.permille(400) {
            inner.hurt_log(&mut random);
        }
    }

    /// Opens a pool with the content of the disk.
    pub(crate) fn open(self: &Arc<Self>, options: PoolOptions) -> Result<Pool> {
        self.open_at(options, Arc::new(SystemClock))
    }

    /// Like [`FaultyDisk::open`], with the given clock.
    pub(crate) fn open_at(self: &Arc<Self>, mut options: PoolOptions, clock: Arc<dyn Clock>) -> Result<Pool> {
        options.permit = self.permit();
        let opened = {
            let mut inner = self.inner();
            for segment in inner.copies.iter_mut().flat_map(BTreeMap::values_mut) {
                segment.seen = Some(segment.durable.clone());
            }
            inner.opened = inner.opened.wrapping_add(1);
            inner.opened
        };
        let meta = self.meta_files()?;
        let is_new = {
            let inner = self.inner();
            // An interrupted creation left neither metadata nor segments that matter.
            inner.meta.map.is_empty() && inner.copies.iter().all(BTreeMap::is_empty) && !inner.created
        };
        let has_objects = self.inner().objects;
        let is_older = self.inner().older && opened == 1;
        let naming = if is_older { Naming::Hashed } else { Naming::Keyed };
        let foundation = Foundation {
            meta,
            segments: self.segment_files(),
            room: Box::new(UnlimitedRoom),
            clock,
            entropy: Arc::new(SystemEntropy::seeded([opened; 32])),
            witness: Arc::new(FaultyWitness { disk: self.clone() }),
            wanted: Wanted { is_new, has_state: true, ..Wanted::default() },
            naming,
            log: (!has_objects).then(|| self.log_files()),
            broken: self.inner().broken,
            home: None,
        };
        let engine = Engine::open(foundation, options)?;
        {
            let mut inner = self.inner();
            (inner.created, inner.log_hurt) = (true, None);
        }
        Pool::on(engine)
    }

    /// The segments, with a second copy if the disk is mirrored.
    fn segment_files(self: &Arc<Self>) -> SegmentFiles {
        if self.inner().objects {
            return SegmentFiles::single(Arc::new(FaultyBucket { disk: self.clone() }));
        }
        let first = Arc::new(FaultySegments { disk: self.clone(), copy: 0 });
        if !self.inner().mirrored {
            return SegmentFiles::single(first);
        }
        let disk = self.clone();
        let second = move || -> Result<Arc<dyn SegmentCopies>> {
            Ok(Arc::new(FaultySegments { disk: disk.clone(), copy: 1 }))
        };
        SegmentFiles { first, second: Some(Box::new(second)) }
    }
}

impl Inner {
    fn note(&mut self, what: &'static str, id: u64, detail: u64) {
        let mut step = [0; 32];
        step[..8].copy_from_slice(&self.trace.to_le_bytes());
        step[8..16].copy_from_slice(&id.to_le_bytes());
        step[16..24].copy_from_slice(&detail.to_le_bytes());
        let name = what.as_bytes();
        step[24..24 + name.len().min(8)].copy_from_slice(&name[..name.len().min(8)]);
        self.trace = xxhash_rust::xxh3::xxh3_64(&step);
    }
}

impl Segment {
    fn lose_unsynced_of_log(&mut self, mood: u64, is_kill: bool, random: &mut Random) {
        if is_kill {
            return;
        }
        self.lose_unsynced(mood.min(2), random);
        self.seen = Some(self.durable.clone());
    }

    fn lose_unsynced(&mut self, mood: u64, random: &mut Random) {
        let before = self.durable.len();
        for (offset, bytes) in std::mem::take(&mut self.writes) {
            match mood {
                0 => {}
                1 => write_at(&mut self.durable, offset, &bytes),
                _ => self.tear(offset, &bytes, mood, random),
            }
        }
        // The length of the file is separate metadata.
        if mood == 3 && self.durable.len() > before && random.permille(300) {
            self.durable.truncate(random.between(before as u64, self.durable.len() as u64) as usize);
        }
        if let Some(length) = self.sealed.take().filter(|_| random.permille(500)) {
            self.durable.truncate(length as usize);
        }
    }

    /// Keeps some of the sectors.
    fn tear(&mut self, offset: u64, bytes: &[u8], mood: u64, random: &mut Random) {
        let kept = if mood == 2 { 500 } else { random.pick(&[20, 500, 980]).unwrap_or(500) };
        let mut at = 0;
        while at < bytes.len() {
            let sector_end = SECTOR_BYTES - (offset + at as u64) % SECTOR_BYTES;
            let end = (at + sector_end as usize).min(bytes.len());
            if random.permille(kept) {
                write_at(&mut self.durable, offset + at as u64, &bytes[at..end]);
            }
            at = end;
        }
    }

    fn make_durable(&mut self) {
        for (offset, bytes) in std::mem::take(&mut self.writes) {
            write_at(&mut self.durable, offset, &bytes);
        }
        self.created = true;
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
