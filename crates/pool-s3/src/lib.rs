//! A pool's segments in a bucket: an implementation of [`forebay_pool::store::SegmentStore`].
//!
//! A segment is gathered in memory and becomes one object when the pool syncs it. Objects never change. The name of an object contains the start
//! of the pool that wrote it, so a process that was replaced can only add objects that nothing names.
//! `docs/decisions/0053-segments-in-a-bucket.md` has the design and its reasons.
//!
//! ```text
//!   address.rs   where the bucket is, and how to sign in
//!   client.rs    requests, repeated while the bucket does not answer, and counted
//!   gather.rs    a segment that is not stored yet
//!   cache.rs     blocks of objects in memory and on this machine's disk
//!   notes.rs     small texts beside the segments
//!   segments.rs  all of it as a store of segments
//! ```
//! Open `segments.rs` first.

mod address;
mod cache;
mod client;
mod gather;
mod notes;
mod segments;

pub use address::{Address, Credentials};
pub use cache::CacheOptions;
pub use notes::BucketNotes;
pub use segments::{BucketOptions, BucketRoom, BucketSegments};
