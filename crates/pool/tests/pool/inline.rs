//! Bytes that small writes leave inline in the metadata store do not stay there.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use forebay_pool::*;

use crate::common::*;

const PAGE: u64 = 4096;
const DEADLINE: Duration = Duration::from_secs(60);
/// Longer than any test.
const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

fn idle_after(age: Duration) -> PoolOptions {
    PoolOptions { inline_age: age, scrub_period: None, scrub_bytes_per_second: u64::MAX, ..options() }
}

async fn volume(pool: &Pool) -> Handle {
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    root
}

async fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !done() {
        assert!(Instant::now() < deadline, "{what}: that takes too long");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn inline(pool: &Pool) -> u64 {
    pool.stored().unwrap().bytes_inline
}

/// Writes a file with a tail and overwrites, each of them synced. Returns its content.
async fn small_synced_writes(pool: &Pool, file: Handle, seed: u64) -> Vec<u8> {
    let mut content = pattern(seed, 200_000);
    pool.write(file, 0, Bytes::copy_from_slice(&content), Stability::FileSync).await.unwrap();
    for n in 0..20 {
        let (at, bytes) = (n * 9_000, pattern(seed + n as u64 + 1, 100 + n * 50));
        content[at..at + bytes.len()].copy_from_slice(&bytes);
        pool.write(file, at as u64, bytes.into(), Stability::FileSync).await.unwrap();
    }
    content
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_written_at_random_places_are_hardly_inline_and_read_back() {
    let pool = Pool::in_memory(idle_after(NEVER)).await.unwrap();
    let file = file(&pool, volume(&pool).await, "f").await;
    let pages = 3000u64;
    let mut expected = vec![0; (pages * PAGE) as usize];
    for n in 0..6000u64 {
        let at = n * 7_919 % pages * PAGE;
        let page = pattern(n, PAGE as usize);
        expected[at as usize..(at + PAGE) as usize].copy_from_slice(&page);
        write(&pool, file, at, &page).await;
    }
    pool.commit(file, 0, 0).await.unwrap();
    assert!(inline(&pool) * 20 < pool.space().unwrap().bytes_logical, "{} bytes are inline", inline(&pool));
    assert!(read(&pool, file, 0, u32::MAX).await == expected);
    // Windows full of pages have been merged.
    let extents = pool.efficiency(None).await.unwrap().extents;
    assert!(extents < pages, "{extents} extents for {pages} pages");
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_an_idle_file_stays_inline() {
    let pool = Pool::in_memory(idle_after(Duration::from_millis(50))).await.unwrap();
    let root = volume(&pool).await;
    let mut files = Vec::new();
    for n in 0..20u64 {
        let file = file(&pool, root, &format!("f{n}")).await;
        files.push((file, small_synced_writes(&pool, file, n * 100).await));
    }
    until("chunking idle files", || inline(&pool) == 0).await;
    for (file, content) in &files {
        assert!(read(&pool, *file, 0, u32::MAX).await == *content);
    }
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
    // Further writes work as usual.
    for (file, content) in &mut files {
        let more = pattern(7, 3000);
        pool.write(*file, content.len() as u64, more.clone().into(), Stability::FileSync).await.unwrap();
        content.extend_from_slice(&more);
        assert!(read(&pool, *file, 0, u32::MAX).await == *content);
    }
    until("chunking them again", || inline(&pool) == 0).await;
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_written_to_or_replaced_all_the_time_is_left_alone() {
    let pool = Pool::in_memory(idle_after(NEVER)).await.unwrap();
    let root = volume(&pool).await;
    for n in 0..30u64 {
        let file = file(&pool, root, "checkpoint.tmp").await;
        pool.write(file, 0, pattern(n, 100).into(), Stability::FileSync).await.unwrap();
        pool.rename(root, b"checkpoint.tmp", root, b"checkpoint").await.unwrap();
    }
    pool.settle().await.unwrap();
    pool.scrub_start().await.unwrap();
    until("the scrub", || !pool.scrub_status().unwrap().running).await;
    assert_eq!(inline(&pool), 100);
    assert_eq!(pool.counters().unwrap().bytes_appended, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_snapshots_show_is_chunked_too() {
    let pool = Pool::in_memory(idle_after(Duration::from_millis(50))).await.unwrap();
    let root = volume(&pool).await;
    let log = file(&pool, root, "log").await;
    let before = small_synced_writes(&pool, log, 1).await;
    pool.snapshot_create(&["kafka".to_owned()], "s").await.unwrap();
    let after = small_synced_writes(&pool, log, 500).await;
    until("chunking", || inline(&pool) == 0).await;
    let snapshot = pool.snapshot("kafka", "s").unwrap();
    let shown = Handle { volume: snapshot.id, ..log };
    assert!(read(&pool, shown, 0, u32::MAX).await == before);
    assert!(read(&pool, log, 0, u32::MAX).await == after);
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
    pool.snapshot_delete("kafka", "s").await.unwrap();
    pool.settle().await.unwrap();
    assert!(read(&pool, log, 0, u32::MAX).await == after);
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_close_leaves_nothing_inline() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::open(directory.path(), idle_after(NEVER)).await.unwrap();
    let log = file(&pool, volume(&pool).await, "log").await;
    let content = small_synced_writes(&pool, log, 1).await;
    assert!(inline(&pool) > 0);
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), idle_after(NEVER)).await.unwrap();
    assert_eq!(inline(&pool), 0);
    assert!(read(&pool, log, 0, u32::MAX).await == content);
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
    pool.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrub_chunks_what_an_earlier_opening_left_inline() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::open(directory.path(), idle_after(NEVER)).await.unwrap();
    let log = file(&pool, volume(&pool).await, "log").await;
    let content = small_synced_writes(&pool, log, 1).await;
    let left = inline(&pool);
    // The pool is not closed, as after a failure.
    drop(pool);
    let deadline = Instant::now() + DEADLINE;
    let pool = loop {
        match Pool::open(directory.path(), idle_after(NEVER)).await {
            Err(Error::Locked { .. }) if Instant::now() < deadline => tokio::task::yield_now().await,
            opened => break opened.unwrap(),
        }
    };
    assert_eq!(inline(&pool), left);
    pool.scrub_start().await.unwrap();
    until("the scrub", || !pool.scrub_status().unwrap().running).await;
    assert_eq!(inline(&pool), 0);
    let status = pool.scrub_status().unwrap();
    assert_eq!((status.damaged, status.bytes), (0, status.bytes_total), "all that is stored was verified");
    assert!(read(&pool, log, 0, u32::MAX).await == content);
    pool.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_copy_holds_all_bytes_of_an_idle_file() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = PoolOptions {
        copies_directory: Some(other.path().join("copy")),
        cache_bytes: 0,
        ..idle_after(Duration::from_millis(50))
    };
    let pool = Pool::open(home.path(), options.clone()).await.unwrap();
    let log = file(&pool, volume(&pool).await, "log").await;
    let content = small_synced_writes(&pool, log, 1).await;
    until("chunking", || inline(&pool) == 0).await;
    pool.close().await.unwrap();
    // The first copy is lost, except for the lengths of its files.
    for entry in std::fs::read_dir(home.path().join("segments")).unwrap() {
        let path = entry.unwrap().path();
        let length = std::fs::metadata(&path).unwrap().len();
        std::fs::write(&path, vec![0; length as usize]).unwrap();
    }
    let pool = Pool::open(home.path(), options).await.unwrap();
    assert!(read(&pool, log, 0, u32::MAX).await == content);
    pool.close().await.unwrap();
}
