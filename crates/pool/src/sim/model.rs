//! The expected state: every inode, name, record and volume, according to the answers that the clients received.
//!
//! Operations that change names or attributes are *effects*. While an effect is in progress, no other operation may
//! touch the objects that it changes, so its outcome is certain. If the power fails, the effect happened completely or
//! not at all, and the verification asks the pool which, after the next opening. Changes of data may overlap freely;
//! see [`super::file`].

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::buckets::model::BucketWorld;
pub(super) use super::effect::{Effect, Made, New};
use super::file::FileModel;
use super::shelf::{Shelf, shelved_name};
use super::tree::Tree;
use crate::{Handle, InodeId, VolumeId};

/// Identifies an inode in the model.
pub(super) type NodeId = u32;

/// Extended attributes by name.
pub(super) type Xattrs = BTreeMap<String, Bytes>;

#[derive(Clone, Debug)]
pub(super) enum Body {
    File(FileModel),
    Directory { entries: BTreeMap<String, NodeId>, parent: Option<NodeId> },
    Symlink(Bytes),
}

/// Whether an inode exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    /// It has a name.
    Named,
    /// It has no name, and is kept.
    Orphan,
    /// It may be freed at any moment.
    Doomed,
    /// Its volume was deleted and can be recovered.
    Shelved,
}

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) handle: Handle,
    pub(super) body: Body,
    pub(super) life: Life,
    /// What its life was before its volume was deleted, if it is shelved.
    pub(super) life_before: Life,
    pub(super) names: u32,
    pub(super) holds: u32,
    pub(super) mode: u32,
    /// Extended attributes.
    pub(super) xattrs: Xattrs,
    /// How often an extended attribute was set or removed.
    pub(super) xattrs_set: u32,
    /// The largest `change` seen since the last opening.
    pub(super) change: u64,
    /// The largest `change` seen before that. It may belong to lost content, and must never be seen again with other
    /// content.
    pub(super) change_lost: u64,
}

impl Node {
    pub(super) fn file(&self) -> Option<&FileModel> {
        if let Body::File(file) = &self.body { Some(file) } else { None }
    }
    pub(super) fn file_mut(&mut self) -> Option<&mut FileModel> {
        if let Body::File(file) = &mut self.body { Some(file) } else { None }
    }
    /// Its life; if its volume was deleted, the one before.
    pub(super) fn life_known(&self) -> Life {
        if self.life == Life::Shelved { self.life_before } else { self.life }
    }
    pub(super) fn entries(&self) -> Option<&BTreeMap<String, NodeId>> {
        if let Body::Directory { entries, .. } = &self.body { Some(entries) } else { None }
    }
}

/// A snapshot.
#[derive(Clone)]
pub(super) struct Taken {
    /// Larger than the number of every older snapshot.
    pub(super) number: u64,
    pub(super) root: Handle,
    pub(super) tree: Tree,
    /// All inodes of the volume, with or without a name.
    inodes: BTreeSet<InodeId>,
    /// Volumes that are clones of it.
    pub(super) clones: BTreeSet<String>,
}

/// An effect in progress.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) effect: Effect,
    /// Whether it must be refused.
    pub(super) wrong: bool,
}

/// An object that only one operation at a time may change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Claim {
    Name(NodeId, String),
    Node(NodeId),
    Record(u8),
    Volume(String),
    Shelf(VolumeId),
    /// Directories move one at a time, so that no directory is moved below itself.
    Moves,
}

/// See the module.
#[derive(Clone, Default)]
pub(super) struct World {
    tick: u64,
    node_next: NodeId,
    pub(super) nodes: BTreeMap<NodeId, Node>,
    /// The names of the volumes and their roots.
    pub(super) volumes: BTreeMap<String, NodeId>,
    /// The deleted volumes that can be recovered.
    pub(super) shelves: BTreeMap<VolumeId, Shelf>,
    /// The snapshots by volume and name.
    pub(super) snapshots: BTreeMap<(String, String), Taken>,
    /// The number of operations on files in progress, by volume.
    users: BTreeMap<VolumeId, u32>,
    pub(super) records: BTreeMap<u8, Bytes>,
    /// Effects that are in progress or whose outcome is unknown.
    pub(super) pending: BTreeMap<u64, Pending>,
    claims: BTreeSet<Claim>,
    /// Inodes that were being changed when the pool was lost. Their observed state may be lost too.
    pub(super) unsettled: BTreeSet<NodeId>,
    /// Whether orphans without holders are freed.
    pub(super) reaping: bool,
    /// Handles of inodes that are permanently gone.
    pub(super) gone: Vec<Handle>,
    pub(super) buckets: BucketWorld,
    /// All write verifiers so far.
    pub(super) verifiers: Vec<[u8; 8]>,
}

