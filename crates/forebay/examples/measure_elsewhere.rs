//! Measures a pool whose metadata lies in a database, beside one that lies in a directory.
//!
//! ```text
//! measure_elsewhere URL DIRECTORY MIB [s3://BUCKET/PREFIX ENDPOINT CREDENTIALS]
//! ```
//! DIRECTORY must be empty; both pools go there, or only one if the segments of the other go to a bucket. MIB, a multiple of 8, is what each of
//! three replicas writes, for one partition and then, as much in total, for several at once.
//! Prints a table: the duration of syncs and of operations in directories, throughput, processor seconds of this process, and requests to the database
//! and the bucket. The file is read twice with an empty cache: as it was written, and after the cleaner has joined small objects.

#![allow(clippy::unwrap_used, reason = "a program for developers, which may stop at any error")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use forebay_pool::store::{Backends, FileSegments, FileSystemRoom, Notes, ObjectCounts, SegmentStore};
use forebay_pool::{Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use forebay_pool_postgres::{Counts, Database, PostgresMeta, PostgresOptions, create};
use forebay_pool_s3::{Address, BucketOptions, BucketRoom, BucketSegments, CacheOptions, Credentials};

/// Bytes of one write of the stream, and how many of them a sync covers.
const WRITE_BYTES: usize = 1 << 20;
const WRITES_PER_SYNC: usize = 8;
/// Partitions that are written at once.
const PARTITIONS: usize = 8;
/// Clients that change directories at once, and for how long.
const CLIENTS: usize = 16;
const CROWD_TIME: Duration = Duration::from_secs(5);
/// When nothing was joined for so long, everything is.
const JOINED_AFTER: Duration = Duration::from_secs(5);

/// One row of the table.
struct Row {
    what: String,
    database: String,
    directory: String,
}

/// How fast replicas were written.
struct Ingest {
    mb_per_second: f64,
    /// Processor seconds of this process for each GB.
    processor: f64,
}

struct Measured {
    sync_64k: (Duration, Duration),
    create: Duration,
    rename: Duration,
    remove: Duration,
    crowd_per_second: f64,
    /// One partition.
    ingest: Ingest,
    /// As many bytes for several partitions.
    ingest_wide: Ingest,
    read_mb_per_second: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (url, directory, mib, bucket) = match &arguments[..] {
        [url, directory, mib] => (url, directory, mib, None),
        [url, directory, mib, place, endpoint, keys] => {
            (url, directory, mib, Some(address(place, endpoint, keys)))
        }
        _ => {
            eprintln!(
                "measure_elsewhere: write `measure_elsewhere URL DIRECTORY MIB [s3://BUCKET/PREFIX ENDPOINT CREDENTIALS]`"
            );
            std::process::exit(2);
        }
    };
    let mib = match mib.parse() {
        Ok(mib) if mib > 0 && mib % PARTITIONS == 0 => mib,
        _ => {
            eprintln!("measure_elsewhere: MIB is {mib}; write a multiple of {PARTITIONS}");
            std::process::exit(2);
        }
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(run(url, Path::new(directory), mib, bucket));
}

fn address(place: &str, endpoint: &str, keys: &str) -> Address {
    let (bucket, prefix) = Address::parse(place).unwrap();
    let keys = std::fs::read_to_string(keys).unwrap();
    let mut lines = keys.lines().map(str::to_owned);
    let credentials = Credentials { access_key: lines.next().unwrap(), secret_key: lines.next().unwrap() };
    Address {
        bucket,
        prefix,
        endpoint: Some(endpoint.to_owned()),
        region: "us-east-1".to_owned(),
        credentials: Some(credentials),
        ca_file: std::env::var_os("FOREBAY_BUCKET_CA_FILE").map(Into::into),
        sign_payloads: std::env::var_os("FOREBAY_BUCKET_SIGN_PAYLOADS").is_some(),
    }
}

/// The stores of the pool elsewhere, as they were opened last.
type Opened = std::sync::Mutex<Option<(Arc<PostgresMeta>, Option<Arc<BucketSegments>>)>>;

/// What was counted at a point.
#[derive(Clone, Copy, Default)]
struct Point {
    database: Counts,
    bucket: ObjectCounts,
}

async fn run(url: &str, directory: &Path, mib: usize, bucket: Option<Address>) {
    let embedded = directory.join("embedded");
    let local = measure(|_| open_directory(embedded.clone()), mib, &mut |_| ()).await;
    let database = Database::of(url, &format!("measure_{}", std::process::id())).unwrap();
    tokio::task::block_in_place(|| create(&database).unwrap());
    let segments = directory.join("segments");
    std::fs::create_dir_all(&segments).unwrap();
    let opened = Opened::default();
    let mut counted: Vec<(&'static str, Point)> = Vec::new();
    let remote = {
        let open = |_| {
            let metadata =
                tokio::task::block_in_place(|| PostgresMeta::take(&database, PostgresOptions::default()));
            let metadata = Arc::new(metadata.unwrap());
            // Each opening is that of another machine, without a cache of the first one.
            let bucket = bucket.clone().map(|address| {
                let options = BucketOptions { cache: CacheOptions::default(), ..BucketOptions::default() };
                Arc::new(BucketSegments::open(address, options).unwrap())
            });
            *opened.lock().unwrap() = Some((metadata.clone(), bucket.clone()));
            open_on(metadata, bucket, segments.clone())
        };
        let mut count = |what: &'static str| {
            let opened = opened.lock().unwrap();
            let point = opened.as_ref().map(|(metadata, bucket)| Point {
                database: metadata.counts(),
                bucket: bucket.as_ref().and_then(|bucket| bucket.object_counts()).unwrap_or_default(),
            });
            counted.push((what, point.unwrap_or_default()));
        };
        measure(open, mib, &mut count).await
    };
    print(&remote, &local, &counted, mib);
}

async fn open_directory(directory: std::path::PathBuf) -> Pool {
    Pool::open(&directory, PoolOptions::default()).await.unwrap()
}

async fn open_on(
    metadata: Arc<PostgresMeta>,
    bucket: Option<Arc<BucketSegments>>,
    segments: std::path::PathBuf,
) -> Pool {
    let (backends, segment_bytes) = match bucket {
        Some(bucket) => {
            let notes = Some(Notes::Store(Box::new(bucket.notes())));
            (Backends { metadata, segments: bucket, room: Box::new(BucketRoom), notes }, 32 << 20)
        }
        None => (
            Backends {
                metadata,
                segments: Arc::new(FileSegments::open(&segments, true)),
                room: Box::new(FileSystemRoom(segments.clone())),
                notes: Some(Notes::Directory(segments)),
            },
            PoolOptions::default().segment_bytes,
        ),
    };
    Pool::open_on(backends, PoolOptions { segment_bytes, ..PoolOptions::default() }).await.unwrap()
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

/// The bytes of one write: a copy of `base` in which each 256 bytes were changed with a number. That takes less processor time than new ones would.
fn part_of(base: &[u8], number: u64) -> Bytes {
    let mut bytes = base.to_vec();
    for place in bytes.chunks_exact_mut(256) {
        place.iter_mut().zip(number.to_le_bytes()).for_each(|(byte, change)| *byte ^= change);
    }
    bytes.into()
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
    // Otherwise what is deleted would be kept for clients of an earlier start.
    pool.reap_orphans().await.unwrap();
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
    count("before the crowd");
    let crowd_per_second = crowd(&pool, root).await;
    count("before the stream");
    let base = stream(5, WRITE_BYTES);
    let ingest_one = ingest(&pool, root, 1, mib, &base).await;
    count("after the stream");
    let ingest_wide = ingest(&pool, root, PARTITIONS, mib / PARTITIONS, &base).await;
    count("after several streams");
    pool.close().await.unwrap();
    drop(pool);
    let pool = open(1).await;
    count("before reading");
    let read = read_all(&pool, root, mib).await;
    count("after reading");
    pool.reap_orphans().await.unwrap();
    join_objects(&pool, root).await;
    count("after joining");
    pool.close().await.unwrap();
    drop(pool);
    let pool = open(2).await;
    count("before reading again");
    read_all(&pool, root, mib).await;
    count("after reading again");
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
        ingest: ingest_one,
        ingest_wide,
        read_mb_per_second: mib as f64 * 1.048_576 / read.as_secs_f64(),
    }
}

/// Writes three replicas of each partition at once.
async fn ingest(pool: &Pool, root: Handle, partitions: usize, mib: usize, base: &Bytes) -> Ingest {
    let (begun, processor) = (Instant::now(), processor_seconds());
    let replicas: Vec<_> = (0..partitions)
        .flat_map(|partition| (0..3).map(move |replica| (partition, replica)))
        .map(|(partition, replica)| {
            let (pool, base) = (pool.clone(), base.clone());
            let name = format!("replica{replica}-{partition}-of-{partitions}");
            let number = (partitions + partition) << 32;
            tokio::spawn(async move { write_replica(&pool, root, &name, number as u64, mib, &base).await })
        })
        .collect();
    for replica in replicas {
        replica.await.unwrap();
    }
    let mb = (3 * partitions * mib) as f64 * 1.048_576;
    Ingest {
        mb_per_second: mb / begun.elapsed().as_secs_f64(),
        processor: (processor_seconds() - processor) / (mb / 1000.0),
    }
}

/// Processor seconds that this process has used.
fn processor_seconds() -> f64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    used.tv_sec as f64 + used.tv_nsec as f64 / 1e9
}

/// Reads a replica from its beginning to its end, and returns how long that took.
async fn read_all(pool: &Pool, root: Handle, mib: usize) -> Duration {
    let begun = Instant::now();
    let file = pool.lookup(root, b"replica0-0-of-1").await.unwrap().handle;
    for part in 0..mib as u64 {
        let read = pool.read(file, part << 20, 1 << 20).await.unwrap();
        assert_eq!(read.pieces.iter().map(Bytes::len).sum::<usize>(), 1 << 20);
    }
    begun.elapsed()
}

/// Waits until the cleaner, which works after deletions, does not change the number of segments any more.
async fn join_objects(pool: &Pool, root: Handle) {
    let (mut segments, mut since) = (0, Instant::now());
    while since.elapsed() < JOINED_AFTER {
        new_file(pool, root, "deleted").await;
        pool.remove(root, b"deleted").await.unwrap();
        pool.settle().await.unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        let now = pool.stored().unwrap().segments;
        if now != segments {
            (segments, since) = (now, Instant::now());
        }
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

async fn write_replica(pool: &Pool, root: Handle, name: &str, number: u64, mib: usize, base: &[u8]) {
    let file = new_file(pool, root, name).await;
    for part in 0..mib {
        // The same bytes in each replica.
        let bytes = part_of(base, number + part as u64);
        pool.write(file, (part as u64) << 20, bytes, Stability::Unstable).await.unwrap();
        if part % WRITES_PER_SYNC == WRITES_PER_SYNC - 1 {
            pool.commit(file, 0, 0).await.unwrap();
        }
    }
    pool.commit(file, 0, 0).await.unwrap();
}

fn print(remote: &Measured, local: &Measured, counted: &[(&'static str, Point)], mib: usize) {
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0);
    let row = |what: &str, of: &dyn Fn(&Measured) -> String| Row {
        what: what.to_owned(),
        database: of(remote),
        directory: of(local),
    };
    let several = format!("{PARTITIONS} x 3 replicas written");
    let rows = [
        row("FILE_SYNC of 64 KiB, median", &|it| ms(it.sync_64k.0)),
        row("FILE_SYNC of 64 KiB, p99", &|it| ms(it.sync_64k.1)),
        row("create, median", &|it| ms(it.create)),
        row("rename, median", &|it| ms(it.rename)),
        row("remove, median", &|it| ms(it.remove)),
        row("operations of 16 clients", &|it| format!("{:.0}/s", it.crowd_per_second)),
        row("3 replicas written", &|it| format!("{:.0} MB/s", it.ingest.mb_per_second)),
        row("processor for a GB of it", &|it| format!("{:.2} s", it.ingest.processor)),
        row(&several, &|it| format!("{:.0} MB/s", it.ingest_wide.mb_per_second)),
        row("processor for a GB of it", &|it| format!("{:.2} s", it.ingest_wide.processor)),
        row("read after opening", &|it| format!("{:.0} MB/s", it.read_mb_per_second)),
    ];
    println!("{:<30} {:>14} {:>14}", "", "database", "directory");
    for Row { what, database, directory } in rows {
        println!("{what:<30} {database:>14} {directory:>14}");
    }
    let of = |name: &str| {
        counted.iter().find(|(what, _)| *what == name).map(|(_, point)| *point).unwrap_or_default()
    };
    let gb = |mib: usize| mib as f64 * 1_048_576.0 / 1e9;
    let spent = |what: &str, from: Point, to: Point, gb: f64| {
        let groups = to.database.groups - from.database.groups;
        let reads = to.database.reads - from.database.reads;
        let (puts, gets) = (to.bucket.put - from.bucket.put, to.bucket.get - from.bucket.get);
        let heads = to.bucket.head - from.bucket.head;
        println!(
            "per GB {what}: {:.0} round trips to the database ({groups} groups, {reads} reads), {:.0} to the bucket ({puts} puts, {gets} gets, {heads} heads), for {gb:.2} GB",
            (groups + reads) as f64 / gb,
            (puts + gets + heads) as f64 / gb,
        );
    };
    let (from, to) = (of("before the crowd").database, of("before the stream").database);
    let operations = remote.crowd_per_second * CROWD_TIME.as_secs_f64();
    println!(
        "per operation of {CLIENTS} clients: {:.2} groups and {:.2} reads",
        (to.groups - from.groups) as f64 / operations,
        (to.reads - from.reads) as f64 / operations,
    );
    spent("written", of("before the stream"), of("after the stream"), gb(3 * mib));
    let partitions = format!("written to {PARTITIONS} partitions");
    spent(&partitions, of("after the stream"), of("after several streams"), gb(3 * mib));
    spent("read cold", of("before reading"), of("after reading"), gb(mib));
    spent("to join small objects", of("after reading"), of("after joining"), gb(mib));
    spent("read cold, when they are joined", of("before reading again"), of("after reading again"), gb(mib));
}
