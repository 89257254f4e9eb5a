//! A log like a Kafka broker's: batches are appended to the newest segment, its index file is preallocated and filled, and the
//! oldest segment is renamed and removed while it is open.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::batch::batch;
use super::gate::Gate;
use super::names::settle;
use super::{Verified, Work, compare, ensure_length, forget};
use crate::probe::random::Random;

/// The size at which a segment is rolled, in bytes.
const SEGMENT_BYTES: u64 = 4 << 20;
/// The number of segments that are kept, including the newest.
const SEGMENTS_KEPT: usize = 4;
/// The size to which an index is preallocated.
const INDEX_BYTES: u64 = 256 << 10;
/// One in this many batches is followed by an fsync.
const SYNC_EVERY: usize = 3;

/// The log.
pub struct Log {
    folder: PathBuf,
    seed: u64,
    random: Random,
    segments: VecDeque<Segment>,
    batches: u64,
    rolled: u64,
}

struct Segment {
    path: PathBuf,
    file: File,
    bytes: u64,
    index_path: PathBuf,
    index: File,
    /// The number of the first batch. The others have consecutive numbers.
    first: u64,
    /// The offset of each batch.
    offsets: Vec<u64>,
    rolled: bool,
}

impl Log {
    pub fn create(folder: &Path, seed: u64) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        let (segments, random) = (VecDeque::new(), Random::new(seed));
        let mut log = Self { folder: folder.to_owned(), seed, random, segments, batches: 0, rolled: 0 };
        log.segments.push_back(Segment::create(&log.folder, 0, 0)?);
        Ok(log)
    }

    fn append(&mut self) -> Result<u64> {
        let bytes = batch(self.seed, self.batches);
        let sync = self.random.below(SYNC_EVERY) == 0;
        let segment = self.segments.back_mut().context("a log has a segment")?;
        segment.append(&bytes, sync)?;
        self.batches += 1;
        Ok(segment.bytes)
    }

    fn roll(&mut self) -> Result<()> {
        self.segments.back_mut().context("a log has a segment")?.finish()?;
        self.rolled += 1;
        self.segments.push_back(Segment::create(&self.folder, self.rolled, self.batches)?);
        Ok(())
    }
}

impl Work for Log {
    fn step(&mut self, gate: &Gate) -> Result<()> {
        if self.append()? < SEGMENT_BYTES {
            return Ok(());
        }
        self.roll()?;
        while self.segments.len() > SEGMENTS_KEPT
            && let Some(oldest) = self.segments.pop_front()
        {
            oldest.delete(self.seed, gate)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<Verified> {
        let mut verified = Verified::default();
        for segment in &self.segments {
            verified.add(segment.compare(self.seed)?);
            verified.add(segment.compare_index()?);
        }
        Ok(verified)
    }
}

impl Segment {
    fn create(folder: &Path, number: u64, first: u64) -> Result<Self> {
        let path = folder.join(format!("{number:06}.log"));
        let index_path = path.with_extension("index");
        let (file, index) = (create(&path)?, create(&index_path)?);
        index.set_len(INDEX_BYTES).with_context(|| format!("preallocate {}", index_path.display()))?;
        Ok(Self { path, file, bytes: 0, index_path, index, first, offsets: Vec::new(), rolled: false })
    }

    fn append(&mut self, bytes: &[u8], sync: bool) -> Result<()> {
        let told = || format!("append {} bytes at {} to {}", bytes.len(), self.bytes, self.path.display());
        self.file.write_all_at(bytes, self.bytes).with_context(told)?;
        if sync {
            self.file.sync_data().with_context(told)?;
        }
        let entry = self.bytes.to_be_bytes();
        let at = self.offsets.len() as u64 * entry.len() as u64;
        self.index
            .write_all_at(&entry, at)
            .with_context(|| format!("write at {at} of {}", self.index_path.display()))?;
        self.offsets.push(self.bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Truncates the index to its used part, and makes both files durable.
    fn finish(&mut self) -> Result<()> {
        let used = self.offsets.len() as u64 * 8;
        self.index.set_len(used).with_context(|| format!("cut {}", self.index_path.display()))?;
        self.index.sync_all().with_context(|| format!("fsync {}", self.index_path.display()))?;
        self.file.sync_all().with_context(|| format!("fsync {}", self.path.display()))?;
        self.rolled = true;
        Ok(())
    }

    fn compare(&self, seed: u64) -> Result<u64> {
        forget(&self.file, &self.path)?;
        ensure_length(&self.file, &self.path, self.bytes)?;
        for (number, offset) in (self.first..).zip(&self.offsets) {
            compare(&self.file, &self.path, *offset, &batch(seed, number))
                .with_context(|| format!("batch {number}"))?;
        }
        Ok(self.bytes)
    }

    fn compare_index(&self) -> Result<u64> {
        forget(&self.index, &self.index_path)?;
        let mut expected: Vec<u8> = self.offsets.iter().flat_map(|offset| offset.to_be_bytes()).collect();
        if !self.rolled {
            expected.resize(usize::try_from(INDEX_BYTES)?, 0);
        }
        ensure_length(&self.index, &self.index_path, expected.len() as u64)?;
        compare(&self.index, &self.index_path, 0, &expected)?;
        Ok(expected.len() as u64)
    }

    /// Renames and removes both files. The open files must still be readable.
    fn delete(mut self, seed: u64, gate: &Gate) -> Result<()> {
        for path in [&mut self.path, &mut self.index_path] {
            let mut marked = path.clone().into_os_string();
            marked.push(".deleted");
            let marked = PathBuf::from(marked);
            let done = || !path.exists() && marked.exists();
            settle(fs::rename(&*path, &marked), done, gate)
                .with_context(|| format!("rename {} to {}", path.display(), marked.display()))?;
            settle(fs::remove_file(&marked), || !marked.exists(), gate)
                .with_context(|| format!("remove {}", marked.display()))?;
            *path = marked;
        }
        self.compare(seed).context("after its removal, while it is open")?;
        Ok(())
    }
}

fn create(path: &Path) -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).create_new(true).open(path);
    file.with_context(|| format!("create {}", path.display()))
}
