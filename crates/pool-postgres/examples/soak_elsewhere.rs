//! Writes to a pool whose metadata lies in a database for a long time, with retention, and looks how the database and the commits change.
//!
//! ```text
//! soak_elsewhere URL DIRECTORY MINUTES [PAUSE_MS [CHUNKS]]
//! ```
//! DIRECTORY must be empty; the segments go there. Three replicas of some partitions are written, a part of it with syncs of 4 KiB; files are closed at
//! 8 MiB, and deleted when a partition has more than a few. CHUNKS records of chunks are added by SQL before, as many as a pool has that keeps more. Prints a row every minute: what was written, the duration of commits, and the sizes of
//! the tables. At the end it compares the tables with fresh copies of themselves, and the commits of the last quarter with those of the first.

#![allow(clippy::unwrap_used, reason = "a program for developers, which may stop at any error")]

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::{Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use forebay_pool_postgres::{Database, create};
use tokio_postgres::Client;

use common::{add_chunks, open};

const PARTITIONS: usize = 8;
const REPLICAS: usize = 3;
/// Bytes of one write of a partition's stream, and of one that is synced by itself.
const WRITE_BYTES: usize = 256 << 10;
const SYNC_BYTES: usize = 4 << 10;
/// When a file is followed by the next one, and how many a partition keeps.
const FILE_BYTES: u64 = 8 << 20;
const FILES_KEPT: usize = 8;
/// The time from one round to the next, in each of which every replica gets one of both writes, if PAUSE_MS does not say another.
const ROUND: Duration = Duration::from_millis(400);
const REPORT: Duration = Duration::from_secs(60);
const TABLES: [&str; 3] = ["hot", "extent", "chunk"];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(([url, directory, minutes], rest)) =
        arguments.split_first_chunk().filter(|(_, rest)| rest.len() <= 2)
    else {
        eprintln!("soak_elsewhere: write `soak_elsewhere URL DIRECTORY MINUTES [PAUSE_MS [CHUNKS]]`");
        std::process::exit(2);
    };
    let pause = rest.first().map_or(ROUND, |pause| Duration::from_millis(pause.parse().unwrap()));
    let chunks = rest.get(1).map_or(0, |chunks| chunks.parse().unwrap());
    let time = Duration::from_secs(60 * minutes.parse::<u64>().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run(url, Path::new(directory), time, pause, chunks));
}

/// A replica of a partition.
struct Replica {
    name: String,
    files: Vec<(String, Handle)>,
    offset: u64,
    next: usize,
}

async fn run(url: &str, directory: &Path, time: Duration, pause: Duration, chunks: u64) {
    let name = format!("soak_{}", std::process::id());
    let database = Database::of(url, &name).unwrap();
    tokio::task::block_in_place(|| create(&database).unwrap());
    if chunks > 0 {
        add_chunks(url, &name, chunks).await;
    }
    let options = PoolOptions { segment_bytes: 32 << 20, ..PoolOptions::default() };
    let pool = open(&database, directory, options).await;
    pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap();
    // Otherwise what is deleted would be kept for clients of an earlier start.
    pool.reap_orphans().await.unwrap();
    let root = pool.volume("v").unwrap().root;
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    let mut replicas: Vec<Replica> = (0..PARTITIONS * REPLICAS)
        .map(|number| Replica {
            name: format!("p{}r{}", number / REPLICAS, number % REPLICAS),
            files: Vec::new(),
            offset: FILE_BYTES,
            next: 0,
        })
        .collect();
    println!(
        "{:>7} {:>9} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9}",
        "minute", "MB", "commit p50", "p99", "hot", "extent", "chunk", "segments"
    );
    let (begun, mut reported) = (Instant::now(), Instant::now());
    let (mut rows, mut commits, mut written, mut round) = (Vec::new(), Vec::new(), 0_u64, 0_u64);
    while begun.elapsed() < time {
        let until = Instant::now() + pause;
        for (number, replica) in replicas.iter_mut().enumerate() {
            let seed = round * PARTITIONS as u64 + (number / REPLICAS) as u64;
            written += step(&pool, root, replica, seed, &mut commits).await;
        }
        round += 1;
        tokio::time::sleep_until(until.into()).await;
        if reported.elapsed() >= REPORT || begun.elapsed() >= time {
            reported = Instant::now();
            let row = (percentile(&mut commits, 50), percentile(&mut commits, 99));
            let sizes = sizes(&client, &name).await;
            println!(
                "{:>7.1} {:>9} {:>10} {:>10} {:>9} {:>9} {:>9} {:>9}",
                begun.elapsed().as_secs_f64() / 60.0,
                written / 1_000_000,
                ms(row.0),
                ms(row.1),
                mb(sizes[0]),
                mb(sizes[1]),
                mb(sizes[2]),
                pool.stored().unwrap().segments,
            );
            rows.push(row.1);
            commits.clear();
        }
    }
    pool.close().await.unwrap();
    let now = sizes(&client, &name).await;
    let fresh = rebuilt(&client, &name).await;
    println!("{:<8} {:>9} {:>9} {:>6}", "table", "now", "rebuilt", "ratio");
    for (at, table) in TABLES.iter().enumerate() {
        println!(
            "{table:<8} {:>9} {:>9} {:>6.2}",
            mb(now[at]),
            mb(fresh[at]),
            now[at] as f64 / fresh[at] as f64
        );
    }
    let all = |sizes: [i64; 3]| sizes.iter().sum::<i64>() as f64;
    println!("all tables: {:.2} of their rebuilt size", all(now) / all(fresh));
    let quarter = (rows.len() / 4).max(1);
    let mean = |rows: &[Duration]| rows.iter().sum::<Duration>() / u32::try_from(rows.len().max(1)).unwrap();
    let (first, last) = (mean(&rows[..quarter]), mean(&rows[rows.len() - quarter..]));
    println!(
        "p99 of commits, mean of the minutes of a quarter: first {}, last {}, ratio {:.2}",
        ms(first),
        ms(last),
        last.as_secs_f64() / first.as_secs_f64()
    );
}

