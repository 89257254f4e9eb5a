//! The pool's counters match its work.

use forebay_pool::*;

use crate::common::*;

const BYTES: usize = 600_000;

#[tokio::test]
async fn writes_flushes_and_syncs_are_counted() {
    let (_directory, pool, root) = disk().await;
    let before = pool.counters().unwrap();
    let file = file(&pool, root, "log").await;
    write(&pool, file, 0, &pattern(1, BYTES)).await;
    let dirty = pool.counters().unwrap();
    assert_eq!((dirty.writes - before.writes, dirty.bytes_written), (1, BYTES as u64));
    assert_eq!((dirty.dirty_bytes, dirty.dirty_bytes_max), (BYTES as u64, options().dirty_bytes_max));
    pool.commit(file, 0, 0).await.unwrap();
    let after = pool.counters().unwrap();
    assert_eq!(after.dirty_bytes, 0);
    assert!(after.bytes_packed > BYTES as u64 / 2 && after.bytes_packed <= BYTES as u64);
    assert!(after.bytes_appended >= after.bytes_packed_stored, "{after:?}");
    assert!(after.bytes_metadata > before.bytes_metadata);
    assert!(after.segment_syncs.count() > before.segment_syncs.count());
    let syncs = after.metadata_syncs.since(&before.metadata_syncs);
    assert!(syncs.count() > 0 && syncs.sum() > std::time::Duration::ZERO);
    assert!(after.commit_groups > before.commit_groups);
    assert!(after.commit_jobs - before.commit_jobs >= after.commit_groups - before.commit_groups);
    let [kafka] = &after.volumes[..] else { panic!("{:?}", after.volumes) };
    assert_eq!((kafka.name.as_str(), kafka.bytes_logical, kafka.snapshots), ("kafka", BYTES as u64, 0));
    assert!(!after.stopped);
    pool.snapshot_create(&["kafka".to_owned()], "monday").await.unwrap();
    assert_eq!(pool.counters().unwrap().volumes[0].snapshots, 1);
    assert!(after.space.bytes_logical == BYTES as u64 && after.stored.segments > 0);
}

#[tokio::test]
async fn what_is_stored_once_and_what_compression_saves_are_counted() {
    let (pool, root) = memory().await;
    let text: Vec<u8> = (0..30_000).flat_map(|line| format!("record {line}\n").into_bytes()).collect();
    for name in ["leader", "follower"] {
        let file = file(&pool, root, name).await;
        write(&pool, file, 0, &text).await;
        pool.commit(file, 0, 0).await.unwrap();
    }
    let counted = pool.counters().unwrap();
    assert!(counted.bytes_packed_stored < counted.bytes_packed / 2, "{counted:?}");
    assert!(counted.chunks_shared > 0);
    assert!(counted.bytes_shared >= counted.bytes_packed / 2, "the follower's chunks are the leader's");
}

#[tokio::test]
async fn chunks_in_memory_are_told_from_those_on_the_disk_and_from_damaged_ones() {
    let (directory, pool, root) = disk().await;
    let whole = file(&pool, root, "whole").await;
    write(&pool, whole, 0, &pattern(2, BYTES)).await;
    pool.commit(whole, 0, 0).await.unwrap();
    pool.close().await.unwrap();

    let pool = Pool::open(directory.path(), options()).await.unwrap();
    read_all(&pool, whole).await;
    let cold = pool.counters().unwrap();
    assert!(cold.cache_misses > 0 && cold.frames_verified > 0, "{cold:?}");
    read(&pool, whole, 0, 100).await;
    let warm = pool.counters().unwrap();
    assert!(warm.cache_hits > cold.cache_hits);
    assert_eq!((warm.frames_damaged, warm.frames_unreadable), (0, 0));
    pool.close().await.unwrap();

    damage(&directory.path().join("segments"));
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert!(matches!(pool.read(whole, 0, BYTES as u32).await, Err(Error::Damaged(_))));
    assert!(pool.counters().unwrap().frames_damaged > 0);
    pool.close().await.unwrap();
    assert!(matches!(pool.counters(), Err(Error::Closed)));
}

/// Flips every byte of the frames.
fn damage(segments: &std::path::Path) {
    for entry in std::fs::read_dir(segments).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.iter_mut().skip(100).for_each(|byte| *byte ^= 0xff);
        std::fs::write(&path, bytes).unwrap();
    }
}
