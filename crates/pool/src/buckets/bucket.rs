//! Creating, changing and deleting buckets.

use std::sync::Arc;

use crate::buckets::change::{self, BucketChange};
use crate::buckets::draft::require_bucket;
use crate::engine::Engine;
use crate::format::keys::EPOCH_FIRST;
use crate::format::records::{UsageRecord, VolumeRecord};
use crate::parts::registry;
use crate::volumes::staging::{add_volume, check_apart, check_spec, root_record};
use crate::volumes::volume::{require_room_for, stage_deletion};
use crate::{Bucket, BucketSpec, BucketUpdate, Error, Handle, Object, Result, VolumeId, VolumeSpec};

impl Engine {
    /// Creates a bucket with the entries that `fill` puts into it, in one batch. Returns the bucket as that batch made it, even if
    /// it was changed or deleted before the batch was durable.
    pub(crate) async fn bucket_create<F>(self: &Arc<Self>, spec: BucketSpec, fill: F) -> Result<Bucket>
    where
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<()> + Send + 'static,
    {
        let spec = spec.volume();
        check_spec(&spec)?;
        self.transact(move |txn| {
            check_new(txn.engine, &spec)?;
            txn.engine.require_room_for_inode()?;
            let id = txn.volume_id_next()?;
            let now = txn.engine.clock.now();
            // Every volume has a root. That of a bucket stays empty.
            let root = txn.create_inode(id, root_record(txn.engine, &spec, now)?)?;
            let Handle { inode, generation, .. } = root.handle;
            change::run(txn, id, fill)?;
            // Writing the root's record counts the root.
            let usage = UsageRecord { inodes_stored: 1, ..*txn.usage(id)? };
            let record = VolumeRecord {
                spec,
                root: inode,
                root_generation: generation,
                created: now,
                epoch: EPOCH_FIRST,
                change_floor: 0,
                origin: None,
                hidden: Vec::new(),
                snapshot: None,
                is_bucket: true,
                log_floor: 0,
                deleted: None,
            };
            let bucket = registry::bucket(id, &record, &usage);
            add_volume(txn, id, record, usage);
            Ok(bucket)
        })
        .await
    }

    /// Changes properties of a bucket, and in the same batch its entries, unless `change` returns a refusal, which is returned.
    /// Returns the bucket as the change made it.
    pub(crate) async fn bucket_modify<T, F>(
        self: &Arc<Self>,
        name: &str,
        update: BucketUpdate,
        change: F,
    ) -> Result<std::result::Result<Bucket, T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<std::result::Result<(), T>> + Send + 'static,
    {
        let id = self.volumes.bucket_by_name(name)?.id;
        let name = name.to_owned();
        self.transact(move |txn| {
            if !txn.engine.volumes.is_bucket(id) {
                return Err(Error::NotFound(Object::Bucket(name)));
            }
            if let Err(refusal) = change::run(txn, id, change)? {
                return Ok(Err(refusal));
            }
            let mut record = txn.engine.volumes.record(id)?;
            let spec = &mut record.spec;
            spec.size = update.size.unwrap_or(spec.size);
            spec.max_bytes_per_second = update.max_bytes_per_second.unwrap_or(spec.max_bytes_per_second);
            spec.compression = update.compression.unwrap_or(spec.compression);
            check_spec(&record.spec)?;
            require_room_for(txn, id, &record.spec)?;
            let bucket = registry::bucket(id, &record, txn.usage(id)?);
            txn.change_volume(id, record);
            Ok(Ok(bucket))
        })
        .await
    }

    /// Deletes a bucket with everything in it, unless `check` returns a refusal, which is returned. What the bucket holds is
    /// freed in the background, even after a restart.
    pub(crate) async fn bucket_delete<T, F>(
        self: &Arc<Self>,
        id: VolumeId,
        check: F,
    ) -> Result<std::result::Result<(), T>>
    where
        T: Send + 'static,
        F: FnOnce(&mut BucketChange<'_, '_>) -> Result<std::result::Result<(), T>> + Send + 'static,
    {
        self.transact(move |txn| {
            require_bucket(txn.engine, id)?;
            if let Err(refusal) = change::run(txn, id, check)? {
                return Ok(Err(refusal));
            }
            stage_deletion(txn, id)?;
            Ok(Ok(()))
        })
        .await
    }
}

/// Returns an error unless a bucket with this specification can be created.
fn check_new(engine: &Engine, spec: &VolumeSpec) -> Result<()> {
    engine.volumes.list_with_buckets().iter().try_for_each(|other| check_apart(spec, &other.spec))
}
