//! Deleted volumes that can be recovered: the recovery queue.
//!
//! Such a deletion flushes what is dirty, as a snapshot does, and then writes one record: the volume's, with the time of its deletion.
//! Name and path are free from then on, and handles are stale. Records, inodes in memory and holds stay as they are, so a recovery
//! is one record as well, and the handles that clients still have work again. A crash leaves the volume either where it was or in the
//! queue, whole.
//!
//! Nothing ever depends on a volume in the queue: a volume with clones cannot be deleted, and a clone in the queue still keeps its
//! snapshot. So each can be purged, and recovered, by itself.

use std::sync::Arc;

use bytes::Bytes;

use crate::base::deadline::Deadline;
use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::FORMAT_DEADLINES;
use crate::format::records::DeletedRecord;
use crate::parts::timekeeper::{OpenRecord, Timekeeper};
use crate::volumes::staging::{check_new, check_path, check_spec, forget, require_apart};
use crate::volumes::volume::{forget_origin, require_deletable, stage_deletion};
use crate::{
    DeletedVolume, Deletion, Error, InUse, Object, OwnAction, Recovery, Result, Volume, VolumeId, VolumeSpec,
};

/// The most bytes of a note.
const NOTE_BYTES_MAX: usize = 4096;

impl Engine {
    /// Deletes a volume. Returns it if it can be recovered.
    pub(crate) async fn volume_delete_as(
        self: &Arc<Self>,
        name: &str,
        deletion: Deletion,
    ) -> Result<Option<DeletedVolume>> {
        let id = self.volumes.by_name(name)?.id;
        // The former release would not know a deleted volume.
        let can_wait = self.identity.format() >= FORMAT_DEADLINES;
        let Some(wait) = deletion.recoverable.filter(|wait| can_wait && !wait.is_zero()) else {
            return self.volume_delete_now(id, name, &deletion).await.map(|()| None);
        };
        check_note(&deletion.note)?;
        if !deletion.force {
            self.settle().await?;
        }
        self.flush_volume(id).await?;
        // The job takes the guard with it, and runs even if the caller is cancelled.
        let gate = self.writes.gate.clone().write_owned().await;
        self.flush_volume(id).await?;
        let name = name.to_owned();
        self.transact(move |txn| {
            require_deletable(txn, id, &name, deletion.force)?;
            let mut record = txn.engine.volumes.record(id)?;
            let now = txn.engine.volumes.now();
            let until = Deadline::after(now, wait);
            record.deleted = Some(DeletedRecord { at: now.day, until, note: deletion.note });
            // What the log holds of the volume is in its extents.
            record.log_floor = record.log_floor.max(txn.engine.log_position());
            if deletion.keep_snapshot
                && let Some(origin) = record.origin
            {
                keep_snapshot(txn, origin)?;
            }
            stage_time(txn);
            txn.change_volume(id, record);
            // Last, so that nothing is written into the volume meanwhile.
            txn.then(move |_| drop(gate));
            Ok(())
        })
        .await?;
        self.deleted_by_id(id).map(Some)
    }

    fn deleted_by_id(&self, id: VolumeId) -> Result<DeletedVolume> {
        let found = self.volumes.deleted().into_iter().find(|deleted| deleted.id == id);
        found.ok_or_else(|| Error::NotFound(Object::DeletedVolume(format!("id:{:08x}", id.0))))
    }

    /// The deleted volume with this name, or with this id after `id:`.
    pub(crate) fn deleted_by_name(&self, name: &str) -> Result<DeletedVolume> {
        if let Some(id) = name.strip_prefix("id:").and_then(|id| u32::from_str_radix(id, 16).ok()) {
            return self.deleted_by_id(VolumeId(id));
        }
        let mut found = self.volumes.deleted();
        found.retain(|deleted| deleted.spec.name == name);
        match found.len() {
            0 => Err(Error::NotFound(Object::DeletedVolume(name.to_owned()))),
            1 => Ok(found.remove(0)),
            _ => Err(Error::Ambiguous {
                name: name.to_owned(),
                deleted: found.iter().map(|deleted| (deleted.id, deleted.deleted)).collect(),
            }),
        }
    }

