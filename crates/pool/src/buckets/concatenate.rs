//! Assembles the content of a draft from ranges of other contents, such as the parts of a multipart upload. Only metadata
//! moves, except where two ranges meet.
//!
//! The end of a range was cut without knowing what follows. So the bytes of its last settled extent and of everything loose
//! behind that are left out, and written anew when all extents are in place. Such a write fills a gap, so the cutter also
//! continues behind it until its cuts agree with those of the next range ([`crate::data::stretch`]). The content then has, but
//! for a few chunks, the cuts that one write of all of it would have.
//!
//! A draft is complete or not there at all, so a crash at any point does no harm.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::base::lasting::Lasting;
use crate::buckets::draft::require_bucket;
use crate::data::stretch;
use crate::engine::Engine;
use crate::engine::extents::ExtentChange;
use crate::engine::txn::Txn;
use crate::format::records::{Content, Extent};
use crate::parts::compared::Compared;
use crate::parts::inode::{Cleared, Inode};
use crate::{Error, FILE_SIZE_MAX, Handle, Result, Stability, VolumeId};

/// The number of extents that one batch handles at most. Small in tests, so that several batches are needed.
const BATCH_EXTENTS_MAX: usize = if cfg!(test) { 16 } else { 4096 };
/// At most this many bytes at the end of a range are written anew.
const SEAM_BYTES_MAX: u64 = 1 << 20;
/// The number of bytes that are read and written at once.
const STEP_BYTES: u32 = 256 << 10;

/// A range of a content, and its place in the draft.
#[derive(Clone)]
struct Source {
    inode: Arc<Inode>,
    range: Range<u64>,
    /// The end of the part whose extents are shared. The rest is written anew.
    seam: u64,
    /// The offset in the draft.
    at: u64,
}

/// Where the room in a bucket of limited size comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// The sources have taken it, and are about to go.
    OfReplaced,
    /// It is reserved beforehand, as for a write.
    Reserved,
}

/// Bytes that are reserved in a bucket until this is dropped.
struct Reservation {
    engine: Arc<Engine>,
    bucket: VolumeId,
    bytes: u64,
}

impl Reservation {
    fn take(engine: &Arc<Engine>, bucket: VolumeId, bytes: u64) -> Result<Reservation> {
        if engine.volumes.reserve(bucket, bytes) {
            Ok(Reservation { engine: engine.clone(), bucket, bytes })
        } else {
            Err(Error::NoSpace)
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.engine.volumes.release(self.bucket, self.bytes);
    }
}

impl Engine {
    /// Appends the ranges to the draft, which must be empty, and commits it. Returns the draft's size. Fails with
    /// [`Error::Stale`] if a content is gone, and with [`Error::Invalid`] if it is shorter than its range.
    pub(crate) async fn concatenate(
        self: &Arc<Self>,
        draft: Handle,
        ranges: Vec<(Handle, Range<u64>)>,
        room: Room,
    ) -> Result<u64> {
        self.stopped.check()?;
        require_bucket(self, draft.volume)?;
        let target = self.inode(draft)?;
        if target.live()?.size() > 0 {
            return Err(Error::invalid_arguments("the draft must be empty"));
        }
        let sources = Arc::new(self.sources(ranges).await?);
        let size = sources.last().map_or(0, Source::end);
        // Each seam reserves its bytes when it is written.
        let shared = sources.iter().map(|source| source.seam - source.range.start).sum();
        let reserved = match room {
            Room::Reserved => Some(Reservation::take(self, draft.volume, shared)?),
            Room::OfReplaced => None,
        };
        let (engine, work, into) = (self.clone(), sources.clone(), target.clone());
        Lasting::new(async move {
            // Until the bytes are counted as the draft's.
            let _reserved = reserved;
            let _order = into.order.clone().lock_owned().await;
            let mut next = (0, 0);
            while next.0 < work.len() {
                let (work, into) = (work.clone(), into.clone());
                next = engine.transact(move |txn| stage(txn, &into, &work, next)).await?;
            }
            Ok(())
        })
        .await?;
        for source in sources.iter() {
            self.write_seam(draft, source, room).await?;
        }
        self.commit(draft).await?;
        Ok(size)
    }