impl World {
    /// A copy for the node that takes the pool over. Later operations at this node do not change it.
    pub(super) fn as_known_now(&self) -> World {
        let mut world = self.clone();
        world.buckets.separate_log();
        world
    }

    /// Returns a moment later than all before.
    pub(super) fn tick(&mut self) -> u64 {
        self.tick += 1;
        self.tick
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(&id)
    }

    pub(super) fn file_mut(&mut self, id: NodeId) -> Option<&mut FileModel> {
        self.nodes.get_mut(&id).and_then(Node::file_mut)
    }

    pub(super) fn entry(&self, directory: NodeId, name: &str) -> Option<NodeId> {
        self.node(directory)?.entries()?.get(name).copied()
    }

    /// The objects that the effect changes.
    pub(super) fn claims_of(&self, effect: &Effect) -> Vec<Claim> {
        let losing = |directory: NodeId, name: &str| self.entry(directory, name).map(Claim::Node);
        match effect {
            Effect::Create { directory, name, .. } => vec![Claim::Name(*directory, name.clone())],
            Effect::Link { node, directory, name } => {
                vec![Claim::Name(*directory, name.clone()), Claim::Node(*node)]
            }
            Effect::Remove { directory, name } => {
                let name_claim = Claim::Name(*directory, name.clone());
                [name_claim].into_iter().chain(losing(*directory, name)).collect()
            }
            Effect::Rename { from, from_name, to, to_name } => {
                let mut claims =
                    vec![Claim::Name(*from, from_name.clone()), Claim::Name(*to, to_name.clone())];
                claims.extend(losing(*from, from_name));
                claims.extend(losing(*to, to_name));
                let moved = self.entry(*from, from_name).and_then(|id| self.node(id));
                if moved.is_some_and(|node| node.entries().is_some()) {
                    claims.push(Claim::Moves);
                }
                claims.sort();
                claims.dedup();
                claims
            }
            Effect::Mode { node, .. } | Effect::Xattr { node, .. } => vec![Claim::Node(*node)],
            Effect::RecordPut { key, .. } | Effect::RecordDelete { key } => vec![Claim::Record(*key)],
            Effect::VolumeCreate { name }
            | Effect::VolumeDelete { name }
            | Effect::Shelve { name }
            | Effect::SnapshotCreate { volume: name, .. }
            | Effect::SnapshotDelete { volume: name, .. }
            | Effect::Rollback { volume: name, .. } => vec![Claim::Volume(name.clone())],
            Effect::Clone { volume, name, .. } => {
                vec![Claim::Volume(volume.clone()), Claim::Volume(name.clone())]
            }
            Effect::Recover { volume, name } => {
                vec![Claim::Shelf(*volume), Claim::Volume(name.clone())]
            }
            Effect::Purge { volume } => {
                let parent =
                    self.snapshots.iter().find(|(_, taken)| taken.clones.contains(&shelved_name(*volume)));
                let parent = parent.map(|((of, _), _)| Claim::Volume(of.clone()));
                [Claim::Shelf(*volume)].into_iter().chain(parent).collect()
            }
        }
    }

    pub(super) fn is_claimed(&self, claim: &Claim) -> bool {
        self.claims.contains(claim)
    }

    /// Whether an entry of the directory is being changed.
    pub(super) fn is_changing_within(&self, directory: NodeId) -> bool {
        self.claims.iter().any(|claim| matches!(claim, Claim::Name(id, _) if *id == directory))
    }

    /// Begins the effect, unless an object that it changes is being changed. Returns its number.
    pub(super) fn begin(&mut self, effect: &Effect, wrong: bool) -> Option<u64> {
        let claims = self.claims_of(effect);
        let taken = claims.iter().any(|claim| self.is_claimed(claim));
        if taken || !self.is_undisturbed(effect, &claims) {
            return None;
        }
        self.claims.extend(claims);
        let number = self.tick();
        self.pending.insert(number, Pending { effect: effect.clone(), wrong });
        Some(number)
    }

