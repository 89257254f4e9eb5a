//! What the second copy of the metadata costs: creations of files and small synced writes, on a pool with one copy, with a second copy
//! that has no metadata, and with one that has it. The rounds of the three take turns.
//!
//! ```text
//! cargo run --profile ci -p forebay-pool --example metadata_copy_cost -- DIRECTORY [OTHER-DIRECTORY]
//! ```
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement, not a part of the pool")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::{Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use tokio::time::Instant;

const ROUNDS: usize = 10;
const CREATIONS: usize = 300;
const WRITES: usize = 300;

struct Case {
    name: &'static str,
    pool: Pool,
    root: Handle,
    file: Handle,
    creations: Vec<Duration>,
    writes: Vec<Duration>,
    syncs: u64,
    bytes: u64,
}

/// Bytes that this process has caused to be written.
fn bytes_written() -> u64 {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("wchar: ")).unwrap();
    line.parse().unwrap()
}

async fn open(name: &'static str, home: &Path, copies: Option<PathBuf>) -> Case {
    let wanted = if name == "two copies" { 2 } else { 1 };
    let options = PoolOptions { copies_directory: copies, ..PoolOptions::default() };
    let pool = Pool::open(home, options).await.unwrap();
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    let new = NewInode::new(Kind::File, 0o600);
    let file = pool.create(root, b"log", new).await.unwrap().attributes.handle;
    while pool.metadata_copies().unwrap().whole < wanted {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Case { name, pool, root, file, creations: Vec::new(), writes: Vec::new(), syncs: 0, bytes: 0 }
}

async fn round(case: &mut Case, number: usize) {
    let (before, syncs) = (bytes_written(), case.pool.counters().unwrap().commit_groups);
    for creation in 0..CREATIONS {
        let name = format!("file-{number}-{creation}");
        let began = Instant::now();
        case.pool.create(case.root, name.as_bytes(), NewInode::new(Kind::File, 0o600)).await.unwrap();
        case.creations.push(began.elapsed());
    }
    case.syncs += case.pool.counters().unwrap().commit_groups - syncs;
    case.bytes += bytes_written() - before;
    for write in 0..WRITES {
        let began = Instant::now();
        let (offset, bytes) = ((write * 1000) as u64, Bytes::from(vec![write as u8; 1000]));
        case.pool.write(case.file, offset, bytes, Stability::FileSync).await.unwrap();
        case.writes.push(began.elapsed());
    }
}

fn at(times: &mut [Duration], permille: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() - 1) * permille / 1000].as_secs_f64() * 1000.0
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(PathBuf::from);
    let directory = arguments.next().unwrap();
    let other = arguments.next().unwrap_or_else(|| directory.clone());
    let (homes, copies) = (directory.join("homes"), other.join("copies"));
    let mut cases = vec![open("one copy", &homes.join("one"), None).await];
    // A file where the second copy would have its store keeps it away.
    let data_only = copies.join("data");
    let options = PoolOptions { copies_directory: Some(data_only.clone()), ..PoolOptions::default() };
    let first = Pool::open(&homes.join("data"), options).await.unwrap();
    first.close().await.unwrap();
    for entry in std::fs::read_dir(&data_only).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("meta.") {
            std::fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    let _ = std::fs::remove_file(data_only.join("META"));
    std::fs::write(data_only.join("meta.9"), "in the way").unwrap();
    cases.push(open("data in two copies", &homes.join("data"), Some(data_only)).await);
    cases.push(open("two copies", &homes.join("two"), Some(copies.join("two"))).await);
    for number in 0..ROUNDS {
        for case in &mut cases {
            round(case, number).await;
        }
    }
    println!("ms: median and 99th percentile; of a creation also the groups committed and the bytes written");
    for case in &mut cases {
        let count = case.creations.len() as f64;
        println!(
            "{:20} creation {:.2} {:.2} ({:.2} groups, {:.0} bytes)   synced write of 1000 bytes {:.2} {:.2}",
            case.name,
            at(&mut case.creations, 500),
            at(&mut case.creations, 990),
            case.syncs as f64 / count,
            case.bytes as f64 / count,
            at(&mut case.writes, 500),
            at(&mut case.writes, 990),
        );
    }
    for case in cases {
        case.pool.close().await.unwrap();
    }
}
