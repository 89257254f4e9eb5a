//! Bytes that are inline in the metadata store, and the task that makes chunks of them.
//!
//! A small append or overwrite is put into the extent's record, so that an fsync costs one log write. It must not stay there: only
//! chunks are shared, have a second copy, and are verified by the scrub. A tail that is written on moves into a chunk by itself. All
//! other inline bytes are *chunked* (`chunking.rs`), with the extents as they are:
//!
//! - of a file that nobody has written to for a while ([`crate::PoolOptions::inline_age`]), so a file that is replaced all
//!   the time costs nothing;
//! - of a file that has too many of them, as synchronous writes at random places leave;
//! - when the pool is closed, for some seconds at most;
//! - of all other files, at the beginning of a scrub.
//!
//! [`crate::parts::inline_files`] remembers which files have inline bytes, as a hint. The scrub finds those of all other files, such as
//! files that were written before the pool was opened.

mod chunking;
#[cfg(test)]
mod tests;

use crate::engine::Engine;
use crate::format::keys::InodeKey;

impl Engine {
    /// The inline bytes of a file, which stores `stored` bytes in all, have changed by `difference`.
    pub(crate) fn note_inline(&self, key: InodeKey, difference: i64, stored: u64) {
        if self.writes.inline.note(key, difference, stored) {
            self.signals.inline.notify_one();
        }
    }
}