    /// Finds the places of the ranges, and where they are to be cut anew. What was written to a content and is only in memory
    /// has no extents that could be shared, so it is flushed first.
    async fn sources(self: &Arc<Self>, ranges: Vec<(Handle, Range<u64>)>) -> Result<Vec<Source>> {
        let mut sources: Vec<Source> = Vec::with_capacity(ranges.len());
        let (mut at, count) = (0u64, ranges.len());
        for (index, (handle, range)) in ranges.into_iter().enumerate() {
            let inode = self.inode(handle)?;
            {
                let state = inode.live()?;
                state.require_file()?;
                require_within(&range, state.size())?;
            }
            self.flush_written(&inode).await?;
            let is_last = index + 1 == count;
            let seam = if is_last { range.end } else { self.seam(&inode, &range)? };
            let end = at.checked_add(range.end - range.start).filter(|end| *end <= FILE_SIZE_MAX);
            sources.push(Source { inode, range, seam, at });
            at = end.ok_or(Error::FileTooLarge)?;
        }
        Ok(sources)
    }

    /// The start of the last settled extent of the range, if nothing but loose extents follows it. The end of the range if it
    /// ends in a hole, which needs no cutting.
    fn seam(&self, inode: &Inode, range: &Range<u64>) -> Result<u64> {
        let from = range.start.max(range.end.saturating_sub(SEAM_BYTES_MAX));
        let mut seam = range.end;
        for (offset, extent) in self.extents(inode.key(), from..range.end)?.iter().rev() {
            if offset.saturating_add(u64::from(extent.length)) < seam || *offset < from {
                break;
            }
            seam = *offset;
            if matches!(extent.content, Content::Chunk { end: Some(_), .. }) {
                break;
            }
        }
        Ok(seam)
    }

    /// Writes the end of a range anew, if it was left out.
    async fn write_seam(self: &Arc<Self>, draft: Handle, source: &Source, room: Room) -> Result<()> {
        let mut from = source.seam;
        while from < source.range.end {
            let length = u32::try_from(source.range.end - from).unwrap_or(u32::MAX).min(STEP_BYTES);
            let read = self.read(source.inode.handle, from, length).await?;
            let bytes = joined(&read.pieces);
            if bytes.len() != length as usize {
                return Err(Error::Stale);
            }
            let at = source.at + (from - source.range.start);
            let is_limited = room == Room::Reserved;
            self.write_within(draft, at, bytes, Stability::Unstable, is_limited).await?;
            from += u64::from(length);
        }
        Ok(())
    }
}

impl Source {
    fn end(&self) -> u64 {
        self.at + (self.range.end - self.range.start)
    }
}

fn require_within(range: &Range<u64>, size: u64) -> Result<()> {
    if range.start > range.end || range.end > size {
        return Err(Error::invalid_arguments(format!(
            "the content ends at {size}, before the end of the range"
        )));
    }
    Ok(())
}

fn joined(pieces: &[Bytes]) -> Bytes {
    match pieces {
        [only] => only.clone(),
        pieces => {
            let mut bytes = BytesMut::with_capacity(pieces.iter().map(Bytes::len).sum());
            pieces.iter().for_each(|piece| bytes.extend_from_slice(piece));
            bytes.freeze()
        }
    }
}

/// Stages the next extents, beginning `done` bytes into the source with the index `index`. Returns where to continue.
fn stage(
    txn: &mut Txn<'_>,
    target: &Arc<Inode>,
    sources: &[Source],
    (mut index, mut done): (usize, u64),
) -> Result<(usize, u64)> {
    let mut record = txn.record(target)?;
    let mut after: Vec<Extent> = Vec::new();
    let from = sources.get(index).map_or(0, |source| source.at + done);
    while let Some(source) = sources.get(index) {
        require_within(&source.range, source.inode.live()?.record.size)?;
        let budget = BATCH_EXTENTS_MAX.saturating_sub(after.len());
        if budget == 0 {
            break;
        }
        let range = source.range.start + done..source.seam;
        let (extents, described) = txn.engine.extents_within(source.inode.key(), range, budget)?;
        let moved = stretch::moved(&extents, &described, source.at + done).ok_or(Error::FileTooLarge)?;
        after.extend(moved);
        done += described.end - described.start;
        if described.end >= source.seam {
            (index, done) = (index + 1, 0);
        }
    }
    // What is behind the last extent is a hole until it is written.
    let end = match sources.get(index) {
        Some(source) => source.at + done,
        None => sources.last().map_or(0, Source::end),
    };
    let change = ExtentChange { before: Vec::new(), after };
    txn.engine.require_room(change.after.len() as u64 * 128)?;
    if !txn.change_extents(target, &change, &BTreeMap::new(), &Compared::default(), &mut record.space_used)? {
        return Err(Error::Damaged(
            "an extent that was to be shared points to a chunk that has no record".into(),
        ));
    }
    let (key, inline, stored) = (target.key(), change.inline_difference(), record.space_used);
    txn.then(move |engine| engine.note_inline(key, inline, stored));
    record.size = record.size.max(end);
    record.mtime = txn.engine.clock.now();
    txn.touch_and_clear(target, record, Cleared::Within(from..end.max(from)));
    Ok((index, done))
}
