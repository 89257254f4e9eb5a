//! Measures small writes at random places of a large file: their rate, the memory of the process, and the bytes that
//! stay inline in the metadata store, during the writes and after an idle time.
//!
//! `cargo run --release --package forebay-pool --example random_writes -- DIRECTORY [WRITES] [MIB] [IDLE_SECONDS]`; the
//! directory must be on the disk to measure. The writes are unstable, 4 KiB each, and page-aligned. The bytes are
//! random, so nothing is deduplicated or compressed. All options of the pool are the defaults.
//!
//! `writes/s` is the rate of writes accepted into memory, which is high at first. `stored/s` is the rate at which they
//! left memory in the same time, and so the rate that a lasting load gets.
#![allow(clippy::unwrap_used, reason = "a measurement ends at the first error")]

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::*;
use tokio::time::Instant;

/// The allocator of the daemon, because it affects the results.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const PAGE_BYTES: usize = 4096;
const READ_BYTES: u32 = 1 << 20;
/// The number of lines of the table while writing.
const STEPS: u64 = 10;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| ".".to_owned());
    let mut number = |default: u64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (writes, mib, idle_seconds) = (number(1_000_000), number(2048), number(60));
    let place = Path::new(&directory).join(format!("random-writes-{}", std::process::id()));
    measure(&place, writes, (mib << 20) / PAGE_BYTES as u64, idle_seconds).await;
    std::fs::remove_dir_all(&place).unwrap();
}

async fn measure(place: &Path, writes: u64, pages: u64, idle_seconds: u64) {
    let pool = Pool::open(place, PoolOptions::default()).await.unwrap();
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    let made = pool.create(root, b"file", NewInode::new(Kind::File, 0o644)).await.unwrap();
    let file = made.attributes.handle;
    println!(
        "{:>16} {:>9} {:>9} {:>7} {:>7} {:>7} {:>9} {:>7} {:>11} {:>8} {:>8} {:>8}",
        "",
        "writes/s",
        "stored/s",
        "CPU s",
        "RSS MB",
        "peak MB",
        "stored MB",
        "dead MB",
        "appended MB",
        "moved MB",
        "meta MB",
        "inline"
    );
    let mut random = Random(1);
    let (step, mut dirty) = (writes.div_ceil(STEPS).max(1), 0);
    for first in (0..writes).step_by(usize::try_from(step).unwrap()) {
        let now = step.min(writes - first);
        let began = Instant::now();
        for _ in 0..now {
            let offset = random.next() % pages * PAGE_BYTES as u64;
            pool.write(file, offset, random.page(), Stability::Unstable).await.unwrap();
        }
        let (seconds, dirty_before) = (began.elapsed().as_secs_f64(), dirty);
        dirty = pool.counters().unwrap().dirty_bytes / PAGE_BYTES as u64;
        let stored = (now + dirty_before).saturating_sub(dirty);
        let rates = format!("{:>9.0} {:>9.0}", now as f64 / seconds, stored as f64 / seconds);
        report(&pool, &(first + now).to_string(), &rates);
    }
    let began = Instant::now();
    pool.commit(file, 0, 0).await.unwrap();
    report(&pool, "committed", "");
    println!("{:>16} {:.1} s", "commit took", began.elapsed().as_secs_f64());
    tokio::time::sleep(Duration::from_secs(idle_seconds)).await;
    report(&pool, &format!("idle for {idle_seconds} s"), "");
    let extents = pool.efficiency(None).await.unwrap().extents;
    let (began, mut offset) = (Instant::now(), 0);
    while offset < pages * PAGE_BYTES as u64 {
        let read = pool.read(file, offset, READ_BYTES).await.unwrap();
        offset += u64::from(READ_BYTES);
        if read.eof {
            break;
        }
    }
    let rate = offset as f64 / 1e6 / began.elapsed().as_secs_f64();
    println!("{:>16} {rate:.0} MB/s, of {extents} extents", "read at");
    let began = Instant::now();
    pool.close().await.unwrap();
    println!("{:>16} {:.1} s", "close took", began.elapsed().as_secs_f64());
}

fn report(pool: &Pool, when: &str, rates: &str) {
    let counters = pool.counters().unwrap();
    let (stored, logical) = (counters.stored, counters.space.bytes_logical);
    let mb = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "{when:>16} {rates:>19} {:>7.1} {:>7.0} {:>7.0} {:>9.0} {:>7.0} {:>11.0} {:>8.0} {:>8.0} {:>7.2}%",
        processor_seconds(),
        status_mb("VmRSS"),
        status_mb("VmHWM"),
        mb(stored.bytes_live),
        mb(stored.bytes_dead),
        mb(counters.bytes_appended),
        mb(counters.bytes_moved),
        mb(counters.bytes_metadata),
        stored.bytes_inline as f64 / logical.max(1) as f64 * 100.0
    );
}

/// The megabytes in this line of the process's status in `/proc`.
fn status_mb(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let value = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':')).unwrap();
    value.trim().trim_end_matches(" kB").parse::<f64>().unwrap() * 1024.0 / 1e6
}

/// The processor time of all threads, in user space and in the kernel.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
    // The unit is a hundredth of a second on every Linux.
    (ticks(11) + ticks(12)) / 100.0
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn page(&mut self) -> Bytes {
        let mut page = Vec::with_capacity(PAGE_BYTES);
        for _ in 0..PAGE_BYTES / 8 {
            page.extend_from_slice(&self.next().to_le_bytes());
        }
        page.into()
    }
}
