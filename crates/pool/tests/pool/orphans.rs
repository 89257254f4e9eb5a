//! Inodes without a name: kept while they are held, even through restarts, and then freed.

use forebay_pool::*;

use crate::common::*;

fn inodes(pool: &Pool) -> (u64, u64, u64) {
    let space = pool.space().unwrap();
    (space.inodes_used, space.orphans, space.bytes_logical)
}

#[tokio::test]
async fn a_held_file_outlives_its_name() {
    let (pool, root) = memory().await;
    let log = file(&pool, root, "log").await;
    write(&pool, log, 0, &pattern(1, 200_000)).await;
    pool.hold(log).unwrap();
    pool.hold(log).unwrap();
    pool.remove(root, b"log").await.unwrap();
    assert!(matches!(pool.lookup(root, b"log").await, Err(Error::NotFound(_))));
    assert!(names(&pool, root).await.is_empty());
    assert_eq!(pool.getattr(log).await.unwrap().nlink, 0);
    write(&pool, log, 200_000, b"more").await;
    pool.commit(log, 0, 0).await.unwrap();
    pool.release(log);
    pool.settle().await.unwrap();
    assert_eq!(read(&pool, log, 199_999, 10).await.len(), 5);
    assert!(matches!(pool.link(log, root, b"again").await, Err(Error::Stale)));
    assert_eq!(inodes(&pool), (2, 1, 200_004));
    pool.release(log);
    pool.settle().await.unwrap();
    assert!(matches!(pool.getattr(log).await, Err(Error::Stale)));
    assert!(matches!(pool.hold(log), Err(Error::Stale)));
    assert_eq!(inodes(&pool), (1, 0, 0));
    assert!(pool.check(true).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_rename_over_a_held_file_keeps_it_too() {
    let (pool, root) = memory().await;
    let (old, _) = (file(&pool, root, "checkpoint").await, file(&pool, root, "checkpoint.tmp").await);
    write(&pool, old, 0, b"old").await;
    pool.hold(old).unwrap();
    pool.rename(root, b"checkpoint.tmp", root, b"checkpoint").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(read_all(&pool, old).await, b"old");
    assert_eq!(pool.getattr(old).await.unwrap().nlink, 0);
    pool.release(old);
    pool.settle().await.unwrap();
    assert!(matches!(pool.getattr(old).await, Err(Error::Stale)));
}

#[tokio::test]
async fn orphans_wait_for_their_holders_after_a_restart() {
    let (directory, pool, root) = disk().await;
    let (kept, dropped) = (file(&pool, root, "kept").await, file(&pool, root, "dropped").await);
    for file in [kept, dropped] {
        pool.write(file, 0, pattern(3, 300_000).into(), Stability::FileSync).await.unwrap();
        pool.hold(file).unwrap();
    }
    pool.remove(root, b"kept").await.unwrap();
    pool.remove(root, b"dropped").await.unwrap();
    pool.close().await.unwrap();

    let pool = Pool::open(directory.path(), options()).await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(inodes(&pool), (3, 2, 600_000));
    let unnamed = file(&pool, root, "before the grace period ended").await;
    pool.remove(root, b"before the grace period ended").await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.getattr(unnamed).await.unwrap().nlink, 0);
    pool.hold(kept).unwrap();
    pool.reap_orphans().await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(read_all(&pool, kept).await, pattern(3, 300_000));
    assert!(matches!(pool.getattr(dropped).await, Err(Error::Stale)));
    assert!(matches!(pool.getattr(unnamed).await, Err(Error::Stale)));
    assert_eq!(inodes(&pool), (2, 1, 300_000));
    pool.release(kept);
    pool.settle().await.unwrap();
    assert_eq!(inodes(&pool), (1, 0, 0));
}

#[tokio::test]
async fn a_removed_directory_that_is_held_takes_no_names() {
    let (pool, root) = memory().await;
    let sub = directory(&pool, root, "sub").await;
    pool.hold(sub).unwrap();
    pool.remove(root, b"sub").await.unwrap();
    assert!(matches!(pool.create(sub, b"x", new(Kind::File)).await, Err(Error::Stale)));
    assert!(names(&pool, sub).await.is_empty());
    pool.release(sub);
    pool.settle().await.unwrap();
    assert_eq!(inodes(&pool).0, 1);
}

#[tokio::test]
async fn all_space_comes_back_when_everything_is_deleted() {
    let (directory_, pool, root) = disk().await;
    for n in 0..5 {
        let sub = directory(&pool, root, &format!("d{n}")).await;
        for m in 0..20u64 {
            let log = file(&pool, sub, &format!("f{m}")).await;
            write(&pool, log, 0, &pattern(n * 100 + m, 40_000 * m as usize)).await;
        }
    }
    for n in 0..5 {
        let sub = pool.lookup(root, format!("d{n}").as_bytes()).await.unwrap().handle;
        for name in names(&pool, sub).await {
            pool.remove(sub, name.as_bytes()).await.unwrap();
        }
        pool.remove(root, format!("d{n}").as_bytes()).await.unwrap();
    }
    pool.settle().await.unwrap();
    let space = pool.space().unwrap();
    assert_eq!((space.inodes_used, space.orphans, space.bytes_logical), (1, 0, 0));
    assert!(pool.check(true).await.unwrap().is_empty());
    pool.close().await.unwrap();
    let pool = Pool::open(directory_.path(), options()).await.unwrap();
    pool.settle().await.unwrap();
    let segments = std::fs::read_dir(directory_.path().join("segments")).unwrap().count();
    assert_eq!(segments, 0, "segments without content are deleted");
}
