//! What bytes on the disk mean: keys, records, frames, and where a stream of bytes is cut into chunks.
//!
//! Values go in and bytes come out, and the other way round; this floor does no I/O. Everything here is part of the format
//! (`docs/formats.md`): a change makes existing pools unreadable, or stores equal bytes twice. Open `keys.rs` first, then
//! `records/mod.rs`.

pub(crate) mod codec;
pub(crate) mod cut;
pub(crate) mod frames;
pub(crate) mod keys;
pub(crate) mod records;

/// The newest format that this release reads, and the one it writes.
pub(crate) const FORMAT: u32 = 3;
