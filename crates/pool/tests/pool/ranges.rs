//! Ranges of files: creating, finding and filling holes, and cloning content.

use forebay_pool::*;

use crate::common::*;

async fn used(pool: &Pool, file: Handle) -> u64 {
    pool.getattr(file).await.unwrap().space_used
}

async fn check(pool: &Pool) {
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

/// The offset and length of each stretch, and whether it is a hole.
async fn stretches(pool: &Pool, file: Handle, offset: u64, length: u32) -> Vec<(u64, u64, bool)> {
    let read = pool.read_stretches(file, offset, length, 4096).await.unwrap();
    let mut at = offset;
    let of = |stretch: &Stretch| match stretch {
        Stretch::Hole(bytes) => (*bytes, true),
        Stretch::Data(pieces) => (pieces.iter().map(|piece| piece.len() as u64).sum(), false),
    };
    let mut found = Vec::new();
    for stretch in &read.stretches {
        let (bytes, hole) = of(stretch);
        found.push((at, bytes, hole));
        at += bytes;
    }
    found
}

fn sought(offset: u64, eof: bool) -> Option<Sought> {
    Some(Sought { offset, eof })
}

#[tokio::test]
async fn a_hole_reads_as_zeros_and_takes_no_space_whether_flushed_before_or_not() {
    for commit in [false, true] {
        let (pool, root) = memory().await;
        let file = file(&pool, root, "f").await;
        let mut bytes = pattern(1, 900_000);
        write(&pool, file, 0, &bytes).await;
        if commit {
            pool.commit(file, 0, 0).await.unwrap();
        }
        let before = pool.getattr(file).await.unwrap();
        let after = pool.deallocate(file, 100_001, 600_000).await.unwrap();
        assert!(after.change > before.change && after.mtime >= before.mtime);
        assert_eq!(after.size, 900_000);
        bytes[100_001..700_001].fill(0);
        assert_eq!(read_all(&pool, file).await, bytes);
        pool.commit(file, 0, 0).await.unwrap();
        assert_eq!(read_all(&pool, file).await, bytes);
        assert_eq!(used(&pool, file).await, 300_000);
        assert_eq!(pool.volume_space(file.volume).unwrap().bytes_logical, 300_000);
        check(&pool).await;
    }
}

#[tokio::test]
async fn a_hole_is_still_there_after_reopening_without_a_commit() {
    let (directory, pool, root) = disk().await;
    let file = file(&pool, root, "f").await;
    let mut bytes = pattern(1, 400_000);
    write(&pool, file, 0, &bytes).await;
    pool.commit(file, 0, 0).await.unwrap();
    pool.deallocate(file, 0, 4096).await.unwrap();
    pool.deallocate(file, 399_000, 1 << 40).await.unwrap();
    bytes[..4096].fill(0);
    bytes[399_000..].fill(0);
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert_eq!(read_all(&pool, file).await, bytes);
    check(&pool).await;
}

#[tokio::test]
async fn writing_into_a_hole_and_appending_behind_it_go_on_as_before() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    let mut bytes = pattern(1, 500_000);
    write(&pool, file, 0, &bytes).await;
    pool.commit(file, 0, 0).await.unwrap();
    pool.deallocate(file, 200_000, 300_000).await.unwrap();
    bytes[200_000..].fill(0);
    for (at, length) in [(300_000, 5000), (500_000, 70_000), (199_990, 20)] {
        let piece = pattern(at as u64, length);
        write(&pool, file, at as u64, &piece).await;
        bytes.resize(bytes.len().max(at + length), 0);
        bytes[at..at + length].copy_from_slice(&piece);
        pool.commit(file, 0, 0).await.unwrap();
        assert_eq!(read_all(&pool, file).await, bytes);
    }
    check(&pool).await;
}

