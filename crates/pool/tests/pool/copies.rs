//! Two copies of everything: damage in one copy is repaired from the other, and a lost copy is restored completely.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use forebay_pool::*;

use crate::common::*;

const FILE_BYTES: usize = 3_000_000;

struct Mirrored {
    home: tempfile::TempDir,
    other: tempfile::TempDir,
}

impl Mirrored {
    fn new() -> Mirrored {
        Mirrored { home: tempfile::tempdir().unwrap(), other: tempfile::tempdir().unwrap() }
    }

    fn copies(&self) -> PathBuf {
        self.other.path().join("copy")
    }

    async fn open(&self) -> Pool {
        let options = PoolOptions { copies_directory: Some(self.copies()), ..quick() };
        Pool::open(self.home.path(), options).await.unwrap()
    }

    fn segments(&self, copy: usize) -> Vec<PathBuf> {
        segments(if copy == 0 { self.home.path().to_owned() } else { self.copies() }.as_path())
    }
}

fn quick() -> PoolOptions {
    PoolOptions { scrub_period: None, scrub_bytes_per_second: u64::MAX, ..options() }
}

fn segments(pool: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(pool.join("segments")) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Creates a volume with a file of random bytes. Returns the file.
async fn filled(pool: &Pool) -> Handle {
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let log = file(pool, root, "log").await;
    write(pool, log, 0, &pattern(1, FILE_BYTES)).await;
    pool.commit(log, 0, 0).await.unwrap();
    log
}

/// Flips a bit in the middle of each segment.
fn damage(segments: &[PathBuf]) {
    for path in segments {
        let mut bytes = std::fs::read(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(path, bytes).unwrap();
    }
}

/// Scrubs everything, and waits for the end.
async fn scrub(pool: &Pool) -> ScrubStatus {
    pool.scrub_start().await.unwrap();
    scrubbed(pool).await
}

async fn scrubbed(pool: &Pool) -> ScrubStatus {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let status = pool.scrub_status().unwrap();
        if !status.running {
            return status;
        }
        assert!(Instant::now() < deadline, "{status:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn assert_whole(pool: &Pool, log: Handle) {
    assert!(read_all(pool, log).await == pattern(1, FILE_BYTES));
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frame_that_is_damaged_in_either_copy_is_read_and_mended_from_the_other() {
    for damaged in [0, 1] {
        let place = Mirrored::new();
        let pool = place.open().await;
        let log = filled(&pool).await;
        pool.close().await.unwrap();
        assert_eq!(place.segments(0).len(), place.segments(1).len());
        damage(&place.segments(damaged));
        let pool = place.open().await;
        assert!(read_all(&pool, log).await == pattern(1, FILE_BYTES));
        let status = scrub(&pool).await;
        assert!(status.repaired > 0 && status.damaged == 0, "{status:?}");
        pool.close().await.unwrap();
        // Each copy is complete by itself now.
        damage(&place.segments(1 - damaged));
        assert_whole(&place.open().await, log).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_damaged_in_both_copies_is_an_error_and_is_reported() {
    let place = Mirrored::new();
    let pool = place.open().await;
    let log = filled(&pool).await;
    pool.close().await.unwrap();
    damage(&place.segments(0));
    damage(&place.segments(1));
    let pool = place.open().await;
    let error = pool.read(log, 0, u32::MAX).await.unwrap_err();
    assert!(matches!(error, Error::Damaged(_)), "{error}");
    let status = scrub(&pool).await;
    assert!(status.damaged > 0 && status.damage[0].contains("segment"), "{status:?}");
    assert_eq!(pool.check(true).await.unwrap().len() as u64, status.damaged);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_that_is_gone_from_either_copy_is_read_and_comes_back() {
    for lost in [0, 1] {
        let place = Mirrored::new();
        let pool = place.open().await;
        let log = filled(&pool).await;
        pool.close().await.unwrap();
        let (before, other) = (place.segments(lost), place.segments(1 - lost));
        std::fs::remove_file(&before[0]).unwrap();
        let pool = place.open().await;
        assert!(read_all(&pool, log).await == pattern(1, FILE_BYTES));
        scrub(&pool).await;
        assert_eq!(place.segments(lost)[0], before[0]);
        pool.close().await.unwrap();
        assert!(std::fs::read(&before[0]).unwrap() == std::fs::read(&other[0]).unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_copy_that_is_added_later_is_filled() {
    let place = Mirrored::new();
    let pool = Pool::open(place.home.path(), quick()).await.unwrap();
    let log = filled(&pool).await;
    pool.close().await.unwrap();
    let pool = place.open().await;
    scrub(&pool).await;
    pool.close().await.unwrap();
    for path in place.segments(0) {
        std::fs::remove_file(path).unwrap();
    }
    assert_whole(&place.open().await, log).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn service_goes_on_while_the_second_copy_is_gone_and_it_is_filled_when_it_is_back() {
    let place = Mirrored::new();
    let pool = place.open().await;
    let log = filled(&pool).await;
    pool.close().await.unwrap();
    // The copy is not mounted: an empty directory is in its place.
    let away = place.other.path().join("away");
    std::fs::rename(place.copies(), &away).unwrap();
    std::fs::create_dir(place.copies()).unwrap();
    let pool = place.open().await;
    assert!(pool.scrub_status().unwrap().degraded);
    let root = pool.volume("kafka").unwrap().root;
    let later = file(&pool, root, "later").await;
    write(&pool, later, 0, &pattern(2, FILE_BYTES)).await;
    pool.commit(later, 0, 0).await.unwrap();
    assert_whole(&pool, log).await;
    assert_eq!(std::fs::read_dir(place.copies()).unwrap().count(), 0, "nothing is written to what is not it");
    std::fs::remove_dir(place.copies()).unwrap();
    std::fs::rename(&away, place.copies()).unwrap();
    // The scrub also restores the segment that was open then.
    scrub(&pool).await;
    assert!(!pool.scrub_status().unwrap().degraded);
    pool.close().await.unwrap();
    for path in place.segments(0) {
        std::fs::remove_file(path).unwrap();
    }
    let pool = place.open().await;
    assert_whole(&pool, log).await;
    assert!(read_all(&pool, later).await == pattern(2, FILE_BYTES));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_copy_is_lost_while_the_pool_is_in_use() {
    let place = Mirrored::new();
    let pool = place.open().await;
    let log = filled(&pool).await;
    lose(&place.copies());
    let root = pool.volume("kafka").unwrap().root;
    for n in 0..4 {
        let more = file(&pool, root, &format!("more{n}")).await;
        write(&pool, more, 0, &pattern(10 + n, FILE_BYTES)).await;
        pool.commit(more, 0, 0).await.unwrap();
    }
    assert!(pool.scrub_status().unwrap().degraded);
    assert_whole(&pool, log).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_with_something_else_in_it_is_refused() {
    let place = Mirrored::new();
    std::fs::create_dir(place.copies()).unwrap();
    std::fs::write(place.copies().join("holiday.jpg"), "precious").unwrap();
    let options = PoolOptions { copies_directory: Some(place.copies()), ..quick() };
    let error = Pool::open(place.home.path(), options).await.err().unwrap();
    assert!(error.to_string().contains("not empty"), "{error}");
    assert_eq!(std::fs::read_dir(place.copies()).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scrub_is_remembered_and_one_that_was_cut_short_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::open(directory.path(), quick()).await.unwrap();
    filled(&pool).await;
    pool.close().await.unwrap();
    let slow = PoolOptions { scrub_bytes_per_second: 1, ..quick() };
    let pool = Pool::open(directory.path(), slow).await.unwrap();
    pool.scrub_start().await.unwrap();
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), quick()).await.unwrap();
    let status = scrubbed(&pool).await;
    assert!(status.started.is_some() && status.finished.is_some(), "{status:?}");
    // Everything except the file's tail, which is in the metadata.
    assert!(status.frames > 0 && status.bytes >= FILE_BYTES as u64 / 2, "{status:?}");
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), quick()).await.unwrap();
    assert_eq!(pool.scrub_status().unwrap().finished, status.finished);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_second_copy_a_lost_segment_costs_what_it_held_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let pool = Pool::open(directory.path(), quick()).await.unwrap();
    let log = filled(&pool).await;
    pool.close().await.unwrap();
    std::fs::remove_file(&segments(directory.path())[0]).unwrap();
    let pool = Pool::open(directory.path(), quick()).await.unwrap();
    let error = pool.read(log, 0, 4096).await.unwrap_err();
    assert!(error.to_string().contains("segment"), "{error}");
    let root = pool.volume("kafka").unwrap().root;
    let fresh = file(&pool, root, "fresh").await;
    write(&pool, fresh, 0, &pattern(3, FILE_BYTES)).await;
    pool.commit(fresh, 0, 0).await.unwrap();
    assert!(read_all(&pool, fresh).await == pattern(3, FILE_BYTES));
    let report = pool.check_report(true).await.unwrap();
    assert!(report.differences.iter().any(|difference| difference.contains("does not exist")), "{report:?}");
    assert!(scrub(&pool).await.damaged > 0);
    // Removing the file frees the rest of it.
    pool.reap_orphans().await.unwrap();
    pool.remove(root, b"log").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

/// Restores the pool's directory to its state at an earlier time.
fn restore(pool: &Path, backup: &Path) {
    for entry in std::fs::read_dir(pool).unwrap().map(std::result::Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap()
        } else {
            std::fs::remove_file(path).unwrap()
        }
    }
    copy_directory(backup, pool);
}

#[tokio::test]
async fn a_pool_that_was_put_back_beside_a_newer_second_copy_is_refused_until_that_is_accepted() {
    let mirrored = Mirrored::new();
    let pool = mirrored.open().await;
    let log = filled(&pool).await;
    pool.close().await.unwrap();
    let backup = tempfile::tempdir().unwrap();
    copy_directory(mirrored.home.path(), backup.path());
    let pool = mirrored.open().await;
    write(&pool, log, 0, &pattern(2, FILE_BYTES)).await;
    pool.close().await.unwrap();

    restore(mirrored.home.path(), backup.path());
    let copies = mirrored.segments(1);
    let options = PoolOptions { copies_directory: Some(mirrored.copies()), ..quick() };
    for _ in 0..2 {
        let error = Pool::open(mirrored.home.path(), options.clone()).await.err().unwrap();
        assert!(error.to_string().contains("the second copy is of start 2"), "{error}");
        assert_eq!(mirrored.segments(1), copies);
    }
    let pool = Pool::recover(mirrored.home.path(), options).await.unwrap();
    assert_eq!(read(&pool, log, 0, u32::MAX).await, pattern(1, FILE_BYTES));
    assert!(!pool.lost_and_found().unwrap().is_empty());
    pool.close().await.unwrap();
    let pool = mirrored.open().await;
    assert!(!pool.scrub_status().unwrap().degraded);
    pool.close().await.unwrap();
}

/// The copy continued without the restored pool, and both have counted the same starts since.
#[tokio::test]
async fn a_second_copy_of_another_history_is_not_taken_back() {
    let mirrored = Mirrored::new();
    let pool = mirrored.open().await;
    let log = filled(&pool).await;
    pool.close().await.unwrap();
    let backup = tempfile::tempdir().unwrap();
    copy_directory(mirrored.home.path(), backup.path());
    let pool = mirrored.open().await;
    write(&pool, log, 0, &pattern(2, FILE_BYTES)).await;
    pool.close().await.unwrap();

    restore(mirrored.home.path(), backup.path());
    let away = mirrored.other.path().join("away");
    std::fs::rename(mirrored.copies(), &away).unwrap();
    for _ in 0..2 {
        let pool = mirrored.open().await;
        assert!(pool.scrub_status().unwrap().degraded);
        write(&pool, log, 0, &pattern(3, FILE_BYTES)).await;
        pool.close().await.unwrap();
    }
    let pool = mirrored.open().await;
    std::fs::rename(&away, mirrored.copies()).unwrap();
    // A scrub looks for the copy.
    scrub(&pool).await;
    assert!(pool.scrub_status().unwrap().degraded);
    pool.close().await.unwrap();
    let options = PoolOptions { copies_directory: Some(mirrored.copies()), ..quick() };
    let error = Pool::open(mirrored.home.path(), options).await.err().unwrap();
    assert!(error.to_string().contains("another history"), "{error}");
}

/// A deletion is remembered until it can be repeated in the copy.
#[tokio::test]
async fn segments_that_are_deleted_while_the_second_copy_is_away_go_from_it_when_it_is_back() {
    let mirrored = Mirrored::new();
    let pool = mirrored.open().await;
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    for number in 0..4 {
        let log = file(&pool, root, &format!("log{number}")).await;
        write(&pool, log, 0, &pattern(number, FILE_BYTES)).await;
        pool.commit(log, 0, 0).await.unwrap();
    }
    pool.close().await.unwrap();
    let before = mirrored.segments(1).len();
    let away = mirrored.other.path().join("away");
    std::fs::rename(mirrored.copies(), &away).unwrap();
    let pool = mirrored.open().await;
    let root = pool.volume("kafka").unwrap().root;
    pool.reap_orphans().await.unwrap();
    for number in 0..3 {
        pool.remove(root, format!("log{number}").as_bytes()).await.unwrap();
    }
    pool.settle().await.unwrap();
    assert!(mirrored.segments(0).len() < before);
    pool.close().await.unwrap();

    std::fs::rename(&away, mirrored.copies()).unwrap();
    let pool = mirrored.open().await;
    pool.reap_orphans().await.unwrap();
    pool.settle().await.unwrap();
    assert!(pool.lost_and_found().unwrap().is_empty());
    let names = |copy| mirrored.segments(copy).into_iter().map(|path| path.file_name().unwrap().to_owned());
    let first: Vec<_> = names(0).collect();
    assert!(names(1).all(|name| first.contains(&name)), "{:?} in {first:?}", names(1).collect::<Vec<_>>());
    // The scrub restores what was written while it was away: now, or a minute later if a segment was still in use.
    let deadline = Instant::now() + Duration::from_secs(150);
    loop {
        let differences = pool.check(true).await.unwrap();
        if differences.is_empty() {
            break;
        }
        assert!(Instant::now() < deadline, "{differences:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    pool.close().await.unwrap();
}

#[tokio::test]
async fn a_scrub_verifies_everything_that_was_written_before_it_also_what_is_in_the_open_segment() {
    let (_directory, pool, root) = disk().await;
    for round in 1..4 {
        let log = file(&pool, root, &format!("log{round}")).await;
        write(&pool, log, 0, &pattern(round, 300_000)).await;
        pool.commit(log, 0, 0).await.unwrap();
        let status = scrub(&pool).await;
        assert!(status.bytes > round * 250_000, "{status:?}");
        assert_eq!(status.bytes, pool.stored().unwrap().bytes_live);
    }
}
