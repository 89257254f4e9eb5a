//! The open segment, to which frames are appended.
//!
//! Each append gets its place under a lock, but writes and syncs without it. So several appends are written at once, and frames
//! of the next commit group are appended while those of the last are being synced. One sync covers all appends that were
//! written before it began. A failed sync is remembered: no append before it may ever be reported as durable.
//!
//! In a store of objects ([`SegmentStore::keeps_objects`]) a sync also ends the open segment, and waits until the writes to the segments that
//! it ends are done. The next append opens another one.
//!
//! Frames are packed byte by byte, but a large append starts and ends on a block of its own, so that the store can write it
//! without the page cache. No two large appends write the same block.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::UNIX_EPOCH;

use bytes::Bytes;
use tokio::time::Instant;

use super::{LARGE_BYTES, SegmentStore};
use crate::base::counters::Meters;
use crate::base::sources::Clock;
use crate::base::sync;
use crate::format::frames::{self, BLOCK_BYTES, FrameAt, Listed, Packed, SegmentOrigin};
use crate::format::keys::{ChunkId, SegmentId};
use crate::format::records::ChunkRecord;
use crate::store::meta::MetaStore;
use crate::{Error, PoolId, Result};

/// An appended chunk, which is durable after [`SegmentWriter::sync`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    pub(crate) id: ChunkId,
    /// Its record, with one reference.
    pub(crate) record: ChunkRecord,
}

/// The appended chunks, in the order in which the caller passed them.
pub(crate) struct Appended {
    pub(crate) placed: Vec<Placed>,
    /// The ticket for [`SegmentWriter::sync`].
    pub(crate) ticket: u64,
    /// Keeps the segments from being deleted before metadata names the chunks.
    pins: Pins,
}

impl Appended {
    /// One of the chunks as an append of its own. `None` if there are fewer.
    pub(crate) fn share(&self, index: usize) -> Option<Appended> {
        let placed = vec![*self.placed.get(index)?];
        Some(Appended { placed, ticket: self.ticket, pins: self.pins.clone() })
    }

    /// Must be called by the committer's job that staged the chunks. No other job runs before the batch is applied, so the
    /// segments need no more protection.
    pub(crate) fn named(self) {
        drop(self.pins);
    }
}

/// The chunks of several appends as one append. Chunks that they have in common are appended once.
struct Together {
    chunks: Vec<Packed>,
    /// For each append, the position of each of its chunks in the joint list.
    places: Vec<Vec<usize>>,
}

impl Together {
    fn new(appends: Vec<Vec<Packed>>) -> Self {
        let (mut chunks, mut known) = (Vec::new(), HashMap::new());
        let mut place = |chunk: Packed| {
            *known.entry(chunk.id).or_insert_with(|| {
                chunks.push(chunk);
                chunks.len() - 1
            })
        };
        let places = appends.into_iter().map(|append| append.into_iter().map(&mut place).collect()).collect();
        Together { chunks, places }
    }
}

type PinCounts = Arc<Mutex<HashMap<SegmentId, u32>>>;

/// Segments that hold chunks which metadata will soon name.
struct Pins {
    counts: PinCounts,
    ids: Vec<SegmentId>,
}

impl Pins {
    fn pin(&mut self, id: SegmentId) {
        if self.ids.last() != Some(&id) {
            *sync::lock(&self.counts).entry(id).or_insert(0) += 1;
            self.ids.push(id);
        }
    }
}

impl Clone for Pins {
    fn clone(&self) -> Self {
        let mut pins = Pins { counts: self.counts.clone(), ids: Vec::with_capacity(self.ids.len()) };
        self.ids.iter().for_each(|id| pins.pin(*id));
        pins
    }
}

impl Drop for Pins {
    fn drop(&mut self) {
        let mut counts = sync::lock(&self.counts);
        for id in &self.ids {
            if let Some(count) = counts.get_mut(id) {
                *count -= 1;
                if *count == 0 {
                    counts.remove(id);
                }
            }
        }
    }
}

struct Open {
    id: SegmentId,
    /// Where the next frame goes.
    offset: u64,
    frames: Vec<Listed>,
}

/// A reserved place for frames in a segment, and the bytes to write there.
struct Reserved {
    segment: SegmentId,
    /// The end is where the next frame may start.
    range: Range<u64>,
    parts: Vec<Bytes>,
    placed: Vec<Placed>,
}

