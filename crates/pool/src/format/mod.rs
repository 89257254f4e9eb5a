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
pub(crate) mod unit;

/// The starts and eras that a history may have had which is given up. Where another one goes on instead, it skips so many, because clients may keep
/// pages of the former one as those of a certain change to a file.
pub(crate) const ERAS_GIVEN_UP: u64 = 4096;

/// The format of a new pool, and the newest that this release reads.
pub(crate) const FORMAT: u32 = 7;
/// Pools of this format and later ones keep it until the operator says that the former release is not needed any more. What the former release
/// could not read is not written before. docs/decisions/0051-a-format-is-kept-until-it-is-finalized.md has the reasons.
pub(crate) const FORMAT_KEPT: u32 = 6;
/// The first format in which volumes and snapshots may have deadlines.
pub(crate) const FORMAT_DEADLINES: u32 = 7;
/// The first format in which the metadata may have a second copy.
pub(crate) const FORMAT_DOUBLED: u32 = 7;
