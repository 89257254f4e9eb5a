//! Crash tests of snapshots, clones and rollbacks: the power fails at every single step of a history. Afterwards the
//! pool has its state from before the interrupted operation, or from after it, and in the end deleted data is freed.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::sim::faulty::{self, FaultyDisk};
use crate::*;

/// The file contents by name, for each volume, and for each snapshot as `volume@snapshot`.
type World = BTreeMap<String, BTreeMap<String, Vec<u8>>>;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Volume, file, offset, length, seed.
    Write(&'static str, &'static str, u64, usize, u8),
    Remove(&'static str, &'static str),
    Snapshot(&'static [&'static str], &'static str),
    SnapshotDelete(&'static str, &'static str),
    Clone(&'static str, &'static str, &'static str),
    Rollback(&'static str, &'static str),
    Delete(&'static str),
    /// Deletes a volume so that it can be recovered.
    Shelve(&'static str),
    /// Recovers the volume, under another name.
    Recover(&'static str, &'static str),
    Purge(&'static str),
    Settle,
}

/// Each operation follows and precedes operations that it could disturb.
const HISTORY: &[Step] = &[
    Step::Write("a", "log", 0, 150_000, 1),
    Step::Write("b", "log", 0, 3_000, 2),
    Step::Write("a", "other", 0, 3_000, 3),
    Step::Snapshot(&["a", "b"], "s1"),
    Step::Write("a", "log", 50_000, 60_000, 4),
    Step::Remove("a", "other"),
    Step::Snapshot(&["a"], "s2"),
    Step::Write("a", "log", 149_000, 3_000, 5),
    Step::Clone("a", "s1", "c"),
    Step::Write("c", "log", 10_000, 100, 6),
    Step::Remove("c", "other"),
    Step::Snapshot(&["c"], "t"),
    Step::Write("c", "log", 0, 1_000, 7),
    Step::SnapshotDelete("a", "s2"),
    Step::Settle,
    Step::Write("a", "new", 0, 140_000, 8),
    Step::Rollback("a", "s1"),
    Step::Write("a", "log", 0, 10, 9),
    Step::Settle,
    Step::Rollback("c", "t"),
    Step::Remove("c", "log"),
    Step::Settle,
    Step::Write("c", "kept", 0, 3_000, 10),
    Step::Shelve("c"),
    Step::Settle,
    Step::Recover("c", "d"),
    Step::Write("d", "kept", 1_000, 140_000, 11),
    Step::Shelve("d"),
    Step::Purge("d"),
    Step::Clone("a", "s1", "e"),
    Step::Delete("e"),
    Step::Settle,
    Step::SnapshotDelete("a", "s1"),
    Step::Settle,
    Step::Remove("a", "log"),
    Step::Settle,
];

fn bytes(seed: u8, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut bytes);
    bytes
}

fn apply_to_model(world: &mut World, step: Step) {
    match step {
        Step::Write(volume, file, offset, length, seed) => {
            let content = world.get_mut(volume).unwrap().entry(file.to_owned()).or_default();
            let from = offset as usize;
            content.resize(content.len().max(from + length), 0);
            content[from..from + length].copy_from_slice(&bytes(seed, length));
        }
        Step::Remove(volume, file) => {
            world.get_mut(volume).unwrap().remove(file);
        }
        Step::Snapshot(volumes, name) => {
            for volume in volumes {
                let tree = world[*volume].clone();
                world.insert(format!("{volume}@{name}"), tree);
            }
        }
        Step::SnapshotDelete(volume, name) => {
            world.remove(&format!("{volume}@{name}"));
        }
        Step::Clone(volume, name, to) => {
            let tree = world[&format!("{volume}@{name}")].clone();
            world.insert(to.to_owned(), tree);
        }
        Step::Rollback(volume, name) => {
            let tree = world[&format!("{volume}@{name}")].clone();
            world.insert(volume.to_owned(), tree);
        }
        Step::Shelve(volume) => {
            for (name, tree) in std::mem::take(world) {
                let is_of = name == volume || name.starts_with(&format!("{volume}@"));
                world.insert(if is_of { format!("deleted {name}") } else { name }, tree);
            }
        }
        Step::Recover(volume, to) => {
            for (name, tree) in std::mem::take(world) {
                let own = name.strip_prefix("deleted ").and_then(|name| name.strip_prefix(volume));
                let name = own.map(|rest| format!("{to}{rest}")).unwrap_or(name.clone());
                world.insert(name, tree);
            }
        }
        Step::Purge(volume) => {
            let prefix = format!("deleted {volume}");
            world.retain(|name, _| !name.starts_with(&prefix));
        }
        Step::Delete(volume) => {
            world.retain(|name, _| name != volume && !name.starts_with(&format!("{volume}@")));
        }
        Step::Settle => {}
    }
}

async fn apply(pool: &Pool, step: Step) -> Result<()> {
    match step {
        Step::Write(volume, file, offset, length, seed) => {
            let root = pool.volume(volume)?.root;
            let handle = match pool.lookup(root, file.as_bytes()).await {
                Ok(found) => found.handle,
                Err(Error::NotFound(_)) => create(pool, root, file).await?,
                Err(error) => return Err(error),
            };
            let data = Bytes::from(bytes(seed, length));
            pool.write(handle, offset, data, Stability::FileSync).await.map(|_| ())
        }
        Step::Remove(volume, file) => {
            pool.remove(pool.volume(volume)?.root, file.as_bytes()).await.map(|_| ())
        }
        Step::Snapshot(volumes, name) => {
            let volumes: Vec<String> = volumes.iter().map(|name| (*name).to_owned()).collect();
            pool.snapshot_create(&volumes, name).await.map(|_| ())
        }
        Step::SnapshotDelete(volume, name) => pool.snapshot_delete(volume, name).await,
        Step::Clone(volume, name, to) => {
            let spec = CloneSpec { name: to.to_owned(), junction_path: format!("/{to}") };
            pool.volume_clone(volume, name, spec).await.map(|_| ())
        }
        Step::Rollback(volume, name) => pool.volume_rollback(volume, name, true).await,
        Step::Delete(volume) => pool.volume_delete(volume, true).await,
        Step::Shelve(volume) => {
            let recoverable = Some(std::time::Duration::from_secs(60));
            let deletion = Deletion { force: true, recoverable, ..Deletion::default() };
            pool.volume_delete_as(volume, deletion).await.map(drop)
        }
        Step::Recover(volume, to) => {
            let recovery = Recovery { name: Some(to.to_owned()), junction_path: None };
            pool.volume_recover(pool.deleted_volume(volume)?.id, recovery).await.map(drop)
        }
        Step::Purge(volume) => pool.volume_purge(pool.deleted_volume(volume)?.id).await,
        Step::Settle => pool.settle().await,
    }
}

async fn create(pool: &Pool, root: Handle, name: &str) -> Result<Handle> {
    let new = NewInode::new(Kind::File, 0o644);
    Ok(pool.create(root, name.as_bytes(), new).await?.attributes.handle)
}

async fn tree(pool: &Pool, root: Handle) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in pool.readdir(root, 0, 1000).await.unwrap().entries {
        let data = pool.read(entry.attributes.handle, 0, u32::MAX).await.unwrap();
        files.insert(String::from_utf8(entry.name.to_vec()).unwrap(), data.pieces.concat());
    }
    files
}

async fn world(pool: &Pool) -> World {
    let mut world = World::new();
    for volume in pool.volumes().unwrap() {
        world.insert(volume.spec.name.clone(), tree(pool, volume.root).await);
    }
    for taken in pool.snapshots(None).unwrap() {
        world.insert(format!("{}@{}", taken.volume_name, taken.name), tree(pool, taken.root).await);
    }
    // To look into deleted volumes, they are recovered, and deleted again.
    for deleted in pool.deleted_volumes().unwrap() {
        let volume = pool.volume_recover(deleted.id, Recovery::default()).await.unwrap();
        let name = volume.spec.name;
        world.insert(format!("deleted {name}"), tree(pool, volume.root).await);
        for taken in pool.snapshots(Some(volume.id)).unwrap() {
            world.insert(format!("deleted {name}@{}", taken.name), tree(pool, taken.root).await);
        }
        let recoverable = Some(std::time::Duration::from_secs(60));
        let deletion = Deletion { force: true, recoverable, ..Deletion::default() };
        pool.volume_delete_as(&name, deletion).await.unwrap();
    }
    world
}

/// A write step is two operations. An empty file was created by the first but not written by the second.
fn without_empty_files(mut world: World) -> World {
    world.values_mut().for_each(|files| files.retain(|_, bytes| !bytes.is_empty()));
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
    let mut model = World::new();
    for name in ["a", "b"] {
        pool.volume_create(VolumeSpec::new(name, &format!("/{name}"))).await.unwrap();
        model.insert(name.to_owned(), BTreeMap::new());
    }
    pool.reap_orphans().await.unwrap();
    disk.fail_at(failing);
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
    let found = without_empty_files(world(&pool).await);
    assert!(found == model || found == next, "failing at {failing}: {:?}", found.keys());
    pool.reap_orphans().await.unwrap();
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "failing at {failing}, settled");
    assert!(without_empty_files(world(&pool).await) == found, "failing at {failing}, settled");
    for deleted in pool.deleted_volumes().unwrap() {
        pool.volume_purge(deleted.id).await.unwrap();
    }
    // Clones are deleted before their origins.
    for name in ["e", "d", "c", "b", "a"] {
        if found.contains_key(name) {
            pool.volume_delete(name, true).await.unwrap();
        }
    }
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0], "failing at {failing}, empty");
    let space = pool.space().unwrap();
    assert_eq!((space.bytes_logical, space.inodes_used, space.bytes_free), (0, 0, space.bytes_total));
    failed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_step_the_power_fails_at_snapshots_are_complete_or_not_there() {
    let mut failing = 0;
    while crash_at(failing).await {
        failing += 1;
    }
    assert!(failing > 40, "too few steps to mean anything: {failing}");
}
