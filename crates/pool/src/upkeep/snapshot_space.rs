//! What the deletion of each snapshot of a volume would free.
//!
//! A version of an extent goes with a snapshot if that snapshot shows it and nothing else does. A chunk goes if all references to it
//! are in such versions of one snapshot. The versions are those of one instant. The result is kept for a while, because a scan of a
//! large volume takes long, and says when it was computed.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::{self, ChunkId, Epoch, Item};
use crate::format::records::{ChunkRecord, Content, ExtentRecord, Record, is_tombstone, malformed};
use crate::parts::view::View;
use crate::store::meta::MetaView;
use crate::{Result, SnapshotSpace, VolumeId};

/// The most chunks that are counted. Of more, a part is counted, and the result is an estimate.
const CHUNKS_MAX: usize = if cfg!(test) { 64 } else { 1 << 20 };

/// How long a result is given again.
const KEPT: Duration = Duration::from_secs(60);

impl Engine {
    pub(crate) async fn snapshot_space(self: &Arc<Self>, volume: VolumeId) -> Result<SnapshotSpace> {
        // In the committer, so that the view agrees with the metadata.
        let (meta, view, snapshots) = self
            .transact(move |txn| {
                let volumes = &txn.engine.volumes;
                let taken = volumes.snapshots(Some(volume)).into_iter();
                let taken = taken.map(|taken| Ok((taken.id, volumes.record(taken.id)?.epoch)));
                let taken = taken.collect::<Result<Vec<(VolumeId, Epoch)>>>()?;
                Ok((txn.engine.stores.meta.snapshot()?, volumes.view(volume)?, taken))
            })
            .await?;
        let known = sync::lock(&self.upkeep.spaces).get(&volume).cloned();
        if let Some((at, known)) = known
            && at.elapsed() < KEPT
            && known.frees.len() == snapshots.len()
            && snapshots.iter().all(|(id, _)| known.frees.contains_key(id))
        {
            return Ok(known);
        }
        let taken = self.clock.now();
        let counted = sync::blocking(move || count(&*meta, &view, volume, &snapshots)).await?;
        let space = SnapshotSpace { taken, ..counted };
        let mut all = sync::lock(&self.upkeep.spaces);
        all.retain(|_, (at, _)| at.elapsed() < KEPT);
        all.insert(volume, (Instant::now(), space.clone()));
        Ok(space)
    }
}

/// The references to chunks in versions that go with one snapshot.
struct Chunks {
    counts: HashMap<ChunkId, Count>,
    /// Only chunks whose ids begin with this many zero bits are counted.
    bits: u32,
}

/// The references to one chunk.
struct Count {
    /// The snapshot that all of them go with; `None` if there are several.
    snapshot: Option<VolumeId>,
    references: u32,
}

impl Chunks {
    fn is_counted(&self, id: &ChunkId) -> bool {
        let first = id.0.first_chunk::<8>().map_or(0, |first| u64::from_be_bytes(*first));
        first.leading_zeros() >= self.bits
    }

    fn add(&mut self, id: ChunkId, snapshot: VolumeId) {
        if !self.is_counted(&id) {
            return;
        }
        let count = self.counts.entry(id).or_insert(Count { snapshot: Some(snapshot), references: 0 });
        count.references = count.references.saturating_add(1);
        if count.snapshot != Some(snapshot) {
            count.snapshot = None;
        }
        while self.counts.len() > CHUNKS_MAX && self.bits < 60 {
            self.bits += 1;
            let mut counts = std::mem::take(&mut self.counts);
            counts.retain(|id, _| self.is_counted(id));
            self.counts = counts;
        }
    }
}

fn count(
    meta: &dyn MetaView,
    view: &View,
    volume: VolumeId,
    snapshots: &[(VolumeId, Epoch)],
) -> Result<SnapshotSpace> {
    let mut frees: HashMap<VolumeId, u64> = snapshots.iter().map(|(id, _)| (*id, 0)).collect();
    let mut chunks = Chunks { counts: HashMap::new(), bits: 0 };
    // The item whose versions are being visited, and the epoch of the version after the current one.
    let mut newer: Option<(Item, Epoch)> = None;
    let layer = view.layers.first();
    meta.scan(keys::extents_of_volume(volume), &mut |key, value| {
        let (item, epoch) = Item::of(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
        if !layer.is_some_and(|layer| layer.shows(epoch)) {
            return Ok(ControlFlow::Continue(()));
        }
        let until = newer.take().filter(|(last, _)| *last == item).map(|(_, until)| until);
        newer = Some((item, epoch));
        // The volume shows a version that no other one follows.
        let Some(until) = until.filter(|_| !is_tombstone(value)) else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut showing = snapshots.iter().filter(|(_, at)| epoch <= *at && *at < until);
        if let (Some((snapshot, _)), None) = (showing.next(), showing.next()) {
            let extent = ExtentRecord::decode(key, value)?;
            match extent.content {
                Content::Inline(_) => *frees.entry(*snapshot).or_default() += u64::from(extent.length),
                Content::Chunk { id, .. } => chunks.add(id, *snapshot),
            }
        }
        Ok(ControlFlow::Continue(()))
    })?;
    let Chunks { counts, bits } = chunks;
    for (id, Count { snapshot, references }) in counts {
        let Some(snapshot) = snapshot else { continue };
        let key = keys::chunk(id);
        let Some(value) = meta.get(&key)? else { continue };
        let record = ChunkRecord::decode(&key, &value)?;
        if record.references == references {
            *frees.entry(snapshot).or_default() += u64::from(record.bytes_stored) << bits;
        }
    }
    Ok(SnapshotSpace { taken: std::time::SystemTime::UNIX_EPOCH, is_estimate: bits > 0, frees })
}
