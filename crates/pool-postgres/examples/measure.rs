//! Measures a pool whose metadata lies in a database, beside one whose metadata lies in its directory.
//!
//! ```text
//! measure URL DIRECTORY [MIB]
//! ```
//! DIRECTORY must be empty; both pools go there. MIB is what each of three replicas writes, 256 by default. Prints a table: the duration of
//! syncs and of operations in directories, throughput, and round trips to the database.

#![allow(clippy::unwrap_used, reason = "a program for developers, which may stop at any error")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::store::{Backends, FileSegments, FileSystemRoom};
use forebay_pool::{Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use forebay_pool_postgres::{Counts, Database, PostgresMeta, PostgresOptions, create};

/// Bytes of one write of the stream, and how many of them a sync covers.
const WRITE_BYTES: usize = 1 << 20;
const WRITES_PER_SYNC: usize = 8;
/// Clients that change directories at once, and for how long.
const CLIENTS: usize = 16;
const CROWD_TIME: Duration = Duration::from_secs(5);

/// One row of the table.
struct Row {
    what: &'static str,
    database: String,
    directory: String,
}

struct Measured {
    sync_64k: (Duration, Duration),
    create: Duration,
    rename: Duration,
    remove: Duration,
    crowd_per_second: f64,
    ingest_mb_per_second: f64,
    read_mb_per_second: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, directory, rest @ ..] = &arguments[..] else {
        eprintln!("measure: write `measure URL DIRECTORY [MIB]`");
        std::process::exit(2);
    };
    let mib: usize = rest.first().map_or(256, |text| text.parse().unwrap());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run(url, Path::new(directory), mib));
}

async fn run(url: &str, directory: &Path, mib: usize) {
    let embedded = directory.join("embedded");
    let local = measure(|_| open_directory(embedded.clone()), mib, &mut |_| ()).await;
    let database = Database::of(url, &format!("measure_{}", std::process::id())).unwrap();
    tokio::task::block_in_place(|| create(&database).unwrap());
    let segments = directory.join("segments");
    std::fs::create_dir_all(&segments).unwrap();
    let opened: std::sync::Mutex<Option<Arc<PostgresMeta>>> = std::sync::Mutex::default();
    let mut counted: Vec<(&'static str, Counts)> = Vec::new();
    let remote = {
        let open = |_| {
            let metadata =
                tokio::task::block_in_place(|| PostgresMeta::take(&database, PostgresOptions::default()));
            let metadata = Arc::new(metadata.unwrap());
            *opened.lock().unwrap() = Some(metadata.clone());
            open_on(metadata, segments.clone())
        };
        let mut count = |what: &'static str| {
            let counts = opened.lock().unwrap().as_ref().map(|metadata| metadata.counts());
            counted.push((what, counts.unwrap_or_default()));
        };
        measure(open, mib, &mut count).await
    };
    print(&remote, &local, &counted, mib);
}

async fn open_directory(directory: std::path::PathBuf) -> Pool {
    Pool::open(&directory, PoolOptions::default()).await.unwrap()
}

async fn open_on(metadata: Arc<PostgresMeta>, segments: std::path::PathBuf) -> Pool {
    let backends = Backends {
        metadata,
        segments: Arc::new(FileSegments::open(&segments, true)),
        room: Box::new(FileSystemRoom(segments.clone())),
        notes: Some(segments),
    };
    Pool::open_on(backends, PoolOptions::default()).await.unwrap()
}

/// Bytes that compress badly and differ everywhere, in the shape of record batches as far as cutting is concerned.
fn stream(seed: u64, bytes: usize) -> Bytes {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..bytes / 8).flat_map(|_| next().to_le_bytes()).collect::<Vec<u8>>().into()
}

