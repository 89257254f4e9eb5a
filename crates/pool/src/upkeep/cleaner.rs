//! The cleaner: reclaims the space of dead frames in segments that are mostly dead.
//!
//! It appends the frames that are still referenced to the open segment, and syncs it. Then one batch makes the chunk records
//! point to the new places, each only if its chunk is still at the old one. A segment without a referenced frame is deleted
//! like any other dead segment. After a crash at any point, each chunk is at the one place that its record names. A reader
//! that finds the old segment gone looks the chunk up again.
//!
//! In a store of objects every sync ends a segment, so many are small. They cost requests, so the cleaner also joins small ones, the oldest first,
//! whether or not something in them is dead. Several of them are moved in one step, because each step ends with a sync.
//!
//! The segment itself says which chunks it holds. If the metadata has more chunks there, because a header or a footer is
//! damaged, the cleaner searches the metadata instead. It works at a limited rate, which leaves the disk to clients, unless
//! free space is short. It stops when files were deleted, because freeing those yields more space for less work.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use tokio::time::Instant;

use crate::base::pace::pace;
use crate::base::sync;
use crate::engine::Engine;
use crate::format::frames::Packed;
use crate::format::keys::{self, ChunkId, SegmentId};
use crate::format::records::{ChunkRecord, Record, SegmentRecord, malformed};
use crate::store::segment::{Appended, frames_in};
use crate::{Error, Result};

/// The maximum number of segments that one round cleans.
const SEGMENTS_MAX: usize = 8;
/// The maximum number of bytes that one step moves.
const STEP_BYTES_MAX: u64 = 8 << 20;
/// The rate at which chunks are moved while there is enough free space.
const BYTES_PER_SECOND: u64 = 64 << 20;
/// The open segment is retired when at least this many bytes in it are dead and none are live.
const RETIRE_BYTES_MIN: u64 = 1 << 20;

/// In a store of objects, a segment is small if it has at most this part of the live bytes of a full one. What small ones are joined to has at
/// least [`JOINED_PART`] of them, and is not small.
const SMALL_PART: u64 = 8;
const JOINED_PART: u64 = if cfg!(test) { 5 } else { 2 };
/// The newest segments are not joined: what a client deletes soon would be copied in vain.
///
/// Pools of the simulation have few segments, so some of these numbers are smaller there.
const NEW_SEGMENTS: usize = if cfg!(test) { 1 } else { 32 };
/// The maximum number of segments that one round joins.
const JOINED_MAX: usize = 512;

/// How often segments were joined, for the simulation, which must reach that.
#[cfg(test)]
pub(crate) static JOINS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// A chunk, and where it is.
pub(crate) type Located = (ChunkId, ChunkRecord);

/// The outcome of copying chunks.
enum Copied {
    /// None of them can be read.
    Nothing,
    /// The store has failed to read this segment.
    Unreachable(SegmentId, Error),
    /// Those that can be read, and their copies.
    Chunks(Vec<Located>, Appended),
}

impl Engine {
    /// Cleans the segments for which it is worth while. Returns early if there are orphans to free.
    pub(crate) async fn clean(self: &Arc<Self>) -> Result<()> {
        let engine = self.clone();
        sync::blocking(move || engine.retire_dead_open_segment()).await?;
        let is_short = self.is_room_short()?;
        for id in self.worth_cleaning(is_short) {
            if self.empty(vec![id], STEP_BYTES_MAX, is_short).await?.is_break() {
                return Ok(());
            }
        }
        let joined = self.worth_joining();
        if !joined.is_empty() {
            #[cfg(test)]
            JOINS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let _ = self.empty(joined, self.stores.writer.segment_bytes(), is_short).await?;
        }
        Ok(())
    }

