//! Creating and deleting volumes.

use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::{self, EPOCH_FIRST};
use crate::format::records::{UsageRecord, VolumeRecord};
use crate::tree::attributes;
use crate::volumes::recovery::keep_snapshot;
use crate::volumes::staging::{
    MARK, add_volume, begin_purge, check_apart, check_new, check_path, check_spec, forget, require_unused,
    root_record,
};
use crate::{
    Deletion, Error, Handle, InUse, Object, Result, SetAttributes, Snapshot, Volume, VolumeChange, VolumeId,
    VolumeSpec,
};

impl Engine {
    pub(crate) async fn volume_create(self: &Arc<Self>, spec: VolumeSpec) -> Result<Volume> {
        self.transact(move |txn| {
            check_new(txn, &spec)?;
            let engine = txn.engine;
            engine.require_room_for_inode()?;
            let id = txn.volume_id_next()?;
            let now = engine.clock.now();
            let root = txn.create_inode(id, root_record(engine, &spec, now)?)?;
            let Handle { inode, generation, .. } = root.handle;
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
                is_bucket: false,
                log_floor: 0,
                deleted: None,
            };
            Ok(add_volume(txn, id, record, usage))
        })
        .await
    }

    /// Changes the specification of a volume, and its root directory accordingly: all in one batch, or nothing.
    pub(crate) async fn volume_modify(self: &Arc<Self>, name: &str, change: VolumeChange) -> Result<Volume> {
        let volume = self.volumes.by_name(name)?;
        let (id, root) = (volume.id, self.inode(volume.root)?);
        change.check()?;
        self.transact(move |txn| {
            let mut record = txn.engine.volumes.record(id)?;
            let attributes = SetAttributes {
                mode: change.mode,
                uid: change.uid,
                gid: change.gid,
                ..SetAttributes::default()
            };
            change.apply(&mut record.spec);
            check_changed(txn, id, &record.spec)?;
            if attributes.mode.is_some() || attributes.uid.is_some() || attributes.gid.is_some() {
                attributes::apply(txn, &root, &attributes)?;
            }
            let volume = txn.engine.volumes.described(id, &record);
            txn.change_volume(id, record);
            Ok(volume)
        })
        .await
    }

    /// Changes a volume's size. With `None`, the volume can use all room in the pool.
    pub(crate) async fn volume_resize(self: &Arc<Self>, name: &str, size: Option<u64>) -> Result<Volume> {
        self.volume_modify(name, VolumeChange { size: Some(size), ..VolumeChange::default() }).await
    }

    /// Removes the names of a volume and its snapshots at once. The content is freed in the background, even after a
    /// restart.
    pub(crate) async fn volume_delete_now(
        self: &Arc<Self>,
        id: VolumeId,
        name: &str,
        deletion: &Deletion,
    ) -> Result<()> {
        let Deletion { force, keep_snapshot: keeps_snapshot, .. } = *deletion;
        if !force {
            self.settle().await?;
        }
        let name = name.to_owned();
        self.transact(move |txn| {
            let snapshots = require_deletable(txn, id, &name, force)?;
            let of = || InUse::Object(Object::Volume(name.clone()));
            require_unused(&snapshots, of(), "delete the clones first")?;
            for taken in snapshots {
                forget(txn, taken.id);
            }
            match txn.engine.volumes.record(id)?.origin {
                Some(origin) if keeps_snapshot => keep_snapshot(txn, origin)?,
                _ => forget_origin(txn, id)?,
            }
            stage_deletion(txn, id)
        })
        .await
    }
}

/// Returns an error unless the volume can be deleted, and its snapshots otherwise. A locked snapshot does not matter here.
pub(crate) fn require_deletable(
    txn: &mut Txn<'_>,
    id: VolumeId,
    name: &str,
    force: bool,
) -> Result<Vec<Snapshot>> {
    let of = || InUse::Object(Object::Volume(name.to_owned()));
    if !txn.engine.volumes.is_live(id) {
        return Err(Error::NotFound(Object::Volume(name.to_owned())));
    }
    let snapshots = txn.engine.volumes.snapshots(Some(id));
    let unlocked: Vec<Snapshot> =
        snapshots.iter().map(|taken| Snapshot { locked_until: None, ..taken.clone() }).collect();
    require_unused(&unlocked, of(), "delete the clones first")?;
    if !force && !snapshots.is_empty() {
        return Err(Error::InUse {
            what: of(),
            by: format!("{} snapshots of it", snapshots.len()),
            remedy: "delete them first, or use force to delete them with the volume",
        });
    }
    // The root counts as an inode, too.
    if !force && txn.usage(id)?.inodes > 1 {
        return Err(Error::VolumeNotEmpty(name.to_owned()));
    }
    Ok(snapshots)
}

