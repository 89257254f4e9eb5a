//! How much space the pool takes, and how much it has left.
//!
//! Two limits apply at once. `bytes_max`, if set, limits what live data takes: referenced frames, tails, and an estimate for
//! each inode. The file system's free space limits what is written to the disk ([`crate::store::room`]).

use crate::engine::Engine;
use crate::{Error, Result, Space, VolumeId};

/// An estimate of the bytes that an inode and its directory entry take in the metadata store.
const INODE_BYTES: u64 = 1024;

impl Engine {
    /// The number of bytes that durable content takes.
    fn bytes_used(&self) -> u64 {
        let usage = self.volumes.usage_total();
        self.segments.bytes_live() + usage.bytes_inline + usage.inodes_stored.saturating_mul(INODE_BYTES)
    }

    pub(crate) fn space(&self) -> Result<Space> {
        let used = self.bytes_used();
        let dirty = self.writes.dirty.bytes();
        let (room_total, room_free) = self.stores.room.bytes()?;
        let bytes_max = self.options.bytes_max.unwrap_or(u64::MAX);
        let usage = self.volumes.usage_total();
        Ok(Space {
            // Other data on the file system does not count as used. It makes the pool smaller.
            bytes_total: bytes_max.min(room_total).min(used.saturating_add(room_free)),
            bytes_free: bytes_max.saturating_sub(used).min(room_free).saturating_sub(dirty),
            bytes_logical: usage.bytes_logical,
            inodes_used: usage.inodes,
            orphans: usage.orphans,
        })
    }

    pub(crate) fn volume_space(&self, id: VolumeId) -> Result<Space> {
        let volume = self.volumes.get(id)?;
        let usage = self.volumes.usage(id);
        let pool = self.space()?;
        let size = volume.spec.size;
        let left = size.map(|size| size.saturating_sub(self.volumes.bytes_used(id)));
        Ok(Space {
            bytes_total: size.unwrap_or(pool.bytes_total),
            bytes_free: left.unwrap_or(u64::MAX).min(pool.bytes_free),
            bytes_logical: usage.bytes_logical,
            inodes_used: usage.inodes,
            orphans: usage.orphans,
        })
    }

    /// Returns [`Error::NoSpace`] unless this many bytes fit, in addition to all dirty bytes.
    pub(crate) fn require_room(&self, bytes: u64) -> Result<()> {
        if self.space()?.bytes_free < bytes { Err(Error::NoSpace) } else { Ok(()) }
    }

    /// Returns [`Error::NoSpace`] unless another inode fits.
    pub(crate) fn require_room_for_inode(&self) -> Result<()> {
        self.require_room(INODE_BYTES)
    }
}
