//! Measures how long it takes until appended bytes are durable: in a file that grows, in one whose size is set, in one whose blocks are
//! allocated, and in one that was written before.
//!
//! `cargo run --release --package forebay-pool --example sync_cost -- DIRECTORY [COUNT] [ROUNDS]`; the directory must be on the disk to
//! measure. All kinds are measured in turns, COUNT appends in each round. The table has the times of all rounds.
#![allow(clippy::unwrap_used, reason = "a measurement ends at the first error")]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::FallocateFlags;
use tokio::time::Instant;

/// What is done to a file before bytes are appended.
#[derive(Clone, Copy)]
enum Before {
    Nothing,
    SetSize,
    Allocate,
    Write,
}

/// How an append becomes durable.
#[derive(Clone, Copy)]
enum Sync {
    Fdatasync,
    Dsync,
}

const FILES: [(&str, Before); 4] = [
    ("growing", Before::Nothing),
    ("size set (sparse)", Before::SetSize),
    ("blocks allocated", Before::Allocate),
    ("written before", Before::Write),
];
const SYNCS: [(&str, Sync); 2] = [("fdatasync", Sync::Fdatasync), ("O_DSYNC", Sync::Dsync)];
const APPEND_BYTES: [usize; 2] = [4 << 10, 64 << 10];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| ".".to_owned());
    let count: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(200);
    let rounds: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(7);
    let path = Path::new(&directory).join(format!("sync-cost-{}", std::process::id()));
    let mut times = vec![Vec::new(); FILES.len() * SYNCS.len() * APPEND_BYTES.len()];
    for _ in 0..rounds {
        for (kind, times) in kinds().zip(&mut times) {
            append(&path, kind, count, times);
        }
    }
    println!("{:>20} {:>10} {:>6} {:>8} {:>8} {:>8}", "file", "sync", "KiB", "p50, µs", "p10", "p90");
    for ((before, sync, bytes), mut times) in kinds().zip(times) {
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() - 1) * percent / 100];
        let (file, sync) = (FILES[before].0, SYNCS[sync].0);
        let kib = bytes >> 10;
        println!("{file:>20} {sync:>10} {kib:>6} {:>8} {:>8} {:>8}", at(50), at(10), at(90));
    }
}

/// All combinations: the indexes of the file and of the sync, and the size of an append.
fn kinds() -> impl Iterator<Item = (usize, usize, usize)> {
    let pairs = (0..FILES.len()).flat_map(|before| (0..SYNCS.len()).map(move |sync| (before, sync)));
    pairs.flat_map(|(before, sync)| APPEND_BYTES.map(|bytes| (before, sync, bytes)))
}

/// Appends to a new file, and adds the microseconds that each append took until it was durable.
fn append(path: &Path, (before, sync, bytes): (usize, usize, usize), count: usize, times: &mut Vec<u64>) {
    let (before, sync) = (FILES[before].1, SYNCS[sync].1);
    let mut file = File::create(path).unwrap();
    let length = (count * bytes) as u64;
    match before {
        Before::Nothing => {}
        Before::SetSize => file.set_len(length).unwrap(),
        Before::Allocate => rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, length).unwrap(),
        Before::Write => file.write_all(&vec![0; count * bytes]).unwrap(),
    }
    file.sync_all().unwrap();
    let flags = if matches!(sync, Sync::Dsync) { rustix::fs::OFlags::DSYNC.bits() } else { 0 };
    let file = File::options().write(true).custom_flags(flags.cast_signed()).open(path).unwrap();
    for number in 0..count {
        let content = vec![u8::try_from(number % 255).unwrap_or(0) + 1; bytes];
        let began = Instant::now();
        file.write_all_at(&content, (number * bytes) as u64).unwrap();
        if matches!(sync, Sync::Fdatasync) {
            file.sync_data().unwrap();
        }
        times.push(u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX));
    }
    fs::remove_file(path).unwrap();
}
