//! The meaning of the bytes on the disk: keys, records, frames, and the cutting of a stream of bytes into chunks.
//!
//! This layer converts values to bytes and back, and does no I/O. Everything here is part of the format
//! (`docs/formats.md`): a change makes existing pools unreadable, or stores equal bytes twice. Open `keys.rs` first,
//! then `records/mod.rs`.

pub(crate) mod bucket_keys;
pub(crate) mod codec;
pub(crate) mod cut;
pub(crate) mod frames;
pub(crate) mod keys;
pub(crate) mod log;
pub(crate) mod records;

/// The format of a pool that this release has opened, and the newest that it reads.
pub(crate) const FORMAT: u32 = 7;