impl Open {
    /// Reserves the next place for the chunks.
    fn place(&mut self, chunks: &[Packed]) -> Result<Reserved> {
        let total: u64 = chunks.iter().map(Packed::bytes_stored).sum();
        let is_large = total >= LARGE_BYTES;
        let start = if is_large { self.offset.next_multiple_of(BLOCK_BYTES) } else { self.offset };
        let mut parts = Vec::with_capacity(chunks.len() * 2);
        let mut placed = Vec::with_capacity(chunks.len());
        let mut offset = start;
        for chunk in chunks {
            let bytes_stored = u32::try_from(chunk.bytes_stored())
                .map_err(|_| Error::invalid_arguments("chunk too large"))?;
            let (segment, bytes) = (self.id, chunk.facts.bytes);
            let record = ChunkRecord { segment, offset, bytes_stored, bytes, references: 1 };
            placed.push(Placed { id: chunk.id, record });
            let at = FrameAt { id: chunk.id, offset, bytes_stored };
            self.frames.push(Listed { at, facts: chunk.facts });
            offset += u64::from(bytes_stored);
            parts.extend(chunk.parts.iter().cloned());
        }
        let end = if is_large { offset.next_multiple_of(BLOCK_BYTES) } else { offset };
        self.offset = end;
        Ok(Reserved { segment: self.id, range: start..end, parts, placed })
    }
}

struct State {
    open: Option<Open>,
    next: u64,
    /// Number of writes in progress for each segment: a segment is not sealed before they have ended.
    writing: HashMap<SegmentId, u32>,
}

/// See the module.
pub(crate) struct SegmentWriter {
    store: Arc<dyn SegmentStore>,
    segment_bytes: u64,
    state: Mutex<State>,
    /// Notified when no write to a segment is in progress any more.
    written: Condvar,
    /// Segments with appended bytes that no sync has covered yet.
    unsynced: Mutex<Unsynced>,
    /// Held during a sync: a caller that waited for it may find its own bytes synced.
    syncing: Mutex<()>,
    /// Counts appends; an append is durable once `synced` has reached its number.
    appended: AtomicU64,
    synced: AtomicU64,
    pins: PinCounts,
    meters: Arc<Meters>,
    stamp: Stamp,
}

/// The origin that is written to each segment's header.
pub(crate) struct Stamp {
    pub(crate) pool: PoolId,
    pub(crate) mark: u32,
    /// Part of every segment's id, so that no id is reused.
    pub(crate) boot: u64,
    pub(crate) meta: Arc<dyn MetaStore>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Stamp {
    fn now(&self) -> SegmentOrigin {
        let created = self.clock.now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        SegmentOrigin { pool: self.pool, mark: self.mark, batch: self.meta.position().durable, created }
    }
}

#[derive(Default)]
struct Unsynced {
    /// Segments to sync, and the length of those that are full and will be sealed after the sync.
    segments: Vec<(SegmentId, Option<u64>)>,
    failed: bool,
}

impl SegmentWriter {
    pub(crate) fn new(
        store: Arc<dyn SegmentStore>,
        segment_bytes: u64,
        stamp: Stamp,
        meters: Arc<Meters>,
    ) -> Self {
        let next = SegmentId::first_of(stamp.boot, store.keeps_objects()).0;
        SegmentWriter {
            stamp,
            store,
            segment_bytes,
            state: Mutex::new(State { open: None, next, writing: HashMap::new() }),
            written: Condvar::new(),
            unsynced: Mutex::default(),
            syncing: Mutex::default(),
            appended: AtomicU64::new(0),
            synced: AtomicU64::new(0),
            pins: PinCounts::default(),
            meters,
        }
    }

    /// The size of a segment that is full, in bytes.
    pub(crate) fn segment_bytes(&self) -> u64 {
        self.segment_bytes
    }

    /// Returns true if metadata will not name any further chunk in the segment. False for the open segment, a pinned one, and
    /// one that has not been synced yet.
    pub(crate) fn is_settled(&self, id: SegmentId) -> bool {
        // The order matters: a segment is pinned before it stops being the open one.
        let open = sync::lock(&self.state).open.as_ref().map(|open| open.id);
        let unsynced = sync::lock(&self.unsynced).segments.iter().any(|(known, _)| *known == id);
        open != Some(id) && !unsynced && !sync::lock(&self.pins).contains_key(&id)
    }

    /// How many segments have bytes that no sync has covered yet.
    pub(crate) fn unsynced(&self) -> usize {
        sync::lock(&self.unsynced).segments.len()
    }

