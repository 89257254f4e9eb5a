//! Keeps two files open while the server is killed and restarted. One is unlinked right after it was opened. Both grow by
//! records, each of which is acknowledged (fsync) before the next.
//!
//! Runs until a stop file appears. Every round appends a record to both files, calls fsync, and reads two records back from the
//! server: the newest and a random one. At the end all records of both files are compared.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use rustix::fs::{Advice, fadvise};
use serde::{Deserialize, Serialize};

use super::random::Random;

const RECORD_BYTES: usize = 16 << 10;

/// The pause between two rounds.
const PAUSE: Duration = Duration::from_millis(5);

/// The interval between two progress lines.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// The arguments.
#[derive(Debug, Args)]
pub struct HoldArgs {
    /// A folder on the storage
    folder: PathBuf,
    /// A file whose appearance ends the probe; not on the storage
    stop: PathBuf,
    /// Seed of the content
    seed: u64,
}

/// The first word of a progress line. The number of records so far follows.
const PROGRESS: &str = "records";

/// The result that is printed at the end.
#[derive(Debug, Serialize, Deserialize)]
pub struct Held {
    /// Bytes in each of the two files.
    pub file_bytes: u64,
    /// Records in each of the two files, all acknowledged and all compared.
    pub records: u64,
    /// The duration of the longest round, in milliseconds. It is the pause that the outage of the server caused.
    pub longest_round_ms: u64,
}

/// The number of acknowledged records, according to the probe's output so far; 0 before it is ready.
pub fn records_so_far(printed: &str) -> u64 {
    let count = |line: &str| line.strip_prefix(PROGRESS)?.trim().parse().ok();
    printed.lines().rev().find_map(count).unwrap_or(0)
}

/// The result in the probe's complete output.
pub fn parse(printed: &str) -> Result<Held> {
    let line = printed.lines().last().context("the probe printed nothing")?;
    serde_json::from_str(line).with_context(|| format!("the probe's last line is {line:?}"))
}

/// Runs until the stop file appears. Then compares everything, and closes the files.
pub fn run(args: &HoldArgs) -> Result<()> {
    let unlinked_path = args.folder.join("unlinked");
    let mut unlinked = Growing::create(&unlinked_path, args.seed)?;
    unlinked.append()?;
    std::fs::remove_file(&unlinked_path).with_context(|| format!("remove {}", unlinked_path.display()))?;
    ensure!(!unlinked_path.exists(), "{} is still there after its removal", unlinked_path.display());
    let mut named = Growing::create(&args.folder.join("named"), !args.seed)?;
    named.append()?;
    println!("{PROGRESS} 1");

    let mut random = Random::new(args.seed);
    let mut longest = Duration::ZERO;
    let mut reported = Instant::now();
    while !args.stop.exists() {
        let start = Instant::now();
        for file in [&mut unlinked, &mut named] {
            file.append()?;
            file.compare(file.records - 1)?;
            let any = random.below(usize::try_from(file.records)?);
            file.compare(any as u64)?;
        }
        longest = longest.max(start.elapsed());
        if reported.elapsed() > REPORT_EVERY {
            println!("{PROGRESS} {}", unlinked.records);
            reported = Instant::now();
        }
        std::thread::sleep(PAUSE);
    }
    for file in [&unlinked, &named] {
        (0..file.records).try_for_each(|record| file.compare(record))?;
    }
    let links = unlinked.file.metadata().context("stat the unlinked file")?.nlink();
    ensure!(links == 0, "the unlinked file has {links} links and must have none");
    let longest_round_ms = u64::try_from(longest.as_millis())?;
    let records = unlinked.records;
    let held = Held { file_bytes: records * RECORD_BYTES as u64, records, longest_round_ms };
    println!("{}", serde_json::to_string(&held)?);
    Ok(())
}

/// A file of records.
struct Growing {
    path: PathBuf,
    file: File,
    seed: u64,
    records: u64,
}

impl Growing {
    fn create(path: &Path, seed: u64) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = file.with_context(|| format!("create {}", path.display()))?;
        Ok(Self { path: path.to_owned(), file, seed, records: 0 })
    }

    /// The content of a record, which depends only on the seed and its number.
    fn content(&self, record: u64) -> Vec<u8> {
        Random::new(self.seed ^ record.rotate_left(32)).bytes(RECORD_BYTES)
    }

    fn append(&mut self) -> Result<()> {
        let told = || format!("record {} of {}", self.records, self.path.display());
        let offset = self.records * RECORD_BYTES as u64;
        self.file
            .write_all_at(&self.content(self.records), offset)
            .with_context(|| format!("write {}", told()))?;
        self.file.sync_data().with_context(|| format!("fsync {}", told()))?;
        self.records += 1;
        Ok(())
    }

    /// Reads a record from the server and compares it.
    fn compare(&self, record: u64) -> Result<()> {
        let told = || format!("record {record} of {}", self.path.display());
        fadvise(&self.file, 0, None, Advice::DontNeed).context("drop the file's cached pages")?;
        let mut found = vec![0; RECORD_BYTES];
        self.file
            .read_exact_at(&mut found, record * RECORD_BYTES as u64)
            .with_context(|| format!("read {}", told()))?;
        ensure!(found == self.content(record), "{} is not what was acknowledged", told());
        Ok(())
    }
}
