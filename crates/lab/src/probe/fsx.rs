//! Random operations on one file, each compared with a copy of the file in memory: the idea of the well-known program fsx.
//!
//! Reads go to the client's page cache unless it was dropped, so the client's copy is dropped often: what is compared then
//! comes from the server.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use rustix::fs::{Advice, fadvise};
use serde::{Deserialize, Serialize};

use super::random::Random;

/// The file never gets longer, in bytes.
const FILE_BYTES_MAX: usize = 256 << 10;
/// Longest read and write, in bytes.
const OPERATION_BYTES_MAX: usize = 64 << 10;
/// Operations that are told when one goes wrong.
const HISTORY: usize = 12;

/// Which file, and how much.
#[derive(Debug, Args)]
pub struct FsxArgs {
    /// A file; its content is replaced, and it stays
    file: PathBuf,
    /// Number of operations
    operations: u64,
    /// Seed of what is random
    seed: u64,
}

/// What is printed when all went well.
#[derive(Debug, Serialize, Deserialize)]
pub struct FsxDone {
    /// Operations done.
    pub operations: u64,
    /// Bytes that were read and compared.
    pub compared_bytes: u64,
    /// Length of the file at the end.
    pub file_bytes: u64,
}

/// Does the operations, and fails at the first byte that is wrong.
pub fn run(args: &FsxArgs) -> Result<()> {
    let mut work = Work::start(&args.file, args.seed)?;
    for number in 0..args.operations {
        work.step().with_context(|| {
            format!("operation {number}, seed {}; before it: {}", args.seed, work.history())
        })?;
    }
    work.compare_all().context("comparing the whole file at the end")?;
    work.file.sync_all().context("fsync at the end")?;
    let file_bytes = u64::try_from(work.model.len())?;
    let done = FsxDone { operations: args.operations, compared_bytes: work.compared_bytes, file_bytes };
    println!("{}", serde_json::to_string(&done)?);
    Ok(())
}

struct Work<'a> {
    path: &'a Path,
    file: File,
    /// What the file must hold.
    model: Vec<u8>,
    random: Random,
    compared_bytes: u64,
    recent: VecDeque<String>,
}

impl<'a> Work<'a> {
    fn start(path: &'a Path, seed: u64) -> Result<Self> {
        let file = open(path)?;
        file.set_len(0).with_context(|| format!("truncate {}", path.display()))?;
        let (model, random) = (Vec::new(), Random::new(seed));
        Ok(Self { path, file, model, random, compared_bytes: 0, recent: VecDeque::new() })
    }

    fn step(&mut self) -> Result<()> {
        match self.random.below(100) {
            0..40 => self.write(),
            40..80 => self.read(),
            80..88 => self.truncate(),
            88..93 => self.sync(),
            93..98 => self.drop_cache(),
            _ => self.reopen(),
        }
    }

    fn write(&mut self) -> Result<()> {
        let offset = self.random.below(FILE_BYTES_MAX);
        let length = 1 + self.random.below(OPERATION_BYTES_MAX.min(FILE_BYTES_MAX - offset));
        self.note(format!("write {length}@{offset}"));
        let bytes = self.random.bytes(length);
        self.file.write_all_at(&bytes, offset as u64).context("write")?;
        let end = offset + length;
        if self.model.len() < end {
            self.model.resize(end, 0);
        }
        self.model.splice(offset..end, bytes);
        self.check_length()
    }

    fn read(&mut self) -> Result<()> {
        let offset = self.random.below(self.model.len());
        let length = (1 + self.random.below(OPERATION_BYTES_MAX)).min(self.model.len() - offset);
        self.note(format!("read {length}@{offset}"));
        self.compare(offset, length)
    }

    fn truncate(&mut self) -> Result<()> {
        let length = self.random.below(FILE_BYTES_MAX);
        self.note(format!("truncate {length}"));
        self.file.set_len(length as u64).context("truncate")?;
        self.model.resize(length, 0);
        self.check_length()
    }

    fn sync(&mut self) -> Result<()> {
        self.note("fsync".into());
        self.file.sync_all().context("fsync")
    }

    /// The next reads come from the server.
    fn drop_cache(&mut self) -> Result<()> {
        self.note("drop cache".into());
        self.file.sync_data().context("fdatasync")?;
        fadvise(&self.file, 0, None, Advice::DontNeed).context("drop the file's cached pages")
    }

    fn reopen(&mut self) -> Result<()> {
        self.note("close, open".into());
        self.file = open(self.path)?;
        self.check_length()
    }

    fn check_length(&self) -> Result<()> {
        let length = self.file.metadata().context("stat")?.len();
        if length != self.model.len() as u64 {
            bail!("the file is {length} bytes long and must be {}", self.model.len());
        }
        Ok(())
    }

    fn compare(&mut self, offset: usize, length: usize) -> Result<()> {
        let mut found = vec![0; length];
        self.file.read_exact_at(&mut found, offset as u64).context("read")?;
        self.compared_bytes += length as u64;
        let expected = self.model.get(offset..offset + length).context("read past the model's end")?;
        let wrong = found.iter().zip(expected).position(|(found, expected)| found != expected);
        match wrong {
            None => Ok(()),
            Some(at) => {
                let count = found.iter().zip(expected).filter(|(found, expected)| found != expected).count();
                bail!(
                    "byte {} is {:?} and must be {:?} ({count} of {length} bytes from {offset} are wrong)",
                    offset + at,
                    found.get(at),
                    expected.get(at)
                )
            }
        }
    }

    fn compare_all(&mut self) -> Result<()> {
        self.drop_cache()?;
        self.check_length()?;
        self.compare(0, self.model.len())
    }

    fn note(&mut self, operation: String) {
        if self.recent.len() == HISTORY {
            self.recent.pop_front();
        }
        self.recent.push_back(operation);
    }

    fn history(&self) -> String {
        self.recent.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

fn open(path: &Path) -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    file.with_context(|| format!("open {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("forebay-lab-fsx-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_correct_file_system_passes() {
        let file = scratch("right");
        run(&FsxArgs { file: file.clone(), operations: 2000, seed: 7 }).unwrap();
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn one_wrong_byte_is_found() {
        let path = scratch("wrong");
        let mut work = Work::start(&path, 7).unwrap();
        while work.model.len() < 1000 {
            work.write().unwrap();
        }
        let right = work.model[500];
        work.file.write_all_at(&[!right], 500).unwrap();
        let error = work.compare_all().unwrap_err().to_string();
        std::fs::remove_file(path).unwrap();
        assert!(error.contains("byte 500") && error.contains("(1 of"), "{error}");
    }
}
