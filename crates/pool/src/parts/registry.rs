//! The volumes and snapshots in memory: their records, their usage, and the view of each.

mod deleted;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use tokio::sync::watch;

use crate::base::deadline::Moment;
use crate::base::sources::Clock;
use crate::base::sync;
use crate::format::keys::{self, EPOCH_FIRST, EPOCH_LAST, EPOCH_NONE, Epoch};
use crate::format::records::{Record, UsageRecord, VolumeRecord, malformed};
use crate::parts::timekeeper::Timekeeper;
use crate::parts::view::{Layer, View};
use crate::store::meta::MetaStore;
use crate::{
    Bucket, BucketSpec, Error, Object, Result, Snapshot, SnapshotName, Volume, VolumeId, VolumeSpec,
    VolumeUsage,
};

struct VolumeState {
    record: VolumeRecord,
    /// The volume, or for a snapshot its volume, was deleted and can be recovered. Its handles are stale meanwhile.
    is_shelved: bool,
    usage: UsageRecord,
    /// The number of bytes by which accepted writes that are not in the extents yet may make the volume grow.
    reserved: AtomicU64,
    /// Set once deletion has begun: the volume has no name, its handles are stale, and its content is being freed.
    deleting: bool,
    /// Changes with each new reason to purge versions that no view shows. `None` if there is no such reason.
    purge: Option<u64>,
    /// The view. Stays the same `Arc` while only writes change the content.
    view: Arc<View>,
    /// Snapshots show versions up to this epoch.
    pinned: Epoch,
}

/// What a transaction needs to know about a volume to write its records.
pub(crate) struct Writing {
    /// The epoch at which records are written.
    pub(crate) epoch: Epoch,
    /// Snapshots show versions up to this epoch, so these versions must stay.
    pub(crate) pinned: Epoch,
    pub(crate) view: Arc<View>,
}

type Map = BTreeMap<VolumeId, VolumeState>;

/// All volumes and snapshots of the pool. Only the committer changes them.
pub(crate) struct Volumes {
    map: RwLock<Map>,
    /// The clocks of deadlines.
    time: Timekeeper,
    /// Counts the changes of volumes and snapshots, and wakes the tasks that wait for one.
    version: watch::Sender<u64>,
    purges: AtomicU64,
}

impl Volumes {
    /// Reads the volumes from the metadata store.
    pub(crate) fn load(meta: &dyn MetaStore, clock: Arc<dyn Clock>) -> Result<Volumes> {
        let volumes = Volumes {
            map: RwLock::default(),
            time: Timekeeper::load(meta, clock)?,
            version: watch::Sender::default(),
            purges: AtomicU64::default(),
        };
        let mut found = Vec::new();
        meta.scan(keys::volumes(), &mut |key, value| {
            let id = keys::volume_in(key).ok_or_else(|| malformed("volume", key))?;
            found.push((id, VolumeRecord::decode(key, value)?));
            Ok(ControlFlow::Continue(()))
        })?;
        for (id, record) in found {
            let usage_key = keys::usage(id);
            let usage = match meta.get(&usage_key)? {
                Some(value) => UsageRecord::decode(&usage_key, &value)?,
                None => UsageRecord::default(),
            };
            volumes.add(id, record, usage);
            if meta.get(&keys::deleting(id))?.is_some() {
                volumes.begin_deletion(id);
            }
            if meta.get(&keys::purging(id))?.is_some() {
                volumes.begin_purge(id);
            }
        }
        Ok(volumes)
    }

    /// Changes the volumes and snapshots, and updates their views.
    fn change(&self, change: impl FnOnce(&mut Map)) {
        let mut map = sync::write(&self.map);
        change(&mut map);
        show(&mut map);
        self.version.send_modify(|version| *version = version.wrapping_add(1));
    }

    fn live<T>(&self, id: VolumeId, look: impl FnOnce(&VolumeState) -> T) -> Result<T> {
        let map = sync::read(&self.map);
        map.get(&id).filter(|state| state.is_live()).map(look).ok_or(Error::Stale)
    }

    /// Changes whenever a volume or snapshot is added or removed, or its record changes.
    pub(crate) fn version(&self) -> u64 {
        *self.version.borrow()
    }

    /// A receiver that sees each change of the version.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// The volumes, without snapshots and buckets, by name.
    pub(crate) fn list(&self) -> Vec<Volume> {
        self.list_if(|record| !record.is_bucket)
    }

