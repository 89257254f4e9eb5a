//! Segments that a backup still has to copy. They are not deleted before, although nothing refers to them any more.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::base::sync;
use crate::format::keys::SegmentId;
use crate::{Error, Result};

/// The segments that are held; `None` while no backup is being made.
#[derive(Default)]
pub(crate) struct Held(Mutex<Option<BTreeSet<SegmentId>>>);

/// The backup that is being made. Ends with its drop.
pub(crate) struct Holding(Arc<Held>);

impl Held {
    /// Begins a backup, if no other one is being made.
    pub(crate) fn begin(self: &Arc<Self>) -> Result<Holding> {
        let mut held = sync::lock(&self.0);
        if held.is_some() {
            return Err(Error::Backup {
                cause: "another backup of the pool is being made",
                remedy: "wait until it has finished, or cancel it",
            });
        }
        *held = Some(BTreeSet::new());
        Ok(Holding(self.clone()))
    }

    /// Holds these segments, if a backup is being made. To be called in the committer, so that nothing deletes one in between.
    pub(crate) fn hold(&self, ids: BTreeSet<SegmentId>) {
        if let Some(held) = sync::lock(&self.0).as_mut() {
            *held = ids;
        }
    }

    /// Whether any is held.
    pub(crate) fn is_any(&self) -> bool {
        sync::lock(&self.0).as_ref().is_some_and(|held| !held.is_empty())
    }

    pub(crate) fn holds(&self, id: SegmentId) -> bool {
        sync::lock(&self.0).as_ref().is_some_and(|held| held.contains(&id))
    }

    /// Lets all segments go, for lack of space.
    pub(crate) fn let_go(&self) {
        self.hold(BTreeSet::new());
    }
}

impl Holding {
    /// Whether the segment is still held.
    pub(crate) fn has(&self, id: SegmentId) -> bool {
        self.0.holds(id)
    }

    /// Lets a segment go that was copied.
    pub(crate) fn release(&self, id: SegmentId) {
        if let Some(held) = sync::lock(&self.0.0).as_mut() {
            held.remove(&id);
        }
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        *sync::lock(&self.0.0) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_held_until_they_are_copied_or_the_backup_ends() {
        let held = Arc::<Held>::default();
        held.hold(BTreeSet::from([SegmentId(1)]));
        assert!(!held.holds(SegmentId(1)), "held without a backup");
        let holding = held.begin().unwrap();
        assert!(matches!(held.begin(), Err(Error::Backup { .. })));
        held.hold(BTreeSet::from([SegmentId(1), SegmentId(2)]));
        holding.release(SegmentId(1));
        assert!(!held.holds(SegmentId(1)) && holding.has(SegmentId(2)));
        drop(holding);
        assert!(!held.holds(SegmentId(2)));
        held.begin().unwrap();
    }
}
