//! A load with known content, for a server that is killed under load: logs that grow and roll like Kafka's, pages that are
//! overwritten, names that come and go, and an unlinked file that stays open.
//!
//! Each [`Work`] runs in a thread of its own and keeps the expected content in memory. A control file, which is not on the storage,
//! contains the order: `work`, `verify N` or `stop`. To verify, every workload finishes its current operation, writes back its dirty
//! data (fsync), drops the client's cache, reads all of its files from the server and compares each byte. Then the program prints a
//! line of JSON ([`Event`]). The first error ends the program with status 1.

mod batch;
mod gate;
mod held;
mod log;
mod names;
mod pages;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use rustix::fs::{Advice, fadvise};
use serde::{Deserialize, Serialize};

use gate::{Gate, Order};

/// The interval between two reads of the control file.
const PAUSE: Duration = Duration::from_millis(10);
/// The number of logs that grow at the same time.
const LOGS: u64 = 2;

/// The arguments.
#[derive(Debug, Args)]
pub struct ChurnArgs {
    /// An empty folder on the storage
    folder: PathBuf,
    /// The control file; not on the storage
    control: PathBuf,
    /// Seed of the content
    seed: u64,
}

/// The line that is printed after each successful verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The number of the verification.
    pub round: u64,
    /// Files that were read.
    pub files: u64,
    /// Bytes that were read from the server and compared.
    pub bytes: u64,
    /// Operations since the program's start.
    pub operations: u64,
    /// Operations since the program's start whose reply said that they had been done before: the server executed them, was killed
    /// before its reply arrived, and got the request again.
    pub repeated: u64,
    /// The duration of the longest operation since the last verification, in milliseconds.
    pub longest_ms: u64,
}

/// The verification of this round, if the program has printed it.
pub fn event(printed: &str, round: u64) -> Option<Event> {
    let parse = |line: &str| serde_json::from_str::<Event>(line).ok();
    printed.lines().rev().filter_map(parse).find(|event| event.round == round)
}

/// One kind of load.
trait Work: Send {
    /// Does one or a few operations.
    fn step(&mut self, gate: &Gate) -> Result<()>;

    /// Reads everything back from the server and compares it.
    fn verify(&mut self) -> Result<Verified>;
}

/// The amount of compared data.
#[derive(Debug, Clone, Copy, Default)]
struct Verified {
    files: u64,
    bytes: u64,
}

impl Verified {
    fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes += bytes;
    }
}

/// Works and verifies until the control file says `stop`.
pub fn run(args: &ChurnArgs) -> Result<()> {
    let works = works(args)?;
    let gate = Arc::new(Gate::new(works.len()));
    for work in works {
        let gate = Arc::clone(&gate);
        std::thread::spawn(move || labour(work, &gate));
    }
    loop {
        match order(&args.control) {
            Some(Order::Stop) => return Ok(()),
            Some(order) => gate.give(order),
            None => {}
        }
        if let Some(why) = gate.failure() {
            bail!("{why}");
        }
        if let Some(event) = gate.finished_verification() {
            println!("{}", serde_json::to_string(&event)?);
        }
        std::thread::sleep(PAUSE);
    }
}

fn works(args: &ChurnArgs) -> Result<Vec<Box<dyn Work>>> {
    let (folder, seed) = (&args.folder, args.seed);
    let mut works: Vec<Box<dyn Work>> = Vec::new();
    for number in 0..LOGS {
        works.push(Box::new(log::Log::create(&folder.join(format!("log-{number}")), seed ^ (number << 56))?));
    }
    works.push(Box::new(pages::Pages::create(&folder.join("pages"), seed ^ (1 << 60))?));
    works.push(Box::new(names::Names::create(&folder.join("names"), seed ^ (2 << 60))?));
    works.push(Box::new(held::Held::create(&folder.join("held"), seed ^ (3 << 60))?));
    Ok(works)
}

/// The order in the control file; `None` while it is being written.
fn order(control: &Path) -> Option<Order> {
    let text = fs::read_to_string(control).ok()?;
    let mut words = text.split_whitespace();
    match (words.next()?, words.next()) {
        ("work", None) => Some(Order::Work),
        ("verify", Some(round)) => Some(Order::Verify(round.parse().ok()?)),
        ("stop", None) => Some(Order::Stop),
        _ => None,
    }
}

fn labour(mut work: Box<dyn Work>, gate: &Gate) {
    let mut verified = 0;
    loop {
        let order = gate.order();
        let result = match order {
            Order::Work => gate.timed(|| work.step(gate)),
            Order::Verify(round) if round > verified => {
                verified = round;
                work.verify().map(|found| gate.add_verified(found))
            }
            Order::Verify(_) => {
                gate.wait_for_other_than(order);
                Ok(())
            }
            Order::Stop => return,
        };
        if let Err(error) = result {
            return gate.fail(&format!("{error:#}"));
        }
    }
}

/// Writes a file's dirty data back to the server, and drops its cached pages, so that reads come from the server.
fn forget(file: &File, path: &Path) -> Result<()> {
    file.sync_data().with_context(|| format!("fsync {}", path.display()))?;
    fadvise(file, 0, None, Advice::DontNeed).with_context(|| format!("forget {}", path.display()))
}

/// Reads a range of a file and compares it.
fn compare(file: &File, path: &Path, offset: u64, expected: &[u8]) -> Result<()> {
    let mut found = vec![0; expected.len()];
    file.read_exact_at(&mut found, offset)
        .with_context(|| format!("read {} bytes at {offset} of {}", expected.len(), path.display()))?;
    if let Some(at) = found.iter().zip(expected).position(|(found, expected)| found != expected) {
        let zeros = found.iter().skip(at).take_while(|byte| **byte == 0).count();
        bail!(
            "{} is not what was written: first difference at {} (in a stretch of {} bytes at {offset}; {zeros} zeros from there)",
            path.display(),
            offset + at as u64,
            expected.len(),
        );
    }
    Ok(())
}

fn ensure_length(file: &File, path: &Path, expected: u64) -> Result<()> {
    let found = file.metadata().with_context(|| format!("stat {}", path.display()))?.len();
    ensure!(found == expected, "{} has {found} bytes and must have {expected}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_and_half_written_ones_are_not() {
        let path = std::env::temp_dir().join(format!("forebay-lab-order-{}", std::process::id()));
        for (text, expected) in [
            ("work\n", Some(Order::Work)),
            ("verify 12", Some(Order::Verify(12))),
            ("stop", Some(Order::Stop)),
            ("", None),
            ("verify", None),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(order(&path), expected, "{text:?}");
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn every_work_keeps_what_it_wrote_on_a_correct_file_system() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-load-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let args = ChurnArgs { folder: folder.clone(), control: folder.join("control"), seed: 7 };
        let gate = Gate::new(0);
        for mut work in works(&args).unwrap() {
            for _ in 0..120 {
                work.step(&gate).unwrap();
            }
            let verified = work.verify().unwrap();
            assert!(verified.files > 0, "{verified:?}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_byte_that_changed_is_found() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-changed-{}", std::process::id()));
        let mut work = log::Log::create(&folder, 7).unwrap();
        let gate = Gate::new(0);
        work.step(&gate).unwrap();
        let segment = folder.join("000000.log");
        let mut bytes = fs::read(&segment).unwrap();
        bytes[70] ^= 1;
        fs::write(&segment, bytes).unwrap();
        let error = format!("{:#}", work.verify().map(|_| ()).unwrap_err());
        fs::remove_dir_all(&folder).unwrap();
        assert!(error.contains("000000.log") && error.contains("difference at 70"), "{error}");
    }
}
