//! The state that the cleaner and the deletion of dead segments keep between rounds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::sync;
use crate::format::keys::SegmentId;

/// The time after which a segment that was given up is tried again.
pub(crate) const RETRY: Duration = Duration::from_secs(600);

/// The state that rounds leave to the next ones.
#[derive(Default)]
pub(crate) struct Cleaner {
    /// Segments that could not be cleaned, for example because part of them is unreadable.
    pub(crate) uncleaned: GivenUp,
    /// Dead segments that could not be deleted.
    pub(crate) undeleted: GivenUp,
}

/// Segments that are left alone for a while. Otherwise each round would end at the same one.
#[derive(Default)]
pub(crate) struct GivenUp(Mutex<BTreeMap<SegmentId, Instant>>);

impl GivenUp {
    pub(crate) fn add(&self, id: SegmentId) {
        let now = Instant::now();
        let mut segments = sync::lock(&self.0);
        segments.retain(|_, until| *until > now);
        segments.insert(id, now + RETRY);
    }

    /// Those that are not tried again yet.
    pub(crate) fn get(&self) -> BTreeSet<SegmentId> {
        let now = Instant::now();
        sync::lock(&self.0).iter().filter(|(_, until)| **until > now).map(|(id, _)| *id).collect()
    }
}
