//! Random operations on volumes, snapshots and clones, compared with whole copies in memory. Sometimes the pool is
//! closed and opened again. At the end everything is deleted, and nothing may be left.

use std::collections::BTreeMap;

use bytes::Bytes;
use forebay_pool::*;
use proptest::prelude::*;

use crate::common::*;

/// The maximum size of a file, and the number of names for volumes, snapshots and files. There are few, so that
/// operations meet.
const FILE_BYTES_MAX: u32 = 400_000;
const NAMES: u8 = 3;

#[derive(Clone, Debug)]
enum Step {
    Write {
        volume: u8,
        file: u8,
        offset: u32,
        length: u32,
        seed: u8,
        stable: bool,
    },
    Truncate {
        volume: u8,
        file: u8,
        size: u32,
    },
    Remove {
        volume: u8,
        file: u8,
    },
    Rename {
        volume: u8,
        from: u8,
        to: u8,
    },
    /// Removes a file that is held until the next `Release`.
    RemoveHeld {
        volume: u8,
        file: u8,
    },
    Release,
    Snapshot {
        volume: u8,
        name: u8,
    },
    SnapshotAll {
        name: u8,
    },
    SnapshotDelete {
        volume: u8,
        name: u8,
    },
    Clone {
        volume: u8,
        snapshot: u8,
        to: u8,
    },
    Rollback {
        volume: u8,
        snapshot: u8,
    },
    VolumeDelete {
        volume: u8,
    },
    Settle,
    Check,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let volume = || 0..NAMES;
    let name = || 0..NAMES;
    prop_oneof![
        8 => (volume(), name(), 0..FILE_BYTES_MAX, 1..200_000u32, 0..5u8, any::<bool>()).prop_map(
            |(volume, file, offset, length, seed, stable)| Step::Write {
                volume, file, offset, length, seed, stable
            }
        ),
        2 => (volume(), name(), 0..FILE_BYTES_MAX)
            .prop_map(|(volume, file, size)| Step::Truncate { volume, file, size }),
        2 => (volume(), name()).prop_map(|(volume, file)| Step::Remove { volume, file }),
        2 => (volume(), name(), name()).prop_map(|(volume, from, to)| Step::Rename { volume, from, to }),
        1 => (volume(), name()).prop_map(|(volume, file)| Step::RemoveHeld { volume, file }),
        1 => Just(Step::Release),
        4 => (volume(), name()).prop_map(|(volume, name)| Step::Snapshot { volume, name }),
        1 => name().prop_map(|name| Step::SnapshotAll { name }),
        3 => (volume(), name()).prop_map(|(volume, name)| Step::SnapshotDelete { volume, name }),
        3 => (volume(), name(), volume())
            .prop_map(|(volume, snapshot, to)| Step::Clone { volume, snapshot, to }),
        3 => (volume(), name()).prop_map(|(volume, snapshot)| Step::Rollback { volume, snapshot }),
        1 => volume().prop_map(|volume| Step::VolumeDelete { volume }),
        1 => Just(Step::Settle),
        1 => Just(Step::Check),
        1 => Just(Step::Reopen),
    ]
}

type Tree = BTreeMap<String, Vec<u8>>;

#[derive(Default)]
struct ModelVolume {
    now: Tree,
    /// By age.
    snapshots: Vec<(String, Tree)>,
    /// The volume and the snapshot that it is a clone of.
    origin: Option<(String, String)>,
}

#[derive(Default)]
struct Model {
    volumes: BTreeMap<String, ModelVolume>,
    held: Vec<Handle>,
}

impl Model {
    fn has_clones(&self, volume: &str, snapshot: Option<&str>) -> bool {
        self.volumes.values().any(|other| {
            other
                .origin
                .as_ref()
                .is_some_and(|(of, name)| of == volume && snapshot.is_none_or(|one| one == name))
        })
    }
}

fn volume_name(number: u8) -> String {
    format!("v{number}")
}
fn file_name(number: u8) -> String {
    format!("f{number}")
}
fn snapshot_name(number: u8) -> String {
    format!("s{number}")
}

async fn apply(pool: &Pool, model: &mut Model, step: Step) {
    match step {
        Step::Write { volume, file, offset, length, seed, stable } => {
            write_file(pool, model, &volume_name(volume), &file_name(file), offset, (length, seed), stable)
                .await;
        }
        Step::Truncate { volume, file, size } => {
            let Some((handle, bytes)) = existing(pool, model, volume, file).await else { return };
            bytes.resize(size as usize, 0);
            let set = SetAttributes { size: Some(u64::from(size)), ..SetAttributes::default() };
            pool.setattr(handle, set).await.unwrap();
        }
        Step::Remove { volume, file } => {
            remove(pool, model, volume, file).await;
        }
        Step::RemoveHeld { volume, file } => {
            let Some((handle, _)) = existing(pool, model, volume, file).await else { return };
            pool.hold(handle).unwrap();
            model.held.push(handle);
            remove(pool, model, volume, file).await;
        }
        Step::Release => model.held.drain(..).for_each(|handle| pool.release(handle)),
        Step::Rename { volume, from, to } => {
            let Some(of) = model.volumes.get_mut(&volume_name(volume)) else { return };
            let root = pool.volume(&volume_name(volume)).unwrap().root;
            let (from, to) = (file_name(from), file_name(to));
            let renamed = pool.rename(root, from.as_bytes(), root, to.as_bytes()).await;
            assert_eq!(renamed.is_ok(), of.now.contains_key(&from));
            if let Some(bytes) = of.now.remove(&from) {
                of.now.insert(to, bytes);
            }
        }
        Step::Settle => pool.settle().await.unwrap(),
        Step::Check => assert_eq!(pool.check(true).await.unwrap(), [""; 0]),
        Step::Reopen => {}
        other => apply_to_volumes(pool, model, other).await,
    }
}

