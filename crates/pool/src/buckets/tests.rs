//! Buckets as a protocol uses them. Crashes are the simulation's.

use bytes::Bytes;

use crate::format::cut::batch;
use crate::{
    BucketEntry, BucketSpec, BucketUpdate, Draft, EntryContent, Error, Handle, Kind, NewInode, Pool,
    PoolOptions, Result, Seek, Stability, Table, VolumeId, VolumeSpec,
};

const OBJECTS: Table = Table(0);
const PARTS: Table = Table(1);

async fn pool() -> Pool {
    Pool::in_memory(PoolOptions::default()).await.unwrap()
}

async fn bucket(pool: &Pool) -> VolumeId {
    pool.bucket_create(BucketSpec::new("bucket"), |_| Ok(())).await.unwrap().id
}

async fn draft(pool: &Pool, bucket: VolumeId, content: &[u8]) -> Draft {
    let draft = pool.draft_create(bucket).await.unwrap();
    for (index, piece) in content.chunks(100_000).enumerate() {
        let data = Bytes::copy_from_slice(piece);
        let offset = index as u64 * 100_000;
        pool.write(draft.handle(), offset, data, Stability::Unstable).await.unwrap();
    }
    pool.commit(draft.handle(), 0, 0).await.unwrap();
    draft
}

async fn put(pool: &Pool, bucket: VolumeId, key: &[u8], version: u64, content: &[u8]) -> Handle {
    let draft = draft(pool, bucket, content).await;
    let handle = draft.handle();
    let key = key.to_vec();
    let publish = move |change: &mut crate::BucketChange<'_, '_>| {
        change.put(OBJECTS, &key, version, Bytes::from_static(b"facts"), EntryContent::Draft(draft))
    };
    pool.bucket_change(bucket, publish).await.unwrap();
    handle
}

async fn read(pool: &Pool, handle: Handle) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let read = pool.read(handle, content.len() as u64, 1 << 20).await?;
        read.pieces.iter().for_each(|piece| content.extend_from_slice(piece));
        if read.eof {
            return Ok(content);
        }
    }
}

fn keys_of(entries: &[BucketEntry]) -> Vec<(String, u64)> {
    entries.iter().map(|entry| (String::from_utf8_lossy(&entry.key).into_owned(), entry.version)).collect()
}

async fn assert_sound(pool: &Pool) {
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
}

/// Bytes that compress badly and repeat nowhere.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut content = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut content);
    content
}

/// A log of record batches.
fn log(length: usize) -> Vec<u8> {
    let mut content = Vec::new();
    let mut offset = 0;
    while content.len() < length {
        content.extend_from_slice(&batch(offset, 700 + (offset as usize * 97) % 3000, 1));
        offset += 1;
    }
    content
}

