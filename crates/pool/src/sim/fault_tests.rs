//! Faults that are not crashes: a full disk, a failed sync, damaged bytes.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytes::Bytes;

use crate::format::keys::SegmentId;
use crate::sim::faulty::{FaultyDisk, Plan, options};
use crate::*;

async fn pool_with_file(disk: &Arc<FaultyDisk>) -> (Pool, Handle, Handle) {
    let pool = disk.open(options()).unwrap();
    let spec = VolumeSpec::new("kafka", "/kafka");
    let root = pool.volume_create(spec).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let file = create(&pool, root, b"log").await.unwrap();
    (pool, root, file)
}

async fn create(pool: &Pool, directory: Handle, name: &[u8]) -> Result<Handle> {
    let new = NewInode::new(Kind::File, 0o644);
    Ok(pool.create(directory, name, new).await?.attributes.handle)
}

fn bytes(seed: u8, length: usize) -> Bytes {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes.into()
}

async fn read(pool: &Pool, file: Handle) -> Result<Vec<u8>> {
    Ok(pool.read(file, 0, u32::MAX).await?.pieces.concat())
}

#[tokio::test]
async fn a_flush_that_finds_the_disk_full_keeps_the_data_and_ends_well_later() {
    let disk = Arc::new(FaultyDisk::default());
    let (pool, root, file) = pool_with_file(&disk).await;
    let (one, two) = (bytes(1, 300_000), bytes(2, 200_000));
    // Before the write, whose chunks are appended at once.
    disk.set_full(true);
    pool.write(file, 0, one.clone(), Stability::Unstable).await.unwrap();
    assert!(matches!(pool.commit(file, 0, 0).await, Err(Error::NoSpace)));
    assert_eq!(read(&pool, file).await.unwrap(), one);
    pool.write(file, 100_000, two.clone(), Stability::Unstable).await.unwrap();
    assert!(matches!(pool.commit(file, 0, 0).await, Err(Error::NoSpace)));
    create(&pool, root, b"metadata still works").await.unwrap();
    disk.set_full(false);
    pool.commit(file, 0, 0).await.unwrap();
    pool.close().await.unwrap();
    disk.crash(1);
    let pool = disk.open(options()).unwrap();
    assert_eq!(read(&pool, file).await.unwrap(), [&one[..100_000], &two[..]].concat());
    assert!(pool.check(true).await.unwrap().is_empty());
}

/// After a failed sync the operating system may have dropped the pages that it could not write, and a second sync
/// reports a success that means nothing.
#[tokio::test]
async fn after_a_failed_sync_nothing_is_ever_acknowledged_again() {
    for failing in 0..6 {
        let disk = Arc::new(FaultyDisk::default());
        let (pool, root, file) = pool_with_file(&disk).await;
        pool.write(file, 0, bytes(1, 300_000), Stability::Unstable).await.unwrap();
        disk.fail_at(failing);
        let Err(_) = pool.commit(file, 0, 0).await else { continue };
        // The disk works again, but the pool does not trust it.
        disk.fail_at(u64::MAX);
        let again = pool.commit(file, 0, 0).await;
        let stopped = matches!(again, Err(Error::Failed(_)));
        // Only a failed write of frames may be retried, because it was never synced.
        assert!(stopped || again.is_ok(), "{again:?}");
        if stopped {
            assert!(matches!(create(&pool, root, b"x").await, Err(Error::Failed(_))));
            let write = pool.write(file, 0, bytes(1, 10), Stability::Unstable).await;
            assert!(matches!(write, Err(Error::Failed(_))));
            assert_eq!(read(&pool, file).await.unwrap().len(), 300_000);
        }
    }
}

