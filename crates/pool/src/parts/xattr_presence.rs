//! Whether the pool may hold extended attributes at all: where it does not, freeing an inode costs no look for them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Result;
use crate::format::keys;
use crate::store::meta::MetaStore;

/// Whether the pool may hold extended attributes, in whatever volume, version or snapshot. Only the committer changes it and relies on it,
/// so none is staged unnoticed while an inode is being freed.
pub(crate) struct Presence(AtomicBool);

impl Presence {
    /// Looks for an extended attribute in the metadata store.
    pub(crate) fn load(meta: &dyn MetaStore) -> Result<Presence> {
        let mut found = false;
        meta.scan(keys::items_of_all(keys::XATTR), &mut |_, _| {
            found = true;
            Ok(ControlFlow::Break(()))
        })?;
        Ok(Presence(AtomicBool::new(found)))
    }

    /// From here on there may be some. Only the next opening notices that all are gone again.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether there may be some.
    pub(crate) fn may_be(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