    /// Replaces the note of a deleted volume. Does nothing if it was recovered or purged meanwhile.
    pub(crate) async fn volume_renote(self: &Arc<Self>, id: VolumeId, note: Bytes) -> Result<()> {
        check_note(&note)?;
        self.transact(move |txn| {
            let Ok(mut record) = txn.engine.volumes.record_kept(id) else { return Ok(()) };
            let Some(deleted) = &mut record.deleted else { return Ok(()) };
            deleted.note = note;
            txn.change_volume(id, record);
            Ok(())
        })
        .await
    }

    /// Brings a deleted volume back, as it was.
    pub(crate) async fn volume_recover(self: &Arc<Self>, id: VolumeId, recovery: Recovery) -> Result<Volume> {
        self.transact(move |txn| {
            txn.engine.deleted_by_id(id)?;
            let mut record = txn.engine.volumes.record_kept(id)?;
            record.deleted = None;
            let spec = recovered(&record.spec, recovery);
            check_spec(&spec)?;
            if spec.junction_path == record.spec.junction_path {
                // A path that is older than a rule may stay.
                require_apart(txn, &spec)?;
            } else {
                check_new(txn, &spec)?;
                check_path(&spec.junction_path)?;
            }
            record.spec = spec;
            let volume = txn.engine.volumes.described(id, &record);
            txn.change_volume(id, record);
            txn.then(move |engine| {
                // Holds of this run are still there. Orphans that nobody holds are freed now, and a purge goes on.
                engine.queue_new_orphans(id);
                engine.orphans.wake();
            });
            Ok(volume)
        })
        .await
    }

    /// Frees a deleted volume, which cannot be recovered any more.
    pub(crate) async fn volume_purge(self: &Arc<Self>, id: VolumeId) -> Result<()> {
        self.transact(move |txn| {
            let deleted = txn.engine.deleted_by_id(id)?;
            let what = || InUse::Object(Object::DeletedVolume(deleted.spec.name.clone()));
            let snapshots = txn.engine.volumes.snapshots_kept(id);
            if let Some((taken, until)) =
                snapshots.iter().find_map(|taken| taken.locked_until.map(|until| (taken, until)))
            {
                return Err(Error::SnapshotLocked { what: what(), snapshot: taken.name.clone(), until });
            }
            for taken in snapshots {
                forget(txn, taken.id);
            }
            forget_origin(txn, id)?;
            stage_deletion(txn, id)
        })
        .await
    }

