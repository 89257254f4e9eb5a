//! The positions of the readers in each file, and how far the pool has read ahead for each reader.
//!
//! Readers are told apart by their position in a file. So several readers may read one file, and one reader may have
//! several reads in progress that arrive out of order, as an NFS client does. After a few reads in a row a reader
//! counts as sequential, and the pool reads ahead for it in steps. All readers together get at most half of the cache,
//! so that no chunk is evicted before it is used.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::sync;
use crate::format::keys::InodeKey;

/// The minimum and maximum number of bytes to read ahead for one reader.
const WINDOW_BYTES_MIN: u64 = 1 << 20;
const WINDOW_BYTES_MAX: u64 = 8 << 20;
/// How far a read may be from its reader's expected position and still belong to that reader.
const SLACK_BYTES: u64 = 4 << 20;
/// Reads in a row after which a reader counts as sequential.
const READS_MIN: u32 = 3;
/// The maximum number of readers of one file that are told apart.
const READERS_PER_FILE: usize = 8;
/// The maximum number of files whose readers are remembered.
const FILES_MAX: usize = 1024;
/// After this long without a read, a reader no longer has a share of the cache.
const SILENCE_MAX: Duration = Duration::from_secs(5);

/// See the module.
#[derive(Default)]
pub(crate) struct ReadAhead {
    files: Mutex<HashMap<InodeKey, Vec<Reader>>>,
    /// The number of threads that read ahead at the moment.
    pub(crate) threads: AtomicUsize,
}

struct Reader {
    /// The end of the range that it has read.
    at: u64,
    /// The end of the range that was read ahead for it.
    ahead: u64,
    reads: u32,
    seen: Instant,
}

impl ReadAhead {
    /// Notes a read. Returns the range to read ahead now, if any. `bytes_max` is the limit for all readers together.
    pub(crate) fn note(&self, key: InodeKey, range: &Range<u64>, bytes_max: u64) -> Option<Range<u64>> {
        let now = Instant::now();
        let mut files = sync::lock(&self.files);
        if files.len() >= FILES_MAX && !files.contains_key(&key) {
            forget_silent(&mut files, now);
        }
        let readers = files.entry(key).or_default();
        let near = |reader: &&mut Reader| {
            range.start <= reader.at.saturating_add(SLACK_BYTES)
                && range.end.saturating_add(SLACK_BYTES) >= reader.at
        };
        let Some(reader) = readers.iter_mut().find(near) else {
            if readers.len() >= READERS_PER_FILE {
                readers.sort_by_key(|reader| reader.seen);
                readers.remove(0);
            }
            readers.push(Reader { at: range.end, ahead: range.end, reads: 1, seen: now });
            return None;
        };
        if range.end > reader.at {
            reader.at = range.end;
            reader.reads = reader.reads.saturating_add(1);
        }
        reader.seen = now;
        reader.ahead = reader.ahead.max(reader.at);
        let (at, ahead, reads) = (reader.at, reader.ahead, reader.reads);
        if reads < READS_MIN {
            return None;
        }
        let active = files.values().flatten().filter(|reader| is_active(reader, now)).count().max(1);
        let share = bytes_max / active as u64;
        let window = share.min(WINDOW_BYTES_MAX).min(u64::from(reads).saturating_mul(WINDOW_BYTES_MIN));
        let due = window >= WINDOW_BYTES_MIN && ahead.saturating_sub(at) <= window / 2;
        due.then(|| ahead..at.saturating_add(window))
    }

    /// Notes that the range returned by [`ReadAhead::note`] is being read.
    pub(crate) fn began(&self, key: InodeKey, range: &Range<u64>) {
        let mut files = sync::lock(&self.files);
        let readers = files.get_mut(&key).into_iter().flatten();
        for reader in readers.filter(|reader| reader.ahead == range.start) {
            reader.ahead = range.end;
        }
    }
}

fn is_active(reader: &Reader, now: Instant) -> bool {
    reader.reads >= READS_MIN && now.duration_since(reader.seen) < SILENCE_MAX
}

fn forget_silent(files: &mut HashMap<InodeKey, Vec<Reader>>, now: Instant) {
    files.retain(|_, readers| readers.iter().any(|reader| is_active(reader, now)));
    if files.len() >= FILES_MAX {
        files.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InodeId, VolumeId};

    const FILE: InodeKey = InodeKey { volume: VolumeId(1), inode: InodeId(2) };
    const STEP: u64 = 256 << 10;

    fn reads(ahead: &ReadAhead, offsets: impl IntoIterator<Item = u64>) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        for offset in offsets {
            if let Some(range) = ahead.note(FILE, &(offset..offset + STEP), 32 << 20) {
                ahead.began(FILE, &range);
                found.push(range);
            }
        }
        found
    }

    #[tokio::test]
    async fn a_sequential_reader_is_read_ahead_for_without_a_gap_and_never_twice() {
        let found = reads(&ReadAhead::default(), (0..200).map(|n| n * STEP));
        assert!(found.len() > 5);
        assert!(found.windows(2).all(|two| two[0].end == two[1].start));
        assert!(found.iter().all(|range| range.end - range.start <= WINDOW_BYTES_MAX));
    }

    #[tokio::test]
    async fn reads_that_arrive_out_of_order_are_one_reader() {
        let offsets = (0..100).flat_map(|n| [n * 4 + 2, n * 4, n * 4 + 3, n * 4 + 1]).map(|n| n * STEP);
        assert!(reads(&ReadAhead::default(), offsets).len() > 5);
    }

    #[tokio::test]
    async fn two_readers_of_one_file_do_not_disturb_each_other() {
        let offsets = (0..100).flat_map(|n| [n * STEP, (1 << 40) + n * STEP]);
        let found = reads(&ReadAhead::default(), offsets);
        assert!(found.iter().any(|range| range.start < 1 << 30));
        assert!(found.iter().any(|range| range.start > 1 << 30));
    }

    #[tokio::test]
    async fn a_random_reader_is_not_read_ahead_for() {
        let offsets = (0..500u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) & !4095);
        assert_eq!(reads(&ReadAhead::default(), offsets), []);
    }

    #[tokio::test]
    async fn many_files_are_not_all_remembered() {
        let ahead = ReadAhead::default();
        for inode in 0..5000 {
            let key = InodeKey { inode: InodeId(inode), ..FILE };
            ahead.note(key, &(0..STEP), 32 << 20);
        }
        assert!(sync::lock(&ahead.files).len() <= FILES_MAX);
    }
}