    /// The snapshots of a volume.
    pub(super) fn snapshots_of(&self, volume: &str) -> impl Iterator<Item = (&str, &Taken)> {
        let of = self.snapshots.iter().filter(move |((of, _), _)| of == volume);
        of.map(|((_, name), taken)| (&name[..], taken))
    }

    /// Whether no operation in progress conflicts with the effect, for example by removing a volume that it works in.
    fn is_undisturbed(&self, effect: &Effect, claims: &[Claim]) -> bool {
        let of_volumes = claims.iter().filter_map(|claim| match claim {
            Claim::Volume(name) => self.volumes.get(name).and_then(|root| self.volume_of(*root)),
            _ => None,
        });
        let of_volumes: Vec<VolumeId> = of_volumes.collect();
        if let Effect::Rollback { .. } = effect
            && of_volumes.iter().any(|volume| self.users.get(volume).is_some_and(|users| *users > 0))
        {
            return false;
        }
        if self
            .claims
            .iter()
            .any(|claim| self.volume_claimed(claim).is_some_and(|volume| of_volumes.contains(&volume)))
        {
            return false;
        }
        claims.iter().all(|claim| {
            let deleted = self.volumes.iter().find(|(_, root)| {
                let volume = self.volume_of(**root);
                volume.is_some() && self.volume_claimed(claim) == volume
            });
            let volume_stays = deleted.is_none_or(|(name, _)| !self.is_claimed(&Claim::Volume(name.clone())));
            let own = match claim {
                Claim::Name(directory, _) => !self.is_claimed(&Claim::Node(*directory)),
                Claim::Node(node) => !self.is_changing_within(*node),
                _ => true,
            };
            volume_stays && own
        })
    }

    pub(super) fn volume_of(&self, node: NodeId) -> Option<VolumeId> {
        self.node(node).map(|node| node.handle.volume)
    }

    /// The volume of the claimed object.
    fn volume_claimed(&self, claim: &Claim) -> Option<VolumeId> {
        match claim {
            Claim::Name(node, _) | Claim::Node(node) => self.volume_of(*node),
            _ => None,
        }
    }

    fn is_rolling_back(&self, volume: VolumeId) -> bool {
        self.pending.values().any(|pending| match &pending.effect {
            Effect::Rollback { volume: name, .. } => {
                self.volumes.get(name).and_then(|root| self.volume_of(*root)) == Some(volume)
            }
            _ => false,
        })
    }

    /// Begins an operation on a file, unless the file's volume is being rolled back.
    pub(super) fn enter(&mut self, node: NodeId) -> Option<VolumeId> {
        let volume = self.volume_of(node)?;
        if self.is_rolling_back(volume) {
            return None;
        }
        *self.users.entry(volume).or_default() += 1;
        Some(volume)
    }

    /// Ends an operation on a file.
    pub(super) fn leave(&mut self, volume: VolumeId) {
        if let Some(users) = self.users.get_mut(&volume) {
            *users -= 1;
        }
    }

