//! Volumes, the pool's directory, the records of the protocols, and the limits of space.

use std::time::Duration;

use forebay_pool::*;

use crate::common::*;

#[tokio::test]
async fn the_limit_of_a_volumes_throughput_is_kept_with_it_and_told_to_who_watches() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::open(directory.path(), PoolOptions::default()).await.unwrap();
    let limited = VolumeSpec { max_bytes_per_second: Some(5_000_000), ..spec("slow") };
    pool.volume_create(limited).await.unwrap();
    let mut changes = pool.watch_volumes().unwrap();
    let limit = |limit| VolumeChange { max_bytes_per_second: Some(limit), ..VolumeChange::default() };
    pool.volume_modify("slow", limit(Some(VOLUME_RATE_MIN))).await.unwrap();
    assert!(changes.has_changed().unwrap());
    assert_eq!(*changes.borrow_and_update(), pool.volumes_version());
    let snapshots = SnapshotPolicy { hourly: 1, ..SnapshotPolicy::default() };
    let plan = VolumeChange { snapshots: Some(snapshots), ..VolumeChange::default() };
    let changed = pool.volume_modify("slow", plan).await.unwrap();
    assert_eq!(
        (changed.spec.max_bytes_per_second, changed.spec.snapshots),
        (Some(VOLUME_RATE_MIN), snapshots)
    );
    let refused = pool.volume_modify("slow", limit(Some(VOLUME_RATE_MIN - 1))).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
    pool.snapshot_create(&["slow".to_owned()], "then").await.unwrap();
    let clone = CloneSpec { name: "copy".into(), junction_path: "/copy".into() };
    pool.volume_clone("slow", "then", clone).await.unwrap();
    pool.close().await.unwrap();
    assert!(changes.changed().await.is_ok() && changes.changed().await.is_err(), "it ends with the pool");
    let pool = Pool::open(directory.path(), PoolOptions::default()).await.unwrap();
    let of = |name: &str| pool.volume(name).unwrap().spec.max_bytes_per_second;
    assert_eq!((of("slow"), of("copy")), (Some(VOLUME_RATE_MIN), Some(VOLUME_RATE_MIN)));
    assert_eq!(pool.volume_modify("slow", limit(None)).await.unwrap().spec.max_bytes_per_second, None);
}

