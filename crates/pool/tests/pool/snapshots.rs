//! Snapshots, clones and rollbacks: the content that they show, the data that they keep, and the space that they
//! release.

use forebay_pool::*;

use crate::common::*;

async fn take(pool: &Pool, name: &str) -> Snapshot {
    pool.snapshot_create(&["kafka".to_owned()], name).await.unwrap().remove(0)
}

async fn clone(pool: &Pool, snapshot: &str, name: &str) -> Volume {
    let spec = CloneSpec { name: name.into(), junction_path: format!("/{name}") };
    pool.volume_clone("kafka", snapshot, spec).await.unwrap()
}

async fn find(pool: &Pool, directory: Handle, name: &str) -> Handle {
    pool.lookup(directory, name.as_bytes()).await.unwrap().handle
}

/// The content of the file with this name.
async fn content(pool: &Pool, directory: Handle, name: &str) -> Vec<u8> {
    read_all(pool, find(pool, directory, name).await).await
}

async fn assert_consistent(pool: &Pool) {
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

async fn assert_empty(pool: &Pool) {
    assert_consistent(pool).await;
    let space = pool.space().unwrap();
    assert_eq!(
        (space.bytes_logical, space.inodes_used, space.orphans),
        (0, pool.volumes().unwrap().len() as u64, 0)
    );
}

#[tokio::test]
async fn a_snapshot_keeps_what_was_there_whatever_happens_to_the_volume() {
    let (home, pool, root) = disk().await;
    let sub = directory(&pool, root, "sub").await;
    let (log, gone) = (file(&pool, sub, "log").await, file(&pool, sub, "gone").await);
    let (first, second) = (pattern(1, 500_000), pattern(2, 200_000));
    // None of this is durable yet: taking the snapshot makes it durable.
    write(&pool, log, 0, &first).await;
    write(&pool, gone, 0, b"short").await;
    let taken = take(&pool, "before").await;
    assert_eq!(taken.bytes_logical, 500_005);

    write(&pool, log, 100_000, &second).await;
    let set = SetAttributes { size: Some(250_000), mode: Some(0o600), ..SetAttributes::default() };
    pool.setattr(log, set).await.unwrap();
    pool.remove(sub, b"gone").await.unwrap();
    pool.rename(sub, b"log", root, b"moved").await.unwrap();
    file(&pool, sub, "new").await;
    pool.settle().await.unwrap();

    for round in 0..2 {
        let pool = if round == 0 { pool.clone() } else { Pool::open(home.path(), options()).await.unwrap() };
        let old = find(&pool, taken.root, "sub").await;
        assert_eq!(names(&pool, old).await, ["gone", "log"]);
        assert_eq!(content(&pool, old, "log").await, first);
        assert_eq!(content(&pool, old, "gone").await, b"short");
        assert_eq!(pool.lookup(old, b"log").await.unwrap().mode, 0o644);
        assert_eq!(pool.parent(old).await.unwrap().unwrap().handle, taken.root);
        assert_eq!(names(&pool, sub).await, ["new"]);
        let now = [&first[..100_000], &second[..150_000]].concat();
        assert_eq!(content(&pool, root, "moved").await, now);
        assert_consistent(&pool).await;
        pool.close().await.unwrap();
    }
}

#[tokio::test]
async fn nothing_can_be_changed_in_a_snapshot() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, b"bytes").await;
    let taken = take(&pool, "s").await;
    let (root, log) = (taken.root, find(&pool, taken.root, "log").await);
    let before = pool.getattr(log).await.unwrap();
    let read_only = |outcome: Result<()>| assert!(matches!(outcome, Err(Error::ReadOnly)), "{outcome:?}");
    read_only(pool.create(root, b"new", new(Kind::File)).await.map(|_| ()));
    read_only(pool.remove(root, b"log").await.map(|_| ()));
    read_only(pool.rename(root, b"log", root, b"other").await.map(|_| ()));
    read_only(pool.link(log, root, b"other").await.map(|_| ()));
    read_only(
        pool.setattr(log, SetAttributes { mode: Some(0), ..SetAttributes::default() }).await.map(|_| ()),
    );
    read_only(
        pool.setattr(log, SetAttributes { size: Some(0), ..SetAttributes::default() }).await.map(|_| ()),
    );
    read_only(pool.write(log, 0, "x".into(), Stability::Unstable).await.map(|_| ()));
    pool.commit(log, 0, 0).await.unwrap();
    pool.hold(log).unwrap();
    assert_eq!(read_all(&pool, log).await, b"bytes");
    pool.release(log);
    assert_eq!(pool.getattr(log).await.unwrap(), before);
    assert!(pool.is_read_only(root.volume).unwrap());
    assert_consistent(&pool).await;
}

