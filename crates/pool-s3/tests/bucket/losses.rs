//! Objects that are lost although a pool needs them.

use std::sync::Arc;

use bytes::Bytes;
use forebay_pool::store::MemoryMeta;
use forebay_pool::{Handle, Kind, NewInode, Pool, Stability, VolumeSpec};
use futures::TryStreamExt;
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::joining::{self, open};

/// Somebody deletes the oldest object with a segment, as a rule of the bucket about their age would.
async fn delete_oldest(bucket: &InMemory) {
    let objects: Vec<_> = bucket.list(Some(&"pool/segments".into())).try_collect().await.unwrap();
    let oldest = objects.iter().map(|object| &object.location).min().unwrap();
    bucket.delete(oldest).await.unwrap();
}

/// Writes a file, and returns when it is durable.
async fn write(pool: &Pool, name: &str, content: &Bytes) -> Handle {
    let root = pool.volume("v").unwrap().root;
    let made = pool.create(root, name.as_bytes(), NewInode::new(Kind::File, 0o600)).await.unwrap();
    let file = made.attributes.handle;
    pool.write(file, 0, content.clone(), Stability::Unstable).await.unwrap();
    pool.commit(file, 0, 0).await.unwrap();
    file
}

/// The message about the loss says to write the data again. Then it must be stored again, and not only refer to what is lost.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_lost_and_is_written_again_is_stored_again() {
    // Whether a reader has noticed the loss or not.
    for is_noticed in [true, false] {
        let (metadata, bucket) = (Arc::<MemoryMeta>::default(), Arc::<InMemory>::default());
        let (pool, _) = open(metadata.clone(), bucket.clone()).await;
        pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap();
        let content = joining::content(1);
        let first = write(&pool, "first", &content).await;
        // With all of its objects gone, a pool would not be opened.
        write(&pool, "other", &joining::content(2)).await;
        pool.close().await.unwrap();
        delete_oldest(&bucket).await;

        let (pool, _) = open(metadata.clone(), bucket.clone()).await;
        let whole = content.len() as u32;
        if is_noticed {
            pool.read(first, 0, whole).await.unwrap_err();
        }
        let again = write(&pool, "again", &content).await;
        pool.close().await.unwrap();
        let (pool, _) = open(metadata, bucket).await;
        // Both have the same chunks.
        for file in [again, first] {
            let read = pool.read(file, 0, whole).await.unwrap();
            assert!(read.pieces.concat() == content, "noticed: {is_noticed}");
        }
    }
}
