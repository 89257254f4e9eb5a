//! Content of files: reads return the written bytes, through flushes, truncations and reopening.

use forebay_pool::*;

use crate::common::*;

#[tokio::test]
async fn unstable_writes_are_read_at_once_and_after_commit() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "log").await;
    let attributes = write(&pool, file, 3, b"hello").await;
    assert_eq!(attributes.size, 8);
    assert_eq!(read_all(&pool, file).await, b"\0\0\0hello");
    pool.commit(file, 0, 0).await.unwrap();
    assert_eq!(read_all(&pool, file).await, b"\0\0\0hello");
    assert_eq!(pool.getattr(file).await.unwrap().space_used, 5);
}

#[tokio::test]
async fn a_large_file_is_read_back_after_reopening() {
    let (directory, pool, root) = disk().await;
    let file = file(&pool, root, "large").await;
    let bytes = pattern(1, 3_000_001);
    for (at, piece) in bytes.chunks(100_003).enumerate() {
        write(&pool, file, at as u64 * 100_003, piece).await;
    }
    pool.commit(file, 0, 0).await.unwrap();
    assert_eq!(read_all(&pool, file).await, bytes);
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert_eq!(read_all(&pool, file).await, bytes);
    assert_eq!(read(&pool, file, 131_000, 300).await, bytes[131_000..131_300]);
    assert_eq!(pool.getattr(file).await.unwrap().space_used, 3_000_001);
}

#[tokio::test]
async fn what_a_truncation_cut_off_never_comes_back() {
    for commit in [false, true] {
        let (pool, root) = memory().await;
        let file = file(&pool, root, "f").await;
        write(&pool, file, 0, &pattern(2, 400_000)).await;
        if commit {
            pool.commit(file, 0, 0).await.unwrap();
        }
        let set = |size| SetAttributes { size: Some(size), ..SetAttributes::default() };
        assert_eq!(pool.setattr(file, set(150_001)).await.unwrap().size, 150_001);
        assert_eq!(pool.setattr(file, set(500_000)).await.unwrap().size, 500_000);
        let mut expected = pattern(2, 150_001);
        expected.resize(500_000, 0);
        assert_eq!(read_all(&pool, file).await, expected);
        pool.commit(file, 0, 0).await.unwrap();
        assert_eq!(read_all(&pool, file).await, expected);
    }
}

#[tokio::test]
async fn reads_at_and_beyond_the_end_are_short() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    write(&pool, file, 0, b"12345").await;
    let data = pool.read(file, 3, 100).await.unwrap();
    assert_eq!((data.pieces.concat(), data.eof), (b"45".to_vec(), true));
    let data = pool.read(file, 0, 5).await.unwrap();
    assert!(data.eof);
    let data = pool.read(file, 0, 4).await.unwrap();
    assert!(!data.eof);
    let data = pool.read(file, u64::MAX, u32::MAX).await.unwrap();
    assert!(data.eof && data.pieces.is_empty());
}

#[tokio::test]
async fn a_sparse_file_takes_the_space_of_its_data() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "index").await;
    let size = SetAttributes { size: Some(1 << 40), ..SetAttributes::default() };
    pool.setattr(file, size).await.unwrap();
    write(&pool, file, 1 << 39, b"entry").await;
    pool.commit(file, 0, 0).await.unwrap();
    assert_eq!(pool.getattr(file).await.unwrap().space_used, 5);
    assert_eq!(read(&pool, file, (1 << 39) - 2, 8).await, b"\0\0entry\0");
}

#[tokio::test]
async fn zeros_take_no_space() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "zeros").await;
    write(&pool, file, 0, &vec![0; 1 << 20]).await;
    pool.commit(file, 0, 0).await.unwrap();
    let attributes = pool.getattr(file).await.unwrap();
    assert_eq!((attributes.size, attributes.space_used), (1 << 20, 0));
    assert_eq!(read_all(&pool, file).await, vec![0; 1 << 20]);
}

#[tokio::test]
async fn writes_beyond_the_largest_file_are_refused() {
    let (pool, root) = memory().await;
    let file = file(&pool, root, "f").await;
    let end = pool.write(file, FILE_SIZE_MAX - 1, "ab".into(), Stability::Unstable).await;
    assert!(matches!(end, Err(Error::FileTooLarge)));
    let wrapped = pool.write(file, u64::MAX, "ab".into(), Stability::Unstable).await;
    assert!(matches!(wrapped, Err(Error::FileTooLarge)));
    pool.write(file, FILE_SIZE_MAX - 2, "ab".into(), Stability::FileSync).await.unwrap();
    assert_eq!(read(&pool, file, FILE_SIZE_MAX - 2, 9).await, b"ab");
}

