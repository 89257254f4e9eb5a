//! What the pool did by itself because a time was over, until somebody asks for it.

use std::collections::VecDeque;
use std::sync::Mutex;

use crate::OwnAction;
use crate::base::sync;

/// The maximum number that waits. If nobody asks, the oldest are forgotten.
const KEPT_MAX: usize = 1000;

/// See the module.
#[derive(Default)]
pub(crate) struct OwnActions(Mutex<VecDeque<OwnAction>>);

impl OwnActions {
    pub(crate) fn note(&self, action: OwnAction) {
        let mut kept = sync::lock(&self.0);
        if kept.len() >= KEPT_MAX {
            kept.pop_front();
        }
        kept.push_back(action);
    }

    /// Everything since the last call, the oldest first.
    pub(crate) fn take(&self) -> Vec<OwnAction> {
        std::mem::take(&mut *sync::lock(&self.0)).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_kept_and_each_is_taken_once() {
        let actions = OwnActions::default();
        let purged = |number: usize| OwnAction::VolumePurged { name: number.to_string() };
        (0..KEPT_MAX + 2).for_each(|number| actions.note(purged(number)));
        let taken = actions.take();
        assert_eq!((taken.len(), taken.first()), (KEPT_MAX, Some(&purged(2))));
        assert!(actions.take().is_empty());
    }
}
