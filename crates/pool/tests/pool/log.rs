//! The intent log in a directory: what a pool that was not closed in order finds there, and what it does without it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::*;

use crate::common::*;

/// A pool that flushes nothing because of its age.
fn slow() -> PoolOptions {
    PoolOptions { dirty_age_ms_max: 3_600_000, scrub_period: None, ..PoolOptions::default() }
}

/// An open pool with a file of which the log holds something.
struct Promised {
    directory: tempfile::TempDir,
    pool: Pool,
    file: Handle,
    content: Vec<u8>,
}

impl Promised {
    async fn make(options: PoolOptions) -> Promised {
        Promised::make_in(tempfile::tempdir().unwrap(), options).await
    }

    async fn make_in(directory: tempfile::TempDir, options: PoolOptions) -> Promised {
        let pool = Pool::open(&directory.path().join("pool"), options).await.unwrap();
        let root = pool.volume_create(spec("kafka")).await.unwrap().root;
        let new = NewInode::new(Kind::File, 0o644);
        let file = pool.create(root, b"log", new).await.unwrap().attributes.handle;
        let mut promised = Promised { directory, pool, file, content: Vec::new() };
        for round in 0_u8.. {
            let logged = promised.pool.counters().unwrap().log_records;
            promised.append(&[round; 1000]).await;
            if promised.pool.counters().unwrap().log_records > logged + u64::from(round < 10) {
                break;
            }
            assert!(round < 200, "nothing was logged");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        for round in 0..20_u8 {
            promised.append(&[100 + round; 1000]).await;
        }
        assert!(promised.pool.counters().unwrap().log_records >= 20);
        promised
    }

    async fn append(&mut self, bytes: &[u8]) {
        let at = self.content.len() as u64;
        self.pool.write(self.file, at, Bytes::copy_from_slice(bytes), Stability::FileSync).await.unwrap();
        self.content.extend_from_slice(bytes);
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("pool")
    }

    /// The pool's directory as a killed daemon leaves it.
    fn killed(&self, name: &str) -> PathBuf {
        let to = self.directory.path().join(name);
        copy_directory(&self.home(), &to);
        to
    }
}

async fn content_of(pool: &Pool) -> Vec<u8> {
    let file = pool.lookup(pool.volume("kafka").unwrap().root, b"log").await.unwrap();
    let content = pool.read(file.handle, 0, u32::MAX).await.unwrap().pieces.concat();
    assert_eq!(content.len() as u64, file.size);
    content
}

fn files_of(directory: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<PathBuf> = listing.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn what_was_synced_is_there_after_a_kill_and_after_the_next_one() {
    let promised = Promised::make(slow()).await;
    let mut killed = promised.killed("killed");
    for again in 0..2 {
        let pool = Pool::open(&killed, slow()).await.unwrap();
        assert_eq!(content_of(&pool).await, promised.content);
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
        killed = promised.directory.path().join(format!("killed-{again}"));
        copy_directory(&promised.directory.path().join("killed"), &killed);
    }
    let pool = Pool::open(&killed, slow()).await.unwrap();
    pool.close().await.unwrap();
    // After an orderly close nothing in the log is needed.
    std::fs::remove_dir_all(killed.join("log")).unwrap();
    let pool = Pool::open(&killed, slow()).await.unwrap();
    assert_eq!(content_of(&pool).await, promised.content);
}

#[tokio::test]
async fn a_log_that_is_missing_or_damaged_after_a_kill_is_refused_and_can_be_given_up() {
    let promised = Promised::make(slow()).await;
    let modified = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    // The message has whole seconds.
    let begun = modified(&promised.home().join("FORMAT")) - Duration::from_secs(1);
    let logged = files_of(&promised.home().join("log")).iter().map(|file| modified(file)).max().unwrap();
    type Harm = fn(&Path);
    let harm: [(&str, Harm); 3] = [
        ("missing", |file| std::fs::remove_file(file).unwrap()),
        ("damaged", |file| {
            let mut content = std::fs::read(file).unwrap();
            content[0] ^= 1;
            std::fs::write(file, content).unwrap();
        }),
        // The first group, and others follow.
        ("damaged", |file| {
            let mut content = std::fs::read(file).unwrap();
            content[4096 + 200] ^= 1;
            std::fs::write(file, content).unwrap();
        }),
    ];
    for (number, (state, harm)) in harm.into_iter().enumerate() {
        let killed = promised.killed(&format!("killed{number}"));
        let newest = files_of(&killed.join("log")).into_iter().find(|file| {
            std::fs::read(file).unwrap().get(4096..4104).is_some_and(|magic| magic == b"FBLOGGRP")
        });
        harm(&newest.unwrap());
        for _ in 0..2 {
            let refused = Pool::open(&killed, slow()).await.err().unwrap().to_string();
            assert!(refused.contains("intent log") && refused.contains(state), "{refused}");
            let (_, since) = refused.split_once("answered since ").unwrap();
            let since = humantime::parse_rfc3339(since.split(' ').next().unwrap()).unwrap();
            assert!(begun <= since && since <= logged, "{refused}");
        }
        let pool = Pool::recover(&killed, slow()).await.unwrap();
        assert!(promised.content.starts_with(&content_of(&pool).await[..1000]));
        pool.close().await.unwrap();
        drop(Pool::open(&killed, slow()).await.unwrap());
    }
}

/// A pool with a second copy. The copy is below the same directory, so a copy of that directory is what a kill leaves of both.
struct Doubled {
    promised: Promised,
}

impl Doubled {
    async fn make() -> Doubled {
        let directory = tempfile::tempdir().unwrap();
        let options = Doubled::options(directory.path());
        Doubled { promised: Promised::make_in(directory, options).await }
    }

    fn options(directory: &Path) -> PoolOptions {
        PoolOptions { copies_directory: Some(directory.join("copy")), ..slow() }
    }

    /// Drops the open pool. Returns the files as they were before, as a killed daemon leaves them.
    async fn killed(self) -> Killed {
        let Promised { directory, pool, file: _, content } = self.promised;
        let kept = tempfile::tempdir().unwrap();
        for name in ["pool", "copy"] {
            if directory.path().join(name).exists() {
                copy_directory(&directory.path().join(name), &kept.path().join(name));
            }
        }
        let killed = Killed { directory, kept, content };
        killed.kill(pool).await;
        killed
    }
}

struct Killed {
    directory: tempfile::TempDir,
    kept: tempfile::TempDir,
    content: Vec<u8>,
}

impl Killed {
    fn restore(&self) {
        for name in ["pool", "copy"] {
            let to = self.directory.path().join(name);
            let _ = std::fs::remove_dir_all(&to);
            if self.kept.path().join(name).exists() {
                copy_directory(&self.kept.path().join(name), &to);
            }
        }
    }

    fn log(&self, name: &str) -> PathBuf {
        self.directory.path().join(name).join("log")
    }

    async fn open(&self) -> Result<Pool> {
        Pool::open(&self.directory.path().join("pool"), Doubled::options(self.directory.path())).await
    }

    /// Like a kill: nothing is closed. Returns when nothing of the pool is left that could write.
    async fn kill(&self, pool: Pool) {
        drop(pool);
        let home = self.directory.path().join("pool");
        for _ in 0..1000 {
            match Pool::assess(&home, Doubled::options(self.directory.path())).await {
                Err(Error::Locked { .. }) => tokio::time::sleep(Duration::from_millis(10)).await,
                _ => return,
            }
        }
        unreachable!("the pool stays locked");
    }

    async fn assert_whole(&self) {
        let pool = self.open().await.unwrap();
        assert_eq!(content_of(&pool).await, self.content);
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
        self.kill(pool).await;
    }
}

#[tokio::test]
async fn either_copy_of_the_log_is_enough_after_a_kill_and_what_it_lacks_is_put_back() {
    let killed = Doubled::make().await.killed().await;
    let damage = |file: &Path| {
        let mut content = std::fs::read(file).unwrap();
        content[4096 + 200] ^= 1;
        std::fs::write(file, content).unwrap();
    };
    for (hurt, other) in [("pool", "copy"), ("copy", "pool")] {
        killed.restore();
        std::fs::remove_dir_all(killed.log(hurt)).unwrap();
        killed.assert_whole().await;
        killed.restore();
        files_of(&killed.log(hurt)).iter().for_each(|file| damage(file));
        killed.assert_whole().await;
        // Whoever opened it has put it back, and was killed.
        std::fs::remove_dir_all(killed.log(other)).unwrap();
        killed.assert_whole().await;
    }
    killed.restore();
    for name in ["pool", "copy"] {
        std::fs::remove_dir_all(killed.log(name)).unwrap();
    }
    let refused = killed.open().await.err().unwrap().to_string();
    assert!(refused.contains("intent log") && refused.contains("missing"), "{refused}");
}

#[tokio::test]
async fn a_second_copy_whose_log_was_deleted_gets_it_back() {
    let mut doubled = Doubled::make().await;
    let promised = &mut doubled.promised;
    lose(&promised.directory.path().join("copy").join("log"));
    for round in 0..10_u8 {
        promised.append(&[200 + round; 1000]).await;
    }
    let killed = doubled.killed().await;
    assert!(files_of(&killed.log("copy")).is_empty());
    killed.assert_whole().await;
    std::fs::remove_dir_all(killed.log("pool")).unwrap();
    killed.assert_whole().await;
}

#[tokio::test]
async fn a_pool_can_be_without_a_log_and_get_one_later() {
    let promised = Promised::make(slow()).await;
    // What the log holds counts, even if the pool is to have none from now on.
    let killed = promised.killed("killed");
    let none = PoolOptions { log_bytes_max: 0, ..slow() };
    let pool = Pool::open(&killed, none.clone()).await.unwrap();
    assert_eq!(content_of(&pool).await, promised.content);
    pool.close().await.unwrap();
    let pool = Pool::open(&killed, none).await.unwrap();
    assert!(files_of(&killed.join("log")).is_empty(), "a log that is neither needed nor wanted is removed");
    assert_eq!(content_of(&pool).await, promised.content);
    pool.close().await.unwrap();
    Pool::open(&killed, slow()).await.unwrap().close().await.unwrap();
}

#[tokio::test]
async fn a_directory_with_the_log_of_another_pool_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let elsewhere = PoolOptions { log_directory: Some(directory.path().join("log")), ..slow() };
    let promised = Promised::make(elsewhere.clone()).await;
    let killed = promised.killed("killed");
    let before: Vec<Vec<u8>> =
        files_of(&directory.path().join("log")).iter().map(|file| std::fs::read(file).unwrap()).collect();
    let other = Pool::open(&directory.path().join("other"), elsewhere.clone()).await.unwrap();
    let root = other.volume_create(spec("kafka")).await.unwrap().root;
    let new = NewInode::new(Kind::File, 0o644);
    let file = other.create(root, b"log", new).await.unwrap().attributes.handle;
    for round in 0..30 {
        let bytes = Bytes::from_static(b"bytes");
        other.write(file, round * 5, bytes, Stability::FileSync).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(other.counters().unwrap().log_records, 0);
    other.close().await.unwrap();
    let after: Vec<Vec<u8>> =
        files_of(&directory.path().join("log")).iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(after[0] == before[0], "the other pool wrote into the log");
    let pool = Pool::open(&killed, elsewhere).await.unwrap();
    assert_eq!(content_of(&pool).await, promised.content);
}
