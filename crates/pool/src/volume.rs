//! Volumes: the registry in memory, and their creation and deletion.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use crate::engine::Engine;
use crate::keys::{self, EPOCH_FIRST, Epoch};
use crate::limit::check_size;
use crate::meta::MetaStore;
use crate::records::{InodeRecord, Record, UsageRecord, VolumeRecord, malformed};
use crate::{Error, Handle, InodeId, Kind, Result, Volume, VolumeId, VolumeSpec, sync};

struct VolumeState {
    record: VolumeRecord,
    usage: UsageRecord,
    /// Bytes by which accepted writes that are not in the extents yet may make it grow.
    reserved: AtomicU64,
    /// It has no name any more, its handles are stale, and its content is being freed.
    deleting: bool,
}

/// All volumes of the pool. Only the committer changes them.
#[derive(Default)]
pub(crate) struct Volumes {
    map: RwLock<BTreeMap<VolumeId, VolumeState>>,
}

impl Volumes {
    /// Reads the volumes from the metadata store.
    pub(crate) fn load(meta: &dyn MetaStore) -> Result<Volumes> {
        let mut map = BTreeMap::new();
        meta.scan(keys::volumes(), &mut |key, value| {
            let id = keys::volume_in(key).ok_or_else(|| malformed("volume", key))?;
            let usage_key = keys::usage(id);
            let usage = match meta.get(&usage_key)? {
                Some(value) => UsageRecord::decode(&usage_key, &value)?,
                None => UsageRecord::default(),
            };
            let deleting = meta.get(&keys::deleting(id))?.is_some();
            let record = VolumeRecord::decode(key, value)?;
            map.insert(id, VolumeState { record, usage, reserved: AtomicU64::new(0), deleting });
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(Volumes { map: RwLock::new(map) })
    }

    pub(crate) fn list(&self) -> Vec<Volume> {
        let map = sync::read(&self.map);
        let live = map.iter().filter(|(_, state)| !state.deleting);
        let mut volumes: Vec<Volume> = live.map(|(id, state)| state.record.volume(*id)).collect();
        volumes.sort_by(|one, other| one.spec.name.cmp(&other.spec.name));
        volumes
    }

    pub(crate) fn get(&self, id: VolumeId) -> Result<Volume> {
        let map = sync::read(&self.map);
        let state = map.get(&id).filter(|state| !state.deleting).ok_or(Error::Stale)?;
        Ok(state.record.volume(id))
    }

    pub(crate) fn by_name(&self, name: &str) -> Result<Volume> {
        let found = self.list().into_iter().find(|volume| volume.spec.name == name);
        found.ok_or_else(|| Error::NotFound(format!("volume {name}")))
    }

    /// Volumes whose deletion has begun and not ended.
    pub(crate) fn deleting(&self) -> Vec<VolumeId> {
        sync::read(&self.map).iter().filter(|(_, state)| state.deleting).map(|(id, _)| *id).collect()
    }

    /// The volume is there, and is not being deleted.
    pub(crate) fn is_live(&self, id: VolumeId) -> bool {
        sync::read(&self.map).get(&id).is_some_and(|state| !state.deleting)
    }

    /// The epoch at which records are written; the first for a volume that is only being created.
    pub(crate) fn epoch(&self, id: VolumeId) -> Epoch {
        sync::read(&self.map).get(&id).map_or(EPOCH_FIRST, |state| state.record.epoch)
    }

    pub(crate) fn usage(&self, id: VolumeId) -> UsageRecord {
        sync::read(&self.map).get(&id).map(|state| state.usage).unwrap_or_default()
    }

    pub(crate) fn set_usage(&self, id: VolumeId, usage: UsageRecord) {
        if let Some(state) = sync::write(&self.map).get_mut(&id) {
            state.usage = usage;
        }
    }

    /// What all volumes hold together.
    pub(crate) fn usage_total(&self) -> UsageRecord {
        sync::read(&self.map).values().fold(UsageRecord::default(), |total, state| UsageRecord {
            bytes_logical: total.bytes_logical + state.usage.bytes_logical,
            bytes_inline: total.bytes_inline + state.usage.bytes_inline,
            inodes: total.inodes + state.usage.inodes,
            orphans: total.orphans + state.usage.orphans,
        })
    }

    fn add(&self, id: VolumeId, record: VolumeRecord, usage: UsageRecord) {
        sync::write(&self.map)
            .insert(id, VolumeState { record, usage, reserved: AtomicU64::new(0), deleting: false });
    }

    /// The record of a volume that is not being deleted.
    pub(crate) fn record(&self, id: VolumeId) -> Result<VolumeRecord> {
        let map = sync::read(&self.map);
        let state = map.get(&id).filter(|state| !state.deleting).ok_or(Error::Stale)?;
        Ok(state.record.clone())
    }

    pub(crate) fn set_record(&self, id: VolumeId, record: VolumeRecord) {
        if let Some(state) = sync::write(&self.map).get_mut(&id) {
            state.record = record;
        }
    }

    /// Bytes that the volume holds, accepted writes included.
    pub(crate) fn bytes_used(&self, id: VolumeId) -> u64 {
        let map = sync::read(&self.map);
        map.get(&id).map_or(0, |state| {
            state.usage.bytes_logical.saturating_add(state.reserved.load(Ordering::SeqCst))
        })
    }

    /// Takes room for that many bytes of growth; false if the volume's size does not allow it.
    pub(crate) fn reserve(&self, id: VolumeId, bytes: u64) -> bool {
        let map = sync::read(&self.map);
        // Whoever writes to a volume that is gone finds out soon.
        let Some(state) = map.get(&id) else { return true };
        let size = state.record.spec.size.unwrap_or(u64::MAX);
        let fits = |reserved: u64| {
            let after = reserved.checked_add(bytes)?;
            let used = state.usage.bytes_logical.checked_add(after)?;
            (bytes == 0 || used <= size).then_some(after)
        };
        state.reserved.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits).is_ok()
    }

    /// Gives back what was reserved.
    pub(crate) fn release(&self, id: VolumeId, bytes: u64) {
        if bytes > 0
            && let Some(state) = sync::read(&self.map).get(&id)
        {
            state.reserved.fetch_sub(bytes, Ordering::SeqCst);
        }
    }

    fn begin_deletion(&self, id: VolumeId) {
        if let Some(state) = sync::write(&self.map).get_mut(&id) {
            state.deleting = true;
        }
    }

    pub(crate) fn forget(&self, id: VolumeId) {
        sync::write(&self.map).remove(&id);
    }
}

impl Engine {
    pub(crate) async fn volume_create(self: &Arc<Self>, spec: VolumeSpec) -> Result<Volume> {
        check_spec(&spec)?;
        self.transact(move |txn| {
            let engine = txn.engine;
            for other in engine.volumes.list() {
                check_apart(&spec, &other.spec)?;
            }
            engine.require_room_for_inode()?;
            let id = txn.volume_id_next()?;
            let now = engine.clock.now();
            let root = txn.create_inode(
                id,
                InodeRecord {
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
                },
            )?;
            let Handle { inode, generation, .. } = root.handle;
            let record = VolumeRecord {
                spec,
                root: inode,
                root_generation: generation,
                created: now,
                epoch: EPOCH_FIRST,
            };
            txn.put(keys::volume(id), &record);
            let volume = record.volume(id);
            let usage = *txn.usage(id)?;
            txn.then(move |engine| engine.volumes.add(id, record, usage));
            Ok(volume)
        })
        .await
    }

