//! Crash tests of holes, clones of ranges and extended attributes: the power fails at every single step of a history.
//! Afterwards the pool has its state from before the interrupted operation, or from after it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::sim::faulty::{self, FaultyDisk};
use crate::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// File, offset, length, seed. Durable.
    Write(&'static str, usize, usize, u8),
    /// File, offset, length.
    Punch(&'static str, usize, usize),
    Allocate(&'static str, usize),
    /// Source and offset; target and offset; length.
    Clone(&'static str, usize, &'static str, usize, usize),
    /// File, name, length of the value.
    SetXattr(&'static str, &'static str, usize),
    RemoveXattr(&'static str, &'static str),
    Snapshot(&'static str),
    Remove(&'static str),
    Settle,
}

/// Each operation touches few extents, so that it is one batch.
const HISTORY: &[Step] = &[
    Step::Write("a", 0, 300_000, 1),
    Step::SetXattr("a", "one", 10),
    Step::Write("b", 0, 50_000, 2),
    Step::Punch("a", 100_000, 50_001),
    Step::Clone("a", 90_000, "b", 40_000, 100_000),
    Step::Punch("b", 0, 10),
    Step::SetXattr("a", "one", 3000),
    Step::Snapshot("s"),
    Step::Punch("a", 0, 300_000),
    Step::Clone("b", 0, "a", 0, 60_000),
    Step::SetXattr("a", "two", 5),
    Step::RemoveXattr("a", "one"),
    Step::Allocate("b", 500_000),
    Step::Clone("b", 1_000, "b", 400_000, 100_000),
    Step::Write("b", 450_000, 100, 3),
    Step::Remove("a"),
    Step::Settle,
    Step::Clone("b", 0, "b", 500_000, 1),
];

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct File {
    content: Vec<u8>,
    xattrs: BTreeMap<String, Vec<u8>>,
}

type World = BTreeMap<String, File>;

fn bytes(seed: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes
}

fn put(content: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    content.resize(content.len().max(at + bytes.len()), 0);
    content[at..at + bytes.len()].copy_from_slice(bytes);
}

fn apply_to_model(world: &mut World, step: Step) {
    match step {
        Step::Write(file, at, length, seed) => {
            put(&mut world.entry(file.to_owned()).or_default().content, at, &bytes(seed, length));
        }
        Step::Punch(file, at, length) => {
            let content = &mut world.get_mut(file).unwrap().content;
            let end = content.len().min(at + length);
            content[at..end].fill(0);
        }
        Step::Allocate(file, end) => {
            let content = &mut world.get_mut(file).unwrap().content;
            content.resize(content.len().max(end), 0);
        }
        Step::Clone(from, at, to, target, length) => {
            let copied = world[from].content[at..at + length].to_vec();
            put(&mut world.get_mut(to).unwrap().content, target, &copied);
        }
        Step::SetXattr(file, name, length) => {
            let xattrs = &mut world.get_mut(file).unwrap().xattrs;
            xattrs.insert(name.to_owned(), bytes(9, length));
        }
        Step::RemoveXattr(file, name) => {
            world.get_mut(file).unwrap().xattrs.remove(name);
        }
        Step::Remove(file) => {
            world.remove(file);
        }
        Step::Snapshot(_) | Step::Settle => {}
    }
}

async fn find(pool: &Pool, name: &str) -> Result<Handle> {
    let root = pool.volume("a")?.root;
    Ok(pool.lookup(root, name.as_bytes()).await?.handle)
}

async fn apply(pool: &Pool, step: Step) -> Result<()> {
    match step {
        Step::Write(file, at, length, seed) => {
            let handle = match find(pool, file).await {
                Err(Error::NotFound(_)) => {
                    let new = NewInode::new(Kind::File, 0o644);
                    pool.create(pool.volume("a")?.root, file.as_bytes(), new).await?.attributes.handle
                }
                found => found?,
            };
            pool.write(handle, at as u64, bytes(seed, length).into(), Stability::FileSync).await?;
        }
        Step::Punch(file, at, length) => {
            pool.deallocate(find(pool, file).await?, at as u64, length as u64).await?;
        }
        Step::Allocate(file, end) => {
            pool.allocate(find(pool, file).await?, 0, end as u64).await?;
        }
        Step::Clone(from, at, to, target, length) => {
            let (from, to) = (find(pool, from).await?, find(pool, to).await?);
            pool.clone_range((from, at as u64), (to, target as u64), Some(length as u64)).await?;
        }
        Step::SetXattr(file, name, length) => {
            let value = bytes(9, length).into();
            pool.xattr_set(find(pool, file).await?, name.as_bytes(), value, SetXattr::Either).await?;
        }
        Step::RemoveXattr(file, name) => {
            pool.xattr_remove(find(pool, file).await?, name.as_bytes()).await?;
        }
        Step::Snapshot(name) => {
            pool.snapshot_create(&["a".to_owned()], name).await?;
        }
        Step::Remove(file) => {
            pool.remove(pool.volume("a")?.root, file.as_bytes()).await?;
        }
        Step::Settle => pool.settle().await?,
    }
    Ok(())
}

async fn world(pool: &Pool) -> World {
    let mut world = World::new();
    for entry in pool.readdir(pool.volume("a").unwrap().root, 0, 1000).await.unwrap().entries {
        let handle = entry.attributes.handle;
        let content = pool.read(handle, 0, u32::MAX).await.unwrap().pieces.concat();
        let mut xattrs = BTreeMap::new();
        for (_, name) in pool.xattr_list(handle, 0, 1000).await.unwrap().names {
            let value = pool.xattr_get(handle, &name).await.unwrap().to_vec();
            xattrs.insert(String::from_utf8(name.to_vec()).unwrap(), value);
        }
        world.insert(String::from_utf8(entry.name.to_vec()).unwrap(), File { content, xattrs });
    }
    // A write step is two operations. An empty file was created by the first but not written by the second.
    world.retain(|_, file| !file.content.is_empty());
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
    pool.volume_create(VolumeSpec::new("a", "/a")).await.unwrap();
    pool.reap_orphans().await.unwrap();
    disk.fail_at(failing);
    let mut model = World::new();
    let mut next = model.clone();
    for step in HISTORY {
        apply_to_model(&mut next, *step);
        if apply(&pool, *step).await.is_err() {
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
    let found = world(&pool).await;
    assert!(found == model || found == next, "failing at {failing}: {:?}", found.keys());
    pool.reap_orphans().await.unwrap();
    // This also deletes the snapshots.
    pool.volume_delete("a", true).await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "failing at {failing}, empty");
    let space = pool.space().unwrap();
    assert_eq!((space.bytes_logical, space.inodes_used, space.bytes_free), (0, 0, space.bytes_total));
    failed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_step_the_power_fails_at_holes_clones_and_attributes_are_there_or_not() {
    let mut failing = 0;
    while crash_at(failing).await {
        failing += 1;
    }
    assert!(failing > 30, "too few steps to mean anything: {failing}");
}
