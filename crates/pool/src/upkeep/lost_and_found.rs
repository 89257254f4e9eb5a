//! Segments that the metadata does not name. Opening sets them aside; the operator can list, recover or delete them.

use std::sync::Arc;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::SegmentId;
use crate::parts::registry::Volumes;
use crate::parts::segment_table::SegmentTable;
use crate::{Assessment, Error, InUse, LostSegment, Mismatch, Object, Result};

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
            // The metadata was set back, this was moved away, and then the metadata came back.
            if engine.segments.knows(id) {
                return Err(Error::InUse {
                    what: InUse::Object(Object::LostSegment(id.to_string())),
                    by: "the metadata".to_owned(),
                    remedy: "stop the daemon, and move it back to the other segments",
                });
            }
            engine.stores.segments.delete_aside(id)?;
            sync::lock(&engine.upkeep.aside).remove(&id);
            Ok(())
        })
        .await
    }

    /// Returns what a recovery would do. Includes the mismatches that were accepted when the engine was opened.
    pub(crate) fn assess(&self) -> Result<Assessment> {
        let there = self.stores.segments.list()?.into_iter();
        let unnamed = there.filter(|(id, _)| !self.segments.knows(*id)).collect();
        Ok(Assessment::of(self.accepted.clone(), unnamed, &self.segments, &self.volumes))
    }
}

impl Assessment {
    /// From the segments that would be set aside, with their sizes in bytes, and a table that knows which of its own are there.
    pub(crate) fn of(
        mismatches: Vec<Mismatch>,
        unnamed: Vec<(SegmentId, u64)>,
        segments: &SegmentTable,
        volumes: &Volumes,
    ) -> Assessment {
        let mut unnamed: Vec<(u64, u64)> = unnamed.into_iter().map(|(id, bytes)| (id.0, bytes)).collect();
        unnamed.sort_unstable();
        Assessment {
            mismatches,
            unnamed,
            lost: segments.lost().into_iter().map(|id| id.0).collect(),
            volumes: volumes.list_with_buckets().into_iter().map(|volume| volume.spec.name).collect(),
            bytes_logical: volumes.usage_total().bytes_logical,
        }
    }
}
