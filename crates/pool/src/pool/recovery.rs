//! Deleted volumes that can be recovered, and snapshots that expire, are locked, or would free space.

use std::time::Duration;

use bytes::Bytes;

use super::Pool;
use crate::{
    DeletedVolume, Deletion, OwnAction, Recovery, Result, Snapshot, SnapshotChange, SnapshotSpace,
    SnapshotSpec, Volume, VolumeId,
};

impl Pool {
    /// Deletes a volume, as [`Pool::volume_delete`] does, or so that it can be recovered for a while: then it is returned. Until it
    /// is purged its content takes its space, its handles are stale, and another volume can have its name and path.
    pub async fn volume_delete_as(&self, name: &str, deletion: Deletion) -> Result<Option<DeletedVolume>> {
        self.engine()?.volume_delete_as(name, deletion).await
    }
    /// How long a deleted volume can be recovered, as [`PoolOptions`] say.
    pub fn recoverable(&self) -> Duration {
        self.engine().map(|engine| engine.options.recoverable).unwrap_or_default()
    }
    /// Replaces the note of a deleted volume.
    pub async fn volume_renote(&self, id: VolumeId, note: Bytes) -> Result<()> {
        self.engine()?.volume_renote(id, note).await
    }
    /// The deleted volumes that can be recovered, by name and by when they were deleted.
    pub fn deleted_volumes(&self) -> Result<Vec<DeletedVolume>> {
        Ok(self.engine()?.volumes.deleted())
    }
    /// The deleted volume with this name, or with this id as `id:` and hexadecimal digits. Fails with [`Error::Ambiguous`] if
    /// several have the name.
    pub fn deleted_volume(&self, name: &str) -> Result<DeletedVolume> {
        self.engine()?.deleted_by_name(name)
    }
    /// Brings a deleted volume back with everything that it had. Handles that clients kept work again. Fails with
    /// [`Error::Exists`] if its name or path is in use.
    pub async fn volume_recover(&self, id: VolumeId, recovery: Recovery) -> Result<Volume> {
        self.engine()?.volume_recover(id, recovery).await
    }
    /// Purges a deleted volume: it cannot be recovered any more, and its space is freed in the background. Fails with
    /// [`Error::SnapshotLocked`] while one of its snapshots is locked.
    pub async fn volume_purge(&self, id: VolumeId) -> Result<()> {
        self.engine()?.volume_purge(id).await
    }
    /// What the pool did by itself because a time was over, since the last call.
    pub fn take_own_actions(&self) -> Result<Vec<OwnAction>> {
        Ok(self.engine()?.upkeep.own_actions.take())
    }
    /// Like [`Pool::snapshot_create`], for snapshots that expire or are locked.
    pub async fn snapshot_create_as(
        &self,
        volumes: &[String],
        name: &str,
        spec: SnapshotSpec,
    ) -> Result<Vec<Snapshot>> {
        self.engine()?.snapshot_create(volumes, name, None, spec).await
    }
    /// Changes the name or the deadlines of a snapshot. If it fails, nothing is changed. Fails with [`Error::SnapshotLocked`] if a
    /// lock would become shorter.
    pub async fn snapshot_modify(
        &self,
        volume: &str,
        name: &str,
        change: SnapshotChange,
    ) -> Result<Snapshot> {
        self.engine()?.snapshot_modify(volume, name, change).await
    }
    /// What the deletion of each snapshot of a volume would free. Reads all extents of the volume, unless that was done in the last
    /// minute.
    pub async fn snapshot_space(&self, volume: VolumeId) -> Result<SnapshotSpace> {
        self.engine()?.snapshot_space(volume).await
    }
}