    /// The effect happened. `made` is the object that it created. `certain`: a client received a success.
    pub(super) fn happened(&mut self, number: u64, made: Made, certain: bool) {
        let Some(effect) = self.end(number) else { return };
        let handle = if let Made::Inode(handle) = &made { Some(*handle) } else { None };
        match effect {
            Effect::Create { directory, name, new, mode } => {
                let body = match new {
                    New::File { size } => Body::File(FileModel::with_size(size)),
                    New::Directory => Body::Directory { entries: BTreeMap::new(), parent: Some(directory) },
                    New::Symlink(target) => Body::Symlink(target),
                };
                if let Some(handle) = handle {
                    let node = self.add(handle, body, mode);
                    self.set_entry(directory, &name, Some(node));
                }
            }
            Effect::Link { node, directory, name } => {
                self.set_entry(directory, &name, Some(node));
                if let Some(node) = self.nodes.get_mut(&node) {
                    node.names += 1;
                }
            }
            Effect::Remove { directory, name } => self.lose(directory, &name),
            Effect::Rename { from, from_name, to, to_name } => self.renamed(from, &from_name, to, &to_name),
            Effect::Mode { node, mode } => {
                if let Some(node) = self.nodes.get_mut(&node) {
                    node.mode = mode;
                }
            }
            Effect::Xattr { node, name, value } => {
                if let Some(node) = self.nodes.get_mut(&node) {
                    match value {
                        Some(value) => node.xattrs.insert(name, value),
                        None => node.xattrs.remove(&name),
                    };
                    node.xattrs_set += 1;
                }
            }
            Effect::RecordPut { key, value } => {
                self.records.insert(key, value);
            }
            Effect::RecordDelete { key } => {
                self.records.remove(&key);
            }
            Effect::VolumeCreate { name } => {
                let body = Body::Directory { entries: BTreeMap::new(), parent: None };
                if let Some(handle) = handle {
                    let root = self.add(handle, body, 0o755);
                    self.volumes.insert(name, root);
                }
            }
            Effect::VolumeDelete { name } => self.volume_deleted(&name),
            Effect::Shelve { name } => self.volume_shelved(name),
            Effect::Recover { volume, name } => self.volume_recovered(volume, name),
            Effect::Purge { volume } => self.volume_purged(volume),
            Effect::SnapshotCreate { volume, name } => {
                let inodes = self.volumes.get(&volume).and_then(|root| self.volume_of(*root));
                let inodes = inodes.map(|volume| self.inodes_of(volume)).unwrap_or_default();
                if let Made::Tree(root, tree) = made {
                    let taken = Taken { number, root, tree, inodes, clones: BTreeSet::new() };
                    self.snapshots.insert((volume, name), taken);
                }
            }
            Effect::SnapshotDelete { volume, name } => {
                self.snapshots.remove(&(volume, name));
            }
            Effect::Clone { volume, snapshot, name } => {
                if let Made::Tree(root, tree) = made {
                    let root = self.plant(root.volume, &tree, &mut BTreeMap::new());
                    self.volumes.insert(name.clone(), root);
                    if let Some(taken) = self.snapshots.get_mut(&(volume, snapshot)) {
                        taken.clones.insert(name);
                    }
                }
            }
            Effect::Rollback { volume, snapshot } => self.rolled_back(volume, snapshot, certain),
        }
    }

    fn rolled_back(&mut self, name: String, snapshot: String, certain: bool) {
        let Some(volume) = self.volumes.get(&name).and_then(|root| self.volume_of(*root)) else { return };
        let Some(to) = self.snapshots.get(&(name.clone(), snapshot)).cloned() else { return };
        self.snapshots.retain(|(of, _), taken| *of != name || taken.number <= to.number);
        let ids: Vec<NodeId> =
            self.nodes.iter().filter(|(_, node)| node.handle.volume == volume).map(|(id, _)| *id).collect();
        let mut known = BTreeMap::new();
        for id in ids {
            known.extend(self.nodes.remove(&id).map(|node| (node.handle.inode, (id, node))));
        }
        let root = self.plant(volume, &to.tree, &mut known);
        // Inodes that were freed since the snapshot are back.
        self.gone.retain(|handle| handle.volume != volume || !to.inodes.contains(&handle.inode));
        self.volumes.insert(name, root);
        // Inodes that the snapshot never had are gone. Nothing is known about inodes that had no name when it was
        // taken.
        let lost = known.into_values().map(|(_, node)| node.handle);
        self.gone.extend(lost.filter(|handle| certain && !to.inodes.contains(&handle.inode)));
    }

    /// The effect did not happen.
    pub(super) fn did_not_happen(&mut self, number: u64) {
        self.end(number);
    }

    fn end(&mut self, number: u64) -> Option<Effect> {
        let effect = self.pending.remove(&number)?.effect;
        for claim in self.claims_of(&effect) {
            self.claims.remove(&claim);
        }
        Some(effect)
    }

    pub(super) fn add(&mut self, handle: Handle, body: Body, mode: u32) -> NodeId {
        self.node_next += 1;
        let node = Node {
            handle,
            body,
            life: Life::Named,
            life_before: Life::Named,
            names: 1,
            holds: 0,
            mode,
            xattrs: Xattrs::new(),
            xattrs_set: 0,
            change: 0,
            change_lost: 0,
        };
        self.nodes.insert(self.node_next, node);
        self.node_next
    }

