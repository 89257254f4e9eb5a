//! Crash tests of buckets: the power fails at every single step of a history. Afterwards each change is there as a whole, with all
//! its entries, their facts and their content, or not at all.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::sim::faulty::{self, FaultyDisk};
use crate::*;

const OBJECTS: Table = Table(1);
const PARTS: Table = Table(2);

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Key, version, length of the content, and the seed of the content and the facts.
    Put(&'static str, u64, usize, u8),
    /// The same, as a part.
    PutPart(&'static str, usize, u8),
    /// Two entries without content in one change.
    PutBoth(&'static str, &'static str, u8),
    /// Other facts for an entry, which keeps its content.
    Describe(&'static str, u64, u8),
    /// All parts, one behind the other, become the content of an entry; the same change removes them.
    Join(&'static str, u8),
    Remove(&'static str, u64),
    /// A draft that nobody publishes.
    Abandon(usize, u8),
    /// A change that stages an entry and then fails.
    Refuse(&'static str),
    Settle,
}

const HISTORY: &[Step] = &[
    Step::Put("a", 1, 300_000, 1),
    Step::Put("b", 1, 10, 2),
    Step::Put("a", 1, 200_000, 3),
    Step::Abandon(150_000, 4),
    Step::PutPart("1", 90_000, 5),
    Step::PutBoth("c", "d", 6),
    Step::PutPart("2", 120_000, 7),
    Step::PutPart("3", 5_000, 8),
    Step::Describe("a", 1, 9),
    Step::Join("joined", 10),
    Step::Put("a", 2, 300_000, 1),
    Step::Refuse("e"),
    Step::Remove("a", 1),
    Step::Settle,
    Step::Put("b", 1, 60_000, 11),
    Step::Remove("joined", 1),
    Step::Remove("c", 1),
];

/// An entry: its table, key and version, its facts, and its content.
type World = BTreeMap<(u8, String, u64), (Vec<u8>, Option<Vec<u8>>)>;

fn bytes(seed: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes
}

fn facts(seed: u8) -> Vec<u8> {
    bytes(seed, 20)
}

fn apply_to_model(world: &mut World, step: Step) {
    let object = |key: &str, version| (OBJECTS.0, key.to_owned(), version);
    match step {
        Step::Put(key, version, length, seed) => {
            world.insert(object(key, version), (facts(seed), Some(bytes(seed, length))));
        }
        Step::PutPart(key, length, seed) => {
            world.insert((PARTS.0, key.to_owned(), 0), (facts(seed), Some(bytes(seed, length))));
        }
        Step::PutBoth(one, other, seed) => {
            for key in [one, other] {
                world.insert(object(key, 1), (facts(seed), None));
            }
        }
        Step::Describe(key, version, seed) => world.get_mut(&object(key, version)).unwrap().0 = facts(seed),
        Step::Join(key, seed) => {
            let parts: Vec<_> = world.keys().filter(|(table, ..)| *table == PARTS.0).cloned().collect();
            let joined = parts.iter().filter_map(|part| world.remove(part)?.1).flatten().collect();
            world.insert(object(key, 1), (facts(seed), Some(joined)));
        }
        Step::Remove(key, version) => {
            world.remove(&object(key, version));
        }
        Step::Abandon(..) | Step::Refuse(_) | Step::Settle => {}
    }
}

async fn draft(pool: &Pool, bucket: VolumeId, length: usize, seed: u8) -> Result<Draft> {
    let draft = pool.draft_create(bucket).await?;
    for (index, piece) in bytes(seed, length).chunks(70_000).enumerate() {
        let data = Bytes::copy_from_slice(piece);
        pool.write(draft.handle(), index as u64 * 70_000, data, Stability::Unstable).await?;
    }
    pool.commit(draft.handle(), 0, 0).await?;
    Ok(draft)
}

async fn put(
    pool: &Pool,
    bucket: VolumeId,
    (table, key, version): (Table, &'static str, u64),
    length: usize,
    seed: u8,
) -> Result<()> {
    let draft = draft(pool, bucket, length, seed).await?;
    let put = move |change: &mut BucketChange<'_, '_>| {
        change.put(table, key.as_bytes(), version, facts(seed).into(), EntryContent::Draft(draft))
    };
    pool.bucket_change(bucket, put).await
}

async fn apply(pool: &Pool, bucket: VolumeId, step: Step) -> Result<()> {
    match step {
        Step::Put(key, version, length, seed) => {
            put(pool, bucket, (OBJECTS, key, version), length, seed).await?;
        }
        Step::PutPart(key, length, seed) => put(pool, bucket, (PARTS, key, 0), length, seed).await?,
        Step::PutBoth(one, other, seed) => {
            let put = move |change: &mut BucketChange<'_, '_>| {
                change.put(OBJECTS, one.as_bytes(), 1, facts(seed).into(), EntryContent::None)?;
                change.put(OBJECTS, other.as_bytes(), 1, facts(seed).into(), EntryContent::None)
            };
            pool.bucket_change(bucket, put).await?;
        }
        Step::Describe(key, version, seed) => {
            let put = move |change: &mut BucketChange<'_, '_>| {
                change.put(OBJECTS, key.as_bytes(), version, facts(seed).into(), EntryContent::Keep)
            };
            pool.bucket_change(bucket, put).await?;
        }
        Step::Join(key, seed) => join(pool, bucket, key, seed).await?,
        Step::Remove(key, version) => {
            pool.bucket_change(bucket, move |change| change.remove(OBJECTS, key.as_bytes(), version)).await?;
        }
        Step::Abandon(length, seed) => drop(draft(pool, bucket, length, seed).await?),
        Step::Refuse(key) => {
            let refuse = move |change: &mut BucketChange<'_, '_>| {
                change.put(OBJECTS, key.as_bytes(), 1, Bytes::new(), EntryContent::None)?;
                Err::<(), _>(Error::Cancelled)
            };
            match pool.bucket_change(bucket, refuse).await {
                Err(Error::Cancelled) => {}
                outcome => outcome?,
            }
        }
        Step::Settle => pool.settle().await?,
    }
    Ok(())
}

async fn join(pool: &Pool, bucket: VolumeId, key: &'static str, seed: u8) -> Result<()> {
    let parts = pool.bucket_scan(bucket, PARTS, b"", &Seek::Start, 100)?;
    let mut ranges = Vec::new();
    for content in parts.iter().filter_map(|part| part.content) {
        ranges.push((content, 0..pool.getattr(content).await?.size));
    }
    let joined = pool.draft_create(bucket).await?;
    pool.concatenate(&joined, ranges).await?;
    let publish = move |change: &mut BucketChange<'_, '_>| {
        change.put(OBJECTS, key.as_bytes(), 1, facts(seed).into(), EntryContent::Draft(joined))?;
        parts.iter().try_for_each(|part| change.remove(PARTS, &part.key, part.version).map(drop))
    };
    pool.bucket_change(bucket, publish).await
}

async fn world(pool: &Pool, bucket: VolumeId) -> World {
    let mut world = World::new();
    for table in [OBJECTS, PARTS] {
        for entry in pool.bucket_scan(bucket, table, b"", &Seek::Start, 100).unwrap() {
            let content = match entry.content {
                Some(handle) => Some(pool.read(handle, 0, u32::MAX).await.unwrap().pieces.concat()),
                None => None,
            };
            let key = String::from_utf8(entry.key.to_vec()).unwrap();
            world.insert((table.0, key, entry.version), (entry.facts.to_vec(), content));
        }
    }
    world
}

/// The pool has a size limit, so that the test can check the free space at the end.
fn options() -> PoolOptions {
    PoolOptions { bytes_max: Some(1 << 30), ..faulty::options() }
}

/// Runs the history until the disk fails at step number `failing`. Returns false if the history ended before that step.
async fn crash_at(failing: u64) -> bool {
    let disk = Arc::new(FaultyDisk::default());
    let pool = disk.open(options()).unwrap();
    let bucket = pool.bucket_create(BucketSpec::new("bucket"), |_| Ok(())).await.unwrap().id;
    disk.fail_at(failing);
    let mut model = World::new();
    let mut next = model.clone();
    for step in HISTORY {
        apply_to_model(&mut next, *step);
        if apply(&pool, bucket, *step).await.is_err() {
            break;
        }
        model = next.clone();
    }
    let failed = disk.has_failed();
    let _ = pool.close().await;
    drop(pool);
    disk.crash(failing);
    let pool = disk.open(options()).unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "failing at {failing}");
    let found = world(&pool, bucket).await;
    assert!(found == model || found == next, "failing at {failing}: {:?}", found.keys());
    // Drafts that the crash left are freed although nobody has called reap_orphans.
    pool.settle().await.unwrap();
    assert_eq!(pool.space().unwrap().orphans, 0, "failing at {failing}");
    assert!(world(&pool, bucket).await == found, "failing at {failing}, after freeing");
    pool.bucket_delete(bucket, |_| Ok(Ok::<(), ()>(()))).await.unwrap().unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "failing at {failing}, empty");
    let space = pool.space().unwrap();
    assert_eq!((space.bytes_logical, space.inodes_used, space.bytes_free), (0, 0, space.bytes_total));
    failed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_step_the_power_fails_at_a_change_of_a_bucket_is_there_whole_or_not_at_all() {
    let mut failing = 0;
    while crash_at(failing).await {
        failing += 1;
    }
    assert!(failing > 30, "too few steps to mean anything: {failing}");
}

/// Deletes a bucket, and fails at step number `failing`. Returns false if the deletion ended before that step.
async fn crash_in_deletion_at(failing: u64) -> bool {
    let disk = Arc::new(FaultyDisk::default());
    let pool = disk.open(options()).unwrap();
    let bucket = pool.bucket_create(BucketSpec::new("bucket"), |_| Ok(())).await.unwrap().id;
    let mut model = World::new();
    for step in HISTORY {
        apply_to_model(&mut model, *step);
        apply(&pool, bucket, *step).await.unwrap();
    }
    disk.fail_at(failing);
    let deleted = pool.bucket_delete(bucket, |_| Ok(Ok::<(), ()>(()))).await;
    let _ = pool.settle().await;
    let failed = disk.has_failed();
    let _ = pool.close().await;
    drop(pool);
    disk.crash(failing);
    let pool = disk.open(options()).unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "failing at {failing}");
    if pool.bucket("bucket").is_ok() {
        assert!(deleted.is_err(), "failing at {failing}: a deleted bucket is back");
        assert!(world(&pool, bucket).await == model, "failing at {failing}");
    } else {
        pool.settle().await.unwrap();
        let space = pool.space().unwrap();
        assert_eq!((space.bytes_logical, space.inodes_used, space.bytes_free), (0, 0, space.bytes_total));
    }
    failed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_step_the_power_fails_at_a_deleted_bucket_is_gone_with_everything_in_it_or_complete() {
    let mut failing = 0;
    while crash_in_deletion_at(failing).await {
        failing += 1;
    }
    assert!(failing > 3, "too few steps to mean anything: {failing}");
}
