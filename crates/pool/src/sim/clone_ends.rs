//! Where the batches of clones of ranges ended: a clone of many extents takes several batches, and readers and a crash see a first part
//! of it that ends there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex};

use crate::Handle;

/// The ends in one target file, since the pool was opened.
#[derive(Clone, Default)]
pub(crate) struct Ends(Arc<Mutex<BTreeSet<u64>>>);

impl Ends {
    /// Those behind `from`, up to `to`.
    pub(super) fn within(&self, from: u64, to: u64) -> Vec<u64> {
        // Not through `crate::base::sync`: nobody waits while holding it.
        let ends = self.0.lock().unwrap();
        ends.iter().copied().filter(|end| (from + 1..=to).contains(end)).collect()
    }
}

impl<const N: usize> From<[u64; N]> for Ends {
    fn from(ends: [u64; N]) -> Self {
        Ends(Arc::new(Mutex::new(ends.into())))
    }
}

/// The ends by target file.
#[derive(Default)]
pub(crate) struct CloneEnds(Mutex<BTreeMap<Handle, Ends>>);

impl CloneEnds {
    pub(crate) fn of(&self, target: Handle) -> Ends {
        self.0.lock().unwrap().entry(target).or_default().clone()
    }

    /// A batch is about to be visible that ends here.
    pub(crate) fn note(&self, target: Handle, end: u64) {
        self.of(target).0.lock().unwrap().insert(end);
    }
}

impl fmt::Debug for CloneEnds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CloneEnds")
    }
}
