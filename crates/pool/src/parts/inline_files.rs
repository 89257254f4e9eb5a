//! The files that have bytes inline in the metadata store. This is a hint for the task that turns these bytes into
//! chunks.
//!
//! The list is bounded and only in memory. The scrub finds the inline bytes of files that are not in the list.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::sync;
use crate::format::keys::InodeKey;

/// The maximum number of files in the list.
const FILES_MAX: usize = 64 << 10;
/// A file has too many inline bytes if it has at least `MUCH_BYTES`, and at least one part in `MUCH_SHARE` of all bytes
/// that it stores.
const MUCH_BYTES: u64 = 16 << 20;
const MUCH_SHARE: u64 = 32;

/// What the list knows about a file.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// The inline bytes that flushes have left since the file was added to the list.
    bytes: u64,
    written: Instant,
    is_much: bool,
}

/// See the module.
#[derive(Default)]
pub(crate) struct InlineFiles(Mutex<HashMap<InodeKey, Known>>);

impl InlineFiles {
    /// Notes that the inline bytes of a file, which stores `stored` bytes in total, changed by `difference`. Returns
    /// true if the file now has too many inline bytes and had not before.
    pub(crate) fn note(&self, key: InodeKey, difference: i64, stored: u64) -> bool {
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

    /// Removes a file that has no inline bytes any more, or that is gone.
    pub(crate) fn forget(&self, key: InodeKey) {
        sync::lock(&self.0).remove(&key);
    }

    /// The files that were not written for `age`, and the files that have too many inline bytes.
    pub(crate) fn due(&self, age: Duration) -> Vec<InodeKey> {
        let now = Instant::now();
        let is_due = |known: &Known| known.is_much || now.duration_since(known.written) >= age;
        let files = sync::lock(&self.0);
        let mut due: Vec<InodeKey> =
            files.iter().filter(|(_, known)| is_due(known)).map(|(key, _)| *key).collect();
        // Files that were created together are stored together.
        due.sort_unstable();
        due
    }

    /// Whether the file was written less than `age` ago.
    pub(crate) fn is_young(&self, key: InodeKey, age: Duration) -> bool {
        sync::lock(&self.0).get(&key).is_some_and(|known| known.written.elapsed() < age)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InodeId, VolumeId};

    const AGE: Duration = Duration::from_secs(60);

    fn key(inode: u64) -> InodeKey {
        InodeKey { volume: VolumeId(1), inode: InodeId(inode) }
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_is_due_when_it_is_old_or_has_too_many_inline_bytes() {
        let files = InlineFiles::default();
        assert!(!files.note(key(1), 100, 1 << 30));
        tokio::time::advance(AGE / 2).await;
        assert!(!files.note(key(2), 100, 1 << 30));
        assert!(!files.note(key(3), 0, 1 << 30), "nothing is inline");
        let much = i64::try_from((1u64 << 30) / MUCH_SHARE).unwrap();
        assert!(files.note(key(4), much, 1 << 30));
        assert!(!files.note(key(4), 1, 1 << 30), "that was said before");
        assert_eq!(files.due(AGE), [key(4)]);
        tokio::time::advance(AGE / 2).await;
        assert_eq!(files.due(AGE), [key(1), key(4)]);
        assert!(files.is_young(key(2), AGE) && !files.is_young(key(1), AGE));
        // Written again, and then turned into chunks by a flush.
        files.note(key(1), 0, 1 << 30);
        files.note(key(4), -much - 1, 1 << 30);
        assert_eq!(files.due(AGE), []);
        assert_eq!(files.due(Duration::ZERO), [key(1), key(2)]);
    }

    #[tokio::test]
    async fn the_list_is_bounded() {
        let files = InlineFiles::default();
        for inode in 0..FILES_MAX as u64 + 10 {
            files.note(key(inode), 1, 0);
        }
        assert_eq!(files.due(Duration::ZERO).len(), FILES_MAX);
    }
}
