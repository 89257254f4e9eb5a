//! Bytes that are inline in the metadata store, and what makes chunks of them.
//!
//! A small append or overwrite is put into the extent's record, so that an fsync costs one log write. It must not stay there: only chunks
//! are shared, have a second copy, and are verified by the scrub. A tail that is written on moves into a chunk by itself. All other inline
//! bytes are *chunked* (`chunking.rs`), with the extents as they are:
//!
//! - of a file that nobody has written to for a while ([`crate::PoolOptions::inline_age`]), so a file that is replaced all
//!   the time costs nothing;
//! - of a file that has too many of them, as synchronous writes at random places leave;
//! - when the pool is closed, for some seconds at most;
//! - of all other files, at the beginning of a scrub.
//!
//! Which files have inline bytes is remembered in memory, in a bounded list, as a hint: what is not in it, such as what an earlier
//! opening of the pool left, the scrub finds.

mod chunking;
#[cfg(test)]
mod tests;

use crate::engine::Engine;
use crate::format::keys::InodeKey;

impl Engine {
    /// Somebody has changed the inline bytes of a file, which stores so many bytes in all, by that many.
    pub(crate) fn note_inline(&self, key: InodeKey, difference: i64, stored: u64) {
        if self.inline.note(key, difference, stored) {
            self.signals.inline.notify_one();
        }
    }
}