/// Whichever read fails, the volume has its old content or that of the snapshot, and no file is lost.
#[tokio::test]
async fn a_rollback_that_cannot_read_everything_changes_nothing() {
    let (mut failed, mut read_at) = (0, 0);
    loop {
        let disk = Arc::new(FaultyDisk::default());
        let (pool, root, file) = pool_with_file(&disk).await;
        let other = create(&pool, root, b"other").await.unwrap();
        pool.write(file, 0, bytes(1, 1000), Stability::FileSync).await.unwrap();
        pool.snapshot_create(&["kafka".into()], "then").await.unwrap();
        pool.write(file, 0, bytes(2, 1000), Stability::FileSync).await.unwrap();
        pool.rename(root, b"other", root, b"elsewhere").await.unwrap();
        // Settle first, so that nothing else reads meanwhile.
        pool.settle().await.unwrap();
        disk.arm(Plan { read: Some(read_at), ..Plan::default() });
        let outcome = pool.volume_rollback("kafka", "then", false).await;
        let hit = disk.has_failed();
        disk.arm(Plan::default());
        let expected = if outcome.is_ok() { bytes(1, 1000) } else { bytes(2, 1000) };
        assert_eq!(read(&pool, file).await.unwrap(), expected, "read {read_at}: {outcome:?}");
        let named = pool.lookup(root, b"other").await;
        assert_eq!(named.is_ok(), outcome.is_ok(), "read {read_at}");
        assert!(outcome.is_err() || pool.getattr(other).await.is_ok(), "read {read_at}");
        if !hit {
            outcome.unwrap();
            break;
        }
        failed += u32::from(outcome.is_err());
        read_at += 1;
    }
    assert!(failed >= 3, "hardly a read of a rollback was made to fail: {failed} of {read_at}");
}

/// Readers and a crash see of it what some of its batches have cloned, from its beginning.
#[tokio::test]
async fn a_clone_of_many_extents_that_fails_leaves_a_first_part_of_whole_batches() {
    const EXTENTS: u64 = 40;
    const GAP_BYTES: u64 = 10_000;
    let (mut failing, mut visible, mut durable) = (0, BTreeSet::new(), BTreeSet::new());
    loop {
        let disk = Arc::new(FaultyDisk::default());
        let (pool, root, source) = pool_with_file(&disk).await;
        let target = create(&pool, root, b"target").await.unwrap();
        for n in 0..EXTENTS {
            pool.write(source, n * GAP_BYTES, bytes(n as u8, 100), Stability::FileSync).await.unwrap();
        }
        pool.settle().await.unwrap();
        let whole = read(&pool, source).await.unwrap();
        disk.fail_at(failing);
        let cloned = pool.clone_range((source, 0), (target, 0), None).await;
        let seen = read(&pool, target).await.unwrap();
        assert!(whole.starts_with(&seen), "failing at {failing}");
        visible.insert(seen.len());
        let _ = pool.close().await;
        disk.crash(failing);
        let pool = disk.open(options()).unwrap();
        let left = read(&pool, target).await.unwrap();
        assert!(whole.starts_with(&left), "failing at {failing}");
        durable.insert(left.len());
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
        if cloned.is_ok() {
            assert_eq!((seen.len(), left.len()), (whole.len(), whole.len()));
            break;
        }
        failing += 1;
    }
    // Sixteen extents fit in a batch.
    let ends = BTreeSet::from([0, 160_000, 320_000, 390_100]);
    assert_eq!(visible, ends);
    assert!(durable.is_subset(&ends) && durable.len() > 1, "{durable:?}");
}

#[tokio::test]
async fn a_damaged_byte_is_an_error_and_never_wrong_data() {
    let disk = Arc::new(FaultyDisk::default());
    let (pool, root, good) = pool_with_file(&disk).await;
    let bad = create(&pool, root, b"bad").await.unwrap();
    // Whole blocks, so that no tail follows them into the segment.
    pool.write(good, 0, bytes(1, 262_144), Stability::FileSync).await.unwrap();
    let before = disk.segment_bytes();
    pool.write(bad, 0, bytes(2, 262_144), Stability::FileSync).await.unwrap();
    pool.close().await.unwrap();
    disk.damage(before);
    let pool = disk.open(options()).unwrap();
    assert!(matches!(read(&pool, bad).await, Err(Error::Damaged(_))));
    assert_eq!(read(&pool, good).await.unwrap(), bytes(1, 262_144));
    assert!(!pool.check(true).await.unwrap().is_empty());
    pool.write(bad, 0, bytes(3, 262_144), Stability::FileSync).await.unwrap();
    assert_eq!(read(&pool, bad).await.unwrap(), bytes(3, 262_144));
}

