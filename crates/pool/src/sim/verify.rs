//! After an opening: finds out which operations in progress happened before the pool was lost, and compares the whole
//! pool with the model.

use super::buckets::verify::{verify_buckets, verify_damaged_buckets};
use super::client::{Shared, list};
use super::file::Look;
use super::model::{Body, Effect, Life, Made, Node, NodeId, World};
use super::tree::{Tree, difference, walk, xattrs};
use crate::format::keys::Key;
use crate::sim::faulty::FaultyDisk;
use crate::*;

/// The number of handles of freed inodes to try.
const GONE_TRIED_MAX: usize = 20;

/// A result with a description of the error, or the pool's own error, as text.
type Found<T> = std::result::Result<T, String>;

fn words(what: &str) -> impl Fn(Error) -> String {
    move |error| format!("{what}: {error}")
}

/// Resolves the effects in progress and compares. Afterwards the model is the state that was found.
pub(super) async fn verify(pool: &Pool, shared: &Shared) -> Found<()> {
    shared.world.borrow_mut().note_unsettled();
    resolve(pool, shared).await?;
    shared.world.borrow_mut().restarted();
    verifier(pool, shared)?;
    volumes(pool, shared)?;
    shelves(pool, shared)?;
    snapshots(pool, shared).await?;
    records(pool, shared)?;
    let nodes: Vec<NodeId> = shared.world.borrow().nodes.keys().copied().collect();
    for node in nodes {
        verify_node(pool, shared, node).await.map_err(|what| format!("node {node}: {what}"))?;
    }
    verify_buckets(pool, shared).await?;
    let gone: Vec<Handle> = shared.world.borrow().gone.iter().rev().take(GONE_TRIED_MAX).copied().collect();
    for handle in gone {
        if !matches!(pool.getattr(handle).await, Err(Error::Stale)) {
            return Err(format!("{handle:?} was freed and is back"));
        }
    }
    let differences = pool.check(true).await.map_err(words("check"))?;
    if differences.is_empty() { Ok(()) } else { Err(format!("check: {differences:?}")) }
}

/// Finds out which of the effects in progress happened.
async fn resolve(pool: &Pool, shared: &Shared) -> Found<()> {
    let pending = std::mem::take(&mut shared.world.borrow_mut().pending);
    for (number, pending) in pending {
        let effect = &pending.effect;
        let happened = if pending.wrong {
            None
        } else {
            outcome(pool, shared, effect, number).await.map_err(|what| format!("{effect:?}: {what}"))?
        };
        shared.note(format!("after restart: {effect:?} happened: {}", happened.is_some()));
        let mut world = shared.world.borrow_mut();
        world.pending.insert(number, pending);
        match happened {
            Some(made) => world.happened(number, made, false),
            None => world.did_not_happen(number),
        }
    }
    Ok(())
}

