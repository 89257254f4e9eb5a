//! Deleted volumes that can be recovered, snapshots that expire or are locked, and what a clone takes with it.
#![allow(clippy::disallowed_methods, reason = "deadlines are times of day")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use forebay_pool::*;

use crate::common::*;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn recoverable() -> Deletion {
    Deletion { force: true, recoverable: Some(DAY), ..Deletion::default() }
}

async fn delete(pool: &Pool, name: &str) -> DeletedVolume {
    pool.volume_delete_as(name, recoverable()).await.unwrap().unwrap()
}

async fn recover(pool: &Pool, id: VolumeId, name: &str) -> Result<Volume> {
    pool.volume_recover(id, Recovery { name: Some(name.to_owned()), junction_path: None }).await
}

fn in_days(days: u64) -> Option<SystemTime> {
    SystemTime::now().checked_add(Duration::from_secs(days * 86_400))
}

#[tokio::test]
async fn a_deleted_volume_is_gone_at_once_and_comes_back_whole_even_after_a_restart() {
    let (directory, pool, root) = disk().await;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, 300_000)).await;
    pool.snapshot_create(&["kafka".into()], "before").await.unwrap();
    write(&pool, log, 0, b"unstable").await;
    let refused = pool.volume_delete_as("kafka", Deletion { force: false, ..recoverable() }).await;
    assert!(matches!(refused, Err(Error::InUse { .. })), "{refused:?}");
    let note = Bytes::from_static(b"policy");
    let deletion = Deletion { note: note.clone(), ..recoverable() };
    let deleted = pool.volume_delete_as("kafka", deletion).await.unwrap().unwrap();
    assert_eq!((deleted.snapshots, deleted.bytes_logical, &deleted.note), (1, 300_000, &note));
    assert!(pool.volume("kafka").is_err() && pool.snapshots(None).unwrap().is_empty());
    assert!(matches!(pool.getattr(log).await, Err(Error::Stale)));
    let late = pool.write(log, 0, Bytes::from_static(b"late"), Stability::FileSync).await;
    assert!(matches!(late, Err(Error::Stale)), "{late:?}");
    assert!(pool.counters().unwrap().deleted_bytes_logical == 300_000);
    // Name and path are free.
    pool.volume_create(spec("kafka")).await.unwrap();
    let taken = recover(&pool, deleted.id, "kafka").await;
    assert!(matches!(taken, Err(Error::Exists(Object::Volume(_)))), "{taken:?}");
    pool.close().await.unwrap();

    let pool = Pool::open(directory.path(), options()).await.unwrap();
    pool.reap_orphans().await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    let volume = recover(&pool, pool.deleted_volume("kafka").unwrap().id, "back").await.unwrap();
    assert_eq!((volume.id, &volume.spec.junction_path[..]), (deleted.id, "/back"));
    let mut expected = pattern(1, 300_000);
    expected[..8].copy_from_slice(b"unstable");
    assert!(read_all(&pool, log).await == expected, "the handle is valid again");
    let snapshot = pool.snapshot("back", "before").unwrap();
    let old = pool.lookup(snapshot.root, b"log").await.unwrap().handle;
    assert!(read_all(&pool, old).await == pattern(1, 300_000));
    assert!(pool.deleted_volumes().unwrap().is_empty());
    write(&pool, log, 300_000, b"more").await;
    pool.commit(log, 0, 0).await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn two_deleted_volumes_of_one_name_are_told_apart_by_id() {
    let (pool, root) = memory().await;
    file(&pool, root, "first").await;
    let first = delete(&pool, "kafka").await;
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    file(&pool, root, "second").await;
    let second = delete(&pool, "kafka").await;
    let Err(Error::Ambiguous { deleted, .. }) = pool.deleted_volume("kafka") else { panic!("not ambiguous") };
    assert_eq!(deleted.len(), 2);
    for (deleted, name) in [(&first, "first"), (&second, "second")] {
        let id = pool.deleted_volume(&format!("id:{:08x}", deleted.id.0)).unwrap().id;
        let volume = recover(&pool, id, name).await.unwrap();
        assert_eq!(names(&pool, volume.root).await, [name]);
    }
    assert!(matches!(pool.deleted_volume("kafka"), Err(Error::NotFound(Object::DeletedVolume(_)))));
    assert!(matches!(pool.volume_purge(first.id).await, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn a_purge_frees_everything_and_cannot_be_undone() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(2, 400_000)).await;
    pool.snapshot_create(&["kafka".into()], "one").await.unwrap();
    let deleted = delete(&pool, "kafka").await;
    pool.settle().await.unwrap();
    assert!(pool.space().unwrap().bytes_logical == 400_000, "it takes its space until then");
    pool.volume_purge(deleted.id).await.unwrap();
    assert!(recover(&pool, deleted.id, "kafka").await.is_err());
    pool.settle().await.unwrap();
    let space = pool.space().unwrap();
    assert_eq!((space.bytes_logical, space.inodes_used), (0, 0));
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn open_files_stay_held_while_their_volume_is_deleted_and_orphans_are_freed_afterwards() {
    let (pool, root) = memory().await;
    let open = file(&pool, root, "open").await;
    write(&pool, open, 0, b"content").await;
    pool.hold(open).unwrap();
    let orphan = file(&pool, root, "orphan").await;
    write(&pool, orphan, 0, b"gone soon").await;
    pool.hold(orphan).unwrap();
    pool.remove(root, b"orphan").await.unwrap();
    let deleted = delete(&pool, "kafka").await;
    // The client closes one file meanwhile.
    pool.release(orphan);
    pool.settle().await.unwrap();
    recover(&pool, deleted.id, "kafka").await.unwrap();
    pool.settle().await.unwrap();
    assert!(matches!(pool.getattr(orphan).await, Err(Error::Stale)));
    pool.remove(root, b"open").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(read_all(&pool, open).await, b"content", "it is still open");
    pool.release(open);
    pool.settle().await.unwrap();
    assert!(matches!(pool.getattr(open).await, Err(Error::Stale)));
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_acknowledged_write_is_lost_that_races_with_a_deletion() {
    let (directory, pool, root) = disk().await;
    for round in 0..20_u64 {
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = Vec::new();
        for writer in 0..4_u64 {
            let log = file(&pool, root, &format!("log-{round}-{writer}")).await;
            let (pool, stop) = (pool.clone(), stop.clone());
            writers.push(tokio::spawn(async move {
                let mut end = 0;
                while !stop.load(Ordering::SeqCst) {
                    let stability = if writer % 2 == 0 { Stability::FileSync } else { Stability::Unstable };
                    let bytes = Bytes::from(pattern(end, 700));
                    match pool.write(log, end, bytes, stability).await {
                        Ok(_) => end += 700,
                        Err(Error::Stale) => break,
                        Err(error) => panic!("{error}"),
                    }
                }
                (log, end)
            }));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
        let deleted = delete(&pool, "kafka").await;
        stop.store(true, Ordering::SeqCst);
        let mut ends = Vec::new();
        for writer in writers {
            ends.push(writer.await.unwrap());
        }
        // A copy of the directory is what a crash would leave now.
        let crashed = tempfile::tempdir().unwrap();
        let copy = crashed.path().join("pool");
        if round % 5 == 0 {
            copy_directory(directory.path(), &copy);
            let pool = Pool::open(&copy, options()).await.unwrap();
            pool.volume_recover(deleted.id, Recovery::default()).await.unwrap();
            compare(&pool, &ends).await;
            pool.close().await.unwrap();
        }
        pool.volume_recover(deleted.id, Recovery::default()).await.unwrap();
        compare(&pool, &ends).await;
    }
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

async fn compare(pool: &Pool, ends: &[(Handle, u64)]) {
    for (log, end) in ends {
        let found = read(pool, *log, 0, u32::try_from(*end).unwrap()).await;
        let expected: Vec<u8> = (0..*end).step_by(700).flat_map(|at| pattern(at, 700)).collect();
        assert!(found == expected, "{} bytes of {end}", found.len());
    }
}

#[tokio::test]
async fn a_snapshot_of_a_clone_goes_with_it_and_a_deleted_clone_still_keeps_it() {
    let (pool, root) = memory().await;
    file(&pool, root, "log").await;
    let clone = |name: &str| CloneSpec { name: name.into(), junction_path: format!("/{name}") };
    let made = pool.volume_clone_now("kafka", "clone-one", clone("one")).await.unwrap();
    assert_eq!(made.clone_of.unwrap().snapshot, "clone-one");
    pool.volume_clone("kafka", "clone-one", clone("two")).await.unwrap();
    let deleted = delete(&pool, "one").await;
    let refused = pool.snapshot_delete("kafka", "clone-one").await.unwrap_err().to_string();
    assert!(refused.contains("two") && refused.contains("one (of snapshot clone-one)"), "{refused}");
    let refused = pool.volume_delete_as("kafka", recoverable()).await.unwrap_err().to_string();
    assert!(refused.contains("its clones: two"), "{refused}");
    pool.volume_delete("two", true).await.unwrap();
    let refused = pool.volume_delete_as("kafka", recoverable()).await.unwrap_err().to_string();
    assert!(refused.contains("deleted clones") && refused.contains("volume purge"), "{refused}");
    assert!(pool.snapshot("kafka", "clone-one").is_ok());
    pool.volume_purge(deleted.id).await.unwrap();
    assert!(pool.snapshot("kafka", "clone-one").is_err(), "it went with its clone");
    // Unless the operator wants to keep it.
    pool.volume_clone_now("kafka", "clone-three", clone("three")).await.unwrap();
    let keep = Deletion { keep_snapshot: true, ..recoverable() };
    let deleted = pool.volume_delete_as("three", keep).await.unwrap().unwrap();
    pool.volume_purge(deleted.id).await.unwrap();
    assert!(pool.snapshot("kafka", "clone-three").is_ok());
    // A clone that cannot be made leaves no snapshot.
    assert!(pool.volume_clone_now("kafka", "clone-four", clone("kafka")).await.is_err());
    assert!(pool.snapshot("kafka", "clone-four").is_err());
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_rollback_that_clones_prevent_names_all_of_them() {
    let (pool, _) = memory().await;
    for name in ["old", "young"] {
        pool.snapshot_create(&["kafka".into()], name).await.unwrap();
    }
    pool.snapshot_create(&["kafka".into()], "youngest").await.unwrap();
    for (snapshot, name) in [("young", "a"), ("young", "b"), ("youngest", "c")] {
        let clone = CloneSpec { name: name.into(), junction_path: format!("/{name}") };
        pool.volume_clone("kafka", snapshot, clone).await.unwrap();
    }
    let refused = pool.volume_rollback("kafka", "old", true).await.unwrap_err().to_string();
    assert!(refused.contains("a, b (of snapshot young), c (of snapshot youngest)"), "{refused}");
}

#[tokio::test]
async fn what_a_snapshot_would_free_is_what_its_deletion_frees() {
    let (pool, root) = memory().await;
    let id = pool.volume("kafka").unwrap().id;
    let space = async |name: &str| {
        let taken = pool.snapshot("kafka", name).unwrap().id;
        pool.snapshot_space(id).await.unwrap().frees[&taken]
    };
    let live = || {
        let stored = pool.counters().unwrap().stored;
        stored.bytes_live + stored.bytes_inline
    };
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, 300_000)).await;
    let twin = file(&pool, root, "twin").await;
    write(&pool, twin, 0, &pattern(2, 131_072)).await;
    pool.snapshot_create(&["kafka".into()], "one").await.unwrap();
    write(&pool, log, 0, &pattern(3, 300_000)).await;
    pool.snapshot_create(&["kafka".into()], "two").await.unwrap();
    write(&pool, log, 0, &pattern(4, 300_000)).await;
    // Both snapshots have it, so it goes with neither.
    pool.remove(root, b"twin").await.unwrap();
    pool.snapshot_create(&["kafka".into()], "three").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(space("three").await, 0);
    for name in ["one", "two"] {
        let (expected, before) = (space(name).await, live());
        assert!(expected >= 290_000, "{name}: {expected}");
        pool.snapshot_delete("kafka", name).await.unwrap();
        pool.settle().await.unwrap();
        assert_eq!(before - live(), expected, "{name}");
    }
}

#[tokio::test]
async fn nobody_ends_a_lock_early() {
    let (directory, pool, root) = disk().await;
    file(&pool, root, "log").await;
    pool.snapshot_create(&["kafka".into()], "old").await.unwrap();
    let spec = SnapshotSpec { expires: in_days(1), locked_until: in_days(30) };
    pool.snapshot_create_as(&["kafka".into()], "locked", spec).await.unwrap();
    let is_locked = |result: Result<()>| matches!(result, Err(Error::SnapshotLocked { .. }));
    assert!(is_locked(pool.snapshot_delete("kafka", "locked").await));
    assert!(is_locked(pool.volume_rollback("kafka", "old", true).await));
    assert!(is_locked(pool.volume_delete("kafka", true).await));
    let until = |days| SnapshotChange { locked_until: in_days(days), ..SnapshotChange::default() };
    assert!(is_locked(pool.snapshot_modify("kafka", "locked", until(29)).await.map(drop)));
    let longer = pool.snapshot_modify("kafka", "locked", until(40)).await.unwrap();
    assert!(longer.locked_until > in_days(39));
    let rename =
        SnapshotChange { name: Some("audit".into()), expires: Some(None), ..SnapshotChange::default() };
    assert_eq!(pool.snapshot_modify("kafka", "locked", rename).await.unwrap().expires, None);
    // Its volume can be deleted and recovered, and not be purged.
    let deleted = delete(&pool, "kafka").await;
    assert!(deleted.locked_until > in_days(39));
    assert!(is_locked(pool.volume_purge(deleted.id).await));
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert!(is_locked(pool.volume_purge(deleted.id).await));
    recover(&pool, deleted.id, "kafka").await.unwrap();
    assert!(is_locked(pool.snapshot_delete("kafka", "audit").await));
}

#[tokio::test]
async fn a_renamed_volume_keeps_its_handles_and_its_path_follows() {
    let (pool, root) = memory().await;
    pool.snapshot_create(&["kafka".into()], "one").await.unwrap();
    pool.volume_create(spec("taken")).await.unwrap();
    let rename = |name: &str| VolumeChange { name: Some(name.into()), ..VolumeChange::default() };
    for wrong in ["taken", "a/b", ""] {
        assert!(pool.volume_modify("kafka", rename(wrong)).await.is_err(), "{wrong}");
    }
    let renamed = pool.volume_modify("kafka", rename("logs")).await.unwrap();
    assert_eq!((&renamed.spec.junction_path[..], renamed.root), ("/logs", root));
    assert_eq!(pool.snapshot("logs", "one").unwrap().volume_name, "logs");
    let elsewhere = VolumeChange { junction_path: Some("/mnt/a".into()), ..rename("other") };
    assert_eq!(pool.volume_modify("logs", elsewhere).await.unwrap().spec.junction_path, "/mnt/a");
    assert_eq!(pool.volume_modify("other", rename("last")).await.unwrap().spec.junction_path, "/mnt/a");
}