#[tokio::test]
async fn a_volume_is_changed_in_one_step_and_stays_so() {
    let (directory, pool, _) = disk().await;
    let made = pool.volume_create(spec("logs")).await.unwrap();
    let change = VolumeChange {
        size: Some(Some(5 << 20)),
        junction_path: Some("/elsewhere/logs".into()),
        preserve_unlink: Some(false),
        uid: Some(7),
        gid: Some(8),
        mode: Some(0o2750),
        compression: Some(Compression::Zstd),
        ..VolumeChange::default()
    };
    let changed = pool.volume_modify("logs", change).await.unwrap();
    assert_eq!((changed.id, changed.root), (made.id, made.root), "handles of what is in it stay");
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    let now = pool.volume("logs").unwrap();
    assert_eq!(now, changed);
    assert_eq!((now.spec.junction_path.as_str(), now.spec.size), ("/elsewhere/logs", Some(5 << 20)));
    assert_eq!((now.spec.preserve_unlink, now.spec.compression), (false, Compression::Zstd));
    let root = pool.getattr(now.root).await.unwrap();
    assert_eq!((root.uid, root.gid, root.mode), (7, 8, 0o2750));
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_change_that_cannot_be_made_changes_nothing() {
    let (_directory, pool, _) = disk().await;
    let before = pool.volume_create(spec("logs")).await.unwrap();
    let file = file(&pool, before.root, "file").await;
    pool.write(file, 0, vec![7; 5000].into(), Stability::FileSync).await.unwrap();
    let base =
        VolumeChange { mode: Some(0o700), compression: Some(Compression::None), ..VolumeChange::default() };
    let path = |path: &str| VolumeChange { junction_path: Some(path.into()), ..base.clone() };
    for taken in ["/kafka", "/kafka/below"] {
        let refused = pool.volume_modify("logs", path(taken)).await;
        assert!(matches!(&refused, Err(Error::Exists(_))), "{taken}: {refused:?}");
    }
    for wrong in ["relative", "/", "/a//b", "/a/.."] {
        let refused = pool.volume_modify("logs", path(wrong)).await;
        assert!(matches!(&refused, Err(Error::Invalid(_))), "{wrong}: {refused:?}");
    }
    let small = VolumeChange { size: Some(Some(4000)), ..base.clone() };
    assert!(matches!(pool.volume_modify("logs", small).await, Err(Error::SizeBelowUsed { used: 5000, .. })));
    assert_eq!(pool.volume("logs").unwrap(), before);
    assert_ne!(pool.getattr(before.root).await.unwrap().mode, 0o700);
    // A volume's own path does not conflict with another volume.
    pool.volume_modify("logs", path(&before.spec.junction_path)).await.unwrap();
    assert_eq!(pool.getattr(before.root).await.unwrap().mode, 0o700);
}

#[tokio::test]
async fn a_check_that_is_cancelled_ends_without_a_report() {
    let (_directory, pool, _) = disk().await;
    let watch = std::sync::Arc::new(CheckWatch::default());
    watch.cancel();
    assert!(matches!(pool.check_watched(true, watch).await, Err(Error::Cancelled)));
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn volumes_are_found_by_name_and_id_and_survive_reopening() {
    let (directory, pool, _) = disk().await;
    let made = pool.volume_create(spec("archive")).await.unwrap();
    assert_eq!(pool.volume("archive").unwrap(), made);
    assert_eq!(pool.volume_by_id(made.id).unwrap(), made);
    let (id, boot, verifier) = (pool.id(), pool.boot(), pool.write_verifier());
    pool.close().await.unwrap();
    assert!(matches!(pool.volume("archive"), Err(Error::Closed)));
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert_eq!(
        pool.volumes().unwrap().iter().map(|volume| &volume.spec.name[..]).collect::<Vec<_>>(),
        ["archive", "kafka"]
    );
    assert_eq!(pool.volume("archive").unwrap(), made);
    assert_eq!(pool.id(), id);
    assert!(pool.boot() > boot);
    assert_ne!(pool.write_verifier(), verifier);
}

#[tokio::test]
async fn volumes_keep_apart() {
    let (pool, root) = memory().await;
    for (name, junction_path) in [("kafka", "/other"), ("b", "/kafka"), ("b", "/kafka/below")] {
        let spec = VolumeSpec { junction_path: junction_path.into(), ..spec(name) };
        assert!(matches!(pool.volume_create(spec).await, Err(Error::Exists(_))), "{name} {junction_path}");
    }
    for (name, junction_path) in
        [("", "/b"), (".b", "/b"), ("b c", "/b"), ("b", "b"), ("b", "/"), ("b", "/a//b"), ("b", "/a/../b")]
    {
        let spec = VolumeSpec { junction_path: junction_path.into(), ..spec(name) };
        assert!(matches!(pool.volume_create(spec).await, Err(Error::Invalid(_))), "{name} {junction_path}");
    }
    let other = pool.volume_create(spec("kafka2")).await.unwrap().root;
    let a = file(&pool, root, "a").await;
    assert!(matches!(pool.link(a, other, b"a").await, Err(Error::CrossVolume)));
    assert!(matches!(pool.rename(root, b"a", other, b"a").await, Err(Error::CrossVolume)));
}

#[tokio::test]
async fn a_volume_with_files_is_deleted_only_by_force_and_gives_its_space_back() {
    let (directory_, pool, root) = disk().await;
    let sub = directory(&pool, root, "sub").await;
    for n in 0..300u64 {
        let log = file(&pool, sub, &format!("f{n}")).await;
        write(&pool, log, 0, &pattern(n, 9_000)).await;
    }
    let log = pool.lookup(sub, b"f7").await.unwrap().handle;
    pool.hold(log).unwrap();
    assert!(matches!(pool.volume_delete("kafka", false).await, Err(Error::VolumeNotEmpty(_))));
    pool.volume_delete("kafka", true).await.unwrap();
    assert!(matches!(pool.getattr(root).await, Err(Error::Stale)));
    assert!(matches!(pool.getattr(log).await, Err(Error::Stale)));
    assert!(matches!(pool.volume("kafka"), Err(Error::NotFound(_))));
    // The name is available immediately. The deletion continues after a restart.
    let again = pool.volume_create(spec("kafka")).await.unwrap();
    pool.close().await.unwrap();
    let pool = Pool::open(directory_.path(), options()).await.unwrap();
    pool.settle().await.unwrap();
    let space = pool.space().unwrap();
    assert_eq!((space.inodes_used, space.bytes_logical), (1, 0));
    assert_eq!(pool.volume("kafka").unwrap(), again);
    assert!(pool.check(true).await.unwrap().is_empty());
    pool.volume_delete("kafka", false).await.unwrap();
}

#[tokio::test]
async fn a_second_pool_on_the_directory_is_refused() {
    let (directory, pool, _) = disk().await;
    assert!(matches!(Pool::open(directory.path(), options()).await, Err(Error::Locked { .. })));
    pool.close().await.unwrap();
    Pool::open(directory.path(), options()).await.unwrap();
}

#[tokio::test]
async fn what_is_not_a_pool_of_this_release_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("thesis.tex"), "mine").unwrap();
    assert!(matches!(Pool::open(directory.path(), options()).await, Err(Error::NotPool { .. })));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    std::fs::write(directory.path().join("FORMAT"), "forebay-pool 8\n").unwrap();
    let newer = Pool::open(directory.path(), options()).await.err().unwrap();
    assert!(matches!(newer, Error::NewerFormat { found: 8, known: 7, .. }));
    std::fs::write(directory.path().join("FORMAT"), "forebay-pool 1\n").unwrap();
    let older = Pool::open(directory.path(), options()).await.err().unwrap();
    assert!(matches!(older, Error::OlderFormat { found: 1, known: 2, .. }));
    std::fs::write(directory.path().join("FORMAT"), "something else").unwrap();
    assert!(matches!(Pool::open(directory.path(), options()).await, Err(Error::NotPool { .. })));
}

