//! What the registry knows of deleted volumes that can be recovered, and of deadlines.

use std::time::{Duration, UNIX_EPOCH};

use super::{Map, VolumeState, Volumes, volume};
use crate::base::deadline::Moment;
use crate::base::sync;
use crate::format::records::VolumeRecord;
use crate::parts::timekeeper::Timekeeper;
use crate::{DeletedVolume, Error, Result, Snapshot, Volume, VolumeId};

impl Volumes {
    pub(super) fn kept<T>(&self, id: VolumeId, look: impl FnOnce(&VolumeState) -> T) -> Result<T> {
        let map = sync::read(&self.map);
        map.get(&id).filter(|state| !state.deleting).map(look).ok_or(Error::Stale)
    }

    /// The record of a volume or snapshot, even if it was deleted and can be recovered.
    pub(crate) fn record_kept(&self, id: VolumeId) -> Result<VolumeRecord> {
        self.kept(id, |state| state.record.clone())
    }

    /// Whether the volume, or the snapshot's volume, was deleted and can be recovered.
    pub(crate) fn is_shelved(&self, id: VolumeId) -> bool {
        self.kept(id, |state| state.is_shelved).unwrap_or(false)
    }

    /// The deleted volumes, by name and by when they were deleted.
    pub(crate) fn deleted(&self) -> Vec<DeletedVolume> {
        let (map, now) = (sync::read(&self.map), self.time.now());
        let all = map.iter().filter(|(_, state)| !state.deleting);
        let mut deleted: Vec<DeletedVolume> =
            all.filter_map(|(id, state)| deleted(&map, now, *id, state)).collect();
        deleted.sort_by(|one, other| {
            (&one.spec.name, one.deleted, one.id).cmp(&(&other.spec.name, other.deleted, other.id))
        });
        deleted
    }

    /// The deleted volumes whose time is over.
    pub(crate) fn deleted_due(&self) -> Vec<VolumeId> {
        let (map, now) = (sync::read(&self.map), self.time.now());
        let due = map.iter().filter(|(_, state)| {
            let deleted = state.record.deleted.as_ref();
            !state.deleting && deleted.is_some_and(|deleted| deleted.until.is_over(now))
        });
        due.map(|(id, _)| *id).collect()
    }

    /// What the clocks of deadlines show.
    pub(crate) fn now(&self) -> Moment {
        self.time.now()
    }

    /// The clocks of deadlines.
    pub(crate) fn time(&self) -> &Timekeeper {
        &self.time
    }

    /// Whether there is a deadline that is not over.
    pub(crate) fn has_deadlines(&self) -> bool {
        let (map, now) = (sync::read(&self.map), self.time.now());
        map.values().filter(|state| !state.deleting).any(|state| {
            let taken = state.record.snapshot;
            let of_snapshot = taken.is_some_and(|taken| {
                taken.expires.is_some() || taken.locked.is_some_and(|locked| !locked.is_over(now))
            });
            state.record.deleted.is_some() || of_snapshot
        })
    }

    /// The snapshots that have expired and are not locked, as their volumes and ids.
    pub(crate) fn snapshots_due(&self) -> Vec<Snapshot> {
        let now = self.time.now();
        self.snapshots_if(|state, _| {
            let taken = state.record.snapshot;
            let expires = taken.and_then(|taken| taken.expires);
            let locked = taken.and_then(|taken| taken.locked);
            !state.is_shelved
                && expires.is_some_and(|expires| expires.is_over(now))
                && locked.is_none_or(|locked| locked.is_over(now))
        })
    }
}

fn deleted(map: &Map, now: Moment, id: VolumeId, state: &VolumeState) -> Option<DeletedVolume> {
    let of_record = state.record.deleted.clone()?;
    let taken = map.values().filter_map(|other| other.record.snapshot).filter(|taken| taken.of == id);
    let locks = taken.clone().filter_map(|taken| taken.locked).filter(|locked| !locked.is_over(now));
    let Volume { spec, created, clone_of, .. } = volume(map, id, &state.record);
    Some(DeletedVolume {
        id,
        spec,
        created,
        deleted: UNIX_EPOCH + Duration::from_secs(of_record.at.min(u64::from(u32::MAX))),
        until: of_record.until.when(now),
        bytes_logical: state.usage.bytes_logical,
        inodes: state.usage.inodes,
        snapshots: taken.count() as u64,
        locked_until: locks.map(|locked| locked.when(now)).max(),
        clone_of,
        note: of_record.note,
    })
}
