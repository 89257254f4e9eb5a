//! Where a pool is stored: the metadata store, the segments, the pool's directory and its witnesses.
//!
//! The floors above pass down batches of keys and values, and frames; this floor makes them durable and reads them back. Its
//! seams are the traits [`MetaStore`] and [`SegmentStore`], each with an implementation on disk and one in memory, and
//! [`log::LogStore`]; `confirmed.rs` asks before each change that passes them. Open `meta/mod.rs` and `segment/mod.rs` first.
//!
//! Another crate can implement [`MetaStore`] and [`SegmentStore`], and open a pool on them with [`crate::Pool::open_on`]. The module [`contract`],
//! with the feature of this name, has the tests that an implementation must pass.

mod backends;
pub(crate) mod confirmed;
mod connections;
#[cfg(any(test, feature = "contract"))]
pub mod contract;
pub(crate) mod copies;
pub(crate) mod home;
pub(crate) mod log;
pub(crate) mod meta;
pub(crate) mod resilient;
pub(crate) mod room;
pub(crate) mod segment;
pub(crate) mod witness;

pub use crate::base::counters::ObjectCounts;
pub use crate::format::keys::{Key, SegmentId};
pub use crate::format::unit::{Table, Unit};
pub use backends::{Backends, NoteStore, Notes};
pub use connections::{Connections, wait_in_place};
pub use meta::{Batch, MemoryMeta, MetaStore, MetaView, Position, Visit};
pub use room::{FileSystemRoom, Room, UnlimitedRoom};
pub use segment::{FileSegments, LARGE_BYTES, MemorySegments, SegmentStore};
