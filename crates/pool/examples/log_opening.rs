//! Measures how long a pool takes to open after a kill, when its intent log is as full as it gets.
//!
//! `cargo run --release --package forebay-pool --example log_opening -- DIRECTORY [MIB] [WRITE_KIB] [FILES]`; the directory must be
//! on the disk to measure, and be empty, and have room for four times as much as is written. FILES streams (64) write MIB (224) together,
//! WRITE_KIB (64) at a time, each write durable before the next. With the default options, the log begins to absorb its oldest
//! files at 240 MiB. Then the directory is copied, as a kill would leave it, and the copy is opened: with the log in the page cache,
//! and without (this needs root).
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a measurement ends at the first error")]

#[path = "../tests/pool/common/mod.rs"]
mod common;

use std::path::Path;

use bytes::Bytes;
use common::copy_directory;
use forebay_pool::*;
use tokio::time::Instant;

fn options() -> PoolOptions {
    // Nothing is flushed because of its age.
    PoolOptions { dirty_age_ms_max: 3_600_000, scrub_period: None, ..PoolOptions::default() }
}

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().expect("usage: log_opening DIRECTORY [MIB] [WRITE_KIB] [FILES]");
    let mut number = |default: usize| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (mib, write_kib, files) = (number(224), number(64), number(64));
    let (home, killed) = (Path::new(&directory).join("pool"), Path::new(&directory).join("killed"));
    let pool = Pool::open(&home, options()).await.unwrap();
    let root = pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root;
    let mut streams = tokio::task::JoinSet::new();
    let each = ((mib as u64) << 20) / files as u64;
    for stream in 0..files {
        let new = NewInode::new(Kind::File, 0o644);
        let made = pool.create(root, format!("stream-{stream}").as_bytes(), new).await.unwrap();
        let (pool, file) = (pool.clone(), made.attributes.handle);
        streams.spawn(async move {
            let mut state = stream as u64 + 1;
            let mut at = 0;
            while at < each {
                let words = (0..write_kib * 128).flat_map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    state.to_le_bytes()
                });
                let bytes: Bytes = words.collect::<Vec<u8>>().into();
                let length = bytes.len() as u64;
                pool.write(file, at, bytes, Stability::FileSync).await.unwrap();
                at += length;
            }
        });
    }
    streams.join_all().await;
    copy_directory(&home, &killed);
    for is_cold in [false, true] {
        let again = Path::new(&directory).join(if is_cold { "cold" } else { "cached" });
        copy_directory(&killed, &again);
        rustix::fs::sync();
        if is_cold && std::fs::write("/proc/sys/vm/drop_caches", "3").is_err() {
            println!("without the page cache: needs root");
            continue;
        }
        let began = Instant::now();
        let opened = Pool::open(&again, options()).await.unwrap();
        let (took, bytes) = (began.elapsed(), opened.counters().unwrap().dirty_bytes);
        let how = if is_cold { "from the disk" } else { "from the page cache" };
        println!("{how}: {:.2} s, {} MiB taken back from the log", took.as_secs_f64(), bytes >> 20);
        drop(opened);
    }
}