async fn existing<'a>(
    pool: &Pool,
    model: &'a mut Model,
    volume: u8,
    file: u8,
) -> Option<(Handle, &'a mut Vec<u8>)> {
    let bytes = model.volumes.get_mut(&volume_name(volume))?.now.get_mut(&file_name(file))?;
    let root = pool.volume(&volume_name(volume)).unwrap().root;
    Some((pool.lookup(root, file_name(file).as_bytes()).await.unwrap().handle, bytes))
}

async fn remove(pool: &Pool, model: &mut Model, volume: u8, file: u8) {
    let Some(of) = model.volumes.get_mut(&volume_name(volume)) else { return };
    let root = pool.volume(&volume_name(volume)).unwrap().root;
    let removed = pool.remove(root, file_name(file).as_bytes()).await;
    assert_eq!(removed.is_ok(), of.now.remove(&file_name(file)).is_some());
}

async fn write_file(
    pool: &Pool,
    model: &mut Model,
    volume: &str,
    name: &str,
    offset: u32,
    (length, seed): (u32, u8),
    stable: bool,
) {
    let Some(of) = model.volumes.get_mut(volume) else { return };
    let root = pool.volume(volume).unwrap().root;
    let handle = match of.now.contains_key(name) {
        true => pool.lookup(root, name.as_bytes()).await.unwrap().handle,
        false => file(pool, root, name).await,
    };
    let bytes = if seed == 0 { vec![0; length as usize] } else { pattern(seed.into(), length as usize) };
    let content = of.now.entry(name.to_owned()).or_default();
    let (from, to) = (offset as usize, offset as usize + bytes.len());
    content.resize(content.len().max(to), 0);
    content[from..to].copy_from_slice(&bytes);
    let stability = if stable { Stability::FileSync } else { Stability::Unstable };
    pool.write(handle, offset.into(), Bytes::from(bytes), stability).await.unwrap();
}

async fn apply_to_volumes(pool: &Pool, model: &mut Model, step: Step) {
    match step {
        Step::Snapshot { volume, name } => {
            take(pool, model, vec![volume_name(volume)], snapshot_name(name)).await;
        }
        Step::SnapshotAll { name } => {
            take(pool, model, model.volumes.keys().cloned().collect(), snapshot_name(name)).await;
        }
        Step::SnapshotDelete { volume, name } => {
            let (volume, name) = (volume_name(volume), snapshot_name(name));
            let cloned = model.has_clones(&volume, Some(&name));
            let outcome = pool.snapshot_delete(&volume, &name).await;
            let Some(of) = model.volumes.get_mut(&volume) else { return assert!(outcome.is_err()) };
            let there = of.snapshots.iter().any(|(known, _)| *known == name);
            assert_eq!(outcome.is_ok(), there && !cloned, "{outcome:?}");
            if outcome.is_ok() {
                of.snapshots.retain(|(known, _)| *known != name);
            }
        }
        Step::Clone { volume, snapshot, to } => {
            let (volume, name, to) = (volume_name(volume), snapshot_name(snapshot), volume_name(to));
            let spec = CloneSpec { name: to.clone(), junction_path: format!("/{to}") };
            let made = pool.volume_clone(&volume, &name, spec).await;
            let snapshots = model.volumes.get(&volume).map(|of| &of.snapshots);
            let tree = snapshots.and_then(|all| all.iter().find(|(known, _)| *known == name));
            let expected = tree.filter(|_| !model.volumes.contains_key(&to)).map(|(_, tree)| tree.clone());
            assert_eq!(made.is_ok(), expected.is_some(), "{made:?}");
            if let Some(now) = expected {
                let origin = Some((volume, name));
                model.volumes.insert(to, ModelVolume { now, snapshots: Vec::new(), origin });
            }
        }
        Step::Rollback { volume, snapshot } => {
            let (volume, name) = (volume_name(volume), snapshot_name(snapshot));
            let younger: Vec<String> = model.volumes.get(&volume).map_or(Vec::new(), |of| {
                of.snapshots
                    .iter()
                    .map(|(known, _)| known.clone())
                    .skip_while(|known| *known != name)
                    .skip(1)
                    .collect()
            });
            let cloned = younger.iter().any(|name| model.has_clones(&volume, Some(name)));
            let outcome = pool.volume_rollback(&volume, &name, true).await;
            let Some(of) = model.volumes.get_mut(&volume) else { return assert!(outcome.is_err()) };
            let tree = of.snapshots.iter().find(|(known, _)| *known == name).map(|(_, tree)| tree.clone());
            assert_eq!(outcome.is_ok(), tree.is_some() && !cloned, "{outcome:?}");
            if let Some(tree) = tree.filter(|_| !cloned) {
                of.now = tree;
                of.snapshots.retain(|(known, _)| !younger.contains(known));
            }
        }
        Step::VolumeDelete { volume } => {
            let volume = volume_name(volume);
            let cloned = model.has_clones(&volume, None);
            let outcome = pool.volume_delete(&volume, true).await;
            assert_eq!(outcome.is_ok(), model.volumes.contains_key(&volume) && !cloned, "{outcome:?}");
            if outcome.is_ok() {
                model.volumes.remove(&volume);
            }
        }
        _ => {}
    }
}