/// Returns the object that the effect made, or `None` if it did not happen.
async fn outcome(pool: &Pool, shared: &Shared, effect: &Effect, begun: u64) -> Found<Option<Made>> {
    let handle =
        |node: NodeId| shared.world.borrow().node(node).map(|node| node.handle).ok_or("unknown node");
    let there =
        async |directory: NodeId, name: &str| match pool.lookup(handle(directory)?, name.as_bytes()).await {
            Ok(attributes) => Ok(Some(attributes.handle)),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error.to_string()),
        };
    Ok(match effect {
        Effect::Create { directory, name, .. } | Effect::Link { directory, name, .. } => {
            there(*directory, name).await?.map(Made::Inode)
        }
        Effect::Remove { directory, name } => {
            there(*directory, name).await?.is_none().then_some(Made::Nothing)
        }
        Effect::Rename { from, from_name, to, to_name } => {
            let same = {
                let world = shared.world.borrow();
                world.entry(*from, from_name) == world.entry(*to, to_name)
            };
            (same || there(*from, from_name).await?.is_none()).then_some(Made::Nothing)
        }
        Effect::Mode { node, mode } => {
            let attributes = pool.getattr(handle(*node)?).await.map_err(words("getattr"))?;
            (attributes.mode == *mode).then_some(Made::Nothing)
        }
        Effect::Xattr { node, name, value } => {
            let found = match pool.xattr_get(handle(*node)?, name.as_bytes()).await {
                Ok(found) => Some(found),
                Err(Error::NotFound(_)) => None,
                Err(error) => return Err(error.to_string()),
            };
            (found == *value).then_some(Made::Nothing)
        }
        Effect::RecordPut { key, value } => {
            (record(pool, *key)?.as_ref() == Some(value)).then_some(Made::Nothing)
        }
        Effect::RecordDelete { key } => record(pool, *key)?.is_none().then_some(Made::Nothing),
        Effect::VolumeCreate { name } => pool.volume(name).ok().map(|volume| Made::Inode(volume.root)),
        Effect::VolumeDelete { name } | Effect::Shelve { name } => {
            pool.volume(name).is_err().then_some(Made::Nothing)
        }
        Effect::Recover { volume, .. } | Effect::Purge { volume } => {
            let deleted = pool.deleted_volumes().map_err(words("deleted volumes"))?;
            deleted.iter().all(|deleted| deleted.id != *volume).then_some(Made::Nothing)
        }
        Effect::SnapshotCreate { volume, name } => {
            let Ok(taken) = pool.snapshot(volume, name) else { return Ok(None) };
            let tree = walk(pool, taken.root).await.map_err(words("walk"))?;
            let world = shared.world.borrow();
            let root = world.volumes.get(volume).copied().ok_or("unknown volume")?;
            match world.wrong_tree(root, &tree, Look::Read { from: begun }) {
                Some(wrong) => return Err(wrong),
                None => Some(Made::Tree(taken.root, tree)),
            }
        }
        Effect::SnapshotDelete { volume, name } => {
            pool.snapshot(volume, name).is_err().then_some(Made::Nothing)
        }
        Effect::Clone { volume, snapshot, name } => {
            let Ok(clone) = pool.volume(name) else { return Ok(None) };
            let tree = walk(pool, clone.root).await.map_err(words("walk"))?;
            compare_tree(shared, volume, snapshot, &tree)?;
            Some(Made::Tree(clone.root, tree))
        }
        Effect::Rollback { volume, snapshot } => {
            let root = pool.volume(volume).map_err(words("volume"))?.root;
            let tree = walk(pool, root).await.map_err(words("walk"))?;
            // If the volume had the same content before, only the absence of the younger snapshots shows that the
            // rollback happened.
            let younger = {
                let world = shared.world.borrow();
                let number =
                    world.snapshots.get(&(volume.clone(), snapshot.clone())).map(|taken| taken.number);
                world
                    .snapshots_of(volume)
                    .find(|(_, taken)| Some(taken.number) > number)
                    .map(|(name, _)| name.to_owned())
            };
            let gone = younger.is_none_or(|name| pool.snapshot(volume, &name).is_err());
            let same = compare_tree(shared, volume, snapshot, &tree).is_ok();
            (gone && same).then_some(Made::Nothing)
        }
    })
}

/// Checks that a tree equals the content of the snapshot.
fn compare_tree(shared: &Shared, volume: &str, snapshot: &str, tree: &Tree) -> Found<()> {
    let world = shared.world.borrow();
    let taken = world.snapshots.get(&(volume.to_owned(), snapshot.to_owned())).ok_or("unknown snapshot")?;
    difference(tree, &taken.tree)
        .map_or(Ok(()), |difference| Err(format!("{volume}@{snapshot}: {difference}")))
}

/// Checks that all snapshots exist and have their old content.
async fn snapshots(pool: &Pool, shared: &Shared) -> Found<()> {
    let mut found: Vec<(String, String)> = pool
        .snapshots(None)
        .map_err(words("snapshots"))?
        .into_iter()
        .map(|taken| (taken.volume_name, taken.name))
        .collect();
    found.sort();
    let known: Vec<(String, String)> = shared.world.borrow().snapshots.keys().cloned().collect();
    if found != known {
        return Err(format!("snapshots {found:?}, not {known:?}"));
    }
    for (volume, name) in known {
        let root = pool.snapshot(&volume, &name).map_err(words("snapshot"))?.root;
        let tree = walk(pool, root).await.map_err(words("walk"))?;
        compare_tree(shared, &volume, &name, &tree)?;
    }
    Ok(())
}