    /// The volumes and the buckets, without snapshots, by name.
    pub(crate) fn list_with_buckets(&self) -> Vec<Volume> {
        self.list_if(|_| true)
    }

    /// The buckets, by name.
    pub(crate) fn buckets(&self) -> Vec<Bucket> {
        let map = sync::read(&self.map);
        let buckets = map.iter().filter(|(_, state)| state.record.is_bucket && state.is_live());
        let mut buckets: Vec<Bucket> = buckets.map(|(id, state)| state.bucket(*id)).collect();
        buckets.sort_by(|one, other| one.spec.name.cmp(&other.spec.name));
        buckets
    }

    /// The bucket with this name.
    pub(crate) fn bucket_by_name(&self, name: &str) -> Result<Bucket> {
        let map = sync::read(&self.map);
        let mut buckets = map.iter().filter(|(_, state)| state.record.is_bucket && state.is_live());
        let found = buckets.find(|(_, state)| state.record.spec.name == name);
        let found = found.map(|(id, state)| state.bucket(*id));
        found.ok_or_else(|| Error::NotFound(Object::Bucket(name.to_owned())))
    }

    /// Whether this is a bucket.
    pub(crate) fn is_bucket(&self, id: VolumeId) -> bool {
        self.live(id, |state| state.record.is_bucket).unwrap_or(false)
    }

    fn list_if(&self, is_wanted: impl Fn(&VolumeRecord) -> bool) -> Vec<Volume> {
        let map = sync::read(&self.map);
        let is_wanted =
            |state: &VolumeState| state.is_volume() && state.is_live() && is_wanted(&state.record);
        let volumes = map.iter().filter(|(_, state)| is_wanted(state));
        let mut volumes: Vec<Volume> = volumes.map(|(id, state)| volume(&map, *id, &state.record)).collect();
        volumes.sort_by(|one, other| one.spec.name.cmp(&other.spec.name));
        volumes
    }

    /// The usage and limits of each volume, in the order of their ids.
    pub(crate) fn usages(&self) -> Vec<VolumeUsage> {
        let map = sync::read(&self.map);
        let mut snapshots: BTreeMap<VolumeId, u64> = BTreeMap::new();
        for taken in map.values().filter_map(|state| state.record.snapshot) {
            *snapshots.entry(taken.of).or_default() += 1;
        }
        let volumes = map.iter().filter(|(_, state)| state.is_volume() && state.is_live());
        let usage = |(id, state): (&VolumeId, &VolumeState)| VolumeUsage {
            id: Some(*id),
            name: state.record.spec.name.clone(),
            bytes_logical: state.usage.bytes_logical,
            inodes: state.usage.inodes,
            orphans: state.usage.orphans,
            snapshots: snapshots.get(id).copied().unwrap_or_default(),
            size: state.record.spec.size,
            max_bytes_per_second: state.record.spec.max_bytes_per_second,
            is_bucket: state.record.is_bucket,
        };
        volumes.map(usage).collect()
    }

    /// The snapshots of one volume or of all volumes, by volume name and age. Those of deleted volumes are not among them.
    pub(crate) fn snapshots(&self, of: Option<VolumeId>) -> Vec<Snapshot> {
        self.snapshots_if(|state, volume| !state.is_shelved && of.is_none_or(|of| volume == of))
    }

    /// The snapshots of a volume, even if it was deleted and can be recovered.
    pub(crate) fn snapshots_kept(&self, of: VolumeId) -> Vec<Snapshot> {
        self.snapshots_if(|_, volume| volume == of)
    }

    fn snapshots_if(&self, is_wanted: impl Fn(&VolumeState, VolumeId) -> bool) -> Vec<Snapshot> {
        let (map, now) = (sync::read(&self.map), self.time.now());
        let mut snapshots: Vec<Snapshot> = map
            .iter()
            .filter(|(_, state)| state.record.snapshot.is_some_and(|taken| is_wanted(state, taken.of)))
            .filter_map(|(id, state)| snapshot(&map, now, *id, state))
            .collect();
        snapshots
            .sort_by(|one, other| (&one.volume_name, one.created).cmp(&(&other.volume_name, other.created)));
        snapshots
    }

    /// The volume or snapshot with this id.
    pub(crate) fn get(&self, id: VolumeId) -> Result<Volume> {
        let map = sync::read(&self.map);
        let state = map.get(&id).filter(|state| state.is_live()).ok_or(Error::Stale)?;
        Ok(volume(&map, id, &state.record))
    }

