//! Measures the cost of cutting, hashing and compressing: the bytes per second that one core processes in memory.
//!
//! `cargo run --release --package forebay-pool --example cut [MIB] [ROUNDS]`. For each kind of bytes and each
//! compression it writes a file, and then the same bytes again, as a second replica would. They are cut, hashed and
//! found.
#![allow(clippy::unwrap_used, reason = "a measurement ends at the first error")]

#[path = "../tests/pool/common/batches.rs"]
mod batches;

use tokio::time::Instant;

use batches::{log, random};
use bytes::Bytes;
use forebay_pool::*;

const WRITE_BYTES: usize = 1 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let mib: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(128);
    let rounds: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(3);
    let bytes = mib << 20;
    let text = |number: u64| -> Vec<u8> {
        let record =
            |at| format!("{{\"sensor\":{},\"at\":{at},\"value\":{}}}", number % 97, (at * number) % 1009);
        (0..400).flat_map(|at| record(at).into_bytes()).collect()
    };
    let half = |number| [random(number, 8_000), vec![0; 8_000]].concat();
    let kinds = [
        ("batches, random", log(bytes, 0, |number| random(number, 16_000))),
        ("batches, half zeros", log(bytes, 0, half)),
        ("batches, text", log(bytes, 0, text)),
        ("no batches, random", random(1, bytes)),
    ];
    println!("{:<22} {:>6} {:>12} {:>12} {:>8}", "bytes", "with", "new MB/s", "again MB/s", "ratio");
    for (name, bytes) in kinds {
        let bytes = Bytes::from(bytes);
        for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
            for _ in 0..rounds {
                let (new, again, ratio) = measure(&bytes, compression).await;
                println!("{name:<22} {compression:>6} {new:>12.0} {again:>12.0} {ratio:>8.2}");
            }
        }
    }
}

/// The megabytes per second of the first and of the second write, and the ratio of logical to physical bytes.
async fn measure(bytes: &Bytes, compression: Compression) -> (f64, f64, f64) {
    let options = PoolOptions { dirty_bytes_max: 1 << 40, scrub_period: None, ..PoolOptions::default() };
    let pool = Pool::in_memory(options).await.unwrap();
    let spec = VolumeSpec { compression, ..VolumeSpec::new("v", "/v") };
    let root = pool.volume_create(spec).await.unwrap().root;
    let mut speeds = [0.0; 2];
    for (replica, speed) in speeds.iter_mut().enumerate() {
        let new = NewInode::new(Kind::File, 0o644);
        let made = pool.create(root, format!("replica-{replica}").as_bytes(), new).await.unwrap();
        let file = made.attributes.handle;
        for (number, start) in (0..bytes.len()).step_by(WRITE_BYTES).enumerate() {
            let piece = bytes.slice(start..bytes.len().min(start + WRITE_BYTES));
            pool.write(file, (number * WRITE_BYTES) as u64, piece, Stability::Unstable).await.unwrap();
        }
        let began = Instant::now();
        pool.commit(file, 0, 0).await.unwrap();
        *speed = bytes.len() as f64 / 1e6 / began.elapsed().as_secs_f64();
    }
    let stored = pool.stored().unwrap();
    let physical = (stored.bytes_live + stored.bytes_inline) as f64;
    pool.close().await.unwrap();
    (speeds[0], speeds[1], 2.0 * bytes.len() as f64 / physical)
}