#[tokio::test]
async fn stable_writes_survive_reopening_without_a_commit() {
    let (directory, pool, root) = disk().await;
    let file = file(&pool, root, "f").await;
    for n in 0..100u64 {
        let bytes = pattern(n, 4096).into();
        let stability = if n % 2 == 0 { Stability::DataSync } else { Stability::FileSync };
        pool.write(file, n * 4096, bytes, stability).await.unwrap();
    }
    drop(pool);
    let pool = reopen(directory.path()).await;
    for n in 0..100u64 {
        assert_eq!(read(&pool, file, n * 4096, 4096).await, pattern(n, 4096));
    }
}

/// A dropped pool ends a moment later, when its tasks have noticed.
async fn reopen(directory: &std::path::Path) -> Pool {
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(10);
    loop {
        match Pool::open(directory, options()).await {
            Err(Error::Locked { .. }) if tokio::time::Instant::now() < deadline => {
                tokio::task::yield_now().await
            }
            other => return other.unwrap(),
        }
    }
}

#[tokio::test]
async fn a_stream_is_on_its_way_to_the_disk_before_anyone_asks() {
    const MIB: usize = 1 << 20;
    let pool = Pool::in_memory(PoolOptions { dirty_bytes_max: 256 << 20, ..options() }).await.unwrap();
    let root = pool.volume_create(spec("kafka")).await.unwrap().root;
    let file = file(&pool, root, "file").await;
    write(&pool, file, 0, &pattern(0, MIB)).await;
    assert_eq!(pool.counters().unwrap().bytes_early, 0, "a little waits");
    let until = async |done: &dyn Fn() -> bool| {
        let done = async {
            while !done() {
                tokio::time::sleep(std::time::Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(20), done).await.expect("much does not wait");
    };
    for index in 1..20 {
        write(&pool, file, (index * MIB) as u64, &pattern(index as u64, MIB)).await;
    }
    until(&|| pool.counters().unwrap().bytes_early > 8 * MIB as u64).await;
    assert_eq!(pool.space().unwrap().bytes_logical, 0, "nothing depends on it");
    for index in 20..80 {
        write(&pool, file, (index * MIB) as u64, &pattern(index as u64, MIB)).await;
    }
    until(&|| pool.space().unwrap().bytes_logical > 0).await;
    pool.commit(file, 0, 0).await.unwrap();
    let counters = pool.counters().unwrap();
    assert_eq!(counters.bytes_early_named, counters.bytes_early, "a flush names all of it");
    assert!(counters.bytes_appended < 82 * MIB as u64, "{counters:?}");
    for index in 0..80 {
        assert_eq!(read(&pool, file, (index * MIB) as u64, MIB as u32).await, pattern(index as u64, MIB));
    }
}

/// Both count the same opening, and a client may have sent writes to one that the other never received.
#[tokio::test(flavor = "multi_thread")]
async fn a_pool_that_was_put_back_from_a_backup_has_another_write_verifier() {
    let scratch = tempfile::tempdir().unwrap();
    let [pool, backup] = ["pool", "backup"].map(|name| scratch.path().join(name));
    Pool::open(&pool, options()).await.unwrap().close().await.unwrap();
    assert!(std::process::Command::new("cp").arg("-a").args([&pool, &backup]).status().unwrap().success());
    let mut verifiers = Vec::new();
    for directory in [&pool, &backup, &pool] {
        let pool = Pool::open(directory, options()).await.unwrap();
        verifiers.push(pool.write_verifier());
        pool.close().await.unwrap();
    }
    let different: std::collections::HashSet<_> = verifiers.iter().collect();
    assert_eq!(different.len(), 3, "{verifiers:?}");
}

/// A client that takes its replies slowly keeps their bytes in memory, while the pool reads for others.
#[tokio::test]
async fn a_reply_that_a_slow_client_has_not_taken_does_not_change() {
    let (directory, pool, root) = disk().await;
    let file = file(&pool, root, "large").await;
    let bytes = pattern(1, 8 << 20);
    for (at, piece) in bytes.chunks(1 << 20).enumerate() {
        write(&pool, file, (at << 20) as u64, piece).await;
    }
    pool.commit(file, 0, 0).await.unwrap();
    pool.close().await.unwrap();
    // Now all segments are sealed, and the cache is empty and small.
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    let mut replies = Vec::new();
    for at in (0..8).map(|n| n << 20) {
        replies.push((at, pool.read(file, at as u64, 1 << 20).await.unwrap().pieces));
        for offset in (0..8 << 20).step_by(700_000) {
            let length = (bytes.len() - offset).min(400_000);
            assert!(read(&pool, file, offset as u64, 400_000).await == bytes[offset..offset + length]);
        }
        for (at, pieces) in &replies {
            assert!(pieces.concat() == bytes[*at..at + (1 << 20)]);
        }
    }
}
