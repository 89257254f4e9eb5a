//! What a pool can be opened on instead of a directory: [`crate::Pool::open_on`].

use std::sync::Arc;

use super::meta::MetaStore;
use super::room::Room;
use super::segment::SegmentStore;

/// The stores of one pool.
///
/// The pool must be their only writer. Whoever opens the metadata store has to make sure of that, as long as the store lives.
pub struct Backends {
    /// The metadata. It proves its own completeness, as a database does: no file beside it says how far it must reach.
    pub metadata: Arc<dyn MetaStore>,
    /// The segments of this pool.
    pub segments: Arc<dyn SegmentStore>,
    /// The space that the segments have.
    pub room: Box<dyn Room>,
}
