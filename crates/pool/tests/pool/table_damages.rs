//! A damaged block in a table of the metadata store: the check continues after it and names the affected files, and the
//! scrub finds it.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use forebay_pool::*;

use crate::common::*;

const DIRECTORIES: u64 = 10;
const FILES: u64 = 1600;
/// Files of this size are stored in the metadata.
const FILE_BYTES: usize = 24_000;
/// The number of places in a table to damage, one at a time.
const FLIPS: u64 = 40;

fn quick() -> PoolOptions {
    PoolOptions {
        scrub_period: None,
        scrub_bytes_per_second: u64::MAX,
        dirty_bytes_max: 64 << 20,
        ..options()
    }
}

fn tables(home: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.join("meta/keyspaces/1/tables")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Creates a pool with metadata in tables, and closes it.
async fn filled(home: &Path) {
    let pool = Pool::open(home, quick()).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    pool.reap_orphans().await.unwrap();
    let mut files = Vec::new();
    for number in 0..DIRECTORIES {
        let topic = directory(&pool, root, &format!("topic-{number}")).await;
        for of_topic in 0..FILES / DIRECTORIES {
            let log = file(&pool, topic, &format!("log-{of_topic}")).await;
            write(&pool, log, 0, &pattern(number * FILES + of_topic, FILE_BYTES)).await;
            files.push(log);
        }
    }
    let large = file(&pool, root, "large").await;
    write(&pool, large, 0, &pattern(1 << 40, 3_000_000)).await;
    files.push(large);
    // Until then the pool may keep them in memory alone, and a table is written when there is enough metadata.
    let mut commits = tokio::task::JoinSet::new();
    for file in files {
        let pool = pool.clone();
        commits.spawn(async move { pool.commit(file, 0, 0).await.unwrap() });
    }
    commits.join_all().await;
    let deadline = Instant::now() + Duration::from_secs(60);
    while tables(home).is_empty() {
        assert!(Instant::now() < deadline, "no table was written");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    pool.close().await.unwrap();
}

fn flip(table: &Path, at: u64) {
    let file = fs::OpenOptions::new().read(true).write(true).open(table).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 0x10], at).unwrap();
}

async fn check(home: &Path) -> Result<CheckReport> {
    Pool::check_unopened(home, quick(), false, Default::default()).await
}

/// Places all over a table. The first ones are close to its start, where inodes and names are.
fn places(length: u64) -> impl Iterator<Item = u64> {
    let random = pattern(length, FLIPS as usize * 8);
    (0..FLIPS).map(move |number| {
        let at = number as usize * 8;
        let random = u64::from_le_bytes(random[at..at + 8].try_into().unwrap());
        if number < FLIPS / 2 { random % (300_000.min(length)) } else { random % length }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_ends_and_names_the_files_that_a_damaged_block_hits_and_a_scrub_finds_it() {
    let home = tempfile::tempdir().unwrap();
    filled(home.path()).await;
    assert_eq!(check(home.path()).await.unwrap().differences, [""; 0]);
    let (mut naming, mut kinds) = (None, std::collections::BTreeSet::new());
    for table in tables(home.path()) {
        for at in places(fs::metadata(&table).unwrap().len()) {
            flip(&table, at);
            match check(home.path()).await {
                Ok(report) => {
                    let found = &report.differences;
                    assert!(found.len() < 20, "{at}: {found:?}");
                    for kind in ["inode records", "directory entries", "extents"] {
                        let of_kind =
                            |text: &&String| text.starts_with(&format!("metadata: {kind} of volume kafka"));
                        if found.iter().filter(of_kind).any(|text| text.contains("kafka:/topic-")) {
                            kinds.insert(kind);
                            naming = Some((table.clone(), at));
                        }
                    }
                }
                Err(Error::Refused { .. } | Error::Damaged(_)) => {}
                Err(error) => panic!("{} at {at}: {error}", table.display()),
            }
            flip(&table, at);
        }
    }
    assert_eq!(check(home.path()).await.unwrap().differences, [""; 0], "no check has changed anything");
    assert_eq!(kinds.len(), 3, "{kinds:?}");

    let (table, at) = naming.unwrap();
    flip(&table, at);
    let pool = Pool::open(home.path(), quick()).await.unwrap();
    pool.scrub_start().await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while pool.scrub_status().unwrap().running {
        assert!(Instant::now() < deadline, "{:?}", pool.scrub_status());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let status = pool.scrub_status().unwrap();
    assert!(status.damaged > 0, "{status:?}");
    assert!(status.damage.iter().any(|text| text.starts_with("metadata: ")), "{status:?}");
    let found = pool.check(false).await.unwrap();
    assert!(found.iter().any(|text| text.contains("kafka:/topic-")), "{found:?}");
}