#[tokio::test]
async fn a_draft_is_read_only_after_an_entry_took_it_and_a_reader_keeps_what_was_replaced() {
    let pool = pool().await;
    let bucket = bucket(&pool).await;
    let first = put(&pool, bucket, b"key", 1, b"first").await;
    pool.hold(first).unwrap();
    let second = put(&pool, bucket, b"key", 1, b"second").await;
    let entry = pool.bucket_newest(bucket, OBJECTS, b"key").unwrap().unwrap();
    assert_eq!((entry.content, &entry.facts[..]), (Some(second), &b"facts"[..]));
    pool.settle().await.unwrap();
    assert_eq!(read(&pool, first).await.unwrap(), b"first");
    assert_eq!(pool.bucket("bucket").unwrap().objects, 1);
    pool.release(first);
    pool.settle().await.unwrap();
    assert!(matches!(read(&pool, first).await, Err(Error::Stale)));
    assert_eq!(read(&pool, second).await.unwrap(), b"second");
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_draft_that_is_dropped_or_refused_is_freed() {
    let pool = pool().await;
    let bucket = bucket(&pool).await;
    let dropped = draft(&pool, bucket, &noise(300_000, 1)).await;
    let handle = dropped.handle();
    drop(dropped);
    pool.settle().await.unwrap();
    assert!(matches!(read(&pool, handle).await, Err(Error::Stale)));
    let refused = draft(&pool, bucket, &noise(300_000, 2)).await;
    let handle = refused.handle();
    let refuse = move |change: &mut crate::BucketChange<'_, '_>| {
        change.put(OBJECTS, b"key", 1, Bytes::new(), EntryContent::Draft(refused))?;
        Err::<(), _>(Error::Cancelled)
    };
    assert!(matches!(pool.bucket_change(bucket, refuse).await, Err(Error::Cancelled)));
    pool.settle().await.unwrap();
    assert!(matches!(read(&pool, handle).await, Err(Error::Stale)));
    assert_eq!(pool.bucket_newest(bucket, OBJECTS, b"key").unwrap(), None);
    assert_eq!(pool.bucket("bucket").unwrap().bytes_logical, 0);
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_draft_that_is_not_committed_is_refused() {
    let pool = pool().await;
    let bucket = bucket(&pool).await;
    let draft = pool.draft_create(bucket).await.unwrap();
    pool.write(draft.handle(), 0, Bytes::from_static(b"x"), Stability::Unstable).await.unwrap();
    let publish = move |change: &mut crate::BucketChange<'_, '_>| {
        change.put(OBJECTS, b"key", 1, Bytes::new(), EntryContent::Draft(draft))
    };
    let error = pool.bucket_change(bucket, publish).await.unwrap_err().to_string();
    assert!(error.contains("must be committed"), "{error}");
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_change_sees_what_it_staged_and_what_others_did_before() {
    let pool = pool().await;
    let bucket = bucket(&pool).await;
    for version in [1, 2, 3] {
        put(&pool, bucket, b"b", version, b"content").await;
    }
    let seen = pool
        .bucket_change(bucket, |change| {
            change.put(OBJECTS, b"a", 9, Bytes::from_static(b"new"), EntryContent::None)?;
            change.put(OBJECTS, b"b", 4, Bytes::new(), EntryContent::Keep)?;
            assert!(change.remove(OBJECTS, b"b", 3)?);
            assert!(!change.remove(OBJECTS, b"b", 3)?);
            assert!(!change.remove(OBJECTS, b"c", 1)?);
            assert_eq!(change.get(OBJECTS, b"b", 3)?, None);
            let newest = change.newest(OBJECTS, b"b")?.map(|entry| entry.version);
            assert_eq!(newest, Some(4));
            change.scan(OBJECTS, b"", &Seek::Start, 3)
        })
        .await
        .unwrap();
    let expected = [("a", 9), ("b", 4), ("b", 2)].map(|(key, version)| (key.to_owned(), version));
    assert_eq!(keys_of(&seen), expected);
    let stored = pool.bucket_scan(bucket, OBJECTS, b"b", &Seek::PastVersion(b"b", 4), 10).unwrap();
    assert_eq!(keys_of(&stored), [("b".to_owned(), 2), ("b".to_owned(), 1)]);
    assert_sound(&pool).await;
}

#[tokio::test]
async fn content_stays_when_only_facts_change_and_goes_with_its_entry() {
    let pool = pool().await;
    let bucket = bucket(&pool).await;
    let handle = put(&pool, bucket, b"key", 7, b"content").await;
    let tag = |change: &mut crate::BucketChange<'_, '_>| {
        change.put(OBJECTS, b"key", 7, Bytes::from_static(b"other facts"), EntryContent::Keep)
    };
    pool.bucket_change(bucket, tag).await.unwrap();
    let entry = pool.bucket_entry(bucket, OBJECTS, b"key", 7).unwrap().unwrap();
    assert_eq!((entry.content, &entry.facts[..]), (Some(handle), &b"other facts"[..]));
    assert_sound(&pool).await;
    let removed = pool.bucket_change(bucket, |change| change.remove(OBJECTS, b"key", 7)).await.unwrap();
    assert!(removed);
    assert_sound(&pool).await;
    assert!(matches!(read(&pool, handle).await, Err(Error::Stale)));
}

#[tokio::test]
async fn a_panic_in_a_change_is_an_error_and_the_pool_goes_on() {
    let pool = pool().await;
    let bucket = bucket(&pool).await;
    let change = pool.bucket_change(bucket, |_| -> Result<()> { panic!("a bug of a protocol") });
    assert!(matches!(change.await, Err(Error::Invalid(_))));
    put(&pool, bucket, b"key", 1, b"content").await;
    assert_sound(&pool).await;
}

#[tokio::test]
async fn buckets_and_volumes_share_names_and_nothing_else() {
    let pool = pool().await;
    let id = bucket(&pool).await;
    pool.volume_create(VolumeSpec::new("volume", "/volume")).await.unwrap();
    let taken = pool.bucket_create(BucketSpec::new("volume"), |_| Ok(())).await;
    assert!(matches!(taken, Err(Error::Exists(_))));
    let taken = pool.volume_create(VolumeSpec::new("bucket", "/bucket")).await;
    assert!(matches!(taken, Err(Error::Exists(crate::Object::Bucket(_)))));
    assert_eq!(pool.volumes().unwrap().len(), 1);
    assert!(matches!(pool.volume("bucket"), Err(Error::NotFound(_))));
    assert!(matches!(pool.volume_by_id(id), Err(Error::Stale)));
    assert!(matches!(pool.volume_delete("bucket", true).await, Err(Error::NotFound(_))));
    assert!(pool.snapshot_create(&["bucket".into()], "taken").await.is_err());
    assert!(matches!(pool.bucket("volume"), Err(Error::NotFound(_))));
    let volume = pool.volume("volume").unwrap();
    assert!(matches!(pool.bucket_change(volume.id, |_| Ok(())).await, Err(Error::Stale)));
    let update = BucketUpdate { size: Some(Some(1 << 20)), ..BucketUpdate::default() };
    let refused = pool.bucket_modify("bucket", update.clone(), |_| Ok(Err("not now"))).await.unwrap();
    assert_eq!((refused, pool.bucket("bucket").unwrap().spec.size), (Err("not now"), None));
    let changed = pool.bucket_modify("bucket", update, |_| Ok(Ok::<(), ()>(()))).await.unwrap().unwrap();
    assert_eq!(changed.spec.size, Some(1 << 20));
    let draft = pool.draft_create(id).await.unwrap();
    let data = Bytes::from(noise(1 << 20, 1));
    pool.write(draft.handle(), 0, data.clone(), Stability::Unstable).await.unwrap();
    let full = pool.write(draft.handle(), 1 << 20, data, Stability::Unstable).await;
    assert!(matches!(full, Err(Error::NoSpace)));
    assert_sound(&pool).await;
}

#[tokio::test]
async fn a_deleted_bucket_leaves_nothing() {
    let pool = pool().await;
    let id = bucket(&pool).await;
    for key in 0..2000u32 {
        let facts = Bytes::from_static(b"facts");
        let put = move |change: &mut crate::BucketChange<'_, '_>| {
            change.put(PARTS, &key.to_be_bytes(), 1, facts, EntryContent::None)
        };
        pool.bucket_change(id, put).await.unwrap();
    }
    put(&pool, id, b"key", 1, &noise(500_000, 1)).await;
    let refused = pool.bucket_delete(id, |_| Ok(Err("not empty"))).await.unwrap();
    assert_eq!(refused, Err("not empty"));
    let held = draft(&pool, id, b"unpublished").await;
    assert_eq!(pool.bucket_delete(id, |_| Ok(Ok::<(), ()>(()))).await.unwrap(), Ok(()));
    assert!(matches!(pool.bucket_scan(id, PARTS, b"", &Seek::Start, 1), Err(Error::Stale)));
    assert!(matches!(read(&pool, held.handle()).await, Err(Error::Stale)));
    drop(held);
    assert_sound(&pool).await;
    let space = pool.space().unwrap();
    assert_eq!((space.inodes_used, space.bytes_logical, pool.stored().unwrap().bytes_live), (0, 0, 0));
    bucket(&pool).await;
}

#[tokio::test]
async fn names_from_the_first_moment_are_there_after_the_next_opening() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Pool::open(directory.path(), PoolOptions::default());
    let pool = open().await.unwrap();
    let fill = |change: &mut crate::BucketChange<'_, '_>| {
        change.put(Table(9), b"owner", 0, Bytes::from_static(b"alice"), EntryContent::None)
    };
    let id = pool.bucket_create(BucketSpec::new("bucket"), fill).await.unwrap().id;
    let lost = draft(&pool, id, &noise(100_000, 1)).await;
    let kept = put(&pool, id, b"key", 1, &noise(300_000, 2)).await;
    // Without an orderly release, as after a crash.
    std::mem::forget(lost);
    pool.close().await.unwrap();
    let pool = open().await.unwrap();
    let owner = pool.bucket_newest(id, Table(9), b"owner").unwrap().unwrap();
    assert_eq!(&owner.facts[..], b"alice");
    assert_eq!(read(&pool, kept).await.unwrap(), noise(300_000, 2));
    // Nobody can reclaim a draft, so it is freed although orphans are not reaped yet.
    pool.settle().await.unwrap();
    assert_eq!(pool.space().unwrap().orphans, 0);
    assert_sound(&pool).await;
    pool.close().await.unwrap();
}

/// The parts' chunks, then those that the whole adds.
async fn assembled(content: &[u8], part_bytes: usize, is_in_pool: bool) -> (u64, u64) {
    let pool = pool().await;
    let bucket = bucket(&pool).await;
    if is_in_pool {
        let volume = pool.volume_create(VolumeSpec::new("log", "/log")).await.unwrap();
        let file = pool.create(volume.root, b"segment", NewInode::new(Kind::File, 0o600)).await.unwrap();
        let handle = file.attributes.handle;
        for (index, piece) in content.chunks(70_001).enumerate() {
            let data = Bytes::copy_from_slice(piece);
            pool.write(handle, index as u64 * 70_001, data, Stability::FileSync).await.unwrap();
        }
    }
    let whole = pool.stored().unwrap().bytes_live;
    let mut ranges = Vec::new();
    let mut drafts = Vec::new();
    for (index, part) in content.chunks(part_bytes).enumerate() {
        // Parts but the first begin behind a hole, so that the cutter looks for batches.
        let from = if index == 0 { 0 } else { 4096 };
        let draft = pool.draft_create(bucket).await.unwrap();
        for (index, piece) in part.chunks(65_536).enumerate() {
            let offset = from + index as u64 * 65_536;
            let data = Bytes::copy_from_slice(piece);
            pool.write(draft.handle(), offset, data, Stability::Unstable).await.unwrap();
        }
        pool.commit(draft.handle(), 0, 0).await.unwrap();
        ranges.push((draft.handle(), from..from + part.len() as u64));
        drafts.push(draft);
    }
    let object = pool.draft_create(bucket).await.unwrap();
    let size = pool.concatenate(&object, ranges).await.unwrap();
    assert_eq!(size, content.len() as u64);
    assert!(read(&pool, object.handle()).await.unwrap() == content, "the content differs");
    drop(drafts);
    assert_sound(&pool).await;
    (whole, pool.stored().unwrap().bytes_live - whole)
}

#[tokio::test]
async fn parts_become_a_whole_whatever_their_size() {
    for content in [noise(2_000_000, 1), log(2_000_000), vec![0; 500_000], b"x".to_vec()] {
        for part_bytes in [1_000_000, 333_333, 50_000, 7_777] {
            assembled(&content, part_bytes, false).await;
        }
    }
}

#[tokio::test]
async fn a_log_that_is_in_the_pool_takes_little_space_as_an_object_of_parts() {
    let content = log(20_000_000);
    for part_bytes in [8_000_000, 5_000_000] {
        let (whole, added) = assembled(&content, part_bytes, true).await;
        assert!(added * 50 < whole, "parts of {part_bytes}: {added} bytes in addition to {whole}");
    }
}

#[tokio::test]
async fn a_copy_needs_room_in_the_bucket_and_an_assembly_of_parts_that_it_replaces_does_not() {
    let pool = pool().await;
    let id = bucket(&pool).await;
    let part = noise(400_000, 1);
    let mut drafts = Vec::new();
    for _ in 0..2 {
        let draft = pool.draft_create(id).await.unwrap();
        pool.write(draft.handle(), 0, Bytes::from(part.clone()), Stability::Unstable).await.unwrap();
        pool.commit(draft.handle(), 0, 0).await.unwrap();
        drafts.push(draft);
    }
    let update = BucketUpdate { size: Some(Some(1_000_000)), ..BucketUpdate::default() };
    pool.bucket_modify("bucket", update, |_| Ok(Ok::<(), ()>(()))).await.unwrap().unwrap();
    let copy = pool.draft_create(id).await.unwrap();
    let full = pool.draft_copy(&copy, drafts[0].handle(), 0..400_000).await;
    assert!(matches!(full, Err(Error::NoSpace)), "{full:?}");
    assert_eq!(pool.draft_copy(&copy, drafts[0].handle(), 0..100_000).await.unwrap(), 100_000);
    let whole = pool.draft_create(id).await.unwrap();
    let ranges = drafts.iter().map(|draft| (draft.handle(), 0..400_000)).collect();
    assert_eq!(pool.concatenate(&whole, ranges).await.unwrap(), 800_000);
    assert!(read(&pool, whole.handle()).await.unwrap() == [part.clone(), part].concat());
    drop((drafts, copy));
    assert_sound(&pool).await;
}
