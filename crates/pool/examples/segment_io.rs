//! Measures direct writes: sequential writes and reads of a pool, with and without direct writes, in one run.
//!
//! `cargo run --release --package forebay-pool --example segment_io -- DIRECTORY [MIB] [ROUNDS]`; the directory must be
//! on the disk to measure. The bytes are random, so nothing is deduplicated or compressed.
#![allow(clippy::unwrap_used, reason = "a measurement ends at the first error")]

use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use bytes::Bytes;
use forebay_pool::*;

/// The allocator of the daemon, because it affects the results.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const WRITE_BYTES: usize = 1 << 20;
const READ_BYTES: u32 = 1 << 20;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| ".".to_owned());
    let mib: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(512);
    let rounds: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(3);
    println!("{:>8} {:>8} {:>14} {:>14}", "direct", "streams", "write MB/s", "read MB/s");
    for _ in 0..rounds {
        for streams in [1, 8] {
            for direct_io in [false, true] {
                let place = Path::new(&directory).join(format!("segment-io-{}", std::process::id()));
                let (write, read) = measure(&place, direct_io, streams, mib).await;
                std::fs::remove_dir_all(&place).unwrap();
                println!("{direct_io:>8} {streams:>8} {write:>14.0} {read:>14.0}");
            }
        }
    }
}

/// The megabytes per second of writing and then reading `mib` MiB in `streams` files at once.
async fn measure(place: &Path, direct_io: bool, streams: usize, mib: usize) -> (f64, f64) {
    let options = PoolOptions { direct_io, scrub_period: None, ..PoolOptions::default() };
    let pool = Pool::open(place, options).await.unwrap();
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    let mut files = Vec::new();
    for stream in 0..streams {
        let new = NewInode::new(Kind::File, 0o644);
        let made = pool.create(root, format!("f{stream}").as_bytes(), new).await.unwrap();
        files.push((stream, made.attributes.handle));
    }
    let writes = mib / streams;
    let content: Vec<Vec<Bytes>> =
        (0..streams).map(|stream| (0..writes).map(|n| random(stream, n)).collect()).collect();
    let began = Instant::now();
    let mut tasks = tokio::task::JoinSet::new();
    for ((_, file), content) in files.iter().copied().zip(content) {
        let pool = pool.clone();
        tasks.spawn(async move {
            for (n, bytes) in content.into_iter().enumerate() {
                pool.write(file, (n * WRITE_BYTES) as u64, bytes, Stability::Unstable).await.unwrap();
                if n % 16 == 15 {
                    pool.commit(file, 0, 0).await.unwrap();
                }
            }
            pool.commit(file, 0, 0).await.unwrap();
        });
    }
    while tasks.join_next().await.is_some() {}
    let written = rate(mib, began.elapsed());
    let began = Instant::now();
    for (_, file) in files {
        let pool = pool.clone();
        tasks.spawn(async move {
            for n in 0..writes {
                let data = pool.read(file, (n * WRITE_BYTES) as u64, READ_BYTES).await.unwrap();
                assert_eq!(data.pieces.iter().map(Bytes::len).sum::<usize>(), WRITE_BYTES);
            }
        });
    }
    while tasks.join_next().await.is_some() {}
    let read = rate(mib, began.elapsed());
    pool.close().await.unwrap();
    (written, read)
}

fn rate(mib: usize, time: Duration) -> f64 {
    (mib << 20) as f64 / time.as_secs_f64() / 1e6
}

fn random(stream: usize, n: usize) -> Bytes {
    let mut bytes = vec![0; WRITE_BYTES];
    let mut hasher = blake3::Hasher::new();
    hasher.update(&stream.to_le_bytes()).update(&n.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes.into()
}