#[tokio::test]
async fn names_of_snapshots_are_checked_and_volumes_list_without_them() {
    let (pool, _) = memory().await;
    take(&pool, "s1").await;
    let kafka = ["kafka".to_owned()];
    let refused = pool.snapshot_create(&kafka, "s1").await.unwrap_err();
    assert!(matches!(&refused, Error::Exists(what) if what.to_string().contains("kafka@s1")), "{refused}");
    for name in ["", ".s", "-s", "a/b", "a@b", &"n".repeat(65)] {
        assert!(matches!(pool.snapshot_create(&kafka, name).await, Err(Error::Invalid(_))), "{name}");
    }
    let twice = ["kafka".to_owned(), "kafka".to_owned()];
    assert!(matches!(pool.snapshot_create(&twice, "s2").await, Err(Error::Invalid(_))));
    assert!(matches!(pool.snapshot_create(&["ghost".into()], "s2").await, Err(Error::NotFound(_))));
    assert!(matches!(pool.snapshot("kafka", "ghost"), Err(Error::NotFound(_))));
    assert!(matches!(pool.snapshot_delete("kafka", "ghost").await, Err(Error::NotFound(_))));
    assert_eq!(pool.volumes().unwrap().len(), 1);
    let names: Vec<_> = pool.snapshots(None).unwrap().into_iter().map(|taken| taken.name).collect();
    assert_eq!(names, ["s1"]);
}

/// The space that the pool's segments take on the disk.
fn segment_bytes(pool: &std::path::Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let segments = std::fs::read_dir(pool.join("segments")).unwrap();
    segments.map(|segment| segment.unwrap().metadata().unwrap().blocks() * 512).sum()
}

#[tokio::test]
async fn a_snapshots_space_comes_back_when_it_is_deleted() {
    let (home, pool, root) = disk().await;
    for n in 0..50u64 {
        let log = file(&pool, root, &format!("f{n}")).await;
        write(&pool, log, 0, &pattern(n, 150_000)).await;
    }
    let taken = take(&pool, "s").await;
    let held = find(&pool, taken.root, "f7").await;
    for n in 0..50 {
        pool.remove(root, format!("f{n}").as_bytes()).await.unwrap();
    }
    assert_consistent(&pool).await;
    assert_eq!(pool.space().unwrap().bytes_logical, 0);
    assert_eq!(content(&pool, taken.root, "f7").await, pattern(7, 150_000));
    let held_bytes = segment_bytes(home.path());
    pool.snapshot_delete("kafka", "s").await.unwrap();
    assert!(matches!(pool.getattr(held).await, Err(Error::Stale)));
    assert!(matches!(pool.read(held, 0, 10).await, Err(Error::Stale)));
    assert!(matches!(pool.lookup(taken.root, b"f7").await, Err(Error::Stale)));
    // The purge continues after a restart.
    pool.close().await.unwrap();
    let pool = Pool::open(home.path(), options()).await.unwrap();
    assert_empty(&pool).await;
    let left_bytes = segment_bytes(home.path());
    assert!(left_bytes < held_bytes / 10, "{left_bytes} of {held_bytes} bytes are left");
    let log = file(&pool, root, "again").await;
    write(&pool, log, 0, b"x").await;
    assert_consistent(&pool).await;
}

