//! The sweep of a store in which it takes long to list all segments ([`crate::store::segment::SegmentStore::keeps_objects`]).
//!
//! Opening looks at the segments of the last start only. The sweep lists all of them, an hour after opening and then once a day. It notes which
//! of the segments that hold data are missing, and deals with those that earlier starts have left behind: a segment that the metadata does not
//! name is set aside, as opening would do. Only segments of earlier starts are touched. Their owners were replaced, so no chunk in them will be
//! named any more; the hour lets requests end that an owner had sent before it was replaced.

use std::sync::Arc;
use std::time::Duration;

use crate::Result;
use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::SegmentId;
use crate::store::segment::remove_unnamed;

/// The time between opening and the first sweep.
pub(crate) const SWEEP_FIRST: Duration = Duration::from_secs(60 * 60);
/// The time between two sweeps.
pub(crate) const SWEEP_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

impl Engine {
    /// Lists all segments, and deals with those that earlier starts have left behind. Returns the number of segments set aside.
    pub(crate) async fn sweep(self: &Arc<Self>) -> Result<usize> {
        let engine = self.clone();
        sync::blocking(move || engine.sweep_now()).await
    }

    fn sweep_now(&self) -> Result<usize> {
        let store = &self.stores.segments;
        let listed = store.list()?;
        let earlier = |id: SegmentId| id.boot() < self.identity.boot;
        let there: Vec<_> = listed.into_iter().filter(|(id, _)| earlier(*id)).collect();
        self.segments.found(&there);
        self.segments.report_lost();
        let (mut aside, mut changed) = (0, false);
        // Looked up after the list was made: a segment whose record is removed meanwhile is deleted already.
        for (id, bytes) in there.into_iter().filter(|(id, _)| !self.segments.knows(*id)) {
            self.require_open()?;
            changed = true;
            if remove_unnamed(&**store, id, bytes, false)? {
                sync::lock(&self.upkeep.aside).insert(id, bytes);
                aside += 1;
            }
        }
        if changed {
            store.sync_deletions()?;
        }
        Ok(aside)
    }
}