    /// Ends a volume's name at once; its content is freed in the background, also after a restart.
    pub(crate) async fn volume_delete(self: &Arc<Self>, name: &str, force: bool) -> Result<()> {
        let id = self.volumes.by_name(name)?.id;
        if !force {
            self.settle().await?;
        }
        let name = name.to_owned();
        self.transact(move |txn| {
            if !txn.engine.volumes.is_live(id) {
                return Err(Error::NotFound(format!("volume {name}")));
            }
            // The root is an inode too.
            if !force && txn.usage(id)?.inodes > 1 {
                return Err(Error::VolumeNotEmpty(name));
            }
            txn.put_bytes(keys::deleting(id), bytes::Bytes::from_static(b"\x01\x00"));
            txn.then(move |engine| {
                engine.volumes.begin_deletion(id);
                engine.orphans.wake();
            });
            Ok(())
        })
        .await
    }
}

fn check_spec(spec: &VolumeSpec) -> Result<()> {
    check_size(spec.size)?;
    let name = spec.name.as_bytes();
    let known = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let starts_well = name.first().is_some_and(|first| !b".-".contains(first));
    if !starts_well || name.len() > 64 || !name.iter().all(known) {
        return Err(Error::Invalid(format!(
            "volume name {:?}: must be 1 to 64 characters of a-z A-Z 0-9 _ - . and not start with . or -",
            spec.name
        )));
    }
    let well_formed = spec.junction_path.strip_prefix('/').is_some_and(|path| {
        path.split('/').all(|part| {
            !part.is_empty() && part != "." && part != ".." && part.len() <= crate::NAME_BYTES_MAX
        }) && path.len() < 1024
            && !path.contains('\0')
    });
    if !well_formed {
        return Err(Error::Invalid(format!(
            "junction path {:?}: must be an absolute path such as /kafka, without empty parts, . or ..",
            spec.junction_path
        )));
    }
    Ok(())
}

fn check_apart(spec: &VolumeSpec, other: &VolumeSpec) -> Result<()> {
    if spec.name == other.name {
        return Err(Error::Exists(format!("volume {}", spec.name)));
    }
    let (mine, theirs) = (format!("{}/", spec.junction_path), format!("{}/", other.junction_path));
    if mine.starts_with(&theirs) || theirs.starts_with(&mine) {
        return Err(Error::Exists(format!(
            "junction path {}: meets volume {} at {}",
            spec.junction_path, other.name, other.junction_path
        )));
    }
    Ok(())
}