async fn new_file(pool: &Pool, root: Handle, name: &str) -> Handle {
    pool.create(root, name.as_bytes(), NewInode::new(Kind::File, 0o600)).await.unwrap().attributes.handle
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

async fn measure<F, P>(open: F, mib: usize, count: &mut dyn FnMut(&'static str)) -> Measured
where
    F: Fn(u32) -> P,
    P: Future<Output = Pool>,
{
    let pool = open(0).await;
    pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap();
    let root = pool.volume("v").unwrap().root;
    let log = new_file(&pool, root, "sync").await;
    let mut syncs = Vec::new();
    for round in 0..300_u64 {
        let bytes = stream(round + 7, 64 << 10);
        let begun = Instant::now();
        pool.write(log, round * (64 << 10), bytes, Stability::FileSync).await.unwrap();
        syncs.push(begun.elapsed());
    }
    let (mut creates, mut renames, mut removes) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..300 {
        let (name, other) = (format!("f{round}"), format!("g{round}"));
        let begun = Instant::now();
        new_file(&pool, root, &name).await;
        creates.push(begun.elapsed());
        let begun = Instant::now();
        pool.rename(root, name.as_bytes(), root, other.as_bytes()).await.unwrap();
        renames.push(begun.elapsed());
        let begun = Instant::now();
        pool.remove(root, other.as_bytes()).await.unwrap();
        removes.push(begun.elapsed());
    }
    let crowd_per_second = crowd(&pool, root).await;
    count("before the stream");
    let begun = Instant::now();
    let replicas: Vec<_> = (0..3)
        .map(|replica| {
            let pool = pool.clone();
            tokio::spawn(async move { write_replica(&pool, root, replica, mib).await })
        })
        .collect();
    for replica in replicas {
        replica.await.unwrap();
    }
    let ingest = begun.elapsed();
    count("after the stream");
    pool.close().await.unwrap();
    drop(pool);
    let pool = open(1).await;
    count("before reading");
    let begun = Instant::now();
    let file = pool.lookup(root, b"replica0").await.unwrap().handle;
    for part in 0..mib as u64 {
        let read = pool.read(file, part << 20, 1 << 20).await.unwrap();
        assert_eq!(read.pieces.iter().map(Bytes::len).sum::<usize>(), 1 << 20);
    }
    let read = begun.elapsed();
    count("after reading");
    pool.close().await.unwrap();
    let p99 = {
        syncs.sort_unstable();
        syncs[syncs.len() * 99 / 100]
    };
    Measured {
        sync_64k: (median(&mut syncs), p99),
        create: median(&mut creates),
        rename: median(&mut renames),
        remove: median(&mut removes),
        crowd_per_second,
        ingest_mb_per_second: (3 * mib) as f64 * 1.048_576 / ingest.as_secs_f64(),
        read_mb_per_second: mib as f64 * 1.048_576 / read.as_secs_f64(),
    }
}

/// Operations per second of several clients, each in a directory of its own.
async fn crowd(pool: &Pool, root: Handle) -> f64 {
    let deadline = Instant::now() + CROWD_TIME;
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let pool = pool.clone();
            tokio::spawn(async move {
                let name = format!("crowd{client}");
                let new = NewInode::new(Kind::Directory, 0o700);
                let own = pool.create(root, name.as_bytes(), new).await.unwrap().attributes.handle;
                let mut operations = 0_u64;
                while Instant::now() < deadline {
                    new_file(&pool, own, "a").await;
                    pool.rename(own, b"a", own, b"b").await.unwrap();
                    pool.remove(own, b"b").await.unwrap();
                    operations += 3;
                }
                operations
            })
        })
        .collect();
    let mut operations = 0;
    for client in clients {
        operations += client.await.unwrap();
    }
    operations as f64 / CROWD_TIME.as_secs_f64()
}

async fn write_replica(pool: &Pool, root: Handle, replica: usize, mib: usize) {
    let file = new_file(pool, root, &format!("replica{replica}")).await;
    for part in 0..mib {
        // The same bytes in each replica.
        let bytes = stream(part as u64 + 1_000_003, WRITE_BYTES);
        pool.write(file, (part as u64) << 20, bytes, Stability::Unstable).await.unwrap();
        if part % WRITES_PER_SYNC == WRITES_PER_SYNC - 1 {
            pool.commit(file, 0, 0).await.unwrap();
        }
    }
    pool.commit(file, 0, 0).await.unwrap();
}

fn print(remote: &Measured, local: &Measured, counted: &[(&'static str, Counts)], mib: usize) {
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0);
    let row =
        |what, of: &dyn Fn(&Measured) -> String| Row { what, database: of(remote), directory: of(local) };
    let rows = [
        row("FILE_SYNC of 64 KiB, median", &|it| ms(it.sync_64k.0)),
        row("FILE_SYNC of 64 KiB, p99", &|it| ms(it.sync_64k.1)),
        row("create, median", &|it| ms(it.create)),
        row("rename, median", &|it| ms(it.rename)),
        row("remove, median", &|it| ms(it.remove)),
        row("operations of 16 clients", &|it| format!("{:.0}/s", it.crowd_per_second)),
        row("3 replicas written", &|it| format!("{:.0} MB/s", it.ingest_mb_per_second)),
        row("read after opening", &|it| format!("{:.0} MB/s", it.read_mb_per_second)),
    ];
    println!("{:<30} {:>14} {:>14}", "", "database", "directory");
    for Row { what, database, directory } in rows {
        println!("{what:<30} {database:>14} {directory:>14}");
    }
    let of = |name: &str| {
        counted.iter().find(|(what, _)| *what == name).map(|(_, counts)| *counts).unwrap_or_default()
    };
    let trips = |counts: Counts| (counts.groups + counts.reads) as f64;
    let gb = |mib: usize| mib as f64 * 1_048_576.0 / 1e9;
    let (from, to) = (of("before the stream"), of("after the stream"));
    println!(
        "round trips per GB written: {:.0} ({} groups, {} reads for {:.2} GB)",
        (trips(to) - trips(from)) / gb(3 * mib),
        to.groups - from.groups,
        to.reads - from.reads,
        gb(3 * mib)
    );
    let (from, to) = (of("before reading"), of("after reading"));
    println!(
        "round trips per GB read cold: {:.0} ({} reads for {:.2} GB)",
        (trips(to) - trips(from)) / gb(mib),
        to.reads - from.reads,
        gb(mib)
    );
}
