//! A pool in a bucket joins small objects.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use forebay_pool::store::{Backends, MemoryMeta, SegmentStore, UnlimitedRoom};
use forebay_pool::{Handle, Kind, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
use forebay_pool_s3::{Address, BucketOptions, BucketSegments};
use object_store::memory::InMemory;

/// Bytes of a file, which become an object of their own.
const FILE_BYTES: usize = 600 << 10;
const FILES: usize = 60;

pub fn content(number: usize) -> Bytes {
    let mut state = number as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..FILE_BYTES).map(|_| next()).collect::<Vec<u8>>().into()
}

pub async fn open(metadata: Arc<MemoryMeta>, bucket: Arc<InMemory>) -> (Pool, Arc<BucketSegments>) {
    let address = Address {
        bucket: "kafka".into(),
        prefix: "pool".into(),
        endpoint: None,
        region: "us-east-1".into(),
        credentials: None,
        ca_file: None,
        sign_payloads: false,
    };
    let segments = Arc::new(BucketSegments::on(address, bucket, BucketOptions::default()).unwrap());
    let backends =
        Backends { metadata, segments: segments.clone(), room: Box::new(UnlimitedRoom), notes: None };
    let options = PoolOptions {
        segment_bytes: 8 << 20,
        // Every file is an object.
        dirty_age_ms_max: 600_000,
        keep_dead_segments: Duration::ZERO,
        ..PoolOptions::default()
    };
    (Pool::open_on(backends, options).await.unwrap(), segments)
}

async fn assert_whole(pool: &Pool, files: &[Handle]) {
    for (number, file) in files.iter().enumerate() {
        let read = pool.read(*file, 0, FILE_BYTES as u32).await.unwrap();
        assert!(read.pieces.concat() == content(number), "file {number}");
    }
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_small_objects_become_a_few_large_ones_and_nothing_is_lost() {
    let (metadata, bucket) = (Arc::<MemoryMeta>::default(), Arc::<InMemory>::default());
    let (pool, segments) = open(metadata.clone(), bucket.clone()).await;
    pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap();
    pool.reap_orphans().await.unwrap();
    let root = pool.volume("v").unwrap().root;
    let create = async |name: &str| {
        let new = NewInode::new(Kind::File, 0o600);
        pool.create(root, name.as_bytes(), new).await.unwrap().attributes.handle
    };
    let mut files = Vec::new();
    for number in 0..FILES {
        let file = create(&format!("f{number}")).await;
        pool.write(file, 0, content(number), Stability::Unstable).await.unwrap();
        pool.commit(file, 0, 0).await.unwrap();
        files.push(file);
    }
    let before = segments.list().unwrap();
    assert!(before.len() >= FILES, "{} objects", before.len());
    // The cleaner works after something was deleted.
    for _ in 0..4 {
        create("deleted").await;
        pool.remove(root, b"deleted").await.unwrap();
        pool.settle().await.unwrap();
        assert_whole(&pool, &files).await;
    }
    let after = segments.list().unwrap();
    assert!(after.len() < before.len() * 3 / 4, "{} of {} objects are left", after.len(), before.len());
    let largest = after.iter().map(|(_, bytes)| *bytes).max().unwrap();
    assert!(largest > 5 * FILE_BYTES as u64, "{largest} bytes");
    pool.close().await.unwrap();
    let (pool, _) = open(metadata, bucket).await;
    assert_whole(&pool, &files).await;
}
