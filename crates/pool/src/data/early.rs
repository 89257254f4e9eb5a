//! Cuts streams while they arrive, and appends their complete chunks before a flush.
//!
//! This changes nothing that a flush relies on: the bytes stay dirty, and the flush determines all chunks again from the bytes that
//! it takes. A chunk counts only if it has the name of its content. If bytes were overwritten in between, or the guess where the stream
//! began was wrong, the append was in vain, and its place is dead.
//!
//! Only one stream of a file is followed: bytes without a gap. If a piece is missing, cutting waits for it.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;

use crate::data::plan::{Fresh, pack_all};
use crate::engine::Engine;
use crate::format::cut::{self, Cut, Piece, REACH_BEFORE_BYTES, Rope, all_zero};
use crate::format::frames::count_packed;
use crate::format::keys::ChunkId;
use crate::format::records::{Content, Extent};
use crate::parts::early::{Cutter, EARLY_BYTES, EarlyNames};
use crate::parts::inode::{Inode, Pieces, State};
use crate::{Compression, Error, Result};

/// Appending early stops when the disk has less room than this beside the bytes to append.
const ROOM_BYTES: u64 = 1 << 30;
/// It also stops at this number of segments that no sync has covered. The store may keep them in memory until then, although nobody needs them any
/// more: the bytes may have been overwritten.
pub(crate) const UNSYNCED_MAX: usize = 8;

impl Engine {
    /// Lets the pool's thread append what has arrived of a stream.
    pub(crate) fn begin_early(self: &Arc<Self>, inode: &Arc<Inode>) {
        // A chunk that was appended early has only a name.
        if self.options.dedup_verify {
            return;
        }
        let (engine, inode) = (Arc::downgrade(self), inode.clone());
        let append = move || {
            if let Some(engine) = engine.upgrade() {
                engine.append_early(&inode);
            }
        };
        // If the pool is closing, its flush appends everything.
        let _ = self.committing.early.submit(Box::new(append));
    }

    /// Appends the complete chunks of what has arrived of a stream. Blocks on the disk.
    fn append_early(self: &Arc<Self>, inode: &Arc<Inode>) {
        match self.try_append_early(inode) {
            Ok(()) | Err(Error::Closed | Error::NoSpace | Error::Stale) => {}
            // Whatever it is, the flush meets it, too, and reports it.
            Err(error) => tracing::debug!(%error, "nothing was appended early"),
        }
    }

    fn try_append_early(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        self.stopped.check()?;
        self.require_open()?;
        if self.stores.segments.keeps_objects() && self.stores.writer.unsynced() >= UNSYNCED_MAX {
            return Ok(());
        }
        let Ok(_appending) = inode.appending.clone().try_lock_owned() else { return Ok(()) };
        let Some((mut cutter, taken)) = self.cutter(inode)? else { return Ok(()) };
        let rollbacks = inode.state().rollbacks;
        let mut names = EarlyNames::default();
        let fresh = self.cut_early(inode, &mut cutter, taken, &mut names)?;
        if !fresh.is_empty() {
            let bytes = fresh.iter().map(|fresh| fresh.content.len()).sum();
            self.require_room(ROOM_BYTES + bytes as u64)?;
            let packed = pack_all(self.identity.names.naming(), &fresh, bytes);
            count_packed(&packed, &self.meters);
            let appended = self.stores.writer.append(&packed)?;
            self.meters.bytes_early.add(bytes as u64);
            self.writes.early.add(appended).into_iter().for_each(|chunk| names.keep(chunk));
        }
        let mut state = inode.state();
        if state.rollbacks == rollbacks && !state.dirty.is_empty() {
            state.early.cutter = Some(cutter);
            state.early.names.extend(&names);
        }
        Ok(())
    }