    /// Purges the deleted volumes whose time is over.
    pub(crate) async fn purge_due(self: &Arc<Self>) -> Result<()> {
        for id in self.volumes.deleted_due() {
            let name = self.deleted_by_id(id).map(|deleted| deleted.spec.name).unwrap_or_default();
            match self.volume_purge(id).await {
                Ok(()) => {
                    tracing::info!(
                        volume = id.0,
                        name,
                        "a deleted volume can no longer be recovered; its space is freed"
                    );
                    self.upkeep.own_actions.note(OwnAction::VolumePurged { name });
                }
                // The operator was faster, or it has a locked snapshot.
                Err(Error::NotFound(_) | Error::SnapshotLocked { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Stores for how long the pool has been open, while a deadline depends on it.
    pub(crate) async fn keep_time(self: &Arc<Self>) -> Result<()> {
        if !self.volumes.has_deadlines() || !self.volumes.time().is_due() {
            return Ok(());
        }
        self.transact(|txn| {
            stage_time(txn);
            Ok(())
        })
        .await
    }
}

fn check_note(note: &[u8]) -> Result<()> {
    if note.len() <= NOTE_BYTES_MAX {
        return Ok(());
    }
    Err(Error::invalid(
        "the note of a deleted volume",
        format!("must not be longer than {NOTE_BYTES_MAX} bytes"),
    ))
}

/// Stages for how long the pool has been open, so that a deadline in the same batch has its measure.
pub(crate) fn stage_time(txn: &mut Txn<'_>) {
    let open = txn.engine.volumes.now().open;
    txn.put(Timekeeper::key(), &OpenRecord(open));
    txn.then(move |engine| engine.volumes.time().stored(open));
}

/// Stages that a snapshot which was taken for a clone stays when the clone is purged.
pub(crate) fn keep_snapshot(txn: &mut Txn<'_>, snapshot: VolumeId) -> Result<()> {
    let mut record = txn.engine.volumes.record(snapshot)?;
    if let Some(taken) = &mut record.snapshot
        && std::mem::take(&mut taken.is_for_clone)
    {
        txn.change_volume(snapshot, record);
    }
    Ok(())
}

/// The name and path of a recovered volume. A path that is the name follows it.
fn recovered(before: &VolumeSpec, recovery: Recovery) -> VolumeSpec {
    let mut spec = before.clone();
    if let Some(name) = recovery.name {
        spec.rename(name);
    }
    if let Some(path) = recovery.junction_path {
        spec.junction_path = path;
    }
    spec
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::*;
    use crate::base::sources::Clock;
    use crate::base::sync;
    use crate::format::records::Record;
    use crate::sim::faulty::{FaultyDisk, options};
    use crate::{Pool, SnapshotSpec};

    const HOUR: u64 = 60 * 60;
    const NOW: u64 = 1_795_305_600;

    /// A clock that shows the time that a test sets.
    struct SetClock(Mutex<u64>);

    impl Clock for SetClock {
        fn now(&self) -> SystemTime {
            UNIX_EPOCH + Duration::from_secs(*sync::lock(&self.0))
        }
    }

    #[tokio::test]
    async fn a_deadline_is_over_when_the_clock_and_the_time_of_service_say_so() {
        let clock = Arc::new(SetClock(Mutex::new(NOW)));
        let disk = Arc::new(FaultyDisk::default());
        let open = || disk.open_at(options(), clock.clone()).unwrap();
        let due = async |pool: &Pool, time: u64| {
            *sync::lock(&clock.0) = time;
            let engine = pool.engine().unwrap();
            engine.expire_snapshots().await.unwrap();
            engine.purge_due().await.unwrap();
            let snapshots = pool.snapshots(None).unwrap().into_iter().map(|taken| taken.name);
            (pool.deleted_volumes().unwrap().len(), snapshots.collect::<Vec<_>>())
        };
        let pool = open();
        for name in ["gone", "kept"] {
            pool.volume_create(VolumeSpec::new(name, &format!("/{name}"))).await.unwrap();
        }
        let at = |time: u64| Some(UNIX_EPOCH + Duration::from_secs(time));
        let expires = SnapshotSpec { expires: at(NOW + HOUR), locked_until: None };
        pool.snapshot_create_as(&["kept".into()], "short", expires).await.unwrap();
        let locked = SnapshotSpec { locked_until: at(NOW + 5 * HOUR), ..expires };
        pool.snapshot_create_as(&["kept".into()], "locked", locked).await.unwrap();
        let recoverable = Some(Duration::from_secs(HOUR));
        let deletion = Deletion { recoverable, ..Deletion::default() };
        pool.volume_delete_as("gone", deletion).await.unwrap();
        let both = || vec!["short".to_owned(), "locked".to_owned()];
        assert_eq!(due(&pool, NOW + 100 * HOUR).await, (1, both()), "a clock that jumps forward");
        assert!(
            pool.deleted_volumes().unwrap()[0].until > UNIX_EPOCH + Duration::from_secs(NOW + 100 * HOUR)
        );
        let served = OpenRecord(HOUR + 1).encode();
        pool.record_put("pool.clock", b"open", &served).await.unwrap();
        pool.close().await.unwrap();
        let pool = open();
        assert_eq!(due(&pool, NOW - HOUR).await, (1, both()), "a clock that jumped back");
        assert_eq!(due(&pool, NOW + HOUR).await, (0, vec!["locked".to_owned()]));
        let purged = OwnAction::VolumePurged { name: "gone".to_owned() };
        assert!(pool.take_own_actions().unwrap().contains(&purged));
        let served = OpenRecord(5 * HOUR + 1).encode();
        pool.record_put("pool.clock", b"open", &served).await.unwrap();
        pool.close().await.unwrap();
        let pool = open();
        assert_eq!(due(&pool, NOW + 4 * HOUR).await, (0, vec!["locked".to_owned()]));
        assert_eq!(due(&pool, NOW + 5 * HOUR).await, (0, Vec::new()));
        let volume = "kept".to_owned();
        let expired = OwnAction::SnapshotExpired { volume, name: "locked".to_owned(), is_scheduled: false };
        assert_eq!(pool.take_own_actions().unwrap(), [expired]);
        pool.settle().await.unwrap();
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    }
}
