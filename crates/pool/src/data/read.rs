//! Reads files: dirty pieces over flushing pieces over extents. A range that none of them covers is a hole.
//!
//! A reader holds locks only during operations in memory. It looks at the pieces first, and then, for the ranges that they
//! do not cover, at the extents as of one instant. A flush that ends in between does no harm: the reader still holds pieces
//! with the same bytes. A truncation that ends in between would do harm, so the reader then starts again. It also starts
//! again if a chunk that it found is gone because it was overwritten.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::ChunkId;
use crate::format::records::{Content, ExtentRecord};
use crate::parts::inode::{Inode, State};
use crate::{Error, Handle, ReadData, ReadStretches, Result, Stretch, VolumeId};

/// How often a read starts again because the file was changed meanwhile.
const TRIES_MAX: usize = 64;
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// The source of the bytes of a range.
enum Segment {
    Memory(Bytes),
    Hole(u64),
    Chunk { id: ChunkId, range: Range<usize> },
}

/// The part of a read that is determined under the inode's lock.
struct View {
    range: Range<u64>,
    eof: bool,
    pieces: Vec<(u64, Bytes)>,
    truncations: u64,
}

impl Engine {
    pub(crate) async fn read(self: &Arc<Self>, handle: Handle, offset: u64, length: u32) -> Result<ReadData> {
        let read = self.read_stretches(handle, offset, length, u64::MAX).await?;
        let mut pieces = Vec::new();
        for stretch in read.stretches {
            match stretch {
                Stretch::Data(mut bytes) => pieces.append(&mut bytes),
                Stretch::Hole(bytes) => push_zeros(&mut pieces, bytes),
            }
        }
        Ok(ReadData { pieces, eof: read.eof })
    }

    /// A hole of fewer than `hole_bytes_min` bytes is returned as zeros.
    pub(crate) async fn read_stretches(
        self: &Arc<Self>,
        handle: Handle,
        offset: u64,
        length: u32,
        hole_bytes_min: u64,
    ) -> Result<ReadStretches> {
        let inode = self.inode(handle)?;
        let mut tries = 0;
        while tries < TRIES_MAX {
            let Some(view) = self.view(&inode, offset, length)? else {
                tokio::task::yield_now().await;
                continue;
            };
            let eof = view.eof;
            if tries == 0 {
                self.read_ahead(&inode, &view.range);
            }
            tries += 1;
            let Some(segments) = self.segments_of(&inode, &view)? else { continue };
            let segments = merge_holes(segments);
            if let Some(stretches) = self.fetch(handle, segments, hole_bytes_min).await? {
                return Ok(ReadStretches { stretches, eof });
            }
        }
        Err(Error::Damaged(format!(
            "inode {} of volume {}: extents point to chunks that have no record",
            handle.inode.0, handle.volume.0
        )))
    }

    /// Returns `None` while a truncation is being applied, which takes microseconds.
    fn view(&self, inode: &Arc<Inode>, offset: u64, length: u32) -> Result<Option<View>> {
        let mut state = inode.live()?;
        state.require_file()?;
        if state.truncating {
            return Ok(None);
        }
        let size = state.size();
        let start = offset.min(size);
        let end = offset.saturating_add(u64::from(length)).min(size).max(start);
        let view = View {
            range: start..end,
            eof: offset.saturating_add(u64::from(length)) >= size,
            pieces: pieces_over(&state, start..end),
            truncations: state.truncations,
        };
        if self.keeps_atime(inode.handle.volume) && state.note_read(self.clock.now()) {
            state.dirty_since.get_or_insert_with(tokio::time::Instant::now);
            drop(state);
            self.writes.dirty.note(inode);
        }
        Ok(Some(view))
    }

    /// Whether reading sets the atime: neither in a snapshot nor in a bucket.
    fn keeps_atime(&self, volume: VolumeId) -> bool {
        self.volumes.is_writable(volume) && !self.volumes.is_bucket(volume)
    }

    /// The sources of the bytes. Returns `None` if the file was truncated meanwhile.
    fn segments_of(&self, inode: &Inode, view: &View) -> Result<Option<Vec<Segment>>> {
        let mut segments = Vec::new();
        let mut at = view.range.start;
        for (offset, piece) in &view.pieces {
            self.add_stored(inode, at..*offset, &mut segments)?;
            segments.push(Segment::Memory(piece.clone()));
            at = offset + piece.len() as u64;
        }
        self.add_stored(inode, at..view.range.end, &mut segments)?;
        let state = inode.live()?;
        let same = state.truncations == view.truncations && !state.truncating;
        Ok(same.then_some(segments))
    }

    fn add_stored(&self, inode: &Inode, range: Range<u64>, segments: &mut Vec<Segment>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let mut at = range.start;
        for (offset, extent) in self.extents(inode.key(), range.clone())? {
            let end = offset + u64::from(extent.length);
            let (start, end) = (offset.max(range.start), end.min(range.end));
            if start >= end {
                continue;
            }
            if at < start {
                segments.push(Segment::Hole(start - at));
            }
            segments.push(segment_of(offset, extent, start..end)?);
            at = end;
        }
        if at < range.end {
            segments.push(Segment::Hole(range.end - at));
        }
        Ok(())
    }

