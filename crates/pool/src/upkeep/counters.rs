//! Takes a snapshot of all counters and gauges of the pool.

use std::sync::Arc;

use crate::engine::Engine;
use crate::{PoolCounters, Result};

impl Engine {
    pub(crate) fn counters_now(self: &Arc<Self>) -> Result<PoolCounters> {
        let (meters, deleted) = (&self.meters, self.volumes.deleted());
        Ok(PoolCounters {
            writes: meters.writes.get(),
            bytes_written: meters.bytes_written.get(),
            write_waits: meters.write_waits.get(),
            log_syncs: meters.log_syncs.distribution(),
            log_groups: meters.log_groups.get(),
            log_records: meters.log_records.get(),
            log_bytes: meters.log_bytes.get(),
            log_refused: meters.log_refused.get(),
            bytes_appended: meters.bytes_appended.get(),
            bytes_early: meters.bytes_early.get(),
            bytes_early_named: meters.bytes_early_named.get(),
            objects: self.stores.segments.object_counts(),
            bytes_compared: meters.bytes_compared.get(),
            bytes_metadata: meters.bytes_metadata.get(),
            segment_syncs: meters.segment_syncs.distribution(),
            metadata_syncs: meters.metadata_syncs.distribution(),
            commit_groups: meters.commit_groups.get(),
            commit_jobs: meters.commit_jobs.get(),
            cache_hits: meters.cache_hits.get(),
            cache_misses: meters.cache_misses.get(),
            chunks_shared: meters.chunks_shared.get(),
            bytes_shared: meters.bytes_shared.get(),
            bytes_packed: meters.bytes_packed.get(),
            bytes_packed_stored: meters.bytes_packed_stored.get(),
            frames_verified: meters.frames_verified.get(),
            frames_damaged: meters.frames_damaged.get(),
            frames_unreadable: meters.frames_unreadable.get(),
            frames_repaired: meters.frames_repaired.get(),
            bytes_moved: meters.bytes_moved.get(),
            dirty_bytes: self.writes.dirty.bytes(),
            dirty_bytes_max: self.options.dirty_bytes_max,
            volumes: self.volumes.usages(),
            snapshots_due: self.snapshots_scheduled(),
            deleted_volumes: deleted.len() as u64,
            deleted_bytes_logical: deleted.iter().map(|volume| volume.bytes_logical).sum(),
            space: self.space()?,
            stored: self.stored(),
            scrub: self.scrub_status(),
            metadata: self.stores.meta.copies(),
            stopped: self.has_stopped(),
        })
    }
}
