//! The operations of the clients, drawn at random from those that are possible at the moment.

use bytes::Bytes;

use super::buckets::ops::{self as on_buckets, BucketOp};
use super::content;
use super::file::Change;
use super::model::{Body, Claim, Effect, Life, New, Node, NodeId, Taken, World};
use super::random::Random;
use crate::{Stability, VolumeId};

/// One operation of a client.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Effect(Effect),
    /// An invalid operation, which must fail.
    Wrong(Effect),
    Change {
        node: NodeId,
        change: Change,
        stability: Stability,
    },
    Commit {
        node: NodeId,
    },
    Read {
        node: NodeId,
        offset: u64,
        length: u32,
    },
    /// Clones a range of a file that no client changes meanwhile.
    CloneRange {
        from: NodeId,
        to: NodeId,
        offset: u64,
        target: u64,
        length: u64,
    },
    /// Searches for data or for a hole.
    Seek {
        node: NodeId,
        offset: u64,
        data: bool,
    },
    Look {
        node: NodeId,
    },
    List {
        node: NodeId,
        entries: usize,
    },
    Hold {
        node: NodeId,
    },
    Release {
        node: NodeId,
    },
    Settle,
    Check {
        read: bool,
    },
    Records,
    /// Compares a snapshot with its expected content.
    Show {
        volume: String,
        snapshot: String,
    },
    Bucket(BucketOp),
}

/// The limits of a history's operations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Appetite {
    /// The maximum size of a file.
    pub(super) file_bytes_max: u64,
    /// The maximum length of a write.
    pub(super) write_bytes_max: u64,
    /// The number of different names in a directory.
    pub(super) names: u64,
    /// How many of a thousand operations are on buckets.
    pub(super) buckets: u64,
    /// How many of a thousand operations are small writes and syncs of few files.
    pub(super) syncs: u64,
    /// How many of a thousand operations are on whole volumes and snapshots.
    pub(super) volumes: u64,
}