#[tokio::test]
async fn data_and_holes_are_found_in_memory_as_on_disk() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    assert_eq!(pool.seek_data(file, 0).await.unwrap(), None);
    write(&pool, file, 100_000, &pattern(1, 50_000)).await;
    write(&pool, file, 150_000, &pattern(2, 50_000)).await;
    write(&pool, file, 400_000, &pattern(3, 10)).await;
    pool.setattr(file, SetAttributes { size: Some(1_000_000), ..SetAttributes::default() }).await.unwrap();
    for _ in 0..2 {
        assert_eq!(pool.seek_data(file, 0).await.unwrap(), sought(100_000, false));
        assert_eq!(pool.seek_data(file, 120_000).await.unwrap(), sought(120_000, false));
        assert_eq!(pool.seek_data(file, 200_000).await.unwrap(), sought(400_000, false));
        assert_eq!(pool.seek_data(file, 400_010).await.unwrap(), sought(1_000_000, true));
        assert_eq!(pool.seek_hole(file, 0).await.unwrap(), sought(0, false));
        assert_eq!(pool.seek_hole(file, 100_000).await.unwrap(), sought(200_000, false));
        assert_eq!(pool.seek_hole(file, 400_001).await.unwrap(), sought(400_010, false));
        assert_eq!(pool.seek_hole(file, 1_000_000).await.unwrap(), None);
        assert_eq!(
            stretches(&pool, file, 90_000, 1 << 20).await,
            [(90_000, 10_000, true), (100_000, 100_000, false), (200_000, 200_000, true)]
                .into_iter()
                .chain([(400_000, 10, false), (400_010, 599_990, true)])
                .collect::<Vec<_>>()
        );
        pool.commit(file, 0, 0).await.unwrap();
    }
    write(&pool, file, 1_000_000, b"x").await;
    assert_eq!(pool.seek_hole(file, 1_000_000).await.unwrap(), sought(1_000_001, true));
}

#[tokio::test]
async fn a_hole_is_found_behind_more_extents_than_are_looked_at_at_once() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    let end = 3000 * 8192;
    for at in 0..3000 {
        // Data, with holes of one byte in between.
        write(&pool, file, at * 8192 + 1, &pattern(at, 8191)).await;
    }
    pool.commit(file, 0, 0).await.unwrap();
    write(&pool, file, end - 10, &pattern(1, 20)).await;
    for at in 0..3000 {
        write(&pool, file, at * 8192, b"x").await;
    }
    assert_eq!(pool.seek_hole(file, 0).await.unwrap(), sought(end + 10, true));
    pool.deallocate(file, 0, end).await.unwrap();
    assert_eq!(pool.seek_data(file, 0).await.unwrap(), sought(end, false));
    pool.commit(file, 0, 0).await.unwrap();
    assert_eq!(used(&pool, file).await, 10);
    check(&pool).await;
}

#[tokio::test]
async fn what_snapshots_show_has_no_holes_that_were_made_later() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "f").await;
    let bytes = pattern(1, 400_000);
    write(&pool, log, 0, &bytes).await;
    pool.snapshot_create(&["kafka".into()], "s").await.unwrap();
    pool.deallocate(log, 50_000, 300_000).await.unwrap();
    pool.clone_range((log, 0), (log, 100_000), Some(50_000)).await.unwrap();
    let shown = Handle { volume: pool.snapshot("kafka", "s").unwrap().id, ..log };
    assert_eq!(read_all(&pool, shown).await, bytes);
    for refused in [
        pool.deallocate(shown, 0, 10).await,
        pool.allocate(shown, 0, 1 << 20).await,
        pool.clone_range((log, 0), (shown, 0), None).await.map(|cloned| cloned.attributes),
    ] {
        assert!(matches!(refused, Err(Error::ReadOnly)), "{refused:?}");
    }
    // Content of a snapshot can be restored.
    pool.clone_range((shown, 0), (log, 0), None).await.unwrap();
    assert_eq!(read_all(&pool, log).await, bytes);
    check(&pool).await;
    pool.volume_rollback("kafka", "s", false).await.unwrap();
    pool.snapshot_delete("kafka", "s").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(read_all(&pool, log).await, bytes);
    check(&pool).await;
}

