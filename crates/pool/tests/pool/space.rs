//! Deleted data takes no space any more, and sequential reads are read ahead.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use forebay_pool::*;

use crate::common::*;

/// The space that the file system has allocated for everything below a directory.
fn bytes_taken(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).unwrap().flatten();
    let bytes = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_taken(&entry.path()),
        // The file was deleted in the meantime.
        metadata => metadata.map_or(0, |metadata| metadata.blocks() * 512),
    };
    entries.map(bytes).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn after_everything_is_deleted_the_pool_is_within_one_percent_of_empty() {
    // Few and large files: the metadata's journal keeps the bytes of tails until it has 64 MiB.
    const FILES: u64 = 6;
    const FILE_BYTES: usize = 20 << 20;
    let directory = tempfile::tempdir().unwrap();
    let options =
        PoolOptions { dirty_bytes_max: 64 << 20, segment_bytes: 8 << 20, scrub_period: None, ..options() };
    let pool = Pool::open(directory.path(), options).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let empty = bytes_taken(directory.path());
    for n in 0..FILES {
        let log = file(&pool, root, &format!("log{n}")).await;
        write(&pool, log, 0, &pattern(n, FILE_BYTES)).await;
        pool.commit(log, 0, 0).await.unwrap();
    }
    let full = bytes_taken(directory.path());
    assert!(full > FILES * FILE_BYTES as u64);
    for n in 0..FILES {
        pool.remove(root, format!("log{n}").as_bytes()).await.unwrap();
    }
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        pool.settle().await.unwrap();
        let left = bytes_taken(directory.path()).saturating_sub(empty);
        if left <= full / 100 {
            break;
        }
        assert!(Instant::now() < deadline, "{left} of {full} bytes are left");
    }
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_readers_of_one_large_file_get_every_byte_whatever_the_cache() {
    const FILE_BYTES: usize = 12 << 20;
    const READ: usize = 300_000;
    let directory = tempfile::tempdir().unwrap();
    let content = pattern(7, FILE_BYTES);
    let mut log = None;
    for cache_bytes in [1 << 20, 64 << 20] {
        let options = PoolOptions { cache_bytes, segment_bytes: 4 << 20, scrub_period: None, ..options() };
        let pool = Pool::open(directory.path(), options).await.unwrap();
        if log.is_none() {
            let root = pool.volume_create(spec("kafka")).await.unwrap().root;
            let new = file(&pool, root, "log").await;
            write(&pool, new, 0, &content).await;
            pool.commit(new, 0, 0).await.unwrap();
            log = Some(new);
        }
        let handle = log.unwrap();
        let mut readers = tokio::task::JoinSet::new();
        for reader in 0..6 {
            let (pool, content) = (pool.clone(), content.clone());
            readers.spawn(async move {
                let mut at = reader * 100_000;
                while at < FILE_BYTES {
                    let found = read(&pool, handle, at as u64, READ as u32).await;
                    assert!(found == content[at..FILE_BYTES.min(at + READ)], "reader {reader} at {at}");
                    at += READ;
                }
            });
        }
        while let Some(outcome) = readers.join_next().await {
            outcome.unwrap();
        }
        pool.close().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_for_what_adds_up() {
    let (_directory, pool, root) = disk().await;
    const BYTES: u64 = 1 << 20;
    for name in ["one", "same"] {
        let log = file(&pool, root, name).await;
        write(&pool, log, 0, &pattern(1, BYTES as usize)).await;
        write(&pool, log, 2 * BYTES, &[7]).await;
        pool.commit(log, 0, 0).await.unwrap();
    }
    let volume = pool.volume("kafka").unwrap().id;
    let all = pool.efficiency(None).await.unwrap();
    assert_eq!(pool.efficiency(Some(volume)).await.unwrap(), all);
    assert_eq!(all.bytes_logical, 2 * BYTES + 2);
    assert_eq!(all.bytes_holes, 2 * BYTES);
    // Tails are not shared, so half of the inline bytes are duplicates.
    assert!((all.bytes_deduplicated + all.bytes_inline / 2).abs_diff(BYTES) <= 2, "{all:?}");
    let stored = pool.stored().unwrap();
    assert!(all.bytes_physical.abs_diff(stored.bytes_live + stored.bytes_inline) <= 1, "{all:?} {stored:?}");
    let other = pool.volume_create(spec("other")).await.unwrap().id;
    assert_eq!(pool.efficiency(Some(other)).await.unwrap(), Efficiency::default());
}

#[tokio::test(flavor = "multi_thread")]
async fn clones_and_snapshots_have_parts_of_their_own_and_do_not_change_the_ratio() {
    let (_directory, pool, root) = disk().await;
    const BYTES: u64 = 1 << 20;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, BYTES as usize)).await;
    pool.commit(log, 0, 0).await.unwrap();
    let before = pool.efficiency(None).await.unwrap();
    assert_eq!((before.bytes_shown, before.bytes_cloned, before.bytes_retained), (BYTES, 0, 0));
    pool.snapshot_create(&["kafka".into()], "nightly").await.unwrap();
    let clone = CloneSpec { name: "copy".into(), junction_path: "/copy".into() };
    let clone = pool.volume_clone("kafka", "nightly", clone).await.unwrap();
    let cloned = pool.efficiency(None).await.unwrap();
    assert_eq!((cloned.bytes_logical, cloned.bytes_physical), (before.bytes_logical, before.bytes_physical));
    assert_eq!((cloned.bytes_shown, cloned.bytes_cloned, cloned.bytes_retained), (2 * BYTES, BYTES, 0));
    let own = pool.efficiency(Some(clone.id)).await.unwrap();
    assert_eq!((own.bytes_logical, own.bytes_cloned), (BYTES, BYTES));
    // The volume shows something else, the clone shows a quarter of its own, and the snapshot has what was there.
    write(&pool, log, 0, &pattern(2, BYTES as usize)).await;
    pool.commit(log, 0, 0).await.unwrap();
    let copied = pool.lookup(clone.root, b"log").await.unwrap().handle;
    write(&pool, copied, 0, &pattern(3, BYTES as usize / 4)).await;
    pool.commit(copied, 0, 0).await.unwrap();
    pool.settle().await.unwrap();
    let all = pool.efficiency(None).await.unwrap();
    assert_eq!(all.bytes_shown - all.bytes_cloned + all.bytes_retained, all.bytes_logical, "{all:?}");
    // Bytes that do not compress take the headers of their frames in addition.
    let headers = all.extents * 128;
    let left = all.bytes_logical - all.bytes_deduplicated - all.bytes_compressed;
    assert!((left..=left + headers).contains(&all.bytes_physical), "{all:?}");
    assert!(all.bytes_cloned < BYTES && all.bytes_retained >= BYTES, "{all:?}");
}
