//! The decisions of the policies that a connection caches.

use std::sync::{Mutex, PoisonError};

use forebay_pool::VolumeId;

use super::rule::Admission;

/// Number of cached decisions per connection, the most recent ones. The list is scanned, so a larger one
/// would not help.
const DECISIONS_MAX: usize = 64;

/// The decisions for one connection, by volume.
#[derive(Debug, Default)]
pub struct Decisions {
    made: Mutex<Vec<Decision>>,
}

/// What the policies decided about a volume.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    pub volume: VolumeId,
    /// The generation of the policies at the time of the decision.
    pub generation: u64,
    pub admission: Admission,
}

impl Decisions {
    /// The decision about a volume, unless a policy has changed since.
    pub(crate) fn recall(&self, volume: VolumeId, generation: u64) -> Option<Admission> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let found = made.iter().find(|decision| decision.volume == volume);
        found.filter(|decision| decision.generation == generation).map(|decision| decision.admission)
    }

    /// Caches a decision.
    pub(crate) fn note(&self, decision: Decision) {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|old| old.generation >= decision.generation && old.volume != decision.volume);
        if made.len() >= DECISIONS_MAX {
            made.remove(0);
        }
        made.push(decision);
    }
}
