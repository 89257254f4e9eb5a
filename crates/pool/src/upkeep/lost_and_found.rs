//! Segments that no metadata names: opening has set them aside, and the operator can list, recover or delete them.

use std::sync::Arc;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::SegmentId;
use crate::{Assessment, Error, LostSegment, Object, Result};

impl Engine {
    pub(crate) fn lost_and_found(&self) -> Vec<LostSegment> {
        let aside = sync::lock(&self.upkeep.aside);
        aside
            .iter()
            .map(|(id, bytes)| LostSegment { segment: id.0, bytes: *bytes, start: id.boot() })
            .collect()
    }

    pub(crate) async fn lost_and_found_delete(self: &Arc<Self>, segment: u64) -> Result<()> {
        let (engine, id) = (self.clone(), SegmentId(segment));
        sync::blocking(move || {
            if !sync::lock(&engine.upkeep.aside).contains_key(&id) {
                return Err(Error::NotFound(Object::LostSegment(id.to_string())));
            }
            engine.stores.segments.delete_aside(id)?;
            sync::lock(&engine.upkeep.aside).remove(&id);
            Ok(())
        })
        .await
    }

    /// Returns what recovering would do. Includes the mismatches that were accepted when the engine was opened.
    pub(crate) fn assess(&self) -> Result<Assessment> {
        let mut unnamed: Vec<(u64, u64)> = self
            .stores
            .segments
            .list()?
            .into_iter()
            .filter(|(id, _)| !self.segments.knows(*id))
            .map(|(id, bytes)| (id.0, bytes))
            .collect();
        unnamed.sort_unstable();
        Ok(Assessment {
            mismatches: self.accepted.clone(),
            unnamed,
            lost: self.segments.lost().into_iter().map(|id| id.0).collect(),
            volumes: self.volumes.list_with_buckets().into_iter().map(|volume| volume.spec.name).collect(),
            bytes_logical: self.volumes.usage_total().bytes_logical,
        })
    }
}