    /// Moves everything that is live in some segments, in steps of at most `step_bytes`. Ends early, with a break, if there are orphans to free.
    async fn empty(
        self: &Arc<Self>,
        ids: Vec<SegmentId>,
        step_bytes: u64,
        is_short: bool,
    ) -> Result<ControlFlow<()>> {
        let mut chunks = Vec::new();
        for id in ids.iter().copied() {
            self.require_open()?;
            let engine = self.clone();
            let found = sync::blocking(move || engine.chunks_in(id)).await;
            chunks.extend(found.inspect_err(|_| self.upkeep.cleaner.uncleaned.add(id))?);
        }
        for step in steps(chunks, step_bytes) {
            self.require_open()?;
            let (began, bytes) = (Instant::now(), bytes_of(&step));
            self.move_chunks(step).await?;
            if self.orphans.are_waiting() {
                return Ok(ControlFlow::Break(()));
            }
            if !is_short {
                self.pause_until(began + pace(bytes, BYTES_PER_SECOND)).await;
            }
        }
        for id in ids {
            if self.segments.usage(id).bytes_live > 0 {
                self.upkeep.cleaner.uncleaned.add(id);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Small segments in a store of objects, if there are enough of them to make one that is not small.
    fn worth_joining(&self) -> Vec<SegmentId> {
        if !self.stores.segments.keeps_objects() {
            return Vec::new();
        }
        let full = self.stores.writer.segment_bytes();
        let mut all = self.segments.list();
        all.sort_unstable_by_key(|(id, _)| *id);
        all.truncate(all.len().saturating_sub(NEW_SEGMENTS));
        let given_up = self.upkeep.cleaner.uncleaned.get();
        let is_small = |id: &SegmentId, record: &SegmentRecord| {
            record.bytes_live > 0
                && record.bytes_live <= full / SMALL_PART
                && !given_up.contains(id)
                && self.stores.writer.is_settled(*id)
        };
        let mut bytes = 0;
        let small = all.into_iter().filter(|(id, record)| is_small(id, record)).take_while(|(_, record)| {
            bytes += record.bytes_live;
            bytes <= full
        });
        let small: Vec<_> = small.take(JOINED_MAX).collect();
        let found: u64 = small.iter().map(|(_, record)| record.bytes_live).sum();
        if found < full / JOINED_PART { Vec::new() } else { small.into_iter().map(|(id, _)| id).collect() }
    }

    fn is_room_short(&self) -> Result<bool> {
        let (total, free) = self.stores.room.bytes()?;
        Ok(free < total / 10)
    }

    fn worth_cleaning(&self, is_short: bool) -> Vec<SegmentId> {
        // When free space is short, a segment is worth cleaning if a tenth of it is dead, otherwise if half of it is.
        let dead_min = |record: &SegmentRecord| record.bytes_named / if is_short { 10 } else { 2 };
        let given_up = self.upkeep.cleaner.uncleaned.get();
        let worth = self.segments.list().into_iter().filter(|(id, record)| {
            let dead = record.bytes_named.saturating_sub(record.bytes_live);
            record.bytes_live > 0 && dead > dead_min(record) && !given_up.contains(id)
        });
        worth.map(|(id, _)| id).filter(|id| self.stores.writer.is_settled(*id)).take(SEGMENTS_MAX).collect()
    }

    /// Retires the open segment if everything in it is dead, so that its space can be freed. Blocks on the disk.
    fn retire_dead_open_segment(&self) -> Result<()> {
        let is_dead = |id: SegmentId| {
            let record = self.segments.usage(id);
            record.bytes_live == 0 && record.bytes_named >= RETIRE_BYTES_MIN
        };
        self.stores.writer.retire_if(is_dead).inspect_err(|error| self.stopped.stop(error))
    }

    /// All chunks whose records name the segment, in order of offset. Blocks on the disk.
    pub(crate) fn chunks_in(&self, segment: SegmentId) -> Result<Vec<Located>> {
        let mut chunks = BTreeMap::new();
        if let Some(length) = self.stores.segments.length(segment)? {
            let mut seen = BTreeSet::new();
            let frames = frames_in(&*self.stores.segments, segment, length)?;
            self.warm_chunks(frames.iter().map(|frame| frame.id))?;
            for frame in frames {
                if let Some(record) = self.chunk_record(frame.id)?
                    && (record.segment, record.offset) == (segment, frame.offset)
                    && seen.insert(frame.id)
                {
                    chunks.insert(record.offset, (frame.id, record));
                }
            }
        }
        // Read after the records: frees in between make the number smaller, never larger.
        let live = self.segments.usage(segment).bytes_live;
        let found: u64 = chunks.values().map(|(_, record)| u64::from(record.bytes_stored)).sum();
        if found < live {
            tracing::warn!(%segment, found, live, "a segment does not name all chunks that it holds; searching the metadata");
            return self.search_chunks_in(segment);
        }
        Ok(chunks.into_values().collect())
    }

    fn search_chunks_in(&self, segment: SegmentId) -> Result<Vec<Located>> {
        let mut chunks = BTreeMap::new();
        self.stores.meta.scan(keys::chunks(), &mut |key, value| {
            let record = ChunkRecord::decode(key, value)?;
            if record.segment == segment {
                let id = keys::chunk_in(key).ok_or_else(|| malformed(ChunkRecord::NAME, key))?;
                chunks.insert(record.offset, (id, record));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(chunks.into_values().collect())
    }

    async fn move_chunks(self: &Arc<Self>, chunks: Vec<Located>) -> Result<()> {
        let engine = self.clone();
        let (chunks, appended) = match sync::blocking(move || engine.copy_chunks(chunks)).await? {
            Copied::Nothing => return Ok(()),
            Copied::Unreachable(id, error) => {
                self.upkeep.cleaner.uncleaned.add(id);
                return Err(error);
            }
            Copied::Chunks(chunks, appended) => (chunks, appended),
        };
        self.transact(move |txn| {
            for ((id, from), placed) in chunks.iter().zip(&appended.placed) {
                txn.chunk_move(*id, (from.segment, from.offset), placed.record)?;
            }
            appended.named();
            Ok(())
        })
        .await
    }

    /// Appends and syncs copies of the readable chunks.
    fn copy_chunks(&self, chunks: Vec<Located>) -> Result<Copied> {
        let mut readable = Vec::with_capacity(chunks.len());
        let mut copies: Vec<Packed> = Vec::with_capacity(chunks.len());
        for (id, record) in chunks {
            self.require_open()?;
            match self.read_packed(id, &record) {
                Err(error) => return Ok(Copied::Unreachable(record.segment, error)),
                Ok(Some(packed)) => {
                    copies.push(packed);
                    readable.push((id, record));
                }
                // The chunk was freed or moved meanwhile, or is damaged. In the last case, readers report it.
                Ok(None) => {
                    tracing::warn!(place = record.place(), "the cleaner cannot read a chunk")
                }
            }
        }
        if copies.is_empty() {
            return Ok(Copied::Nothing);
        }
        let appended = self.stores.writer.append(&copies)?;
        self.stores.writer.sync(appended.ticket).inspect_err(|error| self.stopped.stop(error))?;
        self.meters.bytes_moved.add(bytes_of(&readable));
        Ok(Copied::Chunks(readable, appended))
    }
}

fn bytes_of(chunks: &[Located]) -> u64 {
    chunks.iter().map(|(_, record)| u64::from(record.bytes_stored)).sum()
}

/// Chunks in portions of bounded size.
fn steps(chunks: Vec<Located>, bytes_max: u64) -> Vec<Vec<Located>> {
    let mut steps: Vec<Vec<Located>> = Vec::new();
    let mut bytes = bytes_max;
    for chunk in chunks {
        let stored = u64::from(chunk.1.bytes_stored);
        match steps.last_mut() {
            Some(step) if bytes + stored <= bytes_max => {
                step.push(chunk);
                bytes += stored;
            }
            _ => {
                steps.push(vec![chunk]);
                bytes = stored;
            }
        }
    }
    steps
}
