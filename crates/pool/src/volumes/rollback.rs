//! Rollback: a volume becomes what one of its snapshots shows, in constant time.
//!
//! The volume gets a new epoch, and the epochs between the snapshot's and the new one are hidden. No view shows the versions
//! of hidden epochs, and the purge removes them. The snapshot itself stays, and so do older ones.
//!
//! Memory follows in the committer, right after the batch, so nothing is written in between. Inodes that the snapshot has
//! continue, with their current holds. All others become stale. A flush, read or freeing that began earlier notices that the
//! inode's count of rollbacks, or of truncations, has changed. A client must notice that files have changed, and a value of
//! `change` must never repeat. Therefore the rollback begins an era, whose first `change` is the least that the volume's
//! inodes show from then on.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::{Epoch, Item};
use crate::format::records::InodeRecord;
use crate::parts::inode::{Inode, change_floor};
use crate::parts::log::Rule;
use crate::volumes::staging::{begin_purge, forget, require_unused};
use crate::{Error, InUse, InodeId, Result, Snapshot, VolumeId};

/// Records by inode. `None` for an inode that is not shown.
type Shown = BTreeMap<InodeId, Option<InodeRecord>>;

impl Engine {
    /// Makes the volume what its snapshot shows. With `force`, deletes younger snapshots. Without `force`, fails if there
    /// are any.
    pub(crate) async fn volume_rollback(
        self: &Arc<Self>,
        volume: &str,
        snapshot: &str,
        force: bool,
    ) -> Result<()> {
        let volume = self.volumes.by_name(volume)?.id;
        let snapshot = snapshot.to_owned();
        self.transact(move |txn| {
            let to = txn.engine.snapshot_of(volume, &snapshot)?;
            stage(txn, volume, &to, force)
        })
        .await
    }

    /// The snapshot's records of the inodes that are in memory.
    fn shown_inodes(&self, volume: VolumeId, snapshot: VolumeId) -> Result<Shown> {
        let inodes = self.inodes.of_volume(volume).into_iter().map(|inode| inode.handle.inode);
        inodes.map(|inode| Ok((inode, self.item(snapshot, &Item::inode(inode))?))).collect()
    }

    /// Updates the volume's inodes in memory to what the volume shows now.
    fn roll_back_inodes(&self, volume: VolumeId, mut shown: Shown) {
        let floor = self.volumes.change_floor(volume);
        for inode in self.inodes.of_volume(volume) {
            let record = match shown.remove(&inode.handle.inode) {
                Some(record) => record.map(|record| record.with_change_floor(floor)),
                // The inode was loaded meanwhile. If its record cannot be read, drop it from memory, so that it is loaded
                // again later.
                None => self.inode_record(inode.key()).unwrap_or_else(|error| {
                    tracing::warn!(inode = inode.handle.inode.0, %error, "rollback: the record of an inode cannot be read; the inode was dropped from memory");
                    self.inodes.forget(inode.key());
                    None
                }),
            };
            self.roll_back(&inode, record);
        }
    }

    fn roll_back(&self, inode: &Arc<Inode>, record: Option<InodeRecord>) {
        let record = record.filter(|record| record.generation == inode.handle.generation);
        let (bytes, growth) = {
            let mut state = inode.state();
            if self.keeps(Rule::WaitForBatch) {
                state.batch = self.stores.meta.position().written;
            }
            state.rolled_back(record)
        };
        self.writes.dirty.release(bytes);
        self.volumes.release(inode.handle.volume, growth);
        self.writes.dirty.settle(inode);
    }
}

fn stage(txn: &mut Txn<'_>, volume: VolumeId, to: &Snapshot, force: bool) -> Result<()> {
    let mut record = txn.engine.volumes.record(volume)?;
    let shown = txn.engine.volumes.record(to.id)?;
    let younger = younger(txn, volume, shown.epoch)?;
    let what = InUse::Rollback { volume: record.spec.name.clone(), snapshot: to.name.clone() };
    require_unused(&younger, what, "delete the clones first, as their snapshots go with the rollback")?;
    if !force && !younger.is_empty() {
        let names: Vec<&str> = younger.iter().map(|taken| &taken.name[..]).collect();
        return Err(Error::InUse {
            what: InUse::Rollback { volume: record.spec.name, snapshot: to.name.clone() },
            by: format!("younger snapshots: {}", names.join(", ")),
            remedy: "delete them first, or use force to delete them with the rollback",
        });
    }
    for taken in younger {
        forget(txn, taken.id);
    }
    let hidden = (Epoch(shown.epoch.0 + 1), record.epoch);
    record.hidden.retain(|(from, _)| *from < hidden.0);
    record.hidden.push(hidden);
    record.epoch = Epoch(record.epoch.0.checked_add(1).ok_or(Error::NoSpace)?);
    record.change_floor = change_floor(txn.begin_era());
    // Nothing is logged between the floor and its effect in memory.
    let log = txn.engine.log.as_ref().filter(|log| log.keeps(Rule::Floor));
    let closed = log.map(|log| log.close_volume(volume));
    if txn.engine.keeps(Rule::Floor) {
        record.log_floor = txn.engine.log_position();
    }
    // Read before anything changes: afterwards, an error could no longer prevent the rollback.
    let inodes = txn.engine.shown_inodes(volume, to.id)?;
    let usage = txn.engine.volumes.usage(to.id);
    let own = txn.usage(volume)?;
    *own = own.showing(usage);
    txn.change_volume(volume, record);
    txn.then(move |engine| {
        engine.roll_back_inodes(volume, inodes);
        engine.queue_new_orphans(volume);
        drop(closed);
    });
    begin_purge(txn, volume);
    Ok(())
}

/// The volume's snapshots that are younger than an epoch.
fn younger(txn: &Txn<'_>, volume: VolumeId, epoch: Epoch) -> Result<Vec<Snapshot>> {
    let mut younger = Vec::new();
    for taken in txn.engine.volumes.snapshots(Some(volume)) {
        if txn.engine.volumes.record(taken.id)?.epoch > epoch {
            younger.push(taken);
        }
    }
    Ok(younger)
}