    /// A volume as `record` describes it. The record may not be stored yet.
    pub(crate) fn described(&self, id: VolumeId, record: &VolumeRecord) -> Volume {
        volume(&sync::read(&self.map), id, record)
    }

    /// The snapshot with this id.
    pub(crate) fn snapshot_by_id(&self, id: VolumeId) -> Result<Snapshot> {
        let map = sync::read(&self.map);
        let state = map.get(&id).filter(|state| state.is_live());
        state.and_then(|state| snapshot(&map, self.time.now(), id, state)).ok_or(Error::Stale)
    }

    pub(crate) fn by_name(&self, name: &str) -> Result<Volume> {
        let found = self.list().into_iter().find(|volume| volume.spec.name == name);
        found.ok_or_else(|| Error::NotFound(Object::Volume(name.to_owned())))
    }

    /// Volumes whose deletion has begun and not ended.
    pub(crate) fn deleting(&self) -> Vec<VolumeId> {
        sync::read(&self.map).iter().filter(|(_, state)| state.deleting).map(|(id, _)| *id).collect()
    }

    /// Whether the volume or snapshot exists and is not being deleted.
    pub(crate) fn is_live(&self, id: VolumeId) -> bool {
        self.live(id, |_| ()).is_ok()
    }

    /// Whether this is a volume that exists. Snapshots are not writable.
    pub(crate) fn is_writable(&self, id: VolumeId) -> bool {
        self.require_writable(id).is_ok()
    }

    pub(crate) fn require_writable(&self, id: VolumeId) -> Result<()> {
        if self.live(id, VolumeState::is_volume)? { Ok(()) } else { Err(Error::ReadOnly) }
    }

    /// The view of the volume or snapshot.
    pub(crate) fn view(&self, id: VolumeId) -> Result<Arc<View>> {
        self.live(id, |state| state.view.clone())
    }

    /// The views of all volumes, also of those that were deleted and can be recovered.
    pub(crate) fn views(&self) -> Vec<Arc<View>> {
        let map = sync::read(&self.map);
        map.values().filter(|state| state.is_volume()).map(|state| state.view.clone()).collect()
    }

    /// Like [`Volumes::view`], for a volume or snapshot that may have been deleted and can be recovered.
    pub(crate) fn view_kept(&self, id: VolumeId) -> Result<Arc<View>> {
        self.kept(id, |state| state.view.clone())
    }

    /// What is needed to write the volume's records. `None` for a volume that is still being created.
    pub(crate) fn writing(&self, id: VolumeId) -> Option<Writing> {
        sync::read(&self.map).get(&id).map(|state| Writing {
            epoch: state.record.epoch,
            pinned: state.pinned,
            view: state.view.clone(),
        })
    }

    /// The epochs at which some view reads the volume's records, newest first.
    pub(crate) fn viewpoints(&self, id: VolumeId) -> Vec<Epoch> {
        let map = sync::read(&self.map);
        let of = |state: &&VolumeState| state.record.snapshot.is_some_and(|snapshot| snapshot.of == id);
        let mut epochs: Vec<Epoch> = map.values().filter(of).map(|state| state.record.epoch).collect();
        epochs.push(EPOCH_LAST);
        epochs.sort_unstable_by(|one, other| other.cmp(one));
        epochs
    }

    /// The lower bound for `change`: no inode of the volume shows a smaller value.
    pub(crate) fn change_floor(&self, id: VolumeId) -> u64 {
        sync::read(&self.map).get(&id).map_or(0, |state| state.record.change_floor)
    }

    pub(crate) fn usage(&self, id: VolumeId) -> UsageRecord {
        sync::read(&self.map).get(&id).map(|state| state.usage).unwrap_or_default()
    }

    pub(crate) fn set_usage(&self, id: VolumeId, usage: UsageRecord) {
        if let Some(state) = sync::write(&self.map).get_mut(&id) {
            state.usage = usage;
        }
    }

    /// The usage of all volumes together. Snapshots count nothing: they only show content that a volume holds or held.
    pub(crate) fn usage_total(&self) -> UsageRecord {
        let map = sync::read(&self.map);
        map.values().filter(|state| state.is_volume()).fold(UsageRecord::default(), |total, state| {
            UsageRecord {
                bytes_logical: total.bytes_logical + state.usage.bytes_logical,
                bytes_inline: total.bytes_inline + state.usage.bytes_inline,
                inodes_stored: total.inodes_stored + state.usage.inodes_stored,
                inodes: total.inodes + state.usage.inodes,
                orphans: total.orphans + state.usage.orphans,
            }
        })
    }

