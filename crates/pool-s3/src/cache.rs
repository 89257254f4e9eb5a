//! Blocks of objects, kept in memory and in files on this machine's disk. Nothing depends on it: a block that is missing, damaged or cannot be
//! written is read from the bucket.
//!
//! A file holds one block, behind a checksum of it. Files are written by a thread of their own, without a sync; if it falls behind, blocks are not
//! kept. The blocks that were used least recently go first. After a restart the files that are there are used again.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::SystemTime;

use bytes::Bytes;
use forebay_pool::store::SegmentId;

/// The length of a block; the last one of an object may be shorter.
pub(crate) const BLOCK_BYTES: u64 = 1 << 20;
/// The checksum at the beginning of a file.
const SUM_BYTES: usize = 16;
/// The blocks that may wait to be written to files.
const WAITING_MAX: usize = 64;

/// The limits of a cache.
#[derive(Clone, Debug)]
pub struct CacheOptions {
    /// Bytes of blocks in memory. Default 64 MiB.
    pub memory_bytes: usize,
    /// The directory of the files, which is the cache's alone; none for no files.
    pub directory: Option<PathBuf>,
    /// Bytes of files. Default 10 GiB.
    pub disk_bytes: u64,
}

impl Default for CacheOptions {
    fn default() -> Self {
        CacheOptions { memory_bytes: 64 << 20, directory: None, disk_bytes: 10 << 30 }
    }
}

/// Names a block: the segment, and the number of the block in it.
pub(crate) type Block = (SegmentId, u64);

/// Entries in the order of their use, bounded by the sum of their sizes.
struct Recent<T> {
    entries: HashMap<Block, (T, u64, u64)>,
    order: BTreeMap<u64, Block>,
    tick: u64,
    bytes: u64,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Recent { entries: HashMap::new(), order: BTreeMap::new(), tick: 0, bytes: 0 }
    }
}

impl<T> Recent<T> {
    fn touch(&mut self, block: Block) -> Option<&T> {
        let (value, _, tick) = self.entries.get_mut(&block)?;
        self.order.remove(tick);
        self.tick += 1;
        *tick = self.tick;
        self.order.insert(self.tick, block);
        Some(value)
    }

    fn insert(&mut self, block: Block, value: T, bytes: u64) {
        self.remove(block);
        self.tick += 1;
        self.entries.insert(block, (value, bytes, self.tick));
        self.order.insert(self.tick, block);
        self.bytes += bytes;
    }

    fn remove(&mut self, block: Block) -> Option<T> {
        let (value, bytes, tick) = self.entries.remove(&block)?;
        self.order.remove(&tick);
        self.bytes -= bytes;
        Some(value)
    }

    /// Removes the entries that were used least recently, until the others take no more than this.
    fn shrink(&mut self, bytes_max: u64) -> Vec<Block> {
        let mut gone = Vec::new();
        while self.bytes > bytes_max {
            let Some(block) = self.order.first_key_value().map(|(_, block)| *block) else { break };
            self.remove(block);
            gone.push(block);
        }
        gone
    }
}

/// What the cache did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Used {
    /// Bytes in memory, and in files.
    pub(crate) memory_bytes: u64,
    pub(crate) disk_bytes: u64,
}

/// See the module.
pub(crate) struct Cache {
    shared: Arc<Shared>,
    writer: Option<(SyncSender<Waiting>, JoinHandle<()>)>,
}

struct Shared {
    options: CacheOptions,
    /// Files of another place have other checksums, although their segments may have the same numbers.
    seed: u64,
    memory: Mutex<Recent<Bytes>>,
    files: Mutex<Files>,
    /// What still waits need not be written.
    is_closing: AtomicBool,
}

/// A block that waits to be written, and what [`Files::began`] was when it came.
struct Waiting {
    block: Block,
    bytes: Bytes,
    number: u64,
}

/// The files that are there, and what the thread that writes them has to know.
#[derive(Default)]
struct Files {
    there: Recent<()>,
    /// How many jobs of the thread began and ended: the search for the files of an earlier process, then a job for each block.
    began: u64,
    ended: u64,
    /// The segments that were forgotten while jobs waited, each with what `began` was then: those jobs leave no file of it.
    forgotten: HashMap<SegmentId, u64>,
}

impl Files {
    /// Begins a job, and returns its number.
    fn begin(&mut self) -> u64 {
        self.began += 1;
        self.began
    }

    /// Ends the oldest job.
    fn end(&mut self) {
        self.ended += 1;
        if self.ended == self.began {
            self.forgotten.clear();
        }
    }

