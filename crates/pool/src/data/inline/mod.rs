//! Inline bytes in the metadata store, and the task that turns them into chunks.
//!
//! A small append or overwrite is stored in the extent's record, so that an fsync costs one log write. It must not stay
//! there: only chunks are shared, have a second copy, and are verified by the scrub. When a stream continues, its tail moves
//! into a chunk. All other inline bytes are *chunked* (`chunking.rs`), and the extents stay as they are:
//!
//! - in a file that has not been written to for a while ([`crate::PoolOptions::inline_age`]), so that a file that is
//!   replaced constantly costs nothing;
//! - in a file with too many inline bytes, such as synchronous writes at random places leave;
//! - when the pool is closed, for a few seconds at most;
//! - in all other files, at the beginning of a scrub.
//!
//! [`crate::parts::inline_files`] remembers which files have inline bytes, as a hint. The scrub finds inline bytes in all
//! other files, such as files that were written before the pool was opened.

mod chunking;
#[cfg(test)]
mod tests;

use crate::engine::Engine;
use crate::format::keys::InodeKey;

impl Engine {
    /// Records that the inline bytes of a file have changed by `difference`. The file stores `stored` bytes in total.
    pub(crate) fn note_inline(&self, key: InodeKey, difference: i64, stored: u64) {
        if self.writes.inline.note(key, difference, stored) {
            self.signals.inline.notify_one();
        }
    }
}
