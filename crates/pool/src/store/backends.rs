//! What a pool can be opened on instead of a directory: [`crate::Pool::open_on`].

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;

use super::meta::MetaStore;
use super::room::Room;
use super::segment::SegmentStore;
use crate::Result;

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
    /// Where each start of the pool notes how far the metadata reached. With it, metadata that was set back to an earlier state is refused. All
    /// processes that may open the pool must see the same place, which must not be in the database's keeping.
    pub notes: Option<Notes>,
}

/// A place for notes of how far the metadata reached.
pub enum Notes {
    /// A directory.
    Directory(PathBuf),
    /// Something else that keeps small texts by name.
    Store(Box<dyn NoteStore>),
}

/// Keeps small texts by name.
pub trait NoteStore: Send + Sync + 'static {
    /// All texts, with their names, and where they are, for messages.
    fn list(&self) -> Result<Vec<(String, PathBuf, Bytes)>>;
    /// Keeps a text instead of the one with this name. With `durably`, returns when it is stored; otherwise it may be stored later, or not at all if
    /// another one follows soon.
    fn put(&self, name: &str, text: Bytes, durably: bool) -> Result<()>;
    /// Removes the text with this name, if there is one.
    fn remove(&self, name: &str) -> Result<()>;
}