#[tokio::test]
async fn a_clone_is_a_volume_of_its_own_that_shares_until_it_changes() {
    let (home, pool, root) = disk().await;
    let log = file(&pool, root, "log").await;
    let bytes = pattern(1, 300_000);
    write(&pool, log, 0, &bytes).await;
    take(&pool, "s").await;
    let copy = clone(&pool, "s", "copy").await;
    assert_eq!(pool.volume_space(copy.id).unwrap().bytes_logical, 300_000);
    let copied = find(&pool, copy.root, "log").await;
    assert_eq!(copied.inode, log.inode);
    assert_eq!(read_all(&pool, copied).await, bytes);

    write(&pool, copied, 10_000, b"mine").await;
    write(&pool, log, 10_000, b"ours").await;
    pool.commit(copied, 0, 0).await.unwrap();
    let other = file(&pool, copy.root, "other").await;
    write(&pool, other, 0, b"other").await;
    assert_eq!(
        read(&pool, copied, 9_998, 8).await,
        [&bytes[9_998..10_000], b"mine", &bytes[10_004..10_006]].concat()
    );
    assert_eq!(read(&pool, log, 10_000, 4).await, b"ours");
    assert_eq!(names(&pool, root).await, ["log"]);
    pool.remove(copy.root, b"log").await.unwrap();
    assert_consistent(&pool).await;
    assert_eq!(names(&pool, copy.root).await, ["other"]);

    // A clone of a clone. The snapshots in between stay as long as they are needed.
    pool.snapshot_create(&["copy".to_owned()], "t").await.unwrap();
    let spec = CloneSpec { name: "third".into(), junction_path: "/third".into() };
    let third = pool.volume_clone("copy", "t", spec).await.unwrap();
    pool.remove(copy.root, b"other").await.unwrap();
    assert_eq!(content(&pool, third.root, "other").await, b"other");
    for (what, outcome) in [
        ("third", pool.snapshot_delete("copy", "t").await),
        ("copy", pool.snapshot_delete("kafka", "s").await),
        ("third", pool.volume_delete("copy", true).await),
        ("copy", pool.volume_delete("kafka", true).await),
    ] {
        let error = outcome.unwrap_err();
        assert!(matches!(&error, Error::InUse { by, .. } if by.contains(what)), "{error}");
    }
    pool.close().await.unwrap();
    let pool = Pool::open(home.path(), options()).await.unwrap();
    pool.reap_orphans().await.unwrap();
    assert_eq!(content(&pool, third.root, "other").await, b"other");
    assert_consistent(&pool).await;
    pool.volume_delete("third", true).await.unwrap();
    let refused = pool.volume_delete("copy", false).await.unwrap_err();
    assert!(matches!(&refused, Error::InUse { by, .. } if by.contains("1 snapshots")), "{refused}");
    pool.volume_delete("copy", true).await.unwrap();
    pool.snapshot_delete("kafka", "s").await.unwrap();
    pool.remove(root, b"log").await.unwrap();
    assert_empty(&pool).await;
}

#[tokio::test]
async fn a_rollback_brings_back_what_the_snapshot_shows_and_open_files_go_on() {
    let (home, pool, root) = disk().await;
    let (log, deleted) = (file(&pool, root, "log").await, file(&pool, root, "deleted").await);
    let old = pattern(1, 300_000);
    write(&pool, log, 0, &old).await;
    write(&pool, deleted, 0, &old).await;
    take(&pool, "s").await;
    pool.hold(log).unwrap();
    let newer = file(&pool, root, "newer").await;
    pool.hold(newer).unwrap();
    write(&pool, log, 0, &pattern(2, 400_000)).await;
    pool.commit(log, 0, 0).await.unwrap();
    write(&pool, log, 50_000, b"never durable").await;
    pool.remove(root, b"deleted").await.unwrap();
    pool.settle().await.unwrap();
    assert!(matches!(pool.getattr(deleted).await, Err(Error::Stale)));
    let changed = pool.getattr(log).await.unwrap().change;
    let root_changed = pool.getattr(root).await.unwrap().change;
    take(&pool, "younger").await;

    let refused = pool.volume_rollback("kafka", "s", false).await.unwrap_err();
    assert!(matches!(&refused, Error::InUse { by, .. } if by.contains("younger")), "{refused}");
    pool.volume_rollback("kafka", "s", true).await.unwrap();
    assert_eq!(read_all(&pool, log).await, old);
    assert_eq!(content(&pool, root, "deleted").await, old);
    assert!(matches!(pool.getattr(newer).await, Err(Error::Stale)));
    assert_eq!(names(&pool, root).await, ["deleted", "log"]);
    assert!(pool.getattr(log).await.unwrap().change > changed);
    assert!(pool.getattr(root).await.unwrap().change > root_changed);
    assert_eq!(pool.snapshots(None).unwrap().len(), 1);
    assert_consistent(&pool).await;

    // The hold still exists.
    pool.remove(root, b"log").await.unwrap();
    pool.settle().await.unwrap();
    write(&pool, log, 0, b"go on").await;
    assert_eq!(read(&pool, log, 0, 5).await, b"go on");
    pool.release(log);
    pool.release(newer);
    assert_consistent(&pool).await;
    pool.close().await.unwrap();
    let pool = Pool::open(home.path(), options()).await.unwrap();
    pool.reap_orphans().await.unwrap();
    assert_eq!(names(&pool, root).await, ["deleted"]);
    pool.volume_rollback("kafka", "s", false).await.unwrap();
    pool.volume_rollback("kafka", "s", false).await.unwrap();
    assert_eq!(content(&pool, root, "log").await, old);
    assert_consistent(&pool).await;
}