#[tokio::test]
async fn a_clone_holds_what_was_written_to_its_source_and_takes_no_chunk() {
    let (pool, root) = memory().await;
    let (one, other) = (file(&pool, root, "one").await, file(&pool, root, "other").await);
    let bytes = pattern(1, 2_000_000);
    write(&pool, one, 0, &bytes).await;
    pool.commit(one, 0, 0).await.unwrap();
    let before = pool.stored().unwrap().bytes_live;
    let cloned = pool.clone_range((one, 0), (other, 0), None).await.unwrap();
    assert_eq!((cloned.bytes, cloned.attributes.size), (2_000_000, 2_000_000));
    assert_eq!(read_all(&pool, other).await, bytes);
    assert_eq!(pool.stored().unwrap().bytes_live, before);
    // Changes to one do not appear in the other.
    write(&pool, one, 1000, b"changed").await;
    pool.commit(one, 0, 0).await.unwrap();
    assert_eq!(read_all(&pool, other).await, bytes);
    pool.remove(root, b"one").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(read_all(&pool, other).await, bytes);
    check(&pool).await;
}

#[tokio::test]
async fn any_range_can_be_cloned_to_any_place_over_what_is_dirty_there() {
    let (pool, root) = memory().await;
    let (one, other) = (file(&pool, root, "one").await, file(&pool, root, "other").await);
    let (from, mut to) = (pattern(1, 300_000), pattern(2, 300_000));
    write(&pool, one, 0, &from).await;
    write(&pool, other, 0, &to).await;
    for (source, target, length) in
        [(1, 7, 3), (131_000, 65_001, 100_000), (299_999, 299_998, 1), (0, 299_000, 5000)]
    {
        pool.clone_range((one, source), (other, target), Some(length)).await.unwrap();
        let (source, target, length) = (source as usize, target as usize, length as usize);
        to.resize(to.len().max(target + length), 0);
        to[target..target + length].copy_from_slice(&from[source..source + length]);
        assert_eq!(read_all(&pool, other).await, to);
        write(&pool, other, 10, b"dirty again").await;
        to[10..21].copy_from_slice(b"dirty again");
    }
    assert_eq!(read_all(&pool, one).await, from);
    pool.commit(other, 0, 0).await.unwrap();
    assert_eq!(read_all(&pool, other).await, to);
    check(&pool).await;
}

#[tokio::test]
async fn holes_are_cloned_as_holes_and_volumes_share_chunks() {
    let (pool, root) = memory().await;
    let there = pool.volume_create(spec("w")).await.unwrap().root;
    let (one, other) = (file(&pool, root, "one").await, file(&pool, there, "other").await);
    let bytes = pattern(1, 200_000);
    write(&pool, one, 1 << 20, &bytes).await;
    write(&pool, other, 0, &pattern(2, 100_000)).await;
    pool.clone_range((one, 0), (other, 0), None).await.unwrap();
    assert_eq!(read(&pool, other, 0, 1 << 20).await, vec![0; 1 << 20]);
    assert_eq!(read(&pool, other, 1 << 20, 1 << 20).await, bytes);
    assert_eq!(used(&pool, other).await, 200_000);
    check(&pool).await;
    pool.volume_delete("kafka", true).await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(read(&pool, other, 1 << 20, 1 << 20).await, bytes);
    check(&pool).await;
}

#[tokio::test]
async fn what_cannot_be_cloned_is_refused_and_changes_nothing() {
    let (pool, root) = memory().await;
    let (one, other) = (file(&pool, root, "one").await, file(&pool, root, "other").await);
    write(&pool, one, 0, &pattern(1, 10_000)).await;
    let folder = directory(&pool, root, "d").await;
    for (from, to, length) in [
        ((one, 0), (other, 0), Some(10_001)),
        ((one, 10_001), (other, 0), None),
        ((one, u64::MAX), (other, 0), Some(10)),
        ((one, 0), (one, 9_999), Some(10_000)),
        ((one, 5_000), (one, 0), Some(5_001)),
    ] {
        let outcome = pool.clone_range(from, to, length).await;
        assert!(matches!(outcome, Err(Error::Invalid(_))), "{outcome:?}");
    }
    let outcome = pool.clone_range((one, 0), (other, FILE_SIZE_MAX - 5), None).await;
    assert!(matches!(outcome, Err(Error::FileTooLarge)));
    let outcome = pool.clone_range((one, 0), (folder, 0), None).await;
    assert!(matches!(outcome, Err(Error::IsDirectory)));
    assert_eq!(pool.clone_range((one, 10_000), (other, 0), None).await.unwrap().bytes, 0);
    assert_eq!(pool.getattr(other).await.unwrap().size, 0);
    pool.clone_range((one, 5_000), (one, 0), Some(5_000)).await.unwrap();
    assert_eq!(read(&pool, one, 0, 5_000).await, pattern(1, 10_000)[5_000..]);
}