#[tokio::test]
async fn segments_that_are_mostly_dead_are_cleaned_and_lose_nothing() {
    let disk = Arc::new(FaultyDisk::default());
    let (pool, root, file) = pool_with_file(&disk).await;
    // Keep every sixth block, so that each segment becomes more than half dead.
    for n in 0..24 {
        pool.write(file, n * 131_072, bytes(n as u8, 131_072), Stability::FileSync).await.unwrap();
    }
    let stored = disk.segment_bytes();
    for n in (0..24).filter(|n| n % 6 != 0) {
        pool.write(file, n * 131_072, Bytes::from(vec![0; 131_072]), Stability::FileSync).await.unwrap();
    }
    // Each round of the reaper cleans a limited number of segments.
    for round in 0.. {
        if disk.segment_bytes() <= stored / 2 {
            break;
        }
        assert!(round < 100, "{} of {stored} bytes left", disk.segment_bytes());
        create(&pool, root, b"another").await.unwrap();
        pool.remove(root, b"another").await.unwrap();
        pool.settle().await.unwrap();
    }
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    for n in 0..24 {
        let found = pool.read(file, n * 131_072, 131_072).await.unwrap().pieces.concat();
        assert_eq!(found, if n % 6 == 0 { bytes(n as u8, 131_072) } else { vec![0; 131_072].into() });
    }
}

/// Settles until only these segments of some are left.
async fn settle_until(pool: &Pool, root: Handle, segments: &[SegmentId], left: &[SegmentId]) {
    let engine = pool.engine().unwrap();
    for round in 0.. {
        let known: Vec<_> = segments.iter().copied().filter(|id| engine.segments.knows(*id)).collect();
        if known == left {
            break;
        }
        assert!(round < 100, "{known:?} are left, not {left:?}");
        create(pool, root, b"another").await.unwrap();
        pool.remove(root, b"another").await.unwrap();
        pool.settle().await.unwrap();
    }
}

#[tokio::test]
async fn a_segment_that_cannot_be_reached_does_not_keep_others_from_being_cleaned_and_deleted() {
    for disk in [FaultyDisk::default(), FaultyDisk::elsewhere()] {
        let disk = Arc::new(disk);
        let options = PoolOptions { segment_bytes: 1 << 20, dirty_bytes_max: 64 << 20, ..options() };
        let pool = disk.open(options).unwrap();
        let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
        pool.reap_orphans().await.unwrap();
        let file = create(&pool, root, b"log").await.unwrap();
        for n in 0..32 {
            pool.write(file, n * 131_072, bytes(n as u8, 131_072), Stability::Unstable).await.unwrap();
            if n % 4 == 3 {
                pool.commit(file, 0, 0).await.unwrap();
            }
        }
        let engine = pool.engine().unwrap();
        // The last one is not settled.
        let mut segments: Vec<_> = engine.segments.list().into_iter().map(|(id, _)| id).collect();
        segments.pop();
        assert!(segments.len() >= 3, "{segments:?}");
        let stuck = segments[0];
        disk.set_stuck(&[stuck]);
        for n in (0..32).filter(|n| n % 4 != 0) {
            let zeros = Bytes::from(vec![0; 131_072]);
            pool.write(file, n * 131_072, zeros, Stability::FileSync).await.unwrap();
        }
        settle_until(&pool, root, &segments, &[stuck]).await;
        assert!(engine.segments.usage(stuck).bytes_live > 0);
        disk.set_stuck(&[]);
        for n in 0..32 {
            let found = pool.read(file, n * 131_072, 131_072).await.unwrap().pieces.concat();
            assert_eq!(found, if n % 4 == 0 { bytes(n as u8, 131_072) } else { vec![0; 131_072].into() });
        }
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);

        disk.set_stuck(&[stuck]);
        let last = engine.segments.list().into_iter().map(|(id, _)| id).max().unwrap();
        let segments: Vec<_> =
            engine.segments.list().into_iter().map(|(id, _)| id).filter(|id| *id < last).collect();
        pool.remove(root, b"log").await.unwrap();
        pool.release(file);
        settle_until(&pool, root, &segments, &[stuck]).await;
        disk.set_stuck(&[]);
        tokio::time::pause();
        tokio::time::advance(crate::parts::cleaner::RETRY).await;
        tokio::time::resume();
        settle_until(&pool, root, &segments, &[]).await;
        drop(engine);
        pool.close().await.unwrap();
    }
}