#[tokio::test]
async fn a_rollback_is_prevented_by_clones_of_what_would_go() {
    let (pool, _) = memory().await;
    take(&pool, "old").await;
    take(&pool, "young").await;
    clone(&pool, "young", "copy").await;
    let refused = pool.volume_rollback("kafka", "old", true).await.unwrap_err();
    assert!(matches!(&refused, Error::InUse { by, .. } if by.contains("copy")), "{refused}");
    pool.volume_rollback("kafka", "young", false).await.unwrap();
    assert_consistent(&pool).await;
}

#[tokio::test]
async fn an_orphan_stays_in_the_snapshot_and_is_freed_in_a_clone() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, 200_000)).await;
    pool.hold(log).unwrap();
    pool.remove(root, b"log").await.unwrap();
    let taken = take(&pool, "s").await;
    let kept = Handle { volume: taken.id, ..log };
    let copy = clone(&pool, "s", "copy").await;
    assert_consistent(&pool).await;
    assert_eq!(pool.volume_space(copy.id).unwrap().inodes_used, 1);
    pool.release(log);
    assert_consistent(&pool).await;
    assert!(matches!(pool.getattr(log).await, Err(Error::Stale)));
    pool.hold(kept).unwrap();
    pool.release(kept);
    assert_consistent(&pool).await;
    assert_eq!(read_all(&pool, kept).await, pattern(1, 200_000));
    pool.volume_delete("copy", false).await.unwrap();
    pool.snapshot_delete("kafka", "s").await.unwrap();
    assert_empty(&pool).await;
}

/// A broker writes data to its own volume that it has read from the volume of another broker.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snapshots_of_several_volumes_are_of_one_instant() {
    let (pool, first) = memory().await;
    let second = pool.volume_create(spec("follower")).await.unwrap().root;
    let (leader, follower) = (file(&pool, first, "log").await, file(&pool, second, "log").await);
    let writers = pool.clone();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = stop.clone();
    let task = tokio::spawn(async move {
        let mut at = 0u64;
        while !stopped.load(std::sync::atomic::Ordering::SeqCst) {
            // The follower never has data that the leader does not have.
            write(&writers, leader, at, &pattern(at, 100)).await;
            write(&writers, follower, at, &pattern(at, 100)).await;
            at += 100;
        }
    });
    let both = ["kafka".to_owned(), "follower".to_owned()];
    for n in 0..20 {
        let taken = pool.snapshot_create(&both, &format!("s{n}")).await.unwrap();
        let size = async |root| pool.lookup(root, b"log").await.unwrap().size;
        let (leads, follows) = (size(taken[0].root).await, size(taken[1].root).await);
        assert!(follows <= leads && leads <= follows + 100, "{leads} {follows}");
    }
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    task.await.unwrap();
    assert_consistent(&pool).await;
}