#[tokio::test]
async fn a_volume_that_has_no_room_refuses_to_allocate_and_to_clone() {
    let pool = Pool::in_memory(options()).await.unwrap();
    let limited = VolumeSpec { size: Some(1_000_000), ..spec("v") };
    let root = pool.volume_create(limited).await.unwrap().root;
    let (one, other) = (file(&pool, root, "one").await, file(&pool, root, "other").await);
    write(&pool, one, 0, &pattern(1, 600_000)).await;
    assert!(matches!(pool.allocate(other, 0, 400_001).await, Err(Error::NoSpace)));
    assert_eq!(pool.getattr(other).await.unwrap().size, 0);
    assert_eq!(pool.allocate(other, 0, 400_000).await.unwrap().size, 400_000);
    // Existing data needs no room.
    assert_eq!(pool.allocate(one, 100_000, 900_000).await.unwrap().size, 1_000_000);
    assert_eq!(pool.allocate(one, 0, 10).await.unwrap().size, 1_000_000);
    assert!(matches!(pool.clone_range((one, 0), (other, 0), Some(400_001)).await, Err(Error::NoSpace)));
    pool.clone_range((one, 0), (other, 0), Some(400_000)).await.unwrap();
    assert!(matches!(pool.allocate(one, 600_000, 1).await, Err(Error::NoSpace)));
    // A hole makes room even in a full volume.
    pool.deallocate(one, 0, 300_000).await.unwrap();
    assert_eq!(pool.allocate(one, 600_000, 300_000).await.unwrap().size, 1_000_000);
    write(&pool, one, 600_000, &pattern(3, 300_000)).await;
    pool.commit(one, 0, 0).await.unwrap();
    assert_eq!(pool.volume_space(one.volume).unwrap().bytes_free, 0);
    check(&pool).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_beside_holes_and_clones_see_each_of_them_whole() {
    let (pool, root) = memory().await;
    let (one, other) = (file(&pool, root, "one").await, file(&pool, root, "other").await);
    let bytes = pattern(1, 400_000);
    write(&pool, one, 0, &bytes).await;
    write(&pool, other, 0, &bytes).await;
    let reader = tokio::spawn({
        let (pool, bytes) = (pool.clone(), bytes.clone());
        async move {
            for _ in 0..200 {
                let found = read_all(&pool, other).await;
                let zeros = found[100_000..300_000].iter().all(|byte| *byte == 0);
                assert!(zeros || found == bytes);
                assert_eq!(found[..100_000], bytes[..100_000]);
                assert_eq!(found[300_000..], bytes[300_000..]);
            }
        }
    });
    while !reader.is_finished() {
        pool.deallocate(other, 100_000, 200_000).await.unwrap();
        write(&pool, one, 0, &bytes[..100]).await;
        pool.clone_range((one, 100_000), (other, 100_000), Some(200_000)).await.unwrap();
    }
    reader.await.unwrap();
    check(&pool).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn clones_back_and_forth_between_files_that_are_removed_never_wait_for_ever() {
    let (pool, root) = memory().await;
    pool.reap_orphans().await.unwrap();
    for round in 0..20 {
        let (one, other) = (file(&pool, root, "one").await, file(&pool, root, "other").await);
        write(&pool, one, 0, &pattern(round, 50_000)).await;
        write(&pool, other, 0, &pattern(round, 50_000)).await;
        let clones = (0..4).map(|number| {
            let pool = pool.clone();
            let (from, to) = if number % 2 == 0 { (one, other) } else { (other, one) };
            tokio::spawn(async move {
                for _ in 0..5 {
                    match pool.clone_range((from, 0), (to, 10_000), Some(20_000)).await {
                        Ok(_) | Err(Error::Stale) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            })
        });
        let clones: Vec<_> = clones.collect();
        pool.remove(root, b"other").await.unwrap();
        pool.remove(root, b"one").await.unwrap();
        for clone in clones {
            tokio::time::timeout(std::time::Duration::from_secs(60), clone).await.expect("in time").unwrap();
        }
    }
    pool.settle().await.unwrap();
    assert_eq!(pool.space().unwrap().bytes_logical, 0);
    check(&pool).await;
}