    /// The cutter of the file's stream, with the bytes that have arrived, and the end of those that a flush under way will store.
    /// `None` if too few bytes have arrived.
    fn cutter(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<Option<(Cutter, u64)>> {
        let (known, first) = {
            let state = inode.state();
            (state.early.cutter.clone(), state.dirty.iter().next().map(|(offset, _)| offset))
        };
        let Some(first) = first else { return Ok(None) };
        let cutter = match known {
            Some(cutter) if first <= cutter.end() || is_any(&inode.state(), cutter.end()) => cutter,
            // The stream has gone on elsewhere.
            _ if !is_enough(&arrived(&inode.state(), first).0) => return Ok(None),
            _ => match self.cutter_at(inode, first)? {
                Some(cutter) => cutter,
                None => return Ok(None),
            },
        };
        let (arrived, taken) = arrived(&inode.state(), cutter.end());
        Ok(is_enough(&arrived).then(|| {
            let mut cutter = cutter;
            arrived.into_iter().for_each(|piece| cutter.bytes.push(piece));
            (cutter, taken)
        }))
    }

    /// The cutter of a stream that goes on at `first`, as a flush would find it. `None` if that cannot be known now.
    fn cutter_at(self: &Arc<Self>, inode: &Arc<Inode>, first: u64) -> Result<Option<Cutter>> {
        // A flush under way changes the extents.
        let Ok(_order) = inode.order.clone().try_lock_owned() else { return Ok(None) };
        let near = first.saturating_sub(REACH_BEFORE_BYTES)..first.saturating_add(1);
        let extents = self.extents_ordered(inode, near)?;
        let (mut offset, mut loose) = (first, Vec::new());
        let mut cut = None;
        for extent in extents.iter().rev() {
            let end = end_of(extent);
            if end < offset {
                cut = Some(Cut::Seek);
                break;
            }
            match &extent.1.content {
                Content::Chunk { end: Some(known), .. } => {
                    // A client sends whole pages, so the stream may repeat the end of the last chunk.
                    (offset, cut) = (if loose.is_empty() { end } else { offset }, Some(*known));
                    break;
                }
                _ => {
                    let Some(bytes) = self.loose_bytes(inode, extent)? else { return Ok(None) };
                    let length = usize::try_from(offset - extent.0).unwrap_or(usize::MAX);
                    loose.push(bytes.slice(..length.min(bytes.len())));
                    offset = extent.0;
                }
            }
        }
        let cut = cut.unwrap_or(if offset == 0 { Cut::Stream } else { Cut::Seek });
        let mut bytes = Rope::default();
        loose.into_iter().rev().for_each(|piece| bytes.push(piece));
        Ok(Some(Cutter { offset, cut, bytes }))
    }

    /// The bytes of an extent that is cut again together with what follows it. `None` if they cannot be read.
    fn loose_bytes(&self, inode: &Inode, (_, extent): &Extent) -> Result<Option<Bytes>> {
        match &extent.content {
            Content::Inline(bytes) => Ok(Some(bytes.clone())),
            Content::Chunk { id, offset, .. } => {
                let Some(chunk) = self.chunk_content(*id, inode.handle)? else { return Ok(None) };
                let from = *offset as usize;
                let to = from.saturating_add(extent.length as usize);
                Ok((to <= chunk.len()).then(|| chunk.slice(from..to)))
            }
        }
    }

    /// Cuts the complete chunks off, and returns those that end behind `taken` and that the pool does not have.
    fn cut_early(
        &self,
        inode: &Inode,
        cutter: &mut Cutter,
        taken: u64,
        names: &mut EarlyNames,
    ) -> Result<Vec<Fresh>> {
        let compression = self.compression(inode);
        let (mut pieces, mut known) = (Vec::new(), HashSet::new());
        let mut at = 0;
        while let Some(piece) = cut::next(&cutter.bytes, cutter.offset, at, cutter.cut) {
            let range = at..at + piece.length;
            let is_taken = cutter.offset.saturating_add(range.end as u64) <= taken;
            let content = if is_taken { Bytes::new() } else { cutter.bytes.slice(range.clone()) };
            if !all_zero(&content) {
                let id = self.identity.names.name(&content);
                if cutter.bytes.is_one_piece(range) {
                    names.note(content.clone(), id);
                }
                if known.insert(id) {
                    pieces.push(fresh_of(id, content, &piece, compression));
                }
            }
            (at, cutter.cut) = (at + piece.length, piece.end);
        }
        cutter.offset = cutter.offset.saturating_add(at as u64);
        cutter.bytes = cutter.bytes.from(at);
        self.warm_chunks(pieces.iter().map(|piece| piece.id))?;
        let mut fresh = Vec::new();
        for piece in pieces {
            if !self.has_early(piece.id, names)? {
                fresh.push(piece);
            }
        }
        Ok(fresh)
    }

    /// Whether the pool has the chunk, or another file has appended it early.
    fn has_early(&self, id: ChunkId, names: &mut EarlyNames) -> Result<bool> {
        if let Some(chunk) = self.writes.early.get(id) {
            names.keep(chunk);
            return Ok(true);
        }
        Ok(self.chunk_record(id)?.is_some_and(|known| self.segments.holds(&known)))
    }
}

fn fresh_of(id: ChunkId, content: Bytes, piece: &Piece, compression: Compression) -> Fresh {
    let compression = if piece.is_compressed { Compression::None } else { compression };
    Fresh { id, content, compression }
}

/// The bytes from `offset` on, up to the first gap: those that a flush has taken, and the dirty ones. Also the end of the former.
fn arrived(state: &State, offset: u64) -> (Vec<Bytes>, u64) {
    let add = |pieces: &Pieces, from: u64, arrived: &mut Vec<Bytes>| {
        arrived.extend(pieces.run(from));
        offset.saturating_add(arrived.iter().map(|piece| piece.len() as u64).sum())
    };
    let mut arrived = Vec::new();
    let taken = state.flushing.as_ref().map_or(offset, |pieces| add(pieces, offset, &mut arrived));
    add(&state.dirty, taken, &mut arrived);
    (arrived, taken)
}

/// Whether a flush has taken the byte at `offset`, or it is dirty.
fn is_any(state: &State, offset: u64) -> bool {
    !arrived(state, offset).0.is_empty()
}

fn is_enough(arrived: &[Bytes]) -> bool {
    arrived.iter().map(|piece| piece.len() as u64).sum::<u64>() >= EARLY_BYTES
}

fn end_of((offset, extent): &Extent) -> u64 {
    offset.saturating_add(u64::from(extent.length))
}