/// Draws an operation. Returns `None` if the drawn operation is not possible at the moment.
pub(super) fn draw(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Op> {
    if random.permille(appetite.buckets) {
        return on_buckets::draw(world, random, appetite).map(Op::Bucket);
    }
    if random.permille(appetite.syncs) {
        return sync(world, random, appetite);
    }
    if appetite.volumes > 0 && random.permille(appetite.volumes) {
        return if random.permille(500) {
            volume(world, random).map(Op::Effect)
        } else {
            snapshot(world, random)
        };
    }
    match random.below(100) {
        0..27 => write(world, random, appetite),
        27..30 => punch_or_allocate(world, random, appetite),
        30..39 => Some(Op::Commit { node: file(world, random)? }),
        39..42 => clone_range(world, random, appetite),
        42..54 => read(world, random),
        54..56 => seek(world, random),
        56..60 => truncate(world, random, appetite),
        60..67 => create(world, random, appetite).map(Op::Effect),
        67..72 => rename(world, random, appetite).map(Op::Effect),
        72..77 => remove(world, random).map(Op::Effect),
        77..79 => link(world, random, appetite).map(Op::Effect),
        79..81 if random.permille(500) => xattr(world, random).map(Op::Effect),
        79..81 => {
            Some(Op::Effect(Effect::Mode { node: named(world, random)?, mode: random.below(0o1000) as u32 }))
        }
        81..84 => hold_or_release(world, random),
        84..87 => Some(Op::Look { node: anything(world, random)? }),
        87..90 => Some(Op::List { node: directory(world, random)?, entries: random.between(1, 9) as usize }),
        90..92 => record(random),
        92..93 => Some(Op::Records),
        93..95 => wrong(world, random),
        95..96 => volume(world, random).map(Op::Effect),
        96..98 => snapshot(world, random),
        98..99 if random.permille(500) => Some(Op::Check { read: random.permille(300) }),
        _ => Some(Op::Settle),
    }
}

fn pick_node(world: &World, random: &mut Random, wanted: impl Fn(&Node) -> bool) -> Option<NodeId> {
    let nodes: Vec<NodeId> = world.nodes.iter().filter(|(_, node)| wanted(node)).map(|(id, _)| *id).collect();
    random.pick(&nodes)
}

fn is_there(node: &Node) -> bool {
    !matches!(node.life, Life::Doomed | Life::Shelved)
}

fn file(world: &World, random: &mut Random) -> Option<NodeId> {
    pick_node(world, random, |node| is_there(node) && node.file().is_some())
}

fn directory(world: &World, random: &mut Random) -> Option<NodeId> {
    pick_node(world, random, |node| node.life == Life::Named && node.entries().is_some())
}

fn named(world: &World, random: &mut Random) -> Option<NodeId> {
    pick_node(world, random, |node| node.life == Life::Named)
}

fn anything(world: &World, random: &mut Random) -> Option<NodeId> {
    pick_node(world, random, is_there)
}

fn name(random: &mut Random, appetite: &Appetite) -> String {
    format!("n{}", random.below(appetite.names))
}

/// A directory, a name in it, and the inode of that name.
fn entry(world: &World, random: &mut Random) -> Option<(NodeId, String, NodeId)> {
    let directory = directory(world, random)?;
    let entries: Vec<(&String, &NodeId)> = world.node(directory)?.entries()?.iter().collect();
    let (name, node) = random.pick(&entries)?;
    Some((directory, name.clone(), *node))
}

fn write(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Op> {
    let node = file(world, random)?;
    let file = world.node(node)?.file()?;
    if file.truncating || file.sources > 0 {
        return None;
    }
    let size = file.end_of_file();
    let short = random.between(1, 6000) as usize;
    let long = random.between(1, appetite.write_bytes_max) as usize;
    let (offset, bytes) = match random.below(20) {
        0..6 => (size, content::any(random, short)),
        6..9 => (random.below(size + 10_000), content::any(random, short)),
        9..11 => (random.below(size / 4096 + 2) * 4096, content::any(random, 4096)),
        11 => (random.below(size + 1), content::zeros(random.between(1, 150_000) as usize)),
        12..18 => {
            let at = file.replica;
            (at as u64, content::log(at, random.between(1, 40_000) as usize, random.permille(500)))
        }
        18 => (random.below(4) * 131_072, content::any(random, 131_072)),
        _ => (random.below(size + 1), content::any(random, long)),
    };
    let offset = offset.min(appetite.file_bytes_max);
    let room = (appetite.file_bytes_max - offset).min(appetite.write_bytes_max) as usize;
    let bytes = bytes.slice(..bytes.len().min(room));
    let stability = match random.below(10) {
        0 => Stability::DataSync,
        1..3 => Stability::FileSync,
        _ => Stability::Unstable,
    };
    (!bytes.is_empty()).then_some(Op::Change { node, change: Change::Write { offset, bytes }, stability })
}

/// What clients do that make small changes durable, several of them to the same file.
fn sync(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Op> {
    let files = world.nodes.iter().filter(|(_, node)| is_there(node) && node.file().is_some());
    let node = *random.pick(&files.map(|(id, _)| id).take(2).collect::<Vec<_>>())?;
    let file = world.node(node)?.file()?;
    let op = random.below(20);
    match op {
        0..7 => return Some(Op::Commit { node }),
        7 => return truncate(world, random, appetite),
        8 => return punch_or_allocate(world, random, appetite),
        _ if file.truncating || file.sources > 0 => return None,
        _ => {}
    }
    let size = file.end_of_file();
    let length = if op == 9 { random.between(10_000, 40_000) } else { random.between(1, 3000) };
    let offset = if random.permille(400) { size } else { random.below(size + 5000) };
    let offset = offset.min(appetite.file_bytes_max);
    let room = (appetite.file_bytes_max - offset).min(length) as usize;
    let stability = if random.permille(400) { Stability::FileSync } else { Stability::Unstable };
    let change = Change::Write { offset, bytes: content::any(random, room) };
    (room > 0).then_some(Op::Change { node, change, stability })
}

fn truncate(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Op> {
    let node = file(world, random)?;
    let file = world.node(node)?.file()?;
    if file.changing > 0 || file.sources > 0 {
        return None;
    }
    let size = match random.below(4) {
        0 => 0,
        1 => random.below(appetite.file_bytes_max),
        _ => random.below(file.end_of_file() + 1),
    };
    Some(Op::Change { node, change: Change::Truncate { size }, stability: Stability::FileSync })
}

fn punch_or_allocate(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Op> {
    let node = file(world, random)?;
    let file = world.node(node)?.file()?;
    if file.truncating || file.sources > 0 {
        return None;
    }
    let offset = random.below(file.end_of_file() + 1);
    let length = match random.below(4) {
        0 => random.between(1, 10_000),
        1 => random.below(8) * 4096 + 1,
        _ => random.between(1, appetite.file_bytes_max),
    };
    let change = if random.permille(700) {
        Change::Punch { offset, length }
    } else {
        Change::Allocate { offset, length: length.min(appetite.file_bytes_max.saturating_sub(offset)) }
    };
    Some(Op::Change { node, change, stability: Stability::FileSync })
}

fn clone_range(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Op> {
    let (from, to) = (file(world, random)?, file(world, random)?);
    let (source, target) = (world.node(from)?.file()?, world.node(to)?.file()?);
    if source.changing > 0 || target.truncating || target.sources > 0 {
        return None;
    }
    let size = source.end_of_file();
    let offset = random.below(size + 1);
    let length = if random.permille(300) { size - offset } else { random.below(size - offset + 1) };
    let target = match random.below(3) {
        0 => offset,
        1 => target.end_of_file(),
        _ => random.below(target.end_of_file() + 10_000),
    };
    let target = target.min(appetite.file_bytes_max);
    let length = length.min(appetite.file_bytes_max - target);
    let apart = from != to || offset + length <= target || target + length <= offset;
    (apart && length > 0).then_some(Op::CloneRange { from, to, offset, target, length })
}

/// A file that no client changes, and a range of it to copy.
pub(super) fn file_to_copy(world: &World, random: &mut Random) -> Option<(NodeId, u64, u64)> {
    let node = file(world, random)?;
    let file = world.node(node)?.file()?;
    let size = file.end_of_file();
    let offset = if random.permille(600) { 0 } else { random.below(size + 1) };
    let length = if random.permille(600) { size - offset } else { random.below(size - offset + 1) };
    (file.changing == 0).then_some((node, offset, length))
}

fn seek(world: &World, random: &mut Random) -> Option<Op> {
    let node = file(world, random)?;
    let size = world.node(node)?.file()?.end_of_file();
    Some(Op::Seek { node, offset: random.below(size + 100), data: random.permille(500) })
}

fn read(world: &World, random: &mut Random) -> Option<Op> {
    let node = file(world, random)?;
    let size = world.node(node)?.file()?.end_of_file();
    let (offset, length) = match random.below(3) {
        0 => (0, u32::MAX),
        _ => (random.below(size + 100), random.between(1, 70_000) as u32),
    };
    Some(Op::Read { node, offset, length })
}

fn create(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Effect> {
    let directory = directory(world, random)?;
    let name = name(random, appetite);
    if world.entry(directory, &name).is_some() {
        return None;
    }
    let new = match random.below(20) {
        0 => New::Symlink(Bytes::from_static(b"../somewhere")),
        1..4 => New::Directory,
        4 => New::File { size: random.below(appetite.file_bytes_max) },
        _ => New::File { size: 0 },
    };
    Some(Effect::Create { directory, name, new, mode: random.below(0o1000) as u32 })
}

fn remove(world: &World, random: &mut Random) -> Option<Effect> {
    let (directory, name, node) = entry(world, random)?;
    let full = world.node(node)?.entries().is_some_and(|entries| !entries.is_empty());
    (!full).then_some(Effect::Remove { directory, name })
}

fn link(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Effect> {
    let (_, _, node) = entry(world, random)?;
    let (directory, name) = (directory(world, random)?, name(random, appetite));
    let linkable = world.node(node)?.entries().is_none()
        && world.node(node)?.handle.volume == world.node(directory)?.handle.volume
        && world.entry(directory, &name).is_none();
    linkable.then_some(Effect::Link { node, directory, name })
}

fn rename(world: &World, random: &mut Random, appetite: &Appetite) -> Option<Effect> {
    let (from, from_name, moved) = entry(world, random)?;
    let (to, to_name) = (directory(world, random)?, name(random, appetite));
    if world.node(from)?.handle.volume != world.node(to)?.handle.volume {
        return None;
    }
    let moved = world.node(moved)?;
    if moved.entries().is_some() && (world.is_claimed(&Claim::Moves) || is_within(world, to, moved)) {
        return None;
    }
    if let Some(replaced) = world.entry(to, &to_name).and_then(|id| world.node(id)) {
        let alike = moved.entries().is_some() == replaced.entries().is_some();
        if !alike || replaced.entries().is_some_and(|entries| !entries.is_empty()) {
            return None;
        }
    }
    Some(Effect::Rename { from, from_name, to, to_name })
}

/// Whether `directory` is `above` or below it.
fn is_within(world: &World, directory: NodeId, above: &Node) -> bool {
    let mut at = Some(directory);
    while let Some(node) = at.and_then(|id| world.node(id)) {
        if node.handle == above.handle {
            return true;
        }
        at = if let Body::Directory { parent, .. } = &node.body { *parent } else { None };
    }
    false
}

/// Uses few names, so that some exist, and replaces values by shorter and longer ones.
fn xattr(world: &World, random: &mut Random) -> Option<Effect> {
    let has_place = |node: &Node| is_there(node) && !matches!(node.body, Body::Symlink(_));
    let node = pick_node(world, random, has_place)?;
    let name = format!("x{}", random.below(5));
    let is_set = world.node(node)?.xattrs.contains_key(&name);
    let length = if random.permille(100) { 30_000 } else { random.between(1, 200) as usize };
    let value = (!is_set || random.permille(600)).then(|| content::any(random, length));
    Some(Effect::Xattr { node, name, value })
}

fn hold_or_release(world: &World, random: &mut Random) -> Option<Op> {
    let node = if random.permille(600) {
        pick_node(world, random, |node| is_there(node) && node.holds < 3)?
    } else {
        pick_node(world, random, |node| is_there(node) && node.holds > 0)?
    };
    // It is not known whether an inode that is being removed still exists.
    if world.is_claimed(&Claim::Node(node)) {
        return None;
    }
    let held = world.node(node)?.holds > 0;
    let orphan = world.node(node)?.life == Life::Orphan;
    Some(if held && (orphan || random.permille(500)) { Op::Release { node } } else { Op::Hold { node } })
}

fn record(random: &mut Random) -> Option<Op> {
    let key = random.below(6) as u8;
    Some(Op::Effect(if random.permille(700) {
        let length = random.between(1, 300) as usize;
        Effect::RecordPut { key, value: content::any(random, length) }
    } else {
        Effect::RecordDelete { key }
    }))
}

fn volume(world: &World, random: &mut Random) -> Option<Effect> {
    let name = format!("v{}", random.below(3));
    // A generator of its own, so that the other draws stay what they were.
    let mut of_shelves = random.clone().fork();
    if let Some(effect) = shelf(world, &mut of_shelves) {
        return Some(effect);
    }
    match world.volumes.contains_key(&name) {
        true => {
            let cloned = world.snapshots_of(&name).any(|(_, taken)| !taken.clones.is_empty());
            let shelves = of_shelves.permille(600);
            (!cloned && random.permille(400)).then_some(if shelves {
                Effect::Shelve { name }
            } else {
                Effect::VolumeDelete { name }
            })
        }
        false => Some(Effect::VolumeCreate { name }),
    }
}

/// An operation on a deleted volume.
fn shelf(world: &World, random: &mut Random) -> Option<Effect> {
    let shelves: Vec<VolumeId> = world.shelves.keys().copied().collect();
    let volume = random.pick(&shelves)?;
    if random.permille(300) {
        return None;
    }
    if random.permille(250) {
        return Some(Effect::Purge { volume });
    }
    let name = format!("v{}", random.below(5));
    (!world.volumes.contains_key(&name)).then_some(Effect::Recover { volume, name })
}

/// An operation on snapshots.
fn snapshot(world: &World, random: &mut Random) -> Option<Op> {
    let volumes: Vec<&String> = world.volumes.keys().collect();
    let volume = random.pick(&volumes)?.clone();
    let name = format!("s{}", random.below(3));
    let Some(taken) = world.snapshots.get(&(volume.clone(), name.clone())) else {
        return Some(Op::Effect(Effect::SnapshotCreate { volume, name }));
    };
    let stuck = |(_, other): (&str, &Taken)| other.number > taken.number && !other.clones.is_empty();
    let can_go = !world.snapshots_of(&volume).any(stuck);
    let clone = format!("v{}", random.below(5));
    Some(match random.below(4) {
        0 => Op::Show { volume, snapshot: name },
        1 if !world.volumes.contains_key(&clone) => {
            Op::Effect(Effect::Clone { volume, snapshot: name, name: clone })
        }
        2 if can_go => Op::Effect(Effect::Rollback { volume, snapshot: name }),
        _ if taken.clones.is_empty() => Op::Effect(Effect::SnapshotDelete { volume, name }),
        _ => Op::Wrong(Effect::SnapshotDelete { volume, name }),
    })
}

/// An operation that must be refused.
fn wrong(world: &World, random: &mut Random) -> Option<Op> {
    let (directory, name, node) = entry(world, random)?;
    let full = world.node(node)?.entries().is_some_and(|entries| !entries.is_empty());
    let effect = match random.below(3) {
        0 if full => Effect::Remove { directory, name },
        1 => Effect::Remove { directory, name: "nobody".into() },
        _ => Effect::Create { directory, name, new: New::File { size: 0 }, mode: 0o644 },
    };
    Some(Op::Wrong(effect))
}