fn record(pool: &Pool, key: u8) -> Found<Option<bytes::Bytes>> {
    let records = pool.records("sim").map_err(words("records"))?;
    Ok(records.into_iter().find(|(known, _)| known[..] == [key]).map(|(_, value)| value))
}

fn verifier(pool: &Pool, shared: &Shared) -> Found<()> {
    let verifiers = &mut shared.world.borrow_mut().verifiers;
    if verifiers.contains(&pool.write_verifier()) {
        return Err("the write verifier is an old one".into());
    }
    verifiers.push(pool.write_verifier());
    Ok(())
}

fn volumes(pool: &Pool, shared: &Shared) -> Found<()> {
    let world = shared.world.borrow();
    let found: Vec<(String, Handle)> = pool
        .volumes()
        .map_err(words("volumes"))?
        .into_iter()
        .map(|volume| (volume.spec.name, volume.root))
        .collect();
    let known =
        world.volumes.iter().filter_map(|(name, root)| Some((name.clone(), world.node(*root)?.handle)));
    let known: Vec<(String, Handle)> = known.collect();
    if found == known { Ok(()) } else { Err(format!("volumes {found:?}, not {known:?}")) }
}

/// Checks that exactly the deleted volumes that were not purged can be recovered.
fn shelves(pool: &Pool, shared: &Shared) -> Found<()> {
    let deleted = pool.deleted_volumes().map_err(words("deleted volumes"))?;
    let mut found: Vec<(VolumeId, String)> =
        deleted.into_iter().map(|deleted| (deleted.id, deleted.spec.name)).collect();
    found.sort();
    let world = shared.world.borrow();
    let known: Vec<(VolumeId, String)> =
        world.shelves.iter().map(|(id, shelf)| (*id, shelf.name.clone())).collect();
    if found == known { Ok(()) } else { Err(format!("deleted volumes {found:?}, not {known:?}")) }
}

fn records(pool: &Pool, shared: &Shared) -> Found<()> {
    let found = pool.records("sim").map_err(words("records"))?;
    let known = &shared.world.borrow().records;
    let same = found.len() == known.len()
        && found
            .iter()
            .zip(known)
            .all(|((key, value), (known, expected))| key[..] == [*known] && value == expected);
    if same { Ok(()) } else { Err("records are not what they were".into()) }
}

/// After damage: checks that all readable data is correct. Returns the number of reads that failed.
pub(super) async fn verify_damaged(pool: &Pool, shared: &Shared) -> Found<u64> {
    let mut errors = verify_damaged_buckets(pool, shared).await?;
    let nodes: Vec<NodeId> = shared.world.borrow().nodes.keys().copied().collect();
    for id in nodes {
        let Some(handle) = shared
            .world
            .borrow()
            .node(id)
            .filter(|node| node.file().is_some() && !matches!(node.life, Life::Doomed | Life::Shelved))
            .map(|node| node.handle)
        else {
            continue;
        };
        match pool.read(handle, 0, u32::MAX).await {
            Ok(data) => {
                let world = shared.world.borrow();
                let wrong = world
                    .node(id)
                    .and_then(Node::file)
                    .and_then(|file| file.wrong(0, &data.pieces.concat(), Look::Crash));
                if let Some(wrong) = wrong {
                    return Err(format!("node {id}: {wrong}"));
                }
            }
            Err(Error::Damaged(_)) => errors += 1,
            Err(error) => return Err(format!("node {id}: {error}")),
        }
    }
    Ok(errors)
}