#[tokio::test]
async fn a_creation_that_was_cut_short_is_begun_anew() {
    let (directory, pool, _) = disk().await;
    pool.close().await.unwrap();
    // The state that a crash leaves directly before the last step.
    std::fs::remove_file(directory.path().join("FORMAT")).unwrap();
    std::fs::write(directory.path().join("CREATING"), "").unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert!(pool.volumes().unwrap().is_empty());
    assert_eq!(pool.boot(), 1);
    assert!(!directory.path().join("CREATING").exists());
}

#[tokio::test]
async fn a_pool_of_the_format_before_is_opened_and_becomes_one_of_this() {
    let (directory, pool, root) = disk().await;
    let log = file(&pool, root, "log").await;
    let content = pattern(1, 300_000);
    write(&pool, log, 0, &content).await;
    pool.close().await.unwrap();
    // Remove the file that format 2 did not have.
    std::fs::remove_file(directory.path().join("STATE")).unwrap();
    std::fs::write(directory.path().join("FORMAT"), "forebay-pool 2\n").unwrap();
    let checked = Pool::check_unopened(directory.path(), options(), true, Default::default()).await.unwrap();
    assert!(checked.differences.is_empty() && !directory.path().join("STATE").exists());
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert_eq!(read(&pool, log, 0, u32::MAX).await, content);
    pool.close().await.unwrap();
    assert_eq!(std::fs::read_to_string(directory.path().join("FORMAT")).unwrap(), "forebay-pool 7\n");
    std::fs::remove_file(directory.path().join("STATE")).unwrap();
    assert!(matches!(Pool::open(directory.path(), options()).await, Err(Error::Refused { .. })));
}

#[tokio::test]
async fn a_pool_of_the_format_before_without_metadata_is_refused() {
    let (directory, pool, root) = disk().await;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, 300_000)).await;
    pool.close().await.unwrap();
    std::fs::remove_file(directory.path().join("STATE")).unwrap();
    std::fs::write(directory.path().join("FORMAT"), "forebay-pool 2\n").unwrap();
    std::fs::remove_dir_all(directory.path().join("meta")).unwrap();
    let segments = || std::fs::read_dir(directory.path().join("segments")).unwrap().count();
    let before = segments();
    for _ in 0..2 {
        assert!(matches!(Pool::open(directory.path(), options()).await, Err(Error::Refused { .. })));
        assert_eq!(segments(), before);
    }
}

#[tokio::test]
async fn a_pool_that_has_lost_its_format_file_is_not_begun_anew() {
    let (directory, pool, root) = disk().await;
    file(&pool, root, "log").await;
    pool.close().await.unwrap();
    let format = directory.path().join("FORMAT");
    std::fs::remove_file(&format).unwrap();
    for _ in 0..2 {
        let error = Pool::open(directory.path(), options()).await.err().unwrap();
        assert!(
            matches!(&error, Error::Refused { mismatch, .. } if matches!(**mismatch, Mismatch::NoFormat { .. }))
        );
        assert!(error.to_string().contains("echo forebay-pool 7 >FORMAT"), "{error}");
    }
    std::fs::write(&format, "forebay-pool 7\n").unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    pool.lookup(pool.volume("kafka").unwrap().root, b"log").await.unwrap();
}

