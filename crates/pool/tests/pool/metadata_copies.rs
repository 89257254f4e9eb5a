//! Two copies of the metadata on files: an older pool gets its second one, damage in one is read from the other, and the second
//! becomes the pool.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use forebay_pool::*;

use crate::common::*;

const FILES: u64 = 1500;
/// Files of this size are stored in the metadata.
const FILE_BYTES: usize = 24_000;

struct Place {
    home: tempfile::TempDir,
    other: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { home: tempfile::tempdir().unwrap(), other: tempfile::tempdir().unwrap() }
    }
    fn copy(&self) -> PathBuf {
        self.other.path().join("copy")
    }
    fn options(&self) -> PoolOptions {
        PoolOptions {
            copies_directory: Some(self.copy()),
            scrub_period: None,
            scrub_bytes_per_second: u64::MAX,
            dirty_bytes_max: 64 << 20,
            ..options()
        }
    }
    async fn open(&self) -> Pool {
        Pool::open(self.home.path(), self.options()).await.unwrap()
    }
}

async fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !condition() {
        assert!(Instant::now() < deadline, "not within two minutes: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn whole(pool: &Pool) {
    eventually("two whole copies", || pool.metadata_copies().unwrap().whole == 2).await;
}

async fn fill(pool: &Pool) {
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    for number in 0..FILES {
        let log = file(pool, root, &format!("log-{number}")).await;
        write(pool, log, 0, &pattern(number, FILE_BYTES)).await;
    }
    pool.settle().await.unwrap();
}

async fn assert_filled(pool: &Pool) {
    let root = pool.volume("kafka").unwrap().root;
    for number in 0..FILES {
        let found = pool.lookup(root, format!("log-{number}").as_bytes()).await.unwrap();
        assert!(read_all(pool, found.handle).await == pattern(number, FILE_BYTES), "file {number}");
    }
}

fn tables(store: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(store.join("keyspaces/1/tables")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Damages every table in many places.
fn damage(store: &Path) {
    let tables = tables(store);
    assert!(!tables.is_empty());
    for table in tables {
        let length = fs::metadata(&table).unwrap().len();
        let file = fs::OpenOptions::new().write(true).open(&table).unwrap();
        // Not the start and the end, which are read when the store is opened.
        for at in (300_000..length / 2).step_by(50_000) {
            file.write_all_at(&[0x5a; 64], at).unwrap();
        }
    }
}

fn store_of_copy(place: &Place) -> PathBuf {
    let named = fs::read_to_string(place.copy().join("META")).unwrap();
    place.copy().join(named.split(' ').nth(2).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_of_the_last_release_gets_a_second_copy_of_its_metadata_while_it_serves() {
    let place = Place::new();
    let pool = Pool::open(place.home.path(), options()).await.unwrap();
    fill(&pool).await;
    pool.close().await.unwrap();
    fs::write(place.home.path().join("FORMAT"), "forebay-pool 6\n").unwrap();
    let pool = place.open().await;
    assert_eq!(pool.metadata_copies().unwrap().wanted, 1, "the former release does not know it");
    pool.finalize().await.unwrap();
    pool.close().await.unwrap();
    let pool = place.open().await;
    let root = pool.volume("kafka").unwrap().root;
    let mut rounds = 0;
    while pool.metadata_copies().unwrap().whole < 2 {
        file(&pool, root, &format!("meanwhile-{rounds}")).await;
        rounds += 1;
        assert!(rounds < 20_000);
    }
    eventually("the segments are in both copies", || place.copy().join("COMPLETE").is_file()).await;
    pool.close().await.unwrap();
    assert_eq!(fs::read_to_string(place.home.path().join("FORMAT")).unwrap(), "forebay-pool 7\n");
    Pool::promote(&place.copy(), options(), false).await.unwrap();
    let pool = Pool::open(&place.copy(), options()).await.unwrap();
    assert_filled(&pool).await;
    let root = pool.volume("kafka").unwrap().root;
    for round in 0..rounds {
        pool.lookup(root, format!("meanwhile-{round}").as_bytes()).await.unwrap();
    }
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    pool.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_that_is_damaged_in_the_first_copy_is_read_from_the_second_which_can_replace_it() {
    let place = Place::new();
    let pool = place.open().await;
    whole(&pool).await;
    fill(&pool).await;
    let first = place.home.path().join("meta");
    eventually("tables are written", || !tables(&first).is_empty()).await;
    pool.close().await.unwrap();
    damage(&first);
    let pool = place.open().await;
    assert_filled(&pool).await;
    let copies = pool.metadata_copies().unwrap();
    assert!(copies.rescued > 0 && copies.whole == 2, "{copies:?}");
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    pool.close().await.unwrap();
    let found = Pool::promote(&place.copy(), options(), false).await.unwrap();
    assert_eq!(found.mismatches, []);
    let pool = Pool::open(&place.copy(), options()).await.unwrap();
    assert_filled(&pool).await;
    assert_eq!(pool.metadata_copies().unwrap().rescued, 0);
    pool.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_copy_that_is_damaged_is_found_by_the_scrub_and_built_again() {
    let place = Place::new();
    let pool = place.open().await;
    fill(&pool).await;
    whole(&pool).await;
    pool.close().await.unwrap();
    let before = store_of_copy(&place);
    damage(&before);
    let pool = place.open().await;
    whole(&pool).await;
    pool.scrub_start().await.unwrap();
    eventually("the copy is another one", || store_of_copy(&place) != before).await;
    whole(&pool).await;
    assert_filled(&pool).await;
    pool.close().await.unwrap();
    Pool::promote(&place.copy(), options(), false).await.unwrap();
    let pool = Pool::open(&place.copy(), options()).await.unwrap();
    assert_filled(&pool).await;
    pool.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_whose_segments_missed_something_says_so_until_a_scrub_has_ended() {
    let place = Place::new();
    let pool = place.open().await;
    whole(&pool).await;
    let complete = place.copy().join("COMPLETE");
    assert!(complete.is_file());
    let segments = place.copy().join("segments");
    fs::rename(&segments, place.other.path().join("elsewhere")).unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, 3_000_000)).await;
    pool.commit(log, 0, 0).await.unwrap();
    assert!(!complete.is_file() && pool.scrub_status().unwrap().degraded);
    pool.close().await.unwrap();
    let found = Pool::assess_copy(&place.copy(), options()).await.unwrap();
    assert!(found.mismatches.contains(&Mismatch::CopyIncomplete), "{found:?}");
    assert!(matches!(Pool::promote(&place.copy(), options(), false).await, Err(Error::Refused { .. })));
    let pool = place.open().await;
    eventually("the segments are in both copies", || complete.is_file()).await;
    pool.close().await.unwrap();
    Pool::promote(&place.copy(), options(), false).await.unwrap();
    let pool = Pool::open(&place.copy(), options()).await.unwrap();
    let log = pool.lookup(pool.volume("kafka").unwrap().root, b"log").await.unwrap();
    assert!(read_all(&pool, log.handle).await == pattern(1, 3_000_000));
    pool.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_knows_that_it_is_stale_is_promoted_only_if_the_loss_is_accepted() {
    let place = Place::new();
    let pool = place.open().await;
    whole(&pool).await;
    pool.volume_create(spec("one")).await.unwrap();
    pool.close().await.unwrap();
    let meta = place.copy().join("META");
    let text = fs::read_to_string(&meta).unwrap();
    fs::write(&meta, text.replace("whole", "stale")).unwrap();
    let refused = Pool::promote(&place.copy(), options(), false).await;
    assert!(
        matches!(&refused, Err(Error::Refused { mismatch, .. }) if **mismatch == Mismatch::CopyStale),
        "{refused:?}"
    );
    assert!(place.copy().join("FOREBAY-COPY").is_file(), "a refusal has changed something");
    let found = Pool::promote(&place.copy(), options(), true).await.unwrap();
    assert_eq!(found.mismatches, [Mismatch::CopyStale]);
    let pool = Pool::open(&place.copy(), options()).await.unwrap();
    pool.volume("one").unwrap();
    pool.close().await.unwrap();
}
