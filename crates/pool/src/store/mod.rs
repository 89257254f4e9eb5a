//! Where a pool is stored: the metadata store, the segments, the pool's directory and its witnesses.
//!
//! The floors above pass down batches of keys and values, and frames; this floor makes them durable and reads them back. Its
//! seams are the traits [`meta::MetaStore`] and [`segment::SegmentStore`], each with an implementation on disk and one in memory, and
//! [`log::LogStore`]; `confirmed.rs` asks before each change that passes them. Open `meta/mod.rs` and `segment/mod.rs` first.

pub(crate) mod confirmed;
pub(crate) mod copies;
pub(crate) mod home;
pub(crate) mod log;
pub(crate) mod meta;
pub(crate) mod resilient;
pub(crate) mod room;
pub(crate) mod segment;
pub(crate) mod witness;