    /// The record of a volume or snapshot that is not being deleted.
    pub(crate) fn record(&self, id: VolumeId) -> Result<VolumeRecord> {
        self.live(id, |state| state.record.clone())
    }

    pub(crate) fn set_record(&self, id: VolumeId, record: VolumeRecord) {
        self.change(|map| {
            if let Some(state) = map.get_mut(&id) {
                state.record = record;
            }
        });
    }

    /// The bytes that the volume holds, including accepted writes.
    pub(crate) fn bytes_used(&self, id: VolumeId) -> u64 {
        let map = sync::read(&self.map);
        map.get(&id).map_or(0, |state| {
            state.usage.bytes_logical.saturating_add(state.reserved.load(Ordering::SeqCst))
        })
    }

    /// Reserves room for the volume to grow by this many bytes. Returns false if the volume's size does not allow it.
    pub(crate) fn reserve(&self, id: VolumeId, bytes: u64) -> bool {
        let map = sync::read(&self.map);
        // The volume is gone. The writer gets an error from a later step.
        let Some(state) = map.get(&id) else { return true };
        let size = state.record.spec.size.unwrap_or(u64::MAX);
        let fits = |reserved: u64| {
            let after = reserved.checked_add(bytes)?;
            let used = state.usage.bytes_logical.checked_add(after)?;
            (bytes == 0 || used <= size).then_some(after)
        };
        state.reserved.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits).is_ok()
    }

    /// Reserves room for bytes that were promised before, even beyond the volume's size.
    pub(crate) fn reserve_promised(&self, id: VolumeId, bytes: u64) {
        if let Some(state) = sync::read(&self.map).get(&id) {
            state.reserved.fetch_add(bytes, Ordering::SeqCst);
        }
    }

    /// Releases reserved bytes.
    pub(crate) fn release(&self, id: VolumeId, bytes: u64) {
        if bytes > 0
            && let Some(state) = sync::read(&self.map).get(&id)
        {
            state.reserved.fetch_sub(bytes, Ordering::SeqCst);
        }
    }

    pub(crate) fn add(&self, id: VolumeId, record: VolumeRecord, usage: UsageRecord) {
        let state = VolumeState {
            record,
            is_shelved: false,
            usage,
            reserved: AtomicU64::new(0),
            deleting: false,
            purge: None,
            view: Arc::new(View { layers: Vec::new(), plain: false }),
            pinned: EPOCH_NONE,
        };
        self.change(|map| {
            map.insert(id, state);
        });
    }

    /// Marks the volume as being deleted. From now on it has no view and only its stored records count.
    pub(crate) fn begin_deletion(&self, id: VolumeId) {
        self.change(|map| {
            if let Some(state) = map.get_mut(&id) {
                state.deleting = true;
            }
        });
    }

    pub(crate) fn forget(&self, id: VolumeId) {
        self.change(|map| {
            map.remove(&id);
        });
    }

    /// Notes that the volume has versions that no view shows.
    pub(crate) fn begin_purge(&self, id: VolumeId) {
        let reason = self.purges.fetch_add(1, Ordering::SeqCst);
        if let Some(state) = sync::write(&self.map).get_mut(&id) {
            state.purge = Some(reason);
        }
    }

    pub(crate) fn end_purge(&self, id: VolumeId) {
        if let Some(state) = sync::write(&self.map).get_mut(&id) {
            state.purge = None;
        }
    }

    /// The reason to purge the volume, if there is one.
    pub(crate) fn purge(&self, id: VolumeId) -> Option<u64> {
        sync::read(&self.map).get(&id).and_then(|state| state.purge)
    }

    /// The volumes that have versions that no view shows.
    pub(crate) fn purging(&self) -> Vec<VolumeId> {
        let map = sync::read(&self.map);
        // The purge of a volume that was deleted and can be recovered waits: usually all of it goes.
        let due = map.iter().filter(|(_, state)| state.purge.is_some() && state.is_live());
        due.map(|(id, _)| *id).collect()
    }

    /// All volumes and snapshots that are not being deleted, including those that can be recovered.
    pub(crate) fn all_kept(&self) -> Vec<VolumeId> {
        sync::read(&self.map).iter().filter(|(_, state)| !state.deleting).map(|(id, _)| *id).collect()
    }
}

impl VolumeState {
    /// Whether clients and the operator see it.
    fn is_live(&self) -> bool {
        !self.deleting && !self.is_shelved
    }

    fn bucket(&self, id: VolumeId) -> Bucket {
        bucket(id, &self.record, &self.usage)
    }

