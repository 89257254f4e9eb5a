//! A file whose pages are overwritten at random, a few in a row, like a mapped index or a database.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::gate::Gate;
use super::{Verified, Work, compare, ensure_length, forget};
use crate::probe::random::Random;

const PAGE_BYTES: usize = 4096;
const PAGES: usize = 2048;
/// Maximum number of pages of one write.
const RUN_MAX: usize = 16;
/// One in this many writes is followed by an fsync.
const SYNC_EVERY: usize = 2;

/// The file.
pub struct Pages {
    path: PathBuf,
    file: File,
    seed: u64,
    random: Random,
    /// The number of writes to each page. A page that was never written is a hole.
    versions: Vec<u32>,
}

impl Pages {
    pub fn create(path: &Path, seed: u64) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = file.with_context(|| format!("create {}", path.display()))?;
        file.set_len((PAGES * PAGE_BYTES) as u64).with_context(|| format!("extend {}", path.display()))?;
        let random = Random::new(seed);
        Ok(Self { path: path.to_owned(), file, seed, random, versions: vec![0; PAGES] })
    }

    fn content(&self, page: usize, version: u32) -> Vec<u8> {
        match version {
            0 => vec![0; PAGE_BYTES],
            _ => Random::new(self.seed ^ (page as u64) << 32 ^ u64::from(version)).bytes(PAGE_BYTES),
        }
    }

    fn contents(&self, first: usize) -> impl Iterator<Item = Vec<u8>> + '_ {
        let pages = self.versions.iter().enumerate().skip(first);
        pages.map(|(page, version)| self.content(page, *version))
    }
}

impl Work for Pages {
    fn step(&mut self, _: &Gate) -> Result<()> {
        let count = 1 + self.random.below(RUN_MAX);
        let first = self.random.below(PAGES + 1 - count);
        for version in self.versions.iter_mut().skip(first).take(count) {
            *version += 1;
        }
        let bytes: Vec<u8> = self.contents(first).take(count).flatten().collect();
        let told = || format!("write pages {first} to {} of {}", first + count, self.path.display());
        self.file.write_all_at(&bytes, (first * PAGE_BYTES) as u64).with_context(told)?;
        if self.random.below(SYNC_EVERY) == 0 {
            self.file.sync_data().with_context(told)?;
        }
        Ok(())
    }

    fn verify(&mut self) -> Result<Verified> {
        forget(&self.file, &self.path)?;
        ensure_length(&self.file, &self.path, (PAGES * PAGE_BYTES) as u64)?;
        for (page, expected) in self.contents(0).enumerate() {
            compare(&self.file, &self.path, (page * PAGE_BYTES) as u64, &expected)
                .with_context(|| format!("page {page}"))?;
        }
        Ok(Verified { files: 1, bytes: (PAGES * PAGE_BYTES) as u64 })
    }
}
