//! The cleaner: gives back what dead frames take in segments that are mostly dead.
//!
//! It appends the frames that are still referenced to the open segment, syncs, and then has the chunk records point
//! there, in one batch, each only if the chunk is still where it was read. A segment without a referenced frame is
//! deleted like any other dead one. A crash at any point leaves each chunk at one place that its record names.
//! A reader that finds the old segment gone looks the chunk up again.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use crate::engine::Engine;
use crate::keys::{self, ChunkId};
use crate::records::{ChunkRecord, Record, SegmentRecord, malformed};
use crate::segment::{Appended, Packed, SegmentId};
use crate::{Result, sync};

/// Segments that one round cleans at most.
const SEGMENTS_MAX: usize = 8;
/// Bytes that are moved in one step.
const STEP_BYTES_MAX: u64 = 8 << 20;

/// Segments that could not be cleaned, because something in them cannot be read. They are left alone until the
/// next opening.
#[derive(Default)]
pub(crate) struct Cleaner {
    given_up: Mutex<BTreeSet<SegmentId>>,
}

/// A chunk that is to be moved, and where it is.
type Candidate = (ChunkId, ChunkRecord);

impl Engine {
    /// Cleans some segments, if any are worth it.
    pub(crate) async fn clean(self: &Arc<Self>) -> Result<()> {
        let segments = self.worth_cleaning()?;
        if segments.is_empty() {
            return Ok(());
        }
        let (engine, wanted) = (self.clone(), segments.clone());
        let chunks = sync::blocking(move || engine.chunks_in(&wanted)).await?;
        for step in steps(chunks) {
            self.require_open()?;
            self.move_chunks(step).await?;
        }
        let still_live = |id: &SegmentId| self.segments.usage(*id).bytes_live > 0;
        sync::lock(&self.cleaner.given_up).extend(segments.into_iter().filter(still_live));
        Ok(())
    }

    fn worth_cleaning(&self) -> Result<BTreeSet<SegmentId>> {
        let (total, free) = self.room.bytes()?;
        // When room is short, a tenth of a segment is worth the work; else a half.
        let dead_min = |record: &SegmentRecord| record.bytes_named / if free < total / 10 { 10 } else { 2 };
        let given_up = sync::lock(&self.cleaner.given_up);
        let worth = self.segments.list().into_iter().filter(|(id, record)| {
            let dead = record.bytes_named - record.bytes_live;
            record.bytes_live > 0 && dead > dead_min(record) && !given_up.contains(id)
        });
        Ok(worth.map(|(id, _)| id).filter(|id| self.writer.is_settled(*id)).take(SEGMENTS_MAX).collect())
    }

    /// All chunks whose records name one of the segments.
    fn chunks_in(&self, segments: &BTreeSet<SegmentId>) -> Result<Vec<Candidate>> {
        let mut chunks = Vec::new();
        self.meta.scan(keys::chunks(), &mut |key, value| {
            let record = ChunkRecord::decode(key, value)?;
            if segments.contains(&record.segment) {
                chunks.push((keys::chunk_in(key).ok_or_else(|| malformed(ChunkRecord::NAME, key))?, record));
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(chunks)
    }

    async fn move_chunks(self: &Arc<Self>, chunks: Vec<Candidate>) -> Result<()> {
        let engine = self.clone();
        let copied = sync::blocking(move || engine.copy_chunks(chunks)).await?;
        let Some((chunks, appended)) = copied else { return Ok(()) };
        self.transact(move |txn| {
            for ((id, from), placed) in chunks.iter().zip(&appended.placed) {
                txn.chunk_move(*id, (from.segment, from.offset), placed.record)?;
            }
            appended.named();
            Ok(())
        })
        .await
    }

    /// Appends and syncs copies of the chunks that can be read. `None` if there are none.
    fn copy_chunks(&self, chunks: Vec<Candidate>) -> Result<Option<(Vec<Candidate>, Appended)>> {
        let mut readable = Vec::with_capacity(chunks.len());
        let mut copies: Vec<Packed> = Vec::with_capacity(chunks.len());
        for (id, record) in chunks {
            match self.read_packed(id, &record)? {
                Some(packed) => {
                    copies.push(packed);
                    readable.push((id, record));
                }
                // Freed or moved meanwhile, or damaged: whoever reads it will tell.
                None => {
                    tracing::warn!(chunk = %id, segment = %record.segment, "the cleaner cannot read a chunk")
                }
            }
        }
        if copies.is_empty() {
            return Ok(None);
        }
        let appended = self.writer.append(&copies)?;
        self.writer.sync(appended.ticket).inspect_err(|error| self.stopped.stop(error))?;
        Ok(Some((readable, appended)))
    }
}

/// Chunks in portions of bounded size.
fn steps(chunks: Vec<Candidate>) -> Vec<Vec<Candidate>> {
    let mut steps: Vec<Vec<Candidate>> = Vec::new();
    let mut bytes = STEP_BYTES_MAX;
    for chunk in chunks {
        let stored = u64::from(chunk.1.bytes_stored);
        match steps.last_mut() {
            Some(step) if bytes + stored <= STEP_BYTES_MAX => {
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
