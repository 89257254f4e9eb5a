//! The size of a volume: writes that would make it hold more are refused.
//!
//! What counts is the bytes that files hold, without holes, and for unstable writes the bytes by which they may make
//! files grow. Those are reserved before a write is accepted, so that what was accepted never fails for the
//! volume's size when it is made durable. A reservation is released when the write is in the extents, and so
//! counted, or is thrown away.
//!
//! Reserving every byte that is written is cheap, and too much where a write goes over what is there already.
//! Only when that does not fit is it found out exactly: so overwriting works in a full volume as well.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::Engine;
use crate::parts::inode::Inode;
use crate::{Error, Result, VolumeId};

/// Flushes of different inodes that run at once.
const FLUSHES_MAX: usize = 16;

impl Engine {
    /// Takes room in the file's volume for a write to `range`. Returns by how many bytes it may make the volume
    /// grow; [`Error::NoSpace`] if there is no room.
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
        // Afterwards nothing is reserved for what only went over something.
        self.flush_volume(volume).await?;
        let growth = self.uncovered(inode, range).await?;
        if self.volumes.reserve(volume, growth) { Ok(growth) } else { Err(Error::NoSpace) }
    }

    /// Makes everything durable that was written to files of the volume so far.
    pub(crate) async fn flush_volume(self: &Arc<Self>, volume: VolumeId) -> Result<()> {
        let mut inodes = self.writes.dirty.inodes();
        inodes.retain(|inode| inode.handle.volume == volume);
        for some in inodes.chunks(FLUSHES_MAX) {
            let mut flushes = tokio::task::JoinSet::new();
            for inode in some {
                let (engine, inode) = (self.clone(), inode.clone());
                flushes.spawn(async move { engine.flush(&inode).await });
            }
            while let Some(outcome) = flushes.join_next().await {
                match outcome.map_err(|_| Error::Closed)? {
                    // It was freed meanwhile.
                    Ok(()) | Err(Error::Stale) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(())
    }
}
