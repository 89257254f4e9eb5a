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
use std::time::SystemTime;

use crate::base::deadline::{Deadline, Moment};
use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::FORMAT_DEADLINES;
use crate::format::keys::{EPOCH_FIRST, Epoch};
use crate::format::records::{SnapshotRecord, UsageRecord, VolumeRecord};
use crate::volumes::recovery::stage_time;
use crate::volumes::staging::{add_volume, begin_purge, check_name, check_new, forget, require_unused};
use crate::{
    CloneSpec, Error, InUse, Object, OwnAction, Period, Result, Snapshot, SnapshotChange, SnapshotSpec,
    Volume, VolumeId, VolumeSpec,
};

/// What a pool of an older format does not have.
const DEADLINES: &str = "a snapshot that expires or is locked";

impl Engine {
    /// Takes a snapshot of each volume, all at the same instant.
    pub(crate) async fn snapshot_create(
        self: &Arc<Self>,
        volumes: &[String],
        name: &str,
        period: Option<Period>,
        spec: SnapshotSpec,
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
            for id in of {
                let taken = SnapshotRecord { period, ..with_deadlines(txn, id, spec)? };
                stage(txn, id, &named, taken)?;
            }
            if spec != SnapshotSpec::default() {
                stage_time(txn);
            }
            Ok(())
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
            let what = InUse::Object(Object::snapshot(&taken.volume_name, &taken.name));
            require_unused(std::slice::from_ref(&taken), what, "delete the clones first")?;
            forget(txn, taken.id);
            begin_purge(txn, volume);
            Ok(())
        })
        .await
    }

    /// Changes a snapshot's name or deadlines: all in one batch, or nothing.
    pub(crate) async fn snapshot_modify(
        self: &Arc<Self>,
        volume: &str,
        name: &str,
        change: SnapshotChange,
    ) -> Result<Snapshot> {
        let volume = self.volumes.by_name(volume)?.id;
        let name = name.to_owned();
        let id = self
            .transact(move |txn| {
                let taken = txn.engine.snapshot_of(volume, &name)?;
                let mut record = txn.engine.volumes.record(taken.id)?;
                if let Some(new) = change.name.filter(|new| *new != name) {
                    check_name("snapshot", &new)?;
                    require_name_free(txn, volume, &new)?;
                    record.spec.name = new;
                }
                if change.expires.flatten().is_some() || change.locked_until.is_some() {
                    txn.engine.identity.require_format(FORMAT_DEADLINES, DEADLINES)?;
                }
                let now = txn.engine.volumes.now();
                if let Some(of_snapshot) = &mut record.snapshot {
                    if let Some(expires) = change.expires {
                        of_snapshot.expires = expires.map(|expires| Deadline::at(now, expires));
                    }
                    if let Some(until) = change.locked_until {
                        of_snapshot.locked = Some(longer(&taken, of_snapshot.locked, now, until)?);
                    }
                    // Whoever changes it wants to keep it.
                    of_snapshot.is_for_clone = false;
                }
                stage_time(txn);
                txn.change_volume(taken.id, record);
                Ok(taken.id)
            })
            .await?;
        self.volumes.snapshot_by_id(id)
    }

    /// Deletes the snapshots that have expired. Those that are locked or have clones stay until they are not and have none.
    pub(crate) async fn expire_snapshots(self: &Arc<Self>) -> Result<()> {
        for taken in self.volumes.snapshots_due() {
            if !taken.clones.is_empty() || !taken.clones_deleted.is_empty() {
                continue;
            }
            let id = taken.id;
            let expired = self
                .transact(move |txn| {
                    // It may have been given more time meanwhile.
                    let due = txn.engine.volumes.snapshots_due().into_iter().find(|due| due.id == id);
                    let Some(due) = due.filter(|due| due.clones.is_empty() && due.clones_deleted.is_empty())
                    else {
                        return Ok(false);
                    };
                    forget(txn, id);
                    begin_purge(txn, due.volume);
                    Ok(true)
                })
                .await?;
            if expired {
                tracing::info!(volume = taken.volume_name, name = taken.name, "expired snapshot deleted");
                self.upkeep.own_actions.note(OwnAction::SnapshotExpired {
                    volume: taken.volume_name,
                    name: taken.name,
                    is_scheduled: false,
                });
            }
        }
        Ok(())
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
            let usage = txn.engine.volumes.usage(taken.id).shown();
            stage_clone(txn, of, (taken.id, record, usage), clone)
        })
        .await
    }

    /// Creates a volume that begins as a copy of another as it is now, by a snapshot that goes with the clone.
    pub(crate) async fn volume_clone_now(
        self: &Arc<Self>,
        volume: &str,
        snapshot: &str,
        clone: CloneSpec,
    ) -> Result<Volume> {
        check_name("snapshot", snapshot)?;
        let of = self.volumes.by_name(volume)?.id;
        self.flush_volume(of).await?;
        let gate = self.writes.gate.clone().write_owned().await;
        self.flush_volume(of).await?;
        let snapshot = snapshot.to_owned();
        self.transact(move |txn| {
            txn.then(move |_| drop(gate));
            let is_for_clone = txn.engine.identity.format() >= FORMAT_DEADLINES;
            let taken = SnapshotRecord { is_for_clone, ..SnapshotRecord::new(of, None) };
            let staged = stage(txn, of, &snapshot, taken)?;
            stage_clone(txn, of, staged, clone)
        })
        .await
        // Only now the snapshot is there that the clone is of.
        .map(|made| self.volumes.get(made.id).unwrap_or(made))
    }
}