    pub(super) fn set_entry(&mut self, directory: NodeId, name: &str, node: Option<NodeId>) {
        let Some(Node { body: Body::Directory { entries, .. }, .. }) = self.nodes.get_mut(&directory) else {
            return;
        };
        match node {
            Some(node) => entries.insert(name.to_owned(), node),
            None => entries.remove(name),
        };
    }

    /// Removes a name.
    fn lose(&mut self, directory: NodeId, name: &str) {
        let lost = self.entry(directory, name);
        self.set_entry(directory, name, None);
        if let Some(id) = lost
            && let Some(node) = self.nodes.get_mut(&id)
        {
            node.names -= 1;
            if node.names == 0 {
                node.life = Life::Orphan;
            }
            self.doom(id);
        }
    }

    fn renamed(&mut self, from: NodeId, from_name: &str, to: NodeId, to_name: &str) {
        let moved = self.entry(from, from_name);
        // A rename to another name of the same inode, or to the same name, changes nothing.
        if moved == self.entry(to, to_name) {
            return;
        }
        self.lose(to, to_name);
        self.set_entry(from, from_name, None);
        self.set_entry(to, to_name, moved);
        let moved = moved.and_then(|id| self.nodes.get_mut(&id));
        if let Some(Node { body: Body::Directory { parent, .. }, .. }) = moved {
            *parent = Some(to);
        }
    }

    fn volume_deleted(&mut self, name: &str) {
        self.snapshots.retain(|(of, _), _| of != name);
        for taken in self.snapshots.values_mut() {
            taken.clones.remove(name);
        }
        let Some(root) = self.volumes.remove(name) else { return };
        let Some(volume) = self.node(root).map(|node| node.handle.volume) else { return };
        for node in self.nodes.values_mut().filter(|node| node.handle.volume == volume) {
            node.life = Life::Doomed;
        }
    }

    /// Lets the inode be freed from now on, if it has no name and no holder.
    pub(super) fn doom(&mut self, id: NodeId) {
        let reaping = self.reaping;
        if let Some(node) = self.nodes.get_mut(&id)
            && node.life == Life::Orphan
            && node.holds == 0
            && reaping
        {
            node.life = Life::Doomed;
        }
    }

    /// Lets all orphans without holders be freed from now on.
    pub(super) fn reap(&mut self) {
        self.reaping = true;
        let all: Vec<NodeId> = self.nodes.keys().copied().collect();
        all.into_iter().for_each(|id| self.doom(id));
    }

    /// Removes inodes that were doomed before the pool settled.
    pub(super) fn bury(&mut self, doomed: &[NodeId]) {
        for id in doomed {
            self.gone.extend(self.nodes.remove(id).map(|node| node.handle));
        }
    }

    /// Those of the inodes that no rollback has brought back or may be bringing back.
    pub(super) fn still_doomed(&self, nodes: Vec<NodeId>) -> Vec<NodeId> {
        let is_doomed = |node: &Node| node.life == Life::Doomed && !self.is_rolling_back(node.handle.volume);
        nodes.into_iter().filter(|id| self.node(*id).is_some_and(is_doomed)).collect()
    }

    /// Inodes that may be freed at any moment. They are stale once the pool has settled.
    pub(super) fn doomed(&self) -> Vec<NodeId> {
        self.nodes.iter().filter(|(_, node)| node.life == Life::Doomed).map(|(id, _)| *id).collect()
    }

    /// The pool was closed or lost: no operation is in progress, and no client holds an inode.
    pub(super) fn restarted(&mut self) {
        self.reaping = false;
        self.claims.clear();
        self.users.clear();
        for node in self.nodes.values_mut() {
            node.holds = 0;
        }
    }

    /// The pool was lost: remembers the inodes that were being changed.
    pub(super) fn note_unsettled(&mut self) {
        let nodes = self.claims.iter().filter_map(|claim| match claim {
            Claim::Name(node, _) | Claim::Node(node) => Some(*node),
            _ => None,
        });
        self.unsettled = nodes.collect();
    }

    /// A clean close made everything durable.
    pub(super) fn closed(&mut self) {
        for file in self.nodes.values_mut().filter_map(Node::file_mut) {
            file.committed_all();
        }
    }
}