async fn take(pool: &Pool, model: &mut Model, volumes: Vec<String>, name: String) {
    let outcome = pool.snapshot_create(&volumes, &name).await;
    let free = |of: &ModelVolume| of.snapshots.iter().all(|(known, _)| *known != name);
    let possible = volumes.iter().all(|volume| model.volumes.get(volume).is_some_and(free));
    assert_eq!(outcome.is_ok(), possible && !volumes.is_empty(), "{outcome:?}");
    if outcome.is_ok() {
        for volume in volumes {
            let of = model.volumes.get_mut(&volume).unwrap();
            of.snapshots.push((name.clone(), of.now.clone()));
        }
    }
}

async fn tree(pool: &Pool, root: Handle) -> Tree {
    let mut tree = Tree::new();
    for name in names(pool, root).await {
        let handle = pool.lookup(root, name.as_bytes()).await.unwrap().handle;
        tree.insert(name, read_all(pool, handle).await);
    }
    tree
}

fn sizes(tree: &Tree) -> Vec<(&String, usize, String)> {
    let short = |bytes: &Vec<u8>| blake3::hash(bytes).to_hex()[..8].to_owned();
    tree.iter().map(|(name, bytes)| (name, bytes.len(), short(bytes))).collect()
}

async fn compare(pool: &Pool, model: &Model) {
    let volumes: Vec<_> = pool.volumes().unwrap().into_iter().map(|volume| volume.spec.name).collect();
    assert_eq!(volumes, model.volumes.keys().cloned().collect::<Vec<_>>());
    for (name, of) in &model.volumes {
        let volume = pool.volume(name).unwrap();
        let found = tree(pool, volume.root).await;
        assert!(found == of.now, "{name}: {:?}, not {:?}", sizes(&found), sizes(&of.now));
        let snapshots = pool.snapshots(Some(volume.id)).unwrap();
        assert_eq!(snapshots.len(), of.snapshots.len());
        for (taken, (name, expected)) in snapshots.iter().zip(&of.snapshots) {
            assert_eq!(taken.name, *name);
            let found = tree(pool, taken.root).await;
            assert!(found == *expected, "{name}: {:?}, not {:?}", sizes(&found), sizes(expected));
        }
    }
}

/// Deletes clones before their origins, until nothing is left.
async fn delete_everything(pool: &Pool, model: &mut Model) {
    model.held.drain(..).for_each(|handle| pool.release(handle));
    while !model.volumes.is_empty() {
        let name = model.volumes.keys().find(|name| !model.has_clones(name, None)).unwrap().clone();
        pool.volume_delete(&name, true).await.unwrap();
        model.volumes.remove(&name);
    }
    pool.settle().await.unwrap();
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    let space = pool.space().unwrap();
    assert_eq!((space.bytes_logical, space.inodes_used, space.orphans), (0, 0, 0));
    assert_eq!(space.bytes_free, space.bytes_total, "something is left");
}

async fn run(steps: Vec<Step>) {
    let directory = tempfile::tempdir().unwrap();
    // The pool has a size limit, so that the test can check the free space at the end.
    let options = PoolOptions { bytes_max: Some(128 << 20), ..options() };
    let mut pool = Pool::open(directory.path(), options.clone()).await.unwrap();
    pool.reap_orphans().await.unwrap();
    let mut model = Model::default();
    for n in 0..2 {
        pool.volume_create(spec(&volume_name(n))).await.unwrap();
        model.volumes.insert(volume_name(n), ModelVolume::default());
    }
    for step in steps {
        if matches!(step, Step::Reopen) {
            pool.close().await.unwrap();
            pool = Pool::open(directory.path(), options.clone()).await.unwrap();
            pool.reap_orphans().await.unwrap();
            model.held.clear();
            compare(&pool, &model).await;
        }
        apply(&pool, &mut model, step).await;
    }
    compare(&pool, &model).await;
    pool.settle().await.unwrap();
    compare(&pool, &model).await;
    assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    delete_everything(&pool, &mut model).await;
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn volumes_snapshots_and_clones_hold_what_the_model_holds(steps in prop::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(run(steps));
    }
}