    fn forget(&mut self, segment: SegmentId) {
        if self.ended < self.began {
            self.forgotten.insert(segment, self.began);
        }
    }

    /// Whether the segment was forgotten after the job began.
    fn is_forgotten(&self, segment: SegmentId, job: u64) -> bool {
        self.forgotten.get(&segment).is_some_and(|began| *began >= job)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cache {
    /// Opens a cache of the segments of this place.
    pub(crate) fn open(options: CacheOptions, place: &str) -> Cache {
        let shared = Arc::new(Shared {
            options,
            seed: xxhash_rust::xxh3::xxh3_64(place.as_bytes()),
            memory: Mutex::default(),
            files: Mutex::default(),
            is_closing: AtomicBool::new(false),
        });
        let (sender, receiver) = sync_channel(WAITING_MAX);
        let has_files = shared.options.directory.is_some() && shared.options.disk_bytes > 0;
        let writer = has_files.then(|| {
            let shared = shared.clone();
            let job = lock(&shared.files).begin();
            let thread = std::thread::Builder::new().name("pool-cache".into());
            thread.spawn(move || shared.keep_files(job, &receiver))
        });
        let writer = writer.and_then(|started| match started {
            Ok(thread) => Some((sender, thread)),
            Err(error) => {
                tracing::warn!(%error, "the cache of the bucket has no files");
                lock(&shared.files).end();
                None
            }
        });
        Cache { shared, writer }
    }

    pub(crate) fn used(&self) -> Used {
        Used {
            memory_bytes: lock(&self.shared.memory).bytes,
            disk_bytes: lock(&self.shared.files).there.bytes,
        }
    }

    /// Whether a block is there, probably.
    pub(crate) fn has(&self, block: Block) -> bool {
        lock(&self.shared.memory).entries.contains_key(&block)
            || lock(&self.shared.files).there.entries.contains_key(&block)
    }

    pub(crate) fn get(&self, block: Block) -> Option<Bytes> {
        if let Some(bytes) = lock(&self.shared.memory).touch(block) {
            return Some(bytes.clone());
        }
        lock(&self.shared.files).there.touch(block)?;
        let bytes = self.shared.read_file(block);
        match &bytes {
            Some(bytes) => self.shared.keep_in_memory(block, bytes.clone()),
            None => self.shared.forget_file(block),
        }
        bytes
    }

    /// Keeps a block, which replaces what was kept of it.
    pub(crate) fn put(&self, block: Block, bytes: Bytes) {
        self.shared.keep_in_memory(block, bytes.clone());
        let Some((writer, _)) = &self.writer else { return };
        let is_waiting = {
            let mut files = lock(&self.shared.files);
            let is_waiting = writer.try_send(Waiting { block, bytes, number: files.began + 1 }).is_ok();
            if is_waiting {
                files.begin();
            }
            is_waiting
        };
        // An older file must not outlive a block that replaces it.
        if !is_waiting {
            self.shared.forget_file(block);
        }
    }

    /// Forgets a block.
    pub(crate) fn remove(&self, block: Block) {
        lock(&self.shared.memory).remove(block);
        self.shared.forget_file(block);
    }

    /// Forgets all blocks of a segment.
    pub(crate) fn forget(&self, segment: SegmentId) {
        let of = |entries: &mut dyn Iterator<Item = Block>| -> Vec<Block> {
            entries.filter(|(id, _)| *id == segment).collect()
        };
        {
            let mut memory = lock(&self.shared.memory);
            for block in of(&mut memory.entries.keys().copied()) {
                memory.remove(block);
            }
        }
        let files = {
            let mut files = lock(&self.shared.files);
            files.forget(segment);
            of(&mut files.there.entries.keys().copied())
        };
        files.into_iter().for_each(|block| self.shared.forget_file(block));
    }
}

impl Drop for Cache {
    /// Waits until no file is written any more: the directory may be another cache's next.
    fn drop(&mut self) {
        self.shared.is_closing.store(true, Ordering::SeqCst);
        if let Some((sender, thread)) = self.writer.take() {
            drop(sender);
            let _ = thread.join();
        }
    }
}

/// A file's name.
fn file_name((segment, number): Block) -> String {
    format!("{:016x}-{number:x}", segment.number())
}

fn block_of(name: &str) -> Option<Block> {
    let (segment, number) = name.split_once('-')?;
    Some((SegmentId::of(u64::from_str_radix(segment, 16).ok()?), u64::from_str_radix(number, 16).ok()?))
}

impl Shared {
    fn sum(&self, bytes: &[u8]) -> [u8; SUM_BYTES] {
        xxhash_rust::xxh3::xxh3_128_with_seed(bytes, self.seed).to_le_bytes()
    }

    fn keep_in_memory(&self, block: Block, bytes: Bytes) {
        let mut memory = lock(&self.memory);
        let count = bytes.len() as u64;
        memory.insert(block, bytes, count);
        memory.shrink(self.options.memory_bytes as u64);
    }

    fn path(&self, block: Block) -> Option<PathBuf> {
        let name = file_name(block);
        let folder = name.get(14..16)?.to_owned();
        Some(self.options.directory.as_ref()?.join(folder).join(name))
    }

    fn read_file(&self, block: Block) -> Option<Bytes> {
        let file = Bytes::from(std::fs::read(self.path(block)?).ok()?);
        let stored = file.get(..SUM_BYTES)?;
        let bytes = file.slice(SUM_BYTES..);
        (self.sum(&bytes) == stored).then_some(bytes)
    }

    fn forget_file(&self, block: Block) {
        if lock(&self.files).there.remove(block).is_some()
            && let Some(path) = self.path(block)
        {
            let _ = std::fs::remove_file(path);
        }
    }

    /// Finds the files of an earlier process, which is the job of this number, and writes files until the cache is closed.
    fn keep_files(&self, job: u64, blocks: &Receiver<Waiting>) {
        self.find_files(job);
        let mut is_failing = false;
        while let Ok(Waiting { block, bytes, number }) = blocks.recv() {
            if self.is_closing.load(Ordering::SeqCst) {
                return;
            }
            let gone = match self.write_file(block, &bytes) {
                Ok(()) => {
                    if std::mem::take(&mut is_failing) {
                        tracing::info!("the cache of the bucket writes files again");
                    }
                    let mut files = lock(&self.files);
                    let mut gone = Vec::new();
                    if files.is_forgotten(block.0, number) {
                        gone.push(block);
                    } else {
                        files.there.insert(block, (), bytes.len() as u64);
                        gone = files.there.shrink(self.options.disk_bytes);
                    }
                    files.end();
                    gone
                }
                Err(error) => {
                    if !std::mem::replace(&mut is_failing, true) {
                        let directory = self.options.directory.as_deref().unwrap_or(Path::new("")).display();
                        tracing::warn!(%directory, %error, "the cache of the bucket cannot write a file; what it lacks is read from the bucket");
                    }
                    let mut files = lock(&self.files);
                    files.there.remove(block);
                    // The disk may be full of what others wrote since.
                    let less = files.there.bytes - files.there.bytes / 16;
                    let mut gone = files.there.shrink(less);
                    gone.push(block);
                    files.end();
                    gone
                }
            };
            self.remove(&gone);
        }
    }

    fn remove(&self, gone: &[Block]) {
        for path in gone.iter().filter_map(|block| self.path(*block)) {
            let _ = std::fs::remove_file(path);
        }
    }

    fn write_file(&self, block: Block, bytes: &Bytes) -> std::io::Result<()> {
        let Some(path) = self.path(block) else { return Ok(()) };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, [&self.sum(bytes), &bytes[..]].concat())
    }

    /// Finds the files of an earlier process, which is the job of this number. Those that were written last count as used last.
    fn find_files(&self, job: u64) {
        let Some(directory) = &self.options.directory else { return };
        let mut found: Vec<(SystemTime, Block, u64)> = Vec::new();
        for folder in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                if let Some(block) = file.file_name().to_str().and_then(block_of)
                    && let Ok(about) = file.metadata()
                {
                    let written = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    found.push((written, block, about.len().saturating_sub(SUM_BYTES as u64)));
                }
            }
        }
        found.sort_unstable();
        let gone = {
            let mut files = lock(&self.files);
            let mut gone = Vec::new();
            for (_, block, bytes) in found {
                if files.is_forgotten(block.0, job) {
                    gone.push(block);
                } else {
                    files.there.insert(block, (), bytes);
                }
            }
            gone.extend(files.there.shrink(self.options.disk_bytes));
            files.end();
            gone
        };
        self.remove(&gone);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn options(directory: &Path) -> CacheOptions {
        CacheOptions { memory_bytes: 0, directory: Some(directory.to_path_buf()), disk_bytes: 5000 }
    }

