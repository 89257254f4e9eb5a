//! Cuts the power at each step of one batch of a bucket, with several outcomes of each cut: what the disk keeps of unsynced data
//! is drawn anew. Each kind of batch has a test. Afterwards the bucket is as before the batch or as after it, and as after it if
//! it was acknowledged.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::sim::faulty::{self, FaultyDisk};
use crate::*;

const OBJECTS: Table = Table(1);
const PARTS: Table = Table(2);
/// The number of outcomes of a cut that each step is tried with.
const OUTCOMES: u64 = 4;

/// The entries of all buckets: bucket, table, key and version, with facts and content.
type World = BTreeMap<(String, u8, Vec<u8>, u64), (Vec<u8>, Option<Vec<u8>>)>;

#[derive(Clone, Copy, Debug)]
enum Batch {
    /// An object replaces another.
    Replace,
    /// A version beside the older one, with a marker for another key.
    Version,
    /// Facts change, and the content stays.
    Describe,
    /// The parts become an object, and go.
    Complete,
    /// Several entries go.
    RemoveSeveral,
    /// A bucket with entries from the first moment.
    Create,
    /// A bucket goes with everything in it.
    Delete,
}

fn noise(seed: u8, length: usize) -> Bytes {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes.into()
}

async fn draft(pool: &Pool, bucket: VolumeId, content: Bytes) -> Result<Draft> {
    let draft = pool.draft_create(bucket).await?;
    pool.write(draft.handle(), 0, content, Stability::Unstable).await?;
    pool.commit(draft.handle(), 0, 0).await?;
    Ok(draft)
}