/// Compares an inode with the model. Afterwards the model is what was found. An inode of a deleted volume is compared only while the
/// volume is being recovered.
pub(super) async fn verify_node(pool: &Pool, shared: &Shared, id: NodeId) -> Found<()> {
    let Some((handle, life)) = shared.world.borrow().node(id).map(|node| (node.handle, node.life_known()))
    else {
        return Ok(());
    };
    let is_freed = {
        let world = shared.world.borrow();
        let orphan = life == Life::Orphan && world.reaping;
        // A recovery frees orphans that nobody holds.
        orphan && world.node(id).is_some_and(|node| node.life == Life::Shelved && node.holds == 0)
    };
    let is_away = {
        let world = shared.world.borrow();
        let is_shelved = world.node(id).is_some_and(|node| node.life == Life::Shelved);
        is_shelved && pool.volume_by_id(handle.volume).is_err()
    };
    if life == Life::Doomed || is_freed || is_away {
        return Ok(());
    }
    let attributes = pool.getattr(handle).await.map_err(words("getattr"))?;
    compare_attributes(&shared.world.borrow(), id, &attributes)?;
    let xattrs = xattrs(pool, handle, &attributes.kind).await.map_err(words("xattrs"))?;
    if shared.world.borrow().node(id).is_some_and(|node| node.xattrs != xattrs) {
        return Err(format!("has not its attributes but {:?}", xattrs.keys()));
    }
    let is_directory = shared.world.borrow().node(id).is_some_and(|node| node.entries().is_some());
    if is_directory {
        let found = list(pool, handle, 7).await.map_err(words("readdir"))?;
        let world = shared.world.borrow();
        let entries = world.node(id).and_then(Node::entries).into_iter().flatten();
        let known: Vec<(String, Handle)> =
            entries.filter_map(|(name, id)| Some((name.clone(), world.node(*id)?.handle))).collect();
        if found != known {
            return Err(format!("holds {found:?}, not {known:?}"));
        }
    } else if attributes.kind == Kind::File {
        let data = pool.read(handle, 0, u32::MAX).await.map_err(words("read"))?;
        let found = data.pieces.concat();
        if found.len() as u64 != attributes.size {
            return Err(format!("{} bytes of {} were read", found.len(), attributes.size));
        }
        let mut world = shared.world.borrow_mut();
        let Some(file) = world.file_mut(id) else { return Err("is a file".into()) };
        if let Some(wrong) = file.wrong(0, &found, Look::Crash) {
            return Err(wrong);
        }
        file.settle_on(found);
    }
    if let Some(node) = shared.world.borrow_mut().nodes.get_mut(&id) {
        node.change_lost = node.change_lost.max(node.change);
        node.change = attributes.change;
    }
    Ok(())
}

fn compare_attributes(world: &World, id: NodeId, found: &Attributes) -> Found<()> {
    let Some(node) = world.node(id) else { return Ok(()) };
    let names = match (&node.body, node.life_known()) {
        (_, Life::Orphan | Life::Doomed) => 0,
        (Body::Directory { entries, .. }, _) => {
            let is_directory = |id: &&NodeId| world.node(**id).is_some_and(|node| node.entries().is_some());
            2 + entries.values().filter(is_directory).count() as u32
        }
        _ => node.names,
    };
    if found.nlink != names || found.mode != node.mode {
        return Err(format!("{found:?}, not {names} links and mode {:o}", node.mode));
    }
    let stable = match &node.body {
        Body::File(file) => {
            let sizes = file.sizes(Look::Crash);
            if !sizes.contains(found.size) {
                return Err(format!("size {}, not one of {sizes:?}", found.size));
            }
            file.is_stable()
        }
        Body::Symlink(target) if found.kind != Kind::Symlink(target.clone()) => {
            return Err(format!("{:?}, not a link to {target:?}", found.kind));
        }
        _ => true,
    };
    if stable && !world.unsettled.contains(&id) && found.change < node.change {
        return Err(format!("change {} after {}", found.change, node.change));
    }
    Ok(())
}

/// Returns an error if the pool says that both copies of the metadata are whole, and they differ.
pub(super) fn compare_copies(pool: &Pool, disk: &FaultyDisk) -> std::result::Result<(), String> {
    let Ok(engine) = pool.engine() else { return Ok(()) };
    if engine.stores.meta.copies().whole < 2 {
        return Ok(());
    }
    disk.trust_second();
    let mut next = Some(Key::new());
    while let Some(from) = next {
        next = engine.stores.meta.compare_copies(from).map_err(|error| format!("compare: {error}"))?;
    }
    match engine.stores.meta.copies() {
        copies if copies.whole == 2 => Ok(()),
        copies => Err(format!("the copies of the metadata: {:?}", copies.cause)),
    }
}
