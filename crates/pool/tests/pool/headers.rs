//! Damaged headers of segments: a check names them and changes nothing; a scrub rewrites them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use forebay_pool::*;

use crate::common::*;

const HEADER_BYTES: usize = 64;

fn segments(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join("segments")).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "seg")).collect()
}

fn damage(path: &Path, way: fn(&mut [u8])) {
    let mut bytes = fs::read(path).unwrap();
    way(&mut bytes[..HEADER_BYTES]);
    fs::write(path, bytes).unwrap();
}

async fn scrub(pool: &Pool) -> ScrubStatus {
    pool.scrub_start().await.unwrap();
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

async fn check(home: &Path, options: PoolOptions) -> Vec<String> {
    Pool::check_unopened(home, options, false, Default::default()).await.unwrap().differences
}

/// Damages the headers of all segments in some of the copies.
async fn try_damage(copies: usize, damaged: &[usize], way: fn(&mut [u8])) {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = PoolOptions {
        copies_directory: (copies > 1).then(|| other.path().join("copy")),
        scrub_period: None,
        scrub_bytes_per_second: u64::MAX,
        ..options()
    };
    let places = [home.path().to_path_buf(), other.path().join("copy")];
    let pool = Pool::open(home.path(), options.clone()).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, 3_000_000)).await;
    pool.commit(log, 0, 0).await.unwrap();
    pool.close().await.unwrap();
    drop(pool);
    assert_eq!(check(home.path(), options.clone()).await, [""; 0]);

    let hit: Vec<PathBuf> = damaged.iter().flat_map(|copy| segments(&places[*copy])).collect();
    hit.iter().for_each(|path| damage(path, way));
    let before: Vec<Vec<u8>> = hit.iter().map(|path| fs::read(path).unwrap()).collect();
    let found = check(home.path(), options.clone()).await;
    assert_eq!(found.len(), hit.len(), "{found:?}");
    for copy in damaged {
        let named = format!("in copy {}; the chunks in it are not affected", copy + 1);
        assert!(found.iter().any(|text| text.contains("its header") && text.contains(&named)), "{found:?}");
    }
    let after: Vec<Vec<u8>> = hit.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(before == after, "a check changes nothing");

    let pool = Pool::open(home.path(), options.clone()).await.unwrap();
    let status = scrub(&pool).await;
    assert_eq!((status.repaired, status.damaged), (hit.len() as u64, 0), "{status:?}");
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    assert!(read_all(&pool, log).await == pattern(1, 3_000_000));
    pool.close().await.unwrap();
    drop(pool);
    assert_eq!(check(home.path(), options).await, [""; 0]);
    if copies > 1 {
        for path in segments(&places[0]) {
            let copy = places[1].join("segments").join(path.file_name().unwrap());
            assert!(fs::read(&path).unwrap() == fs::read(copy).unwrap(), "{}", path.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_header_is_written_again_from_the_other_copy_or_anew() {
    for damaged in [&[0][..], &[1], &[0, 1]] {
        try_damage(2, damaged, |header| header[20] ^= 1).await;
    }
    try_damage(1, &[0], |header| header[20] ^= 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hole_in_place_of_a_header_is_filled() {
    // As in a segment of which a copy has only a part, because the copy was away when the segment was created.
    for damaged in [&[1][..], &[0, 1]] {
        try_damage(2, damaged, |header| header.fill(0)).await;
    }
}
