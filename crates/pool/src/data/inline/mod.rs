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

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::InodeKey;

/// Files that are remembered.
const FILES_MAX: usize = 64 << 10;
/// Inline bytes of a file that are too many if they are also more than so large a part of it.
const MUCH_BYTES: u64 = 16 << 20;
const MUCH_SHARE: u64 = 32;

/// What is known of a file.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Inline bytes that flushes have left since it is in the list.
    bytes: u64,
    written: Instant,
    is_much: bool,
}

/// See the module.
#[derive(Default)]
pub(crate) struct InlineFiles(Mutex<HashMap<InodeKey, Known>>);

impl Engine {
    /// Somebody has changed the inline bytes of a file, which stores so many bytes in all, by that many.
    pub(crate) fn note_inline(&self, key: InodeKey, difference: i64, stored: u64) {
        if self.inline.note(key, difference, stored) {
            self.signals.inline.notify_one();
        }
    }
}

impl InlineFiles {
    /// See [`Engine::note_inline`]. True if they are too many now, and were not before.
    fn note(&self, key: InodeKey, difference: i64, stored: u64) -> bool {
        let mut files = sync::lock(&self.0);
        let before = files.get(&key).copied();
        let bytes = before.map_or(0, |known| known.bytes).saturating_add_signed(difference);
        if bytes == 0 {
            files.remove(&key);
            return false;
        }
        if before.is_none() && files.len() >= FILES_MAX {
            return false;
        }
        let is_much = bytes >= MUCH_BYTES.max(stored / MUCH_SHARE);
        files.insert(key, Known { bytes, written: Instant::now(), is_much });
        is_much && before.is_none_or(|known| !known.is_much)
    }

    /// Nothing is inline in the file any more, or the file is gone.
    fn forget(&self, key: InodeKey) {
        sync::lock(&self.0).remove(&key);
    }

    /// Files to which nobody has written for `age`, and those that have too many inline bytes.
    fn due(&self, age: Duration) -> Vec<InodeKey> {
        let now = Instant::now();
        let is_due = |known: &Known| known.is_much || now.duration_since(known.written) >= age;
        let files = sync::lock(&self.0);
        let mut due: Vec<InodeKey> =
            files.iter().filter(|(_, known)| is_due(known)).map(|(key, _)| *key).collect();
        // Files that were made together lie together.
        due.sort_unstable();
        due
    }

    /// Whether somebody has written to the file for less than `age`.
    fn is_young(&self, key: InodeKey, age: Duration) -> bool {
        sync::lock(&self.0).get(&key).is_some_and(|known| known.written.elapsed() < age)
    }
}