    /// The segment to which frames are appended, if there is one.
    pub(crate) fn open_segment(&self) -> Option<SegmentId> {
        sync::lock(&self.state).open.as_ref().map(|open| open.id)
    }

    /// Whether every segment up to this one is [settled](Self::is_settled).
    pub(crate) fn are_settled(&self, last: SegmentId) -> bool {
        let open = sync::lock(&self.state).open.as_ref().is_some_and(|open| open.id <= last);
        let unsynced = sync::lock(&self.unsynced).segments.iter().any(|(known, _)| *known <= last);
        !open && !unsynced && sync::lock(&self.pins).keys().all(|id| *id > last)
    }

    /// Appends chunks, each as one frame.
    pub(crate) fn append(&self, chunks: &[Packed]) -> Result<Appended> {
        let mut placed = Vec::with_capacity(chunks.len());
        let mut pins = Pins { counts: self.pins.clone(), ids: Vec::new() };
        let mut rest = chunks;
        while !rest.is_empty() {
            let reserved = self.reserve(rest, &mut pins)?;
            let written = self.store.write(reserved.segment, reserved.range.start, &reserved.parts);
            self.ended_writing(&reserved, written.is_ok());
            written?;
            self.meters.bytes_appended.add(reserved.range.end.saturating_sub(reserved.range.start));
            // Not earlier: a sync that begins before the write has ended must not cover this append.
            sync::lock(&self.unsynced).add(reserved.segment, None);
            rest = rest.get(reserved.placed.len()..).unwrap_or_default();
            placed.extend(reserved.placed);
        }
        Ok(Appended { placed, ticket: self.appended.fetch_add(1, Ordering::SeqCst) + 1, pins })
    }

    /// Like [`SegmentWriter::append`], for several appends in one write.
    pub(crate) fn append_together(&self, appends: Vec<Vec<Packed>>) -> Result<Vec<Appended>> {
        let offered = appends.iter().flatten().fold((0, 0), add_chunk);
        let together = Together::new(appends);
        let distinct = together.chunks.iter().fold((0, 0), add_chunk);
        self.meters.shared(offered.0 - distinct.0, offered.1 - distinct.1);
        let all = self.append(&together.chunks)?;
        let of = |places: Vec<usize>| Appended {
            placed: places.into_iter().filter_map(|place| all.placed.get(place).copied()).collect(),
            ticket: all.ticket,
            pins: all.pins.clone(),
        };
        Ok(together.places.into_iter().map(of).collect())
    }

    /// Reserves a place for as many of the chunks as fit into one segment: at least one.
    fn reserve(&self, chunks: &[Packed], pins: &mut Pins) -> Result<Reserved> {
        let mut state = sync::lock(&self.state);
        let open = self.open(&mut state)?;
        let count = frames_that_fit(chunks, self.segment_bytes.saturating_sub(open.offset));
        let reserved = open.place(chunks.get(..count).unwrap_or(chunks))?;
        let is_full = open.offset >= self.segment_bytes;
        pins.pin(reserved.segment);
        *state.writing.entry(reserved.segment).or_insert(0) += 1;
        if is_full {
            self.fill(&mut state);
        }
        Ok(reserved)
    }

