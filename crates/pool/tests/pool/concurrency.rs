//! Concurrency: with parallel writers, flushes, truncations and the cleaner, readers never see bytes that were not
//! written.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use forebay_pool::*;

use crate::common::*;

const BLOCK: u64 = 131_072;
const BLOCKS: u64 = 8;

/// A block filled with one stamp, which also contains the number of the block.
fn stamped(block: u64, version: u64) -> Vec<u8> {
    let stamp = (version << 8 | block) + 1;
    stamp.to_le_bytes().repeat(BLOCK as usize / 8)
}

fn check(block: u64, bytes: &[u8]) {
    let stamp = u64::from_le_bytes(bytes[..8].try_into().unwrap());
    assert_eq!((stamp - 1) & 0xff, block, "bytes of another block");
    assert!(bytes.chunks(8).all(|word| word == stamp.to_le_bytes()), "two writes mixed in one read");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_sees_each_write_whole_or_not_at_all() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "log").await;
    for block in 0..BLOCKS {
        write(&pool, log, block * BLOCK, &stamped(block, 0)).await;
    }
    let done = Arc::new(AtomicBool::new(false));
    let mut readers = tokio::task::JoinSet::new();
    for reader in 0..3u64 {
        let (pool, done) = (pool.clone(), done.clone());
        readers.spawn(async move {
            let mut reads = 0;
            while !done.load(Ordering::SeqCst) {
                let block = (reads * 5 + reader) % BLOCKS;
                check(block, &read(&pool, log, block * BLOCK, BLOCK as u32).await);
                reads += 1;
            }
        });
    }
    let mut writers = tokio::task::JoinSet::new();
    for writer in 0..2u64 {
        let pool = pool.clone();
        writers.spawn(async move {
            for version in 1..150 {
                // Each writer has its own blocks. Stamps repeat, so chunks are shared and freed.
                let block = writer + 2 * (version * 3 % (BLOCKS / 2));
                write(&pool, log, block * BLOCK, &stamped(block, version % 7)).await;
                if version % 3 == 0 {
                    pool.commit(log, 0, 0).await.unwrap();
                }
                // Gives the cleaner and the deletion of dead segments a turn.
                let name = format!("tick{writer}");
                file(&pool, root, &name).await;
                pool.remove(root, name.as_bytes()).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    done.store(true, Ordering::SeqCst);
    readers.join_all().await;
    pool.commit(log, 0, 0).await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reader_beside_a_truncation_sees_data_or_the_end() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "log").await;
    let done = Arc::new(AtomicBool::new(false));
    let reader = {
        let (pool, done) = (pool.clone(), done.clone());
        tokio::spawn(async move {
            while !done.load(Ordering::SeqCst) {
                let bytes = read(&pool, log, 0, BLOCK as u32).await;
                assert!(bytes.iter().all(|byte| *byte == 7), "zeros where data was or nothing should be");
            }
        })
    };
    for round in 0..150u64 {
        pool.write(log, 0, vec![7; BLOCK as usize].into(), Stability::FileSync).await.unwrap();
        let set = SetAttributes { size: Some(round * 800 % BLOCK), ..SetAttributes::default() };
        pool.setattr(log, set).await.unwrap();
    }
    done.store(true, Ordering::SeqCst);
    reader.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn names_created_and_removed_at_once_come_out_right() {
    let (pool, root) = memory().await;
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..8u64 {
        let pool = pool.clone();
        tasks.spawn(async move {
            let mut won = 0i64;
            for round in 0..60 {
                let name = format!("contested{}", round % 5);
                if (task + round) % 2 == 0 {
                    won += i64::from(pool.create(root, name.as_bytes(), new(Kind::File)).await.is_ok());
                } else {
                    won -= i64::from(pool.remove(root, name.as_bytes()).await.is_ok());
                }
            }
            won
        });
    }
    let left: i64 = tasks.join_all().await.into_iter().sum();
    assert_eq!(names(&pool, root).await.len() as i64, left);
    pool.settle().await.unwrap();
    assert_eq!(pool.space().unwrap().inodes_used as i64, left + 1);
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_first_buckets_of_a_pool_may_be_created_at_once() {
    for _ in 0..5 {
        let (_directory, pool, _) = disk().await;
        let mut creators = tokio::task::JoinSet::new();
        for number in 0..8 {
            let pool = pool.clone();
            let spec = BucketSpec::new(&format!("bucket-{number}"));
            creators.spawn(async move { pool.bucket_create(spec, |_| Ok(())).await.unwrap() });
        }
        assert_eq!(creators.join_all().await.len(), 8);
        pool.close().await.unwrap();
    }
}
