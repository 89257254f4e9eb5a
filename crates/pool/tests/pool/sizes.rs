//! The size limit of a volume: writes beyond it are refused, overwrites and deletions are accepted, and an accepted
//! write is never refused when it is made durable.

use forebay_pool::*;

use crate::common::*;

const SIZE: u64 = 1 << 20;

async fn limited() -> (Pool, Handle, Volume) {
    let (pool, _) = memory().await;
    let spec = VolumeSpec { size: Some(SIZE), ..spec("small") };
    let volume = pool.volume_create(spec).await.unwrap();
    (pool, volume.root, volume)
}

async fn try_write(pool: &Pool, file: Handle, offset: u64, bytes: usize) -> Result<Attributes> {
    pool.write(file, offset, pattern(offset, bytes).into(), Stability::Unstable).await
}

#[tokio::test]
async fn a_volume_holds_as_much_as_its_size_and_no_more() {
    let (pool, root, volume) = limited().await;
    let log = file(&pool, root, "log").await;
    try_write(&pool, log, 0, 600_000).await.unwrap();
    // Nothing is durable yet, but it counts.
    assert!(matches!(try_write(&pool, log, 600_000, 600_000).await, Err(Error::NoSpace)));
    try_write(&pool, log, 600_000, SIZE as usize - 600_000).await.unwrap();
    let space = pool.volume_space(volume.id).unwrap();
    assert_eq!((space.bytes_total, space.bytes_free), (SIZE, 0));
    assert!(matches!(try_write(&pool, log, SIZE, 1).await, Err(Error::NoSpace)));
    pool.commit(log, 0, 0).await.unwrap();
    assert_eq!(pool.volume_space(volume.id).unwrap().bytes_logical, SIZE);
    // A hole takes no space, and other volumes have room.
    let set = SetAttributes { size: Some(1 << 40), ..SetAttributes::default() };
    pool.setattr(log, set).await.unwrap();
    let other = file(&pool, pool.volume("kafka").unwrap().root, "other").await;
    write(&pool, other, 0, &pattern(1, 600_000)).await;
}

#[tokio::test]
async fn a_full_volume_takes_overwrites_and_deletions_and_writes_after_them() {
    let (pool, root, volume) = limited().await;
    let log = file(&pool, root, "log").await;
    try_write(&pool, log, 0, SIZE as usize).await.unwrap();
    for round in 0..4 {
        let over = pattern(round + 7, 300_000);
        pool.write(log, round * 100_000, over.clone().into(), Stability::Unstable).await.unwrap();
        assert_eq!(read(&pool, log, round * 100_000, 300_000).await, over);
    }
    // Half of it overwrites data, half is beyond the end.
    assert!(matches!(try_write(&pool, log, SIZE - 100, 200).await, Err(Error::NoSpace)));
    let set = SetAttributes { size: Some(SIZE / 2), ..SetAttributes::default() };
    pool.setattr(log, set).await.unwrap();
    try_write(&pool, log, SIZE / 2, SIZE as usize / 2).await.unwrap();
    pool.remove(root, b"log").await.unwrap();
    pool.settle().await.unwrap();
    let space = pool.volume_space(volume.id).unwrap();
    assert_eq!((space.bytes_free, space.bytes_logical), (SIZE, 0));
    let log = file(&pool, root, "log").await;
    try_write(&pool, log, 0, SIZE as usize).await.unwrap();
    pool.commit(log, 0, 0).await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_volume_is_resized_up_and_down_to_what_it_holds() {
    let (directory, pool, _) = disk().await;
    let root = pool.volume_create(VolumeSpec { size: Some(SIZE), ..spec("small") }).await.unwrap().root;
    let log = file(&pool, root, "log").await;
    try_write(&pool, log, 0, 600_000).await.unwrap();
    let refused = pool.volume_resize("small", Some(500_000)).await.unwrap_err();
    assert!(matches!(refused, Error::SizeBelowUsed { size: 500_000, used: 600_000, .. }), "{refused}");
    assert!(matches!(pool.volume_resize("small", Some(0)).await, Err(Error::Invalid(_))));
    pool.volume_resize("small", Some(600_000)).await.unwrap();
    assert!(matches!(try_write(&pool, log, 600_000, 1).await, Err(Error::NoSpace)));
    pool.volume_resize("small", Some(700_000)).await.unwrap();
    try_write(&pool, log, 600_000, 100_000).await.unwrap();
    pool.close().await.unwrap();
    let pool = Pool::open(directory.path(), options()).await.unwrap();
    assert_eq!(pool.volume("small").unwrap().spec.size, Some(700_000));
    assert!(matches!(try_write(&pool, log, 700_000, 1).await, Err(Error::NoSpace)));
    pool.volume_resize("small", None).await.unwrap();
    try_write(&pool, log, 700_000, 2_000_000).await.unwrap();
    assert!(matches!(pool.volume_resize("ghost", None).await, Err(Error::NotFound(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_is_never_refused_when_it_is_made_durable() {
    let (pool, root, _) = limited().await;
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..4u64 {
        let log = file(&pool, root, &format!("log{n}")).await;
        let pool = pool.clone();
        writers.spawn(async move {
            let mut accepted = 0u64;
            for at in 0..20 {
                match try_write(&pool, log, at * 20_000, 20_000).await {
                    Ok(_) => accepted += 20_000,
                    Err(error) => assert!(matches!(error, Error::NoSpace), "{error}"),
                }
                pool.commit(log, 0, 0).await.unwrap();
            }
            accepted
        });
    }
    let accepted: u64 = writers.join_all().await.into_iter().sum();
    assert!(accepted <= SIZE && accepted > SIZE / 2, "{accepted}");
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}
