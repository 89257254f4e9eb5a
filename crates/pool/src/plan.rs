//! The part of a flush that comes before its batch: cutting, hashing, appending, syncing.
//!
//! A large flush appends its chunks in portions, in the order of the file, and each portion is on its way to the disk while
//! the next is being hashed. When the plan is made all of them are synced.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use crate::block::{self, Part, Source};
use crate::engine::Engine;
use crate::extents::{Extent, ExtentChange};
use crate::inode::{Inode, Pieces};
use crate::keys::ChunkId;
use crate::segment::Appended;
use crate::{Error, Result, sync};

/// Bytes that are appended at once, and synced while hashing goes on.
const PORTION_BYTES: usize = 16 << 20;

/// What a flush will name in its batch. All of it is durable.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) changes: Vec<ExtentChange>,
    pub(crate) appended: Vec<Appended>,
}

/// Chunks that are to be appended.
#[derive(Default)]
struct Fresh {
    portion: Vec<(ChunkId, Bytes)>,
    bytes: usize,
    /// Those of earlier portions as well.
    ids: HashSet<ChunkId>,
}

impl Engine {
    /// Plans the flush of `pieces`. `share`: look for chunks that the pool has already. Blocks on the disk.
    pub(crate) fn plan(self: &Arc<Self>, inode: &Inode, pieces: &Pieces, share: bool) -> Result<Plan> {
        let mut plan = Plan::default();
        let mut fresh = Fresh::default();
        for (range, dirty) in by_block(pieces) {
            let (before, parts) = self.plan_block(inode, range, &dirty)?;
            for part in &parts {
                if let Source::Cut { id, content } = &part.source
                    && !(share && self.chunk_record(*id)?.is_some())
                {
                    fresh.add(*id, content);
                }
            }
            let after = parts.iter().map(|part| (part.offset, part.extent())).collect();
            plan.changes.push(ExtentChange { before, after });
            if fresh.bytes >= PORTION_BYTES {
                let ticket = self.append(&mut fresh, &mut plan)?;
                let engine = self.clone();
                // Should it fail, the sync at the end fails as well.
                sync::in_background(move || engine.writer.sync(ticket));
            }
        }
        if !fresh.portion.is_empty() {
            self.append(&mut fresh, &mut plan)?;
        }
        if let Some(last) = plan.appended.last() {
            self.writer.sync(last.ticket).inspect_err(|error| self.stopped.stop(error))?;
        }
        Ok(plan)
    }

    fn plan_block(
        &self,
        inode: &Inode,
        range: Range<u64>,
        dirty: &[(u64, Bytes)],
    ) -> Result<(Vec<Extent>, Vec<Part>)> {
        let before = self.extents(inode.key(), range.clone())?;
        let after = block::rewrite(&range, &before, dirty, &mut |id| {
            let missing = || Error::Damaged(format!("an extent points to chunk {id}, which has no record"));
            self.chunk_content(id, inode.handle)?.ok_or_else(missing)
        })?;
        Ok((before, after))
    }

    fn append(&self, fresh: &mut Fresh, plan: &mut Plan) -> Result<u64> {
        let appended = self.writer.append(&std::mem::take(&mut fresh.portion))?;
        fresh.bytes = 0;
        let ticket = appended.ticket;
        plan.appended.push(appended);
        Ok(ticket)
    }
}

impl Fresh {
    fn add(&mut self, id: ChunkId, content: &Bytes) {
        if self.ids.insert(id) {
            self.bytes += content.len();
            self.portion.push((id, content.clone()));
        }
    }
}

/// A block, and the pieces in it.
type DirtyBlock = (Range<u64>, Vec<(u64, Bytes)>);

/// The pieces, cut at the bounds of blocks, by block.
fn by_block(pieces: &Pieces) -> Vec<DirtyBlock> {
    let mut blocks: Vec<DirtyBlock> = Vec::new();
    for (mut offset, piece) in pieces.iter() {
        let mut rest = piece.clone();
        while !rest.is_empty() {
            let block = block::block_at(offset);
            let room = usize::try_from(block.end - offset).unwrap_or(usize::MAX);
            let now = rest.split_to(room.min(rest.len()));
            let next = offset + now.len() as u64;
            match blocks.last_mut() {
                Some((known, dirty)) if *known == block => dirty.push((offset, now)),
                _ => blocks.push((block, vec![(offset, now)])),
            }
            offset = next;
        }
    }
    blocks
}
