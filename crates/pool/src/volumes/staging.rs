//! Code that volumes, snapshots and clones share: the rules for names and paths, and the staging of their records.

use std::time::SystemTime;

use bytes::Bytes;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys;
use crate::format::records::{InodeRecord, UsageRecord, VolumeRecord};
use crate::parts::log::Rule;
use crate::{
    Error, InUse, InodeId, Kind, NAME_BYTES_MAX, Object, Result, Snapshot, Volume, VolumeId, VolumeSpec,
    is_name, is_printable,
};

/// The value of a record whose presence is its only information.
pub(crate) const MARK: &[u8] = b"\x01\x00";

/// Stages the records of a new volume.
pub(crate) fn add_volume(
    txn: &mut Txn<'_>,
    id: VolumeId,
    mut record: VolumeRecord,
    usage: UsageRecord,
) -> Volume {
    // The log may know a volume with this number, whose creation a crash took back.
    if txn.engine.keeps(Rule::FloorAtCreation) && !record.is_bucket {
        record.log_floor = txn.engine.log_position();
    }
    txn.put(keys::volume(id), &record);
    let volume = txn.engine.volumes.described(id, &record);
    txn.then(move |engine| engine.volumes.add(id, record, usage));
    volume
}

/// The record of a new volume's root directory.
pub(crate) fn root_record(engine: &Engine, spec: &VolumeSpec, now: SystemTime) -> Result<InodeRecord> {
    Ok(InodeRecord {
        generation: engine.generation()?,
        kind: Kind::Directory,
        mode: spec.mode & 0o7777,
        uid: spec.uid,
        gid: spec.gid,
        nlink: 2,
        size: 0,
        space_used: 0,
        change: engine.change_first(),
        atime: now,
        mtime: now,
        ctime: now,
        btime: now,
        parent: InodeId(0),
        entries: 0,
        create_verifier: None,
        absorbed: 0,
    })
}

/// Returns an error unless a volume can be created with this specification.
pub(crate) fn check_new(txn: &Txn<'_>, spec: &VolumeSpec) -> Result<()> {
    check_spec(spec)?;
    check_path(&spec.junction_path)?;
    require_apart(txn, spec)
}

/// Returns an error if another volume or bucket has the name, or a path that is above or below.
pub(crate) fn require_apart(txn: &Txn<'_>, spec: &VolumeSpec) -> Result<()> {
    txn.engine.volumes.list_with_buckets().iter().try_for_each(|other| check_apart(spec, &other.spec))
}

/// Returns an error unless the name is valid for a volume or a snapshot.
pub(crate) fn check_name(what: &str, name: &str) -> Result<()> {
    if is_name(name) { Ok(()) } else { Err(Error::invalid_name(what, name)) }
}

pub(crate) fn check_spec(spec: &VolumeSpec) -> Result<()> {
    spec.check()?;
    check_name("volume", &spec.name)
}

pub(crate) fn check_path(path: &str) -> Result<()> {
    let is_part =
        |part: &str| !part.is_empty() && part != "." && part != ".." && part.len() <= NAME_BYTES_MAX;
    let well_formed =
        path.strip_prefix('/').is_some_and(|rest| rest.len() < 1024 && rest.split('/').all(is_part));
    if !well_formed {
        return Err(Error::invalid(
            format!("junction path {path:?}"),
            "must be an absolute path such as /kafka, without empty parts, . or ..",
        ));
    }
    if !path.chars().all(is_printable) {
        return Err(Error::invalid(
            format!("junction path {path:?}"),
            "must not have control characters or characters that change the direction of text",
        ));
    }
    Ok(())
}

pub(crate) fn check_apart(spec: &VolumeSpec, other: &VolumeSpec) -> Result<()> {
    if spec.name == other.name {
        let taken = if other.junction_path.is_empty() { Object::Bucket } else { Object::Volume };
        return Err(Error::Exists(taken(spec.name.clone())));
    }
    // A bucket has no path.
    if spec.junction_path.is_empty() || other.junction_path.is_empty() {
        return Ok(());
    }
    let (mine, theirs) = (format!("{}/", spec.junction_path), format!("{}/", other.junction_path));
    if mine.starts_with(&theirs) || theirs.starts_with(&mine) {
        return Err(Error::Exists(Object::JunctionPath {
            path: spec.junction_path.clone(),
            volume: other.name.clone(),
            volume_path: other.junction_path.clone(),
        }));
    }
    Ok(())
}

/// Returns an error if one of the snapshots is locked, or has clones. The error names all clones. `remedy` is for clones that are
/// not deleted.
pub(crate) fn require_unused(taken: &[Snapshot], what: InUse, remedy: &'static str) -> Result<()> {
    let locked = taken.iter().find_map(|taken| taken.locked_until.map(|until| (taken.name.clone(), until)));
    if let Some((snapshot, until)) = locked {
        return Err(Error::SnapshotLocked { what, snapshot, until });
    }
    let with = |of: &dyn Fn(&Snapshot) -> Vec<String>| {
        let named = taken.iter().filter(|taken| !of(taken).is_empty());
        named
            .map(|taken| format!("{} (of snapshot {})", of(taken).join(", "), taken.name))
            .collect::<Vec<_>>()
    };
    let (clones, deleted) =
        (with(&|taken| taken.clones.clone()), with(&|taken| taken.clones_deleted.clone()));
    let by = match (clones.is_empty(), deleted.is_empty()) {
        (true, true) => return Ok(()),
        (false, true) => format!("its clones: {}", clones.join(", ")),
        (true, false) => format!("its deleted clones, which can be recovered: {}", deleted.join(", ")),
        (false, false) => {
            let (clones, deleted) = (clones.join(", "), deleted.join(", "));
            format!("its clones: {clones}; and its deleted clones, which can be recovered: {deleted}")
        }
    };
    let remedy = if clones.is_empty() { "purge them first (`forebay volume purge`)" } else { remedy };
    Err(Error::InUse { what, by, remedy })
}

/// Stages the deletion of a snapshot.
pub(crate) fn forget(txn: &mut Txn<'_>, snapshot: VolumeId) {
    txn.forget_volume(snapshot);
    txn.then(move |engine| engine.forget_inodes(snapshot));
}

/// Stages the mark that a volume has versions that no view shows, and wakes the reaper.
pub(crate) fn begin_purge(txn: &mut Txn<'_>, volume: VolumeId) {
    txn.put_bytes(keys::purging(volume), Bytes::from_static(MARK));
    txn.then(move |engine| {
        engine.volumes.begin_purge(volume);
        engine.orphans.wake();
    });
}

impl Engine {
    /// Drops the inodes of a deleted volume or snapshot from memory.
    pub(crate) fn forget_inodes(&self, volume: VolumeId) {
        for inode in self.inodes.of_volume(volume) {
            let mut state = inode.state();
            state.freed = true;
            state.gone = true;
            drop(state);
            self.discard(&inode);
        }
    }
}