    /// Returns the bytes, or `None` if a chunk is gone.
    async fn fetch(
        self: &Arc<Self>,
        handle: Handle,
        segments: Vec<Segment>,
        hole_bytes_min: u64,
    ) -> Result<Option<Vec<Stretch>>> {
        let missing: Vec<ChunkId> = segments.iter().filter_map(|segment| self.missing_of(segment)).collect();
        let wanted = segments.iter().filter(|segment| matches!(segment, Segment::Chunk { .. })).count();
        self.meters.cache_hits.add(wanted.saturating_sub(missing.len()) as u64);
        self.meters.cache_misses.add(missing.len() as u64);
        if missing.is_empty() {
            return self.gather(handle, segments, hole_bytes_min);
        }
        let engine = self.clone();
        sync::blocking(move || {
            if missing.len() > 1 {
                engine.load_all(&missing)?;
            }
            engine.gather(handle, segments, hole_bytes_min)
        })
        .await
    }

    fn missing_of(&self, segment: &Segment) -> Option<ChunkId> {
        match segment {
            Segment::Chunk { id, .. } if !self.caches.chunks.has(*id) => Some(*id),
            _ => None,
        }
    }

    /// Reads chunks into the cache: the first that are adjacent on this thread, and others on threads of their own at the
    /// same time. Does not wait for these: a reader that needs such a chunk does. Blocks on the disk.
    fn load_all(self: &Arc<Self>, ids: &[ChunkId]) -> Result<()> {
        let mut runs = self.runs_of(ids)?.into_iter();
        let first = runs.next();
        for run in runs {
            let engine = self.clone();
            sync::in_background(move || engine.load_run(&run));
        }
        if let Some(run) = first {
            self.load_run(&run);
        }
        Ok(())
    }

    fn gather(
        &self,
        handle: Handle,
        segments: Vec<Segment>,
        hole_bytes_min: u64,
    ) -> Result<Option<Vec<Stretch>>> {
        let mut stretches = Vec::new();
        let mut pieces = Vec::with_capacity(segments.len());
        for segment in segments {
            match segment {
                Segment::Memory(bytes) => pieces.push(bytes),
                Segment::Hole(length) if length < hole_bytes_min => push_zeros(&mut pieces, length),
                Segment::Hole(length) => {
                    if !pieces.is_empty() {
                        stretches.push(Stretch::Data(std::mem::take(&mut pieces)));
                    }
                    stretches.push(Stretch::Hole(length));
                }
                Segment::Chunk { id, range } => {
                    let Some(content) = self.chunk_content(id, handle)? else { return Ok(None) };
                    if content.get(range.clone()).is_none() {
                        return Err(Error::Damaged("an extent reaches beyond its chunk".to_owned()));
                    }
                    pieces.push(content.slice(range));
                }
            }
        }
        if !pieces.is_empty() {
            stretches.push(Stretch::Data(pieces));
        }
        Ok(Some(stretches))
    }
}

/// Merges adjacent holes.
fn merge_holes(segments: Vec<Segment>) -> Vec<Segment> {
    let mut merged: Vec<Segment> = Vec::with_capacity(segments.len());
    for segment in segments {
        match (merged.last_mut(), &segment) {
            (Some(Segment::Hole(before)), Segment::Hole(bytes)) => *before += bytes,
            _ => merged.push(segment),
        }
    }
    merged
}

/// The dirty and flushing pieces within `range`, in order. Newer ones hide older ones.
fn pieces_over(state: &State, range: Range<u64>) -> Vec<(u64, Bytes)> {
    let dirty = state.dirty.within(range.clone());
    let Some(flushing) = &state.flushing else { return dirty };
    let mut pieces = Vec::new();
    let mut at = range.start;
    for (offset, piece) in dirty {
        let end = offset + piece.len() as u64;
        pieces.extend(flushing.within(at..offset));
        pieces.push((offset, piece));
        at = end;
    }
    pieces.extend(flushing.within(at..range.end));
    pieces
}

/// The part of an extent that lies in `range`. The extent starts at `offset`.
fn segment_of(offset: u64, extent: ExtentRecord, range: Range<u64>) -> Result<Segment> {
    let index = |at: u64| usize::try_from(at - offset).unwrap_or(usize::MAX);
    let (from, to) = (index(range.start), index(range.end));
    Ok(match extent.content {
        Content::Inline(bytes) => {
            if bytes.get(from..to).is_none() {
                return Err(Error::Damaged(format!("extent at {offset} is shorter than it says")));
            }
            Segment::Memory(bytes.slice(from..to))
        }
        Content::Chunk { id, offset, .. } => {
            let skip = usize::try_from(offset).unwrap_or(usize::MAX);
            Segment::Chunk { id, range: skip.saturating_add(from)..skip.saturating_add(to) }
        }
    })
}

fn push_zeros(pieces: &mut Vec<Bytes>, mut length: u64) {
    while length > 0 {
        let now = usize::try_from(length).unwrap_or(usize::MAX).min(ZEROS.len());
        pieces.push(Bytes::from_static(&ZEROS[..now]));
        length -= now as u64;
    }
}
