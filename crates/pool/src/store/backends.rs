//! What a pool can be opened on instead of a directory: [`crate::Pool::open_on`].

use std::path::PathBuf;
use std::sync::Arc;

use super::meta::MetaStore;
use super::room::Room;
use super::segment::SegmentStore;

/// The stores of one pool.
///
/// The pool must be their only writer. Whoever opens the metadata store has to make sure of that, as long as the store lives.
pub struct Backends {
    /// The metadata.
    pub metadata: Arc<dyn MetaStore>,
    /// The segments of this pool.
    pub segments: Arc<dyn SegmentStore>,
    /// The space that the segments have.
    pub room: Box<dyn Room>,
    /// A directory, not in the database's keeping, in which each start of the pool notes how far the metadata reached. With it, metadata that was
    /// set back to an earlier state is refused. All processes that may open the pool must see the same one.
    pub notes: Option<PathBuf>,
}