    fn is_volume(&self) -> bool {
        self.record.snapshot.is_none()
    }
}

/// A bucket as `record` and `usage` describe it. They may not be stored yet.
pub(crate) fn bucket(id: VolumeId, record: &VolumeRecord, usage: &UsageRecord) -> Bucket {
    let VolumeSpec { name, size, max_bytes_per_second, compression, .. } = record.spec.clone();
    Bucket {
        id,
        spec: BucketSpec { name, size, max_bytes_per_second, compression },
        created: record.created,
        bytes_logical: usage.bytes_logical,
        // The root directory and orphans have no entry.
        objects: usage.inodes.saturating_sub(usage.orphans + 1),
    }
}

fn volume(map: &Map, id: VolumeId, record: &VolumeRecord) -> Volume {
    let origin = record.origin.and_then(|origin| map.get(&origin));
    let clone_of = origin.and_then(|origin| {
        let of = map.get(&origin.record.snapshot?.of)?;
        Some(SnapshotName { volume: of.record.spec.name.clone(), snapshot: origin.record.spec.name.clone() })
    });
    record.volume(id, clone_of)
}

fn snapshot(map: &Map, now: Moment, id: VolumeId, state: &VolumeState) -> Option<Snapshot> {
    let taken = state.record.snapshot?;
    let volume = map.get(&taken.of)?;
    let clones = map.values().filter(|clone| clone.record.origin == Some(id) && !clone.deleting);
    let name = |clone: &VolumeState| clone.record.spec.name.clone();
    let (shelved, clones): (Vec<&VolumeState>, Vec<_>) = clones.partition(|clone| clone.is_shelved);
    Some(Snapshot {
        id,
        volume: taken.of,
        volume_name: volume.record.spec.name.clone(),
        name: state.record.spec.name.clone(),
        root: state.record.root(id),
        created: state.record.created,
        period: taken.period,
        bytes_logical: state.usage.bytes_logical,
        clones: clones.into_iter().map(name).collect(),
        clones_deleted: shelved.into_iter().map(name).collect(),
        expires: taken.expires.map(|expires| expires.when(now)),
        locked_until: taken.locked.filter(|locked| !locked.is_over(now)).map(|locked| locked.when(now)),
        is_for_clone: taken.is_for_clone,
    })
}

/// Recomputes all views.
fn show(map: &mut Map) {
    let shelved: Vec<VolumeId> =
        map.iter().filter(|(_, state)| state.record.deleted.is_some()).map(|(id, _)| *id).collect();
    for (id, state) in map.iter_mut() {
        let of = state.record.snapshot.map_or(*id, |taken| taken.of);
        state.is_shelved = shelved.contains(&of);
    }
    let shown: Vec<(VolumeId, View, Epoch)> = map
        .iter()
        .map(|(id, state)| {
            let of = |other: &&VolumeState| other.record.snapshot.is_some_and(|taken| taken.of == *id);
            let pinned = map.values().filter(of).map(|other| other.record.epoch).max();
            (*id, view(map, *id, state), pinned.unwrap_or(EPOCH_NONE))
        })
        .collect();
    for (id, view, pinned) in shown {
        if let Some(state) = map.get_mut(&id) {
            state.pinned = pinned;
            if *state.view != view {
                state.view = Arc::new(view);
            }
        }
    }
}

fn view(map: &Map, id: VolumeId, state: &VolumeState) -> View {
    let mut layers: Vec<Layer> = Vec::new();
    let (mut id, mut state) = (id, Some(state));
    // Each step leads to an older volume or snapshot, so the loop ends.
    while let Some(at) = state {
        let (of, newest) = match at.record.snapshot {
            Some(taken) => (taken.of, at.record.epoch),
            None => (id, EPOCH_LAST),
        };
        let Some(volume) = map.get(&of) else { break };
        layers.push(Layer { volume: of, newest, hidden: volume.record.hidden.clone() });
        let origin = volume.record.origin;
        id = origin.unwrap_or(of);
        state = origin.and_then(|origin| map.get(&origin));
    }
    let plain = state_is_plain(map, &layers);
    View { layers, plain }
}

/// Whether the only layer is that of a volume that never had a snapshot and is not a clone.
fn state_is_plain(map: &Map, layers: &[Layer]) -> bool {
    match layers {
        [only] => {
            only.newest == EPOCH_LAST
                && map.get(&only.volume).is_some_and(|state| state.record.epoch == EPOCH_FIRST)
        }
        _ => false,
    }
}
