//! The size limit of a volume: writes that would exceed it are refused.
//!
//! The limit counts the bytes that files hold, without holes, plus the bytes by which dirty writes may make files grow. The
//! latter are reserved before a write is accepted, so that an accepted write never fails because of the volume's size when
//! it is made durable. A reservation is released when the written bytes are in extents, and so are counted, or when they are
//! discarded.
//!
//! Reserving every written byte is cheap, but too much if the write replaces existing data. Only when that reservation does
//! not fit is the exact number determined, so that overwriting works in a full volume, too.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::Engine;
use crate::parts::inode::Inode;
use crate::parts::log::Rule;
use crate::{Error, Result, VolumeId};

/// The number of inodes that are flushed at the same time.
const FLUSHES_MAX: usize = 16;

impl Engine {
    /// Reserves room in the file's volume for a write to `range`. Returns by how many bytes the write may make the volume
    /// grow, or [`Error::NoSpace`] if there is no room.
    pub(crate) async fn reserve_growth(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        range: Range<u64>,
    ) -> Result<u64> {
        let volume = inode.handle.volume;
        let bytes = range.end - range.start;
        if self.volumes.reserve(volume, bytes) {
            return Ok(bytes);
        }
        // After the flush, bytes that only replaced others are no longer reserved.
        self.flush_volume(volume).await?;
        let growth = self.uncovered(inode, range).await?;
        if self.volumes.reserve(volume, growth) { Ok(growth) } else { Err(Error::NoSpace) }
    }

    /// Makes everything durable that has been written to files of the volume so far.
    pub(crate) async fn flush_volume(self: &Arc<Self>, volume: VolumeId) -> Result<()> {
        let mut inodes = self.writes.dirty.inodes();
        inodes.retain(|inode| inode.handle.volume == volume);
        for some in inodes.chunks(FLUSHES_MAX) {
            let mut flushes = tokio::task::JoinSet::new();
            for inode in some {
                let (engine, inode) = (self.clone(), inode.clone());
                flushes.spawn(async move {
                    let flushes = engine.keeps(Rule::FlushForSnapshot);
                    if flushes { engine.flush(&inode).await } else { engine.secure(&inode).await }
                });
            }
            while let Some(outcome) = flushes.join_next().await {
                match outcome.map_err(|_| Error::Closed)? {
                    // The inode was freed meanwhile.
                    Ok(()) | Err(Error::Stale) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}
