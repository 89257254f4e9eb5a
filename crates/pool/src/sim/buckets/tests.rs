//! Directed tests of what random histories have found in buckets.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::*;

async fn pool() -> Pool {
    Pool::in_memory(PoolOptions::default()).await.unwrap()
}

fn poll_once<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[tokio::test]
async fn an_object_joined_from_a_file_has_what_was_written_to_the_file_and_not_yet_flushed() {
    let pool = pool().await;
    let bucket = pool.bucket_create(BucketSpec::new("bucket"), |_| Ok(())).await.unwrap().id;
    let root = pool.volume_create(VolumeSpec::new("volume", "/volume")).await.unwrap().root;
    let file = pool.create(root, b"file", NewInode::new(Kind::File, 0o600)).await.unwrap();
    let file = file.attributes.handle;
    let old = Bytes::from(vec![1; 200_000]);
    pool.write(file, 0, old, Stability::FileSync).await.unwrap();
    // Over what is flushed, and behind it.
    for at in [50_000, 190_000] {
        pool.write(file, at, Bytes::from(vec![2; 30_000]), Stability::Unstable).await.unwrap();
    }
    let expected = pool.read(file, 0, u32::MAX).await.unwrap().pieces.concat();
    assert_eq!(expected.len(), 220_000);
    let draft = pool.draft_create(bucket).await.unwrap();
    let ranges = vec![(file, 0..100_000), (file, 100_000..220_000)];
    assert_eq!(pool.concatenate(&draft, ranges).await.unwrap(), 220_000);
    let found = pool.read(draft.handle(), 0, u32::MAX).await.unwrap().pieces.concat();
    assert!(found == expected, "the copy misses unflushed writes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_deleted_at_once_was_created_and_the_caller_is_told_so() {
    let pool = pool().await;
    let (sender, mut ids) = mpsc::unbounded_channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    // The committer waits in this function, so that the deletion is in the same group.
    let fill = move |change: &mut BucketChange<'_, '_>| {
        sender.send(change.bucket()).unwrap();
        released.recv().unwrap();
        Ok(())
    };
    let creating = {
        let pool = pool.clone();
        tokio::spawn(async move { pool.bucket_create(BucketSpec::new("bucket"), fill).await })
    };
    let id = ids.recv().await.unwrap();
    let mut deleting = pin!(pool.bucket_delete(id, |_| Ok(Ok::<(), ()>(()))));
    assert!(poll_once(deleting.as_mut()).is_pending());
    release.send(()).unwrap();
    assert_eq!(deleting.await.unwrap(), Ok(()));
    let created = creating.await.unwrap().unwrap();
    assert_eq!((created.id, &created.spec.name[..], created.objects), (id, "bucket", 0));
    assert!(pool.buckets().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_deleted_after_its_modification_was_modified_and_the_caller_is_told_so() {
    let pool = pool().await;
    let id = pool.bucket_create(BucketSpec::new("bucket"), |_| Ok(())).await.unwrap().id;
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (begun, mut begins) = mpsc::unbounded_channel();
    let wait = move |_: &mut BucketChange<'_, '_>| {
        begun.send(()).unwrap();
        released.recv().unwrap();
        Ok(())
    };
    let waiting = {
        let pool = pool.clone();
        tokio::spawn(async move { pool.bucket_change(id, wait).await })
    };
    begins.recv().await.unwrap();
    let update = || BucketUpdate { size: Some(Some(1 << 20)), ..BucketUpdate::default() };
    let mut modifying = pin!(pool.bucket_modify("bucket", update(), |_| Ok(Ok::<(), ()>(()))));
    let mut deleting = pin!(pool.bucket_delete(id, |_| Ok(Ok::<(), ()>(()))));
    let mut late = pin!(pool.bucket_modify("bucket", update(), |_| Ok(Ok::<(), ()>(()))));
    assert!(poll_once(modifying.as_mut()).is_pending());
    assert!(poll_once(deleting.as_mut()).is_pending());
    assert!(poll_once(late.as_mut()).is_pending());
    release.send(()).unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(modifying.await.unwrap().unwrap().spec.size, Some(1 << 20));
    assert_eq!(deleting.await.unwrap(), Ok(()));
    assert!(matches!(late.await, Err(Error::NotFound(Object::Bucket(name))) if name == "bucket"));
}