/// Stages the deletion of the snapshot that was taken for a clone, with the clone. It stays if something else needs it.
pub(crate) fn forget_origin(txn: &mut Txn<'_>, clone: VolumeId) -> Result<()> {
    let Some(origin) = txn.engine.volumes.record_kept(clone)?.origin else { return Ok(()) };
    let taken = txn.engine.volumes.record_kept(origin)?;
    let Some(of) = taken.snapshot.filter(|taken| taken.is_for_clone).map(|taken| taken.of) else {
        return Ok(());
    };
    let found = txn.engine.volumes.snapshots_kept(of).into_iter().find(|taken| taken.id == origin);
    let is_needed = |taken: &Snapshot| {
        taken.locked_until.is_some() || taken.clones.len() + taken.clones_deleted.len() > 1
    };
    if found.is_some_and(|taken| !is_needed(&taken)) {
        forget(txn, origin);
        begin_purge(txn, of);
    }
    Ok(())
}

/// Stages the deletion of a volume: what it shows is gone at once, and what it stores is freed step by step.
pub(crate) fn stage_deletion(txn: &mut Txn<'_>, id: VolumeId) -> Result<()> {
    txn.put_bytes(keys::deleting(id), bytes::Bytes::from_static(MARK));
    let usage = txn.usage(id)?;
    *usage = usage.showing(UsageRecord::default());
    txn.then(move |engine| {
        engine.volumes.begin_deletion(id);
        engine.forget_inodes(id);
        engine.orphans.wake();
    });
    Ok(())
}

/// Returns an error unless the volume can be changed to this specification.
fn check_changed(txn: &Txn<'_>, id: VolumeId, spec: &VolumeSpec) -> Result<()> {
    check_spec(spec)?;
    let volumes = &txn.engine.volumes;
    // A path that is older than a rule may stay, so that everything else about its volume can be changed.
    if volumes.record(id)?.spec.junction_path != spec.junction_path {
        check_path(&spec.junction_path)?;
    }
    volumes
        .list_with_buckets()
        .iter()
        .filter(|other| other.id != id)
        .try_for_each(|other| check_apart(spec, &other.spec))?;
    require_room_for(txn, id, spec)
}

/// Refuses a changed size that is smaller than what the volume holds.
pub(crate) fn require_room_for(txn: &Txn<'_>, id: VolumeId, spec: &VolumeSpec) -> Result<()> {
    let used = txn.engine.volumes.bytes_used(id);
    let before = txn.engine.volumes.record(id)?.spec.size;
    match spec.size.filter(|size| *size < used && Some(*size) != before) {
        Some(size) => Err(Error::SizeBelowUsed { volume: spec.name.clone(), size, used }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CloneSpec, Pool, PoolOptions, is_printable};

    fn refusal<T>(result: Result<T>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[tokio::test]
    async fn a_path_that_would_command_a_terminal_is_refused_and_escaped_in_the_refusal() {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        pool.volume_create(VolumeSpec::new("good", "/größe/日本")).await.unwrap();
        pool.snapshot_create(&["good".to_owned()], "taken").await.unwrap();
        for path in ["/a\u{1b}[31m", "/a\nb", "/a\u{7f}", "/a\u{9b}2J", "/a\u{202e}b", "/a\0"] {
            let path_change =
                VolumeChange { junction_path: Some(path.to_owned()), ..VolumeChange::default() };
            let clone = CloneSpec { name: "clone".to_owned(), junction_path: path.to_owned() };
            for refused in [
                refusal(pool.volume_create(VolumeSpec::new("bad", path)).await),
                refusal(pool.volume_modify("good", path_change).await),
                refusal(pool.volume_clone("good", "taken", clone).await),
            ] {
                assert!(refused.contains("must not have control characters"), "{path:?}: {refused}");
                assert!(refused.chars().all(is_printable), "{refused:?}");
            }
        }
    }

    #[tokio::test]
    async fn a_volume_that_has_such_a_path_from_before_is_listed_changed_and_deleted() {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let path = "/old\u{1b}[31m\nname";
        for name in ["moved", "deleted"] {
            let volume = pool.volume_create(VolumeSpec::new(name, &format!("/{name}"))).await.unwrap();
            let path = format!("{path}{name}");
            let put = move |txn: &mut Txn<'_>| {
                let mut record = txn.engine.volumes.record(volume.id)?;
                record.spec.junction_path = path;
                txn.change_volume(volume.id, record);
                Ok(())
            };
            pool.engine().unwrap().transact(put).await.unwrap();
        }
        assert!(pool.volumes().unwrap().iter().all(|volume| volume.spec.junction_path.starts_with(path)));
        let size = VolumeChange { size: Some(Some(1 << 20)), ..VolumeChange::default() };
        assert_eq!(pool.volume_modify("moved", size).await.unwrap().spec.size, Some(1 << 20));
        let moved = VolumeChange { junction_path: Some("/moved".to_owned()), ..VolumeChange::default() };
        assert_eq!(pool.volume_modify("moved", moved).await.unwrap().spec.junction_path, "/moved");
        pool.volume_delete("deleted", false).await.unwrap();
    }
}
