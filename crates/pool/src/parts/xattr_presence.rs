//! Whether the pool may hold extended attributes. If it holds none, freeing an inode needs no scan for them.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Result;
use crate::format::keys;
use crate::store::meta::MetaStore;

/// Whether the pool may hold extended attributes in any volume, version or snapshot. Only the committer sets it and
/// relies on it, so no attribute can be staged unnoticed while an inode is being freed.
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

    /// Notes that there may be attributes from now on. Only the next opening can notice that all of them are gone.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether there may be attributes.
    pub(crate) fn may_be(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