    fn block(number: u64) -> Block {
        (SegmentId::of(7), number)
    }

    fn bytes(number: u64) -> Bytes {
        Bytes::from(vec![number as u8; 1000])
    }

    fn wait_for(condition: impl Fn() -> bool) {
        let begun = Instant::now();
        while !condition() {
            assert!(begun.elapsed() < Duration::from_secs(10), "it does not happen");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn files_of_another_place_are_not_used() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(options(directory.path()), "s3://kafka/one");
        cache.put(block(1), bytes(1));
        wait_for(|| cache.used().disk_bytes > 0);
        drop(cache);
        let other = Cache::open(options(directory.path()), "s3://kafka/other");
        wait_for(|| other.used().disk_bytes > 0);
        assert_eq!(other.get(block(1)), None);
        other.put(block(2), bytes(2));
        wait_for(|| other.has(block(2)));
        drop(other);
        let again = Cache::open(options(directory.path()), "s3://kafka/other");
        wait_for(|| again.used().disk_bytes > 0);
        assert_eq!((again.get(block(1)), again.get(block(2))), (None, Some(bytes(2))));
    }

    #[test]
    fn blocks_are_kept_in_files_and_the_least_recently_used_go_first() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::open(options(directory.path()), "s3://kafka");
        for number in 0..5 {
            cache.put(block(number), bytes(number));
            wait_for(|| cache.has(block(number)));
        }
        assert_eq!(cache.get(block(0)), Some(bytes(0)));
        cache.put(block(5), bytes(5));
        wait_for(|| cache.has(block(5)));
        assert_eq!(cache.get(block(1)), None);
        assert_eq!(cache.get(block(0)), Some(bytes(0)));
        assert_eq!(cache.used().disk_bytes, 5000);
        drop(cache);
        let cache = Cache::open(options(directory.path()), "s3://kafka");
        wait_for(|| cache.has(block(5)));
        assert_eq!(cache.get(block(5)), Some(bytes(5)));
        cache.forget(SegmentId::of(7));
        assert_eq!(cache.get(block(5)), None);
        assert_eq!(cache.used().disk_bytes, 0);
    }