    fn open<'a>(&self, state: &'a mut State) -> Result<&'a mut Open> {
        if state.open.is_none() {
            let id = SegmentId(state.next);
            if id.boot() != self.stamp.boot {
                let cause = "this start of the pool has used all its numbers of segments: restart the daemon";
                return Err(Error::Failed(cause.into()));
            }
            state.next += 1;
            self.store.create(id, self.segment_bytes)?;
            if let Err(error) = self.store.write(id, 0, &[frames::segment_header(id, self.stamp.now())]) {
                // If this fails, the next opening deletes the segment: no metadata names it.
                let _ = self.store.delete(id);
                return Err(error);
            }
            state.open = Some(Open { id, offset: frames::SEGMENT_HEADER_BYTES, frames: Vec::new() });
        }
        state.open.as_mut().ok_or(Error::Closed)
    }

    /// Ends a write to a reserved place. If the write failed, the place is reused, unless another append follows it.
    fn ended_writing(&self, reserved: &Reserved, is_written: bool) {
        let mut state = sync::lock(&self.state);
        if let Some(count) = state.writing.get_mut(&reserved.segment) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                state.writing.remove(&reserved.segment);
                self.written.notify_all();
            }
        }
        let Some(open) = state.open.as_mut().filter(|open| open.id == reserved.segment) else { return };
        if is_written {
            return;
        }
        if open.offset == reserved.range.end {
            open.offset = reserved.range.start;
            open.frames.truncate(open.frames.len().saturating_sub(reserved.placed.len()));
        } else {
            // A walk over the frames finds the next one at the start of a block.
            open.offset = open.offset.next_multiple_of(BLOCK_BYTES);
        }
    }

    /// Ends the open segment: its footer is written now, and it is sealed after its last sync.
    fn fill(&self, state: &mut State) {
        let Some(open) = state.open.take() else { return };
        let footer = frames::footer(&open.frames);
        let length = open.offset + footer.len() as u64;
        match self.store.write(open.id, open.offset, &[footer]) {
            Ok(()) => sync::lock(&self.unsynced).add(open.id, Some(length)),
            // A segment is complete without a footer, so a full disk is no reason to fail.
            Err(error) => {
                tracing::warn!(segment = %open.id, %error, "segment is left without a footer");
                sync::lock(&self.unsynced).add(open.id, Some(open.offset));
            }
        }
    }

    /// Ends the open segment, makes everything appended so far durable, and returns the last segment of this start so far. Blocks
    /// on the disk.
    pub(crate) fn retire(&self) -> Result<SegmentId> {
        let last = {
            let mut state = sync::lock(&self.state);
            self.fill(&mut state);
            SegmentId(state.next.saturating_sub(1))
        };
        self.sync_all()?;
        Ok(last)
    }

    /// If `certain` holds for the open segment, ends it and makes everything appended so far durable. Blocks on the disk.
    pub(crate) fn retire_if(&self, certain: impl Fn(SegmentId) -> bool) -> Result<()> {
        {
            let mut state = sync::lock(&self.state);
            if !state.open.as_ref().is_some_and(|open| certain(open.id)) {
                return Ok(());
            }
            self.fill(&mut state);
        }
        self.sync_all()
    }

    fn sync_all(&self) -> Result<()> {
        self.sync(self.appended.fetch_add(1, Ordering::SeqCst) + 1)
    }

    /// Makes the append with this ticket durable, and all earlier ones.
    pub(crate) fn sync(&self, ticket: u64) -> Result<()> {
        if self.synced.load(Ordering::SeqCst) >= ticket {
            return Ok(());
        }
        let _syncing = sync::lock(&self.syncing);
        if self.synced.load(Ordering::SeqCst) >= ticket {
            return Ok(());
        }
        let covered = self.appended.load(Ordering::SeqCst);
        if sync::lock(&self.unsynced).failed {
            return Err(Error::Failed("a segment could not be synced".into()));
        }
        if self.store.keeps_objects() {
            self.sync_objects()?;
            self.synced.fetch_max(covered, Ordering::SeqCst);
            return Ok(());
        }
        let segments = std::mem::take(&mut sync::lock(&self.unsynced).segments);
        for (id, seal) in segments {
            let began = Instant::now();
            let synced = self.store.sync(id);
            self.meters.segment_syncs.record(began.elapsed());
            if let Err(error) = synced {
                sync::lock(&self.unsynced).failed = true;
                return Err(Error::Failed(error.to_string()));
            }
            if let Some(bytes) = seal {
                self.seal(id, bytes);
            }
        }
        self.synced.fetch_max(covered, Ordering::SeqCst);
        Ok(())
    }

    /// Ends the open segment if anything was appended to it, and stores all segments that have ended.
    fn sync_objects(&self) -> Result<()> {
        let ended: Vec<SegmentId> = {
            // No segment is opened meanwhile. So none of those that are taken is open.
            let mut state = sync::lock(&self.state);
            if state.open.as_ref().is_some_and(|open| !open.frames.is_empty()) {
                self.fill(&mut state);
            }
            let segments = std::mem::take(&mut sync::lock(&self.unsynced).segments);
            segments.into_iter().map(|(id, _)| id).collect()
        };
        if ended.is_empty() {
            return Ok(());
        }
        // Others may have a place in these segments to which they still write.
        sync::wait_until(&self.state, &self.written, |state| {
            ended.iter().all(|id| !state.writing.contains_key(id))
        });
        let began = Instant::now();
        let synced = self.store.sync_all(&ended);
        self.meters.segment_syncs.record(began.elapsed());
        synced.map_err(|error| {
            sync::lock(&self.unsynced).failed = true;
            Error::Failed(error.to_string())
        })
    }

    fn seal(&self, id: SegmentId, bytes: u64) {
        if sync::lock(&self.state).writing.contains_key(&id) {
            // A write to it is in progress: the sync that covers the write seals it.
            sync::lock(&self.unsynced).add(id, Some(bytes));
        } else if let Err(error) = self.store.seal(id, bytes) {
            tracing::warn!(segment = %id, %error, "segment keeps its preallocated space");
        }
    }

    /// Seals the open segment, for a clean close.
    pub(crate) fn close(&self) -> Result<()> {
        self.fill(&mut sync::lock(&self.state));
        self.sync_all()
    }
}