async fn put(pool: &Pool, bucket: VolumeId, (table, key): (Table, &'static [u8]), content: Bytes) {
    let draft = draft(pool, bucket, content).await.unwrap();
    let put = move |change: &mut BucketChange<'_, '_>| {
        change.put(table, key, 1, Bytes::from_static(b"old"), EntryContent::Draft(draft))
    };
    pool.bucket_change(bucket, put).await.unwrap();
}

/// A bucket with two objects and three parts.
async fn prepare(pool: &Pool) -> VolumeId {
    let bucket = pool.bucket_create(BucketSpec::new("bucket"), |_| Ok(())).await.unwrap().id;
    put(pool, bucket, (OBJECTS, b"a"), noise(1, 150_000)).await;
    put(pool, bucket, (OBJECTS, b"b"), noise(2, 20_000)).await;
    for (part, key) in [b"1", b"2", b"3"].into_iter().enumerate() {
        put(pool, bucket, (PARTS, key), noise(3 + part as u8, 60_000)).await;
    }
    bucket
}

async fn run(pool: &Pool, bucket: VolumeId, batch: Batch) -> Result<()> {
    let new = Bytes::from_static(b"new");
    match batch {
        Batch::Replace | Batch::Version => {
            let version = if let Batch::Replace = batch { 1 } else { 2 };
            let draft = draft(pool, bucket, noise(10, 120_000)).await?;
            let put = move |change: &mut BucketChange<'_, '_>| {
                change.put(OBJECTS, b"a", version, new.clone(), EntryContent::Draft(draft))?;
                if version == 1 { Ok(()) } else { change.put(OBJECTS, b"b", 2, new, EntryContent::None) }
            };
            pool.bucket_change(bucket, put).await
        }
        Batch::Describe => {
            let put = move |change: &mut BucketChange<'_, '_>| {
                change.put(OBJECTS, b"a", 1, new, EntryContent::Keep)
            };
            pool.bucket_change(bucket, put).await
        }
        Batch::Complete => {
            let parts = pool.bucket_scan(bucket, PARTS, b"", &Seek::Start, 10)?;
            let ranges = parts.iter().filter_map(|part| Some((part.content?, 0..60_000))).collect();
            let draft = pool.draft_create(bucket).await?;
            pool.concatenate(&draft, ranges).await?;
            let finish = move |change: &mut BucketChange<'_, '_>| {
                change.put(OBJECTS, b"a", 1, new, EntryContent::Draft(draft))?;
                parts.iter().try_for_each(|part| change.remove(PARTS, &part.key, part.version).map(drop))
            };
            pool.bucket_change(bucket, finish).await
        }
        Batch::RemoveSeveral => {
            let remove = |change: &mut BucketChange<'_, '_>| {
                change.remove(OBJECTS, b"a", 1)?;
                change.remove(OBJECTS, b"b", 1)?;
                change.remove(PARTS, b"2", 1).map(drop)
            };
            pool.bucket_change(bucket, remove).await
        }
        Batch::Create => {
            let fill = move |change: &mut BucketChange<'_, '_>| {
                change.put(PARTS, b"first", 1, new.clone(), EntryContent::None)?;
                change.put(OBJECTS, b"first", 1, new, EntryContent::None)
            };
            pool.bucket_create(BucketSpec::new("other"), fill).await.map(drop)
        }
        Batch::Delete => pool.bucket_delete(bucket, |_| Ok(Ok::<(), ()>(()))).await.map(drop),
    }
}

async fn world(pool: &Pool) -> World {
    let mut world = World::new();
    for bucket in pool.buckets().unwrap() {
        world.insert((bucket.spec.name.clone(), 0, Vec::new(), 0), Default::default());
        for table in [OBJECTS, PARTS] {
            for entry in pool.bucket_scan(bucket.id, table, b"", &Seek::Start, 100).unwrap() {
                let content = match entry.content {
                    Some(handle) => Some(pool.read(handle, 0, u32::MAX).await.unwrap().pieces.concat()),
                    None => None,
                };
                let place = (bucket.spec.name.clone(), table.0, entry.key.to_vec(), entry.version);
                world.insert(place, (entry.facts.to_vec(), content));
            }
        }
    }
    world
}

/// Returns false if the batch was durable before that step.
async fn cut_at(batch: Batch, is_mirrored: bool, failing: u64, outcome: u64) -> bool {
    let disk = Arc::new(if is_mirrored { FaultyDisk::mirrored() } else { FaultyDisk::default() });
    let pool = disk.open(faulty::options()).unwrap();
    let bucket = prepare(&pool).await;
    let before = world(&pool).await;
    disk.fail_at(failing);
    let done = run(&pool, bucket, batch).await;
    let was_cut = disk.has_failed();
    // What readers see must not depend on the disk, so that a state that only they saw is noticed.
    let after = if done.is_ok() { Some(world(&pool).await) } else { None };
    disk.kill();
    let _ = pool.close().await;
    drop(pool);
    disk.crash(failing * OUTCOMES + outcome);
    let at = format!("{batch:?}, cut at {failing}, outcome {outcome}, two copies: {is_mirrored}");
    let pool = disk.open(faulty::options()).unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "{at}");
    let found = world(&pool).await;
    match after {
        Some(after) => assert!(found == after, "{at}: an acknowledged batch is lost"),
        None if found == before => {}
        None => {
            // It became durable without an answer: then it is the same as one that was answered.
            let disk = Arc::new(FaultyDisk::default());
            let whole = disk.open(faulty::options()).unwrap();
            let bucket = prepare(&whole).await;
            run(&whole, bucket, batch).await.unwrap();
            assert!(found == world(&whole).await, "{at}: neither before nor after: {:?}", found.keys());
        }
    }
    pool.settle().await.unwrap();
    assert_eq!(pool.space().unwrap().orphans, 0, "{at}");
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "{at}, after freeing");
    was_cut
}

async fn cut_everywhere(batch: Batch) {
    for is_mirrored in [false, true] {
        let mut failing = 0;
        loop {
            let mut was_cut = false;
            for outcome in 0..OUTCOMES {
                was_cut |= cut_at(batch, is_mirrored, failing, outcome).await;
            }
            if !was_cut {
                break;
            }
            failing += 1;
        }
        assert!(failing >= 2, "{batch:?}: too few steps to mean anything: {failing}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_replaces_another_is_there_whole_or_the_other_is() {
    cut_everywhere(Batch::Replace).await;
    cut_everywhere(Batch::Version).await;
    cut_everywhere(Batch::Describe).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parts_are_an_object_or_still_parts() {
    cut_everywhere(Batch::Complete).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_go_together_or_stay_together() {
    cut_everywhere(Batch::RemoveSeveral).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_comes_with_its_first_entries_and_goes_with_all_entries() {
    cut_everywhere(Batch::Create).await;
    cut_everywhere(Batch::Delete).await;
}
