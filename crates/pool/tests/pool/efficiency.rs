//! Bytes are stored once and as small as possible, however they were written.

#[path = "common/batches.rs"]
mod batches;

use batches::*;
use bytes::Bytes;
use forebay_pool::*;

use crate::common::*;

/// The bytes stored for all files, in segments and in the metadata store.
fn physical(pool: &Pool) -> u64 {
    let stored = pool.stored().unwrap();
    stored.bytes_live + stored.bytes_inline
}

/// The write pattern of a replica: the size of a write, the number of writes between two commits, and whether
/// neighbouring writes are swapped.
struct Rhythm {
    write_bytes: usize,
    writes: usize,
    shuffled: bool,
}

async fn replicate(pool: &Pool, file: Handle, log: &[u8], rhythm: Rhythm) {
    let mut writes: Vec<(usize, &[u8])> = log.chunks(rhythm.write_bytes).enumerate().collect();
    if rhythm.shuffled {
        writes.chunks_mut(3).for_each(<[_]>::reverse);
    }
    for group in writes.chunks(rhythm.writes) {
        for (number, piece) in group {
            write(pool, file, (number * rhythm.write_bytes) as u64, piece).await;
        }
        pool.commit(file, 0, 0).await.unwrap();
    }
}

const RHYTHMS: [Rhythm; 3] = [
    Rhythm { write_bytes: 1 << 20, writes: 1, shuffled: false },
    Rhythm { write_bytes: 70_000, writes: 9, shuffled: true },
    Rhythm { write_bytes: 17_001, writes: 4, shuffled: false },
];

#[tokio::test]
async fn three_replicas_with_rhythms_of_their_own_are_stored_once() {
    for payload in [900, 16_000, 300_000] {
        let (pool, root) = memory().await;
        let log = log(6_000_000, 0, |number| random(number, payload));
        let mut handles = Vec::new();
        for (broker, rhythm) in RHYTHMS.into_iter().enumerate() {
            let file = file(&pool, root, &format!("broker-{broker}.log")).await;
            replicate(&pool, file, &log, rhythm).await;
            handles.push(file);
        }
        let bound = (log.len() as f64 * 1.06) as u64;
        assert!(physical(&pool) <= bound, "batches of {payload}: {} of {bound} bytes", physical(&pool));
        for handle in handles {
            assert!(read_all(&pool, handle).await == log);
        }
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    }
}

#[tokio::test]
async fn a_replica_that_was_rebuilt_with_other_segments_shares_with_the_rest() {
    let (pool, root) = memory().await;
    let log = log(12_000_000, 0, |number| random(number, 10_000));
    let leader = file(&pool, root, "leader.log").await;
    write(&pool, leader, 0, &log).await;
    pool.commit(leader, 0, 0).await.unwrap();
    let before = physical(&pool);
    // The start of the log was moved by 100 batches, and segments roll at other places.
    let rest = &log[100 * 10_061..];
    for (number, segment) in rest.chunks(400 * 10_061).enumerate() {
        let file = file(&pool, root, &format!("rebuilt-{number}.log")).await;
        write(&pool, file, 0, segment).await;
        pool.commit(file, 0, 0).await.unwrap();
    }
    let more = physical(&pool) - before;
    assert!(more * 10 < rest.len() as u64, "{more} bytes more for {}", rest.len());
}

#[tokio::test]
async fn a_log_in_a_preallocated_file_takes_the_space_of_its_records() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "preallocated.log").await;
    pool.setattr(file, SetAttributes { size: Some(1 << 30), ..SetAttributes::default() }).await.unwrap();
    let log = log(2_000_000, 0, |number| random(number, 5_000));
    replicate(&pool, file, &log, Rhythm { write_bytes: 100_000, writes: 3, shuffled: false }).await;
    write(&pool, file, 2_500_000, &vec![0; 3_000_000]).await;
    pool.commit(file, 0, 0).await.unwrap();
    assert_eq!(pool.getattr(file).await.unwrap().space_used, log.len() as u64);
    assert!(physical(&pool) < log.len() as u64 * 102 / 100);
}

#[tokio::test]
async fn volumes_compress_as_they_were_made_to() {
    let text = |number: u64| -> Vec<u8> {
        (0..300).flat_map(|at| format!("reading {at} of sensor {number}: ok; ").into_bytes()).collect()
    };
    let log = log(3_000_000, 0, text);
    let mut taken = Vec::new();
    for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
        let pool = Pool::in_memory(options()).await.unwrap();
        let spec = VolumeSpec { compression, ..spec("v") };
        let root = pool.volume_create(spec).await.unwrap().root;
        let file = file(&pool, root, "log").await;
        write(&pool, file, 0, &log).await;
        pool.commit(file, 0, 0).await.unwrap();
        assert!(read_all(&pool, file).await == log);
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
        taken.push(pool.stored().unwrap().bytes_live);
    }
    let [none, lz4, zstd] = taken[..] else { panic!("three volumes") };
    assert!(lz4 < none / 3 && zstd < lz4, "none {none}, lz4 {lz4}, zstd {zstd}");
}

/// No client waits for a flush by age, so a few of these flushes may leave the tail of a stream in memory. Then the
/// tail becomes durable as well.
#[tokio::test]
async fn a_tail_becomes_durable_unasked_in_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let options = PoolOptions { dirty_age_ms_max: 20, ..options() };
    let pool = Pool::open(directory.path(), options).await.unwrap();
    let root = pool.volume_create(spec("v")).await.unwrap().root;
    let file = file(&pool, root, "log").await;
    let log = log(1_000_000, 0, |number| random(number, 7_000));
    write(&pool, file, 0, &log).await;
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(60);
    while physical(&pool) < log.len() as u64 {
        assert!(tokio::time::Instant::now() < deadline, "{} of {} bytes", physical(&pool), log.len());
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        assert!(read_all(&pool, file).await == log);
    }
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn overwriting_an_unstable_tail_keeps_the_newest_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let options = PoolOptions { dirty_age_ms_max: 5, ..options() };
    let pool = Pool::open(directory.path(), options).await.unwrap();
    let root = pool.volume_create(spec("v")).await.unwrap().root;
    let file = file(&pool, root, "index").await;
    let mut expected = vec![0; 400_000];
    for round in 0..200u64 {
        let at = (round as usize * 7_919) % 390_000;
        let bytes = random(round, 4_096);
        expected[at..at + 4_096].copy_from_slice(&bytes);
        write(&pool, file, at as u64, &bytes).await;
        let found = read(&pool, file, 0, 400_000).await;
        assert!(found[..] == expected[..found.len()], "round {round}");
    }
    let bytes = Bytes::from(expected.clone());
    pool.write(file, 0, bytes, Stability::FileSync).await.unwrap();
    assert!(read_all(&pool, file).await == expected);
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}