/// Stages a clone of a snapshot, which may be staged itself.
fn stage_clone(
    txn: &mut Txn<'_>,
    of: VolumeId,
    (taken, record, usage): (VolumeId, VolumeRecord, UsageRecord),
    clone: CloneSpec,
) -> Result<Volume> {
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
    *txn.usage(id)? = usage;
    let record = VolumeRecord {
        spec,
        created: txn.engine.clock.now(),
        epoch: EPOCH_FIRST,
        origin: Some(taken),
        hidden: Vec::new(),
        snapshot: None,
        is_bucket: false,
        ..record
    };
    let made = add_volume(txn, id, record, usage);
    // No client can hold the clone's inodes without a name.
    txn.then(move |engine| engine.queue_new_orphans(id));
    Ok(made)
}

/// The deadlines of a new snapshot.
fn with_deadlines(txn: &Txn<'_>, of: VolumeId, spec: SnapshotSpec) -> Result<SnapshotRecord> {
    let now = txn.engine.volumes.now();
    if spec != SnapshotSpec::default() {
        txn.engine.identity.require_format(FORMAT_DEADLINES, DEADLINES)?;
    }
    Ok(SnapshotRecord {
        expires: spec.expires.map(|expires| Deadline::at(now, expires)),
        locked: spec.locked_until.map(|until| Deadline::at(now, until)),
        ..SnapshotRecord::new(of, None)
    })
}

/// A lock until then, unless the present one would be over earlier.
fn longer(taken: &Snapshot, before: Option<Deadline>, now: Moment, until: SystemTime) -> Result<Deadline> {
    let lock = Deadline::at(now, until);
    match before.filter(|before| !before.is_over(now)) {
        Some(before) if lock.0.day < before.0.day || lock.0.open < before.0.open => {
            Err(Error::SnapshotLocked {
                what: InUse::Object(Object::snapshot(&taken.volume_name, &taken.name)),
                snapshot: taken.name.clone(),
                until: before.when(now),
            })
        }
        _ => Ok(lock),
    }
}

fn require_name_free(txn: &Txn<'_>, volume: VolumeId, name: &str) -> Result<()> {
    if txn.engine.volumes.snapshots(Some(volume)).iter().any(|taken| taken.name == name) {
        return Err(taken_already(&txn.engine.volumes.record(volume)?.spec.name, name));
    }
    Ok(())
}

fn taken_already(volume: &str, name: &str) -> Error {
    Error::Exists(Object::snapshot(volume, name))
}

/// Stages a snapshot. Returns its id and its records.
fn stage(
    txn: &mut Txn<'_>,
    volume: VolumeId,
    name: &str,
    taken: SnapshotRecord,
) -> Result<(VolumeId, VolumeRecord, UsageRecord)> {
    let mut of = txn.engine.volumes.record(volume)?;
    require_name_free(txn, volume, name)?;
    let id = txn.volume_id_next()?;
    let usage = txn.usage(volume)?.shown();
    *txn.usage(id)? = usage;
    let record = VolumeRecord {
        spec: VolumeSpec { name: name.to_owned(), ..of.spec.clone() },
        created: txn.engine.clock.now(),
        origin: None,
        hidden: Vec::new(),
        snapshot: Some(taken),
        is_bucket: false,
        ..of.clone()
    };
    add_volume(txn, id, record.clone(), usage);
    of.epoch = Epoch(of.epoch.0.checked_add(1).ok_or(Error::NoSpace)?);
    txn.change_volume(volume, of);
    Ok((id, record, usage))
}