#[tokio::test]
async fn records_are_kept_by_namespace_in_key_order() {
    let (directory, pool, _) = disk().await;
    pool.record_put("nfs", b"b", b"2").await.unwrap();
    pool.record_put("nfs", b"a", b"1").await.unwrap();
    pool.record_put("nfs2", b"c", b"3").await.unwrap();
    pool.record_put("nfs", b"b", b"4").await.unwrap();
    pool.record_put("nfs", b"x", b"5").await.unwrap();
    pool.record_delete("nfs", b"x").await.unwrap();
    pool.record_delete("nfs", b"y").await.unwrap();
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    let records = pool.records("nfs").unwrap();
    assert_eq!(records, [("a".into(), "1".into()), ("b".into(), "4".into())]);
    let long = "n".repeat(256);
    assert!(matches!(pool.record_put(&long, b"", b"").await, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_full_pool_refuses_writes_and_takes_them_again_after_deletions() {
    let options = PoolOptions { bytes_max: Some(4 << 20), ..options() };
    let pool = Pool::in_memory(options).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let mut files = Vec::new();
    let full = loop {
        let n = files.len() as u64;
        let made = match pool.create(root, format!("f{n}").as_bytes(), new(Kind::File)).await {
            Ok(made) => made.attributes.handle,
            Err(error) => break error,
        };
        files.push(made);
        match pool.write(made, 0, pattern(n, 300_000).into(), Stability::FileSync).await {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(full, Error::NoSpace));
    assert!((10..=14).contains(&files.len()), "{} files", files.len());
    assert_eq!(read_all(&pool, files[0]).await, pattern(0, 300_000));
    pool.remove(root, b"f0").await.unwrap();
    pool.remove(root, b"f1").await.unwrap();
    pool.settle().await.unwrap();
    let last = *files.last().unwrap();
    pool.write(last, 0, pattern(99, 300_000).into(), Stability::FileSync).await.unwrap();
    assert_eq!(read_all(&pool, last).await, pattern(99, 300_000));
}

#[tokio::test]
async fn more_unstable_bytes_than_the_bound_wait_and_none_are_lost() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "log").await;
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..32u64 {
        let pool = pool.clone();
        writers.spawn(async move {
            let bytes = pattern(n, 1 << 20).into();
            pool.write(log, n << 20, bytes, Stability::Unstable).await.unwrap();
        });
    }
    tokio::time::timeout(Duration::from_secs(60), writers.join_all()).await.unwrap();
    for n in 0..32u64 {
        assert_eq!(read(&pool, log, n << 20, 1 << 20).await, pattern(n, 1 << 20));
    }
}

#[tokio::test]
async fn unstable_bytes_become_durable_with_age() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::open(directory.path(), PoolOptions { dirty_age_ms_max: 20, ..options() }).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, b"aged").await;
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    // Only durable bytes count here.
    while pool.space().unwrap().bytes_logical < 4 {
        assert!(tokio::time::Instant::now() < deadline, "not flushed");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_pool_knows_whether_its_last_stop_was_clean() {
    let directory = tempfile::tempdir().unwrap();
    let open = || async { Pool::open(directory.path(), PoolOptions::default()).await.unwrap() };
    let pool = open().await;
    assert_eq!(pool.last_stop(), LastStop::First);
    pool.close().await.unwrap();
    assert!(pool.is_stopped());
    let pool = open().await;
    assert_eq!((pool.last_stop(), pool.is_stopped()), (LastStop::Clean, false));
    let copy = tempfile::tempdir().unwrap();
    // What a crash leaves at this moment.
    let copied = std::process::Command::new("cp")
        .args(["-r", &format!("{}/.", directory.path().display())])
        .arg(copy.path())
        .status();
    assert!(copied.unwrap().success());
    let crashed = Pool::open(copy.path(), PoolOptions::default()).await.unwrap();
    assert_eq!(crashed.last_stop(), LastStop::Unclean);
    crashed.close().await.unwrap();
    pool.close().await.unwrap();
}