/// Writes once to a replica's log, and syncs a little. Returns the bytes.
async fn step(
    pool: &Pool,
    root: Handle,
    replica: &mut Replica,
    seed: u64,
    commits: &mut Vec<Duration>,
) -> u64 {
    if replica.offset >= FILE_BYTES {
        let name = format!("{}-{:06}", replica.name, replica.next);
        let new = NewInode::new(Kind::File, 0o600);
        let file = pool.create(root, name.as_bytes(), new).await.unwrap().attributes.handle;
        replica.files.push((name, file));
        (replica.offset, replica.next) = (0, replica.next + 1);
        if replica.files.len() > FILES_KEPT {
            let (oldest, _) = replica.files.remove(0);
            pool.remove(root, oldest.as_bytes()).await.unwrap();
        }
    }
    let (_, file) = replica.files.last().unwrap();
    let bytes = stream(seed, WRITE_BYTES);
    pool.write(*file, replica.offset, bytes, Stability::Unstable).await.unwrap();
    replica.offset += WRITE_BYTES as u64;
    let bytes = stream(seed ^ 0xffff_0000, SYNC_BYTES);
    let begun = Instant::now();
    pool.write(*file, replica.offset, bytes, Stability::FileSync).await.unwrap();
    commits.push(begun.elapsed());
    replica.offset += SYNC_BYTES as u64;
    (WRITE_BYTES + SYNC_BYTES) as u64
}

/// Bytes that compress badly and differ everywhere.
fn stream(seed: u64, bytes: usize) -> Bytes {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..bytes / 8).flat_map(|_| next().to_le_bytes()).collect::<Vec<u8>>().into()
}

async fn sizes(client: &Client, name: &str) -> [i64; 3] {
    let mut sizes = [0; 3];
    for (size, table) in sizes.iter_mut().zip(TABLES) {
        let question = format!("select pg_total_relation_size('forebay_{name}.{table}')");
        *size = client.query_one(&question, &[]).await.unwrap().get(0);
    }
    sizes
}

/// The sizes of fresh copies of the tables, with the same settings.
async fn rebuilt(client: &Client, name: &str) -> [i64; 3] {
    let mut sizes = [0; 3];
    for (size, table) in sizes.iter_mut().zip(TABLES) {
        let copy = format!("forebay_{name}.{table}_rebuilt");
        let statement = format!(
            "create table {copy} (like forebay_{name}.{table} including all) with (fillfactor = {}); \
             insert into {copy} select * from forebay_{name}.{table} order by key",
            match table {
                "hot" => 60,
                "extent" => 85,
                _ => 80,
            }
        );
        client.batch_execute(&statement).await.unwrap();
        *size =
            client.query_one(&format!("select pg_total_relation_size('{copy}')"), &[]).await.unwrap().get(0);
    }
    sizes
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times.get((times.len() * percent / 100).min(times.len().saturating_sub(1))).copied().unwrap_or_default()
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn mb(bytes: i64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
