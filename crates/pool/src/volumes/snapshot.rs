//! Takes and deletes snapshots and clones. This file handles their records. [`crate::parts::view`] and
//! [`crate::engine::versions`] make them cheap.
//!
//! A snapshot is one job in the committer, however large the volume is. A snapshot of several volumes shows all of them at
//! the same instant:
//! 1. Dirty data is flushed while writers continue.
//! 2. Writes are blocked, and the data written meanwhile is flushed.
//! 3. The job writes the snapshots' records, and advances the volumes' epochs.
//! 4. Writes are accepted again.
//!
//! So a snapshot holds every write that was accepted before it, and none that was accepted after it. A crash before the
//! job's batch is durable leaves no snapshot. A later crash leaves a complete one.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::{EPOCH_FIRST, Epoch};
use crate::format::records::{SnapshotRecord, VolumeRecord};
use crate::volumes::staging::{add_volume, begin_purge, check_name, check_new, forget, require_unused};
use crate::{CloneSpec, Error, Object, Period, Result, Snapshot, Volume, VolumeId, VolumeSpec};

impl Engine {
    /// Takes a snapshot of each volume, all at the same instant.
    pub(crate) async fn snapshot_create(
        self: &Arc<Self>,
        volumes: &[String],
        name: &str,
        period: Option<Period>,
    ) -> Result<Vec<Snapshot>> {
        check_name("snapshot", name)?;
        let ids = self.distinct(volumes)?;
        for id in &ids {
            if self.volumes.snapshots(Some(*id)).iter().any(|taken| taken.name == name) {
                return Err(taken_already(&self.volumes.get(*id)?.spec.name, name));
            }
            self.flush_volume(*id).await?;
        }
        // The job takes the guard with it, and runs even if the caller is cancelled.
        let gate = self.writes.gate.clone().write_owned().await;
        for id in &ids {
            self.flush_volume(*id).await?;
        }
        let name = name.to_owned();
        let (of, named) = (ids.clone(), name.clone());
        self.transact(move |txn| {
            txn.then(move |_| drop(gate));
            of.into_iter().try_for_each(|id| stage(txn, id, &named, period))
        })
        .await?;
        ids.into_iter().map(|id| self.snapshot_of(id, &name)).collect()
    }

    fn distinct(&self, volumes: &[String]) -> Result<Vec<VolumeId>> {
        let mut seen = BTreeSet::new();
        let mut ids = Vec::with_capacity(volumes.len());
        for name in volumes {
            let id = self.volumes.by_name(name)?.id;
            if !seen.insert(id) {
                return Err(Error::invalid_arguments(format!("volume {name} is named twice")));
            }
            ids.push(id);
        }
        if ids.is_empty() { Err(Error::invalid_arguments("no volume is named")) } else { Ok(ids) }
    }

    /// The volume's snapshot with this name.
    pub(crate) fn snapshot_of(&self, volume: VolumeId, name: &str) -> Result<Snapshot> {
        let found = self.volumes.snapshots(Some(volume)).into_iter().find(|taken| taken.name == name);
        found.ok_or_else(|| {
            let volume = self.volumes.get(volume).map(|volume| volume.spec.name).unwrap_or_default();
            Error::NotFound(Object::snapshot(volume, name))
        })
    }

    /// Removes a snapshot's name at once. Versions that only it shows are freed in the background, even after a restart.
    pub(crate) async fn snapshot_delete(self: &Arc<Self>, volume: &str, name: &str) -> Result<()> {
        let volume = self.volumes.by_name(volume)?.id;
        let name = name.to_owned();
        self.transact(move |txn| {
            let taken = txn.engine.snapshot_of(volume, &name)?;
            require_unused(&taken, "delete the clones first")?;
            forget(txn, taken.id);
            begin_purge(txn, volume);
            Ok(())
        })
        .await
    }

    /// Creates a volume that begins as a copy of a snapshot.
    pub(crate) async fn volume_clone(
        self: &Arc<Self>,
        volume: &str,
        snapshot: &str,
        clone: CloneSpec,
    ) -> Result<Volume> {
        let of = self.volumes.by_name(volume)?.id;
        let snapshot = snapshot.to_owned();
        self.transact(move |txn| {
            let taken = txn.engine.snapshot_of(of, &snapshot)?;
            let record = txn.engine.volumes.record(taken.id)?;
            // The clone gets the current limits of the volume.
            let volume = txn.engine.volumes.record(of)?;
            let spec = VolumeSpec {
                name: clone.name,
                junction_path: clone.junction_path,
                snapshots: crate::SnapshotPolicy::default(),
                ..volume.spec
            };
            check_new(txn, &spec)?;
            let id = txn.volume_id_next()?;
            let usage = txn.engine.volumes.usage(taken.id).shown();
            *txn.usage(id)? = usage;
            let record = VolumeRecord {
                spec,
                created: txn.engine.clock.now(),
                epoch: EPOCH_FIRST,
                origin: Some(taken.id),
                hidden: Vec::new(),
                snapshot: None,
                is_bucket: false,
                ..record
            };
            let made = add_volume(txn, id, record, usage);
            // No client can hold the clone's inodes without a name.
            txn.then(move |engine| engine.queue_new_orphans(id));
            Ok(made)
        })
        .await
    }
}

fn taken_already(volume: &str, name: &str) -> Error {
    Error::Exists(Object::snapshot(volume, name))
}

fn stage(txn: &mut Txn<'_>, volume: VolumeId, name: &str, period: Option<Period>) -> Result<()> {
    let mut of = txn.engine.volumes.record(volume)?;
    if txn.engine.volumes.snapshots(Some(volume)).iter().any(|taken| taken.name == name) {
        return Err(taken_already(&of.spec.name, name));
    }
    let id = txn.volume_id_next()?;
    let usage = txn.usage(volume)?.shown();
    *txn.usage(id)? = usage;
    let record = VolumeRecord {
        spec: VolumeSpec { name: name.to_owned(), ..of.spec.clone() },
        created: txn.engine.clock.now(),
        origin: None,
        hidden: Vec::new(),
        snapshot: Some(SnapshotRecord { of: volume, period }),
        is_bucket: false,
        ..of.clone()
    };
    add_volume(txn, id, record, usage);
    of.epoch = Epoch(of.epoch.0.checked_add(1).ok_or(Error::NoSpace)?);
    txn.change_volume(volume, of);
    Ok(())
}