    #[test]
    fn what_is_forgotten_while_files_are_found_or_written_does_not_come_back() {
        let directory = tempfile::tempdir().unwrap();
        let path = |number| directory.path().join("07").join(file_name(block(number)));
        for round in 0..50 {
            let cache = Cache::open(options(directory.path()), "s3://kafka");
            if round % 2 == 0 {
                (0..4).for_each(|number| cache.put(block(number), bytes(number)));
            }
            cache.forget(SegmentId::of(7));
            let ended = |cache: &Cache| {
                let files = lock(&cache.shared.files);
                files.ended == files.began
            };
            wait_for(|| ended(&cache));
            assert!((0..4).all(|number| cache.get(block(number)).is_none()), "round {round}");
            wait_for(|| (0..4).all(|number| !path(number).exists()));
            // Segments may be stored again under the same name, and files of it are there for the next round.
            (0..4).for_each(|number| cache.put(block(number), bytes(number)));
            wait_for(|| ended(&cache));
            assert_eq!(cache.get(block(3)), Some(bytes(3)));
            assert!(lock(&cache.shared.files).forgotten.is_empty());
        }
    }

    #[test]
    fn a_damaged_or_cut_file_is_no_block() {
        let directory = tempfile::tempdir().unwrap();
        for damage in 0..3 {
            let cache = Cache::open(options(directory.path()), "s3://kafka");
            cache.put(block(1), bytes(1));
            wait_for(|| cache.has(block(1)));
            let path = cache.shared.path(block(1)).unwrap();
            let mut file = std::fs::read(&path).unwrap();
            match damage {
                0 => file[500] ^= 1,
                1 => file.truncate(700),
                _ => file.truncate(3),
            }
            std::fs::write(&path, file).unwrap();
            assert_eq!(cache.get(block(1)), None, "{damage}");
            assert!(!cache.has(block(1)) && !path.exists(), "{damage}");
        }
    }

    #[test]
    fn a_directory_that_cannot_be_written_to_only_makes_reads_slower() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        std::fs::write(&file, "not a directory").unwrap();
        let cache = Cache::open(CacheOptions { memory_bytes: 1500, ..options(&file) }, "s3://kafka");
        for number in 0..100 {
            cache.put(block(number), bytes(number));
        }
        assert_eq!(cache.get(block(99)), Some(bytes(99)));
        assert_eq!(cache.get(block(98)), None, "there is memory for one block");
    }
}