impl Unsynced {
    fn add(&mut self, id: SegmentId, seal: Option<u64>) {
        match self.segments.iter_mut().find(|(known, _)| *known == id) {
            Some((_, known)) => *known = seal.or(*known),
            None => self.segments.push((id, seal)),
        }
    }
}

/// Adds a chunk to a count of chunks and bytes.
fn add_chunk((chunks, bytes): (u64, u64), chunk: &Packed) -> (u64, u64) {
    (chunks + 1, bytes + u64::from(chunk.facts.bytes))
}

/// How many of `chunks` fit into a segment with this much room: at least one, because a segment may exceed its size a little.
fn frames_that_fit(chunks: &[Packed], room: u64) -> usize {
    let mut used = 0;
    let fits = chunks.iter().take_while(|chunk| {
        let before = used;
        used += chunk.bytes_stored();
        before < room
    });
    fits.count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Compression;
    use crate::base::sources::SystemClock;
    use crate::format::frames::{Names, Naming, Packer, frame_content};
    use crate::store::meta::MemoryMeta;
    use crate::store::segment::MemorySegments;

    fn stamp() -> Stamp {
        let meta = Arc::new(MemoryMeta::default());
        Stamp { pool: PoolId([1; 16]), mark: 1, boot: 1, meta, clock: Arc::new(SystemClock) }
    }

    fn names() -> Names {
        Names::new(&[1; 32], Naming::Keyed)
    }

    fn packed(byte: u8) -> Packed {
        let content = Bytes::from(vec![byte; 1000]);
        Packer::default().pack(Naming::Keyed, names().name(&content), &content, Compression::None)
    }

    #[test]
    fn what_appends_have_in_common_is_appended_once() {
        let store = Arc::new(MemorySegments::default());
        let writer = SegmentWriter::new(store.clone(), 1 << 20, stamp(), Arc::default());
        let appends = vec![vec![packed(1), packed(2)], vec![packed(2)], vec![packed(3), packed(1)]];
        let ids: Vec<Vec<ChunkId>> =
            appends.iter().map(|append| append.iter().map(|chunk| chunk.id).collect()).collect();
        let before = store.list().unwrap().iter().map(|(_, bytes)| bytes).sum::<u64>();
        let appended = writer.append_together(appends).unwrap();
        assert_eq!(appended.len(), ids.len());
        for (appended, ids) in appended.iter().zip(&ids) {
            assert_eq!(&appended.placed.iter().map(|placed| placed.id).collect::<Vec<_>>(), ids);
            for Placed { id, record } in &appended.placed {
                let frame = store.read(record.segment, record.offset, record.bytes_stored as usize).unwrap();
                assert_eq!(frame_content(&frame.unwrap(), *id, &names()).unwrap().len(), 1000);
            }
        }
        let stored = store.list().unwrap().iter().map(|(_, bytes)| bytes).sum::<u64>() - before;
        assert!(stored < 3 * 1100 + frames::SEGMENT_HEADER_BYTES, "{stored} bytes for three chunks");
        writer.sync(appended[2].ticket).unwrap();
    }

    #[test]
    fn a_segment_stays_until_all_that_appended_to_it_together_have_named_their_chunks() {
        let writer = SegmentWriter::new(Arc::new(MemorySegments::default()), 500, stamp(), Arc::default());
        let appended = writer.append_together(vec![vec![packed(1)], vec![packed(2)]]).unwrap();
        let segment = appended[0].placed[0].record.segment;
        writer.sync(appended[0].ticket).unwrap();
        assert!(!writer.is_settled(segment));
        let mut appended = appended.into_iter();
        appended.next().unwrap().named();
        let second = appended.next().unwrap();
        let last = second.placed[0].record.segment;
        assert!(!writer.is_settled(last));
        let shared = second.share(0).unwrap();
        assert!(second.share(1).is_none());
        second.named();
        assert!(!writer.is_settled(last) && !writer.are_settled(last), "another append shares the chunk");
        shared.named();
        assert!(writer.is_settled(segment) && writer.is_settled(last));
        assert!(writer.are_settled(segment));
    }
}
