//! How the check visits records. A record that cannot be decoded is remembered as a gap, and the visit continues.

use std::ops::{ControlFlow, Range};

use crate::format::keys::{self, Key};
use crate::format::records::{Record, is_tombstone, malformed};
use crate::parts::view::{BATCH_ITEMS, RangeIn};
use crate::store::meta::MetaView;
use crate::store::resilient::ResilientView;
use crate::upkeep::check::VolumeThen;
use crate::upkeep::check::watch::CheckWatch;
use crate::{InodeId, Result, VolumeId};

/// Visits all records of a kind, with the id in their key.
pub(crate) fn each<K, R: Record>(
    (meta, watch): (&ResilientView, &CheckWatch),
    range: Range<Key>,
    name: impl Fn(&[u8]) -> Option<K>,
    mut visit: impl FnMut(K, R),
) -> Result<()> {
    meta.scan(range, &mut |key, value| {
        watch.go_on()?;
        let visited = R::decode(key, value).and_then(|record| {
            visit(name(key).ok_or_else(|| malformed(R::NAME, key))?, record);
            Ok(())
        });
        meta.tolerate(key, visited)?;
        Ok(ControlFlow::Continue(()))
    })
}

/// Visits all stored versions of a kind, except tombstones, with their volume.
pub(crate) fn each_stored<R: Record>(
    (meta, watch): (&ResilientView, &CheckWatch),
    kind: u8,
    mut visit: impl FnMut(VolumeId, R),
) -> Result<()> {
    meta.scan(keys::items_of_all(kind), &mut |key, value| {
        watch.go_on()?;
        if is_tombstone(value) {
            return Ok(ControlFlow::Continue(()));
        }
        let visited = R::decode(key, value).and_then(|record| {
            visit(keys::volume_in(key).ok_or_else(|| malformed(R::NAME, key))?, record);
            Ok(())
        });
        meta.tolerate(key, visited)?;
        Ok(ControlFlow::Continue(()))
    })
}

/// Visits all readable records of a kind that a volume or snapshot shows, with the inode in their key.
pub(crate) fn each_shown<R: Record>(
    meta: &ResilientView,
    volume: &VolumeThen,
    range: &RangeIn<'_>,
    mut visit: impl FnMut(InodeId, &[u8], R) -> Result<()>,
) -> Result<()> {
    volume.view.scan(meta, range, BATCH_ITEMS, &mut |key, value| {
        let visited = R::decode(key, value).and_then(|record| {
            let named = keys::inode_in(key).ok_or_else(|| malformed(R::NAME, key))?;
            visit(named.inode, key, record)
        });
        meta.tolerate(key, visited)?;
        Ok(ControlFlow::Continue(()))
    })
}
