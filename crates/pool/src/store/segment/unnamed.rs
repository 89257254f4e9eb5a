//! What becomes of a segment that the metadata does not name.

use super::{SegmentStore, frames_in};
use crate::format::keys::SegmentId;
use crate::{Error, Result};

/// The result of the attempt to remove a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It was deleted.
    Deleted,
    /// It is in lost+found.
    Aside,
    /// It is where it was. The log says why.
    Left,
}

/// Deletes a segment that the metadata does not name if it holds no frame, or if none of its frames was acknowledged. Sets it aside otherwise.
pub(crate) fn remove_unnamed(
    store: &dyn SegmentStore,
    id: SegmentId,
    bytes: u64,
    is_leftover: bool,
) -> Result<Fate> {
    if bytes > 0 && store.read_stored(id, 0, 1)?.is_none() {
        // It was listed, and is said not to be there. Whoever is right, nothing is known of what it holds.
        tracing::warn!(segment = %id, bytes, "a segment that the metadata does not name cannot be read, and is left alone");
        return Ok(Fate::Left);
    }
    if is_leftover || frames_in(store, id, bytes)?.is_empty() {
        store.delete(id)?;
        return Ok(Fate::Deleted);
    }
    set_aside(store, id, bytes)
}

fn set_aside(store: &dyn SegmentStore, id: SegmentId, bytes: u64) -> Result<Fate> {
    match store.set_aside(id) {
        Ok(()) => {
            tracing::warn!(
                segment = %id, bytes,
                "a segment that the metadata does not name was moved to lost+found; after a crash it usually holds only data that was \
                 never acknowledged; `forebay pool lost-found` lists such segments and deletes them"
            );
            Ok(Fate::Aside)
        }
        // A file system's own lost+found belongs to root.
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::PermissionDenied => {
            tracing::warn!(segment = %id, bytes, %source, "a segment that the metadata does not name could not be moved to lost+found");
            Ok(Fate::Left)
        }
        Err(error) => Err(error),
    }
}
