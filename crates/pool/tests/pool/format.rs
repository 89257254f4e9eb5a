//! A pool of the former release keeps its format until that is finalized.
#![allow(clippy::disallowed_methods, reason = "deadlines are times of day")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use forebay_pool::*;

use crate::common::*;

fn format_file(pool: &Path) -> String {
    std::fs::read_to_string(pool.join("FORMAT")).unwrap()
}

/// Makes a pool what the former release would have left.
fn make_former(pool: &Path) {
    std::fs::write(pool.join("FORMAT"), "forebay-pool 6\n").unwrap();
}

#[tokio::test]
async fn a_pool_of_the_former_format_keeps_it_and_has_no_second_metadata_until_it_is_finalized() {
    let scratch = tempfile::tempdir().unwrap();
    let (home, copy) = (scratch.path().join("home"), scratch.path().join("copy"));
    let with_copy = || PoolOptions { copies_directory: Some(copy.clone()), ..options() };
    let pool = Pool::open(&home, options()).await.unwrap();
    assert_eq!(pool.format().unwrap().news, Vec::<String>::new());
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.close().await.unwrap();
    make_former(&home);
    let found = Pool::format_of(&home).await.unwrap();
    assert!(found.found == 6 && found.newest == 7 && found.is_kept && found.news.len() == 2, "{found:?}");

    for number in 0..2 {
        let pool = Pool::open(&home, with_copy()).await.unwrap();
        assert_eq!(pool.format().unwrap(), found);
        let file = file(&pool, root, &format!("file-{number}")).await;
        write(&pool, file, 0, &pattern(number, 200_000)).await;
        pool.commit(file, 0, 0).await.unwrap();
        assert_eq!(pool.metadata_copies().unwrap().wanted, 1);
        pool.close().await.unwrap();
        assert!(format_file(&home) == "forebay-pool 6\n" && !copy.join("META").exists());
    }

    let pool = Pool::open(&home, with_copy()).await.unwrap();
    let backups = scratch.path().join("backups");
    pool.backup(&backups, BackupOptions::default(), Arc::default()).await.unwrap();
    let now = pool.finalize().await.unwrap();
    assert!(now.found == now.newest && now.news.is_empty() && format_file(&home) == "forebay-pool 7\n");
    assert_eq!(pool.finalize().await.unwrap(), now);
    pool.close().await.unwrap();
    let pool = Pool::open(&home, with_copy()).await.unwrap();
    assert_eq!((pool.format().unwrap(), pool.metadata_copies().unwrap().wanted), (now, 2));
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
    pool.close().await.unwrap();

    // A backup keeps the format that the pool had.
    let restored = scratch.path().join("restored");
    Pool::restore(&backups, None, &restored, Arc::default()).await.unwrap();
    assert_eq!(format_file(&restored), "forebay-pool 6\n");
    let pool = Pool::open(&restored, options()).await.unwrap();
    assert_eq!(pool.format().unwrap(), found);
}

#[tokio::test]
async fn a_pool_of_an_older_format_gets_the_newest_at_once() {
    let scratch = tempfile::tempdir().unwrap();
    let pool = Pool::open(scratch.path(), options()).await.unwrap();
    pool.close().await.unwrap();
    std::fs::write(scratch.path().join("FORMAT"), "forebay-pool 5\n").unwrap();
    let found = Pool::format_of(scratch.path()).await.unwrap();
    assert!(!found.is_kept && found.news.len() == 3, "{found:?}");
    let pool = Pool::open(scratch.path(), options()).await.unwrap();
    assert_eq!(pool.format().unwrap().found, 7);
    assert_eq!(format_file(scratch.path()), "forebay-pool 7\n");
    assert!(matches!(Pool::format_of(&scratch.path().join("none")).await, Err(Error::NotPool { .. })));
}

#[tokio::test]
async fn a_pool_of_the_former_format_gets_no_record_that_the_former_release_does_not_know() {
    let scratch = tempfile::tempdir().unwrap();
    let pool = Pool::open(scratch.path(), options()).await.unwrap();
    pool.close().await.unwrap();
    make_former(scratch.path());
    let pool = Pool::open(scratch.path(), options()).await.unwrap();
    let day = Duration::from_secs(86_400);
    let deletion = || Deletion { recoverable: Some(day), ..Deletion::default() };
    let until = Some(SystemTime::now() + day);
    let expiring = SnapshotSpec { expires: until, locked_until: None };
    let locked = SnapshotChange { locked_until: until, ..SnapshotChange::default() };
    for name in ["former", "now"] {
        pool.volume_create(spec(name)).await.unwrap();
        pool.volume_create(spec("gone")).await.unwrap();
        pool.snapshot_create(&[name.into()], "plain").await.unwrap();
        let clone = CloneSpec { name: format!("{name}-clone"), junction_path: format!("/{name}-clone") };
        pool.volume_clone_now(name, "for-clone", clone).await.unwrap();
        let deleted = pool.volume_delete_as("gone", deletion()).await.unwrap();
        let expires = pool.snapshot_create_as(&[name.into()], "expires", expiring).await;
        let is_locked = pool.snapshot_modify(name, "plain", locked.clone()).await;
        if name == "former" {
            assert_eq!(deleted, None);
            for refused in [expires.map(drop), is_locked.map(drop)] {
                let error = refused.unwrap_err().to_string();
                assert!(error.contains("--finalize") && error.contains("format 7"), "{error}");
            }
            pool.finalize().await.unwrap();
        } else {
            assert!(deleted.is_some());
            assert!(expires.is_ok() && is_locked.is_ok());
        }
    }
}
