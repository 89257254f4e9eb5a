//! The content of a snapshot: a tree by path that never changes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;

use super::client::list;
use super::file::{FileModel, Look};
use super::model::{Body, Life, Node, NodeId, World, Xattrs};
use crate::{Error, Handle, InodeId, Kind, Pool, Result, VolumeId};

#[derive(Clone, PartialEq, Eq)]
pub(super) enum What {
    File(Bytes),
    Directory,
    Symlink(Bytes),
}

/// The state of an inode at a path.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) inode: InodeId,
    pub(super) generation: u32,
    pub(super) mode: u32,
    pub(super) xattrs: Xattrs,
    pub(super) what: What,
}

/// Inodes by path, without a leading slash. The path of the root is empty.
pub(super) type Tree = BTreeMap<String, Shown>;

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// The directory of a path, and the name in it.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Reads everything below `root`.
pub(super) async fn walk(pool: &Pool, root: Handle) -> Result<Tree> {
    let mut tree = Tree::new();
    let mut left = VecDeque::from([(String::new(), root)]);
    while let Some((path, handle)) = left.pop_front() {
        let attributes = pool.getattr(handle).await?;
        let xattrs = xattrs(pool, handle, &attributes.kind).await?;
        let what = match attributes.kind {
            Kind::Directory => {
                let names = list(pool, handle, 5).await?;
                left.extend(names.into_iter().map(|(name, handle)| (below(&path, &name), handle)));
                What::Directory
            }
            Kind::Symlink(target) => What::Symlink(target),
            _ => What::File(pool.read(handle, 0, u32::MAX).await?.pieces.concat().into()),
        };
        let (inode, generation) = (handle.inode, handle.generation);
        tree.insert(path, Shown { inode, generation, mode: attributes.mode, xattrs, what });
    }
    Ok(tree)
}

/// All extended attributes of an inode. Empty for kinds that cannot have any.
pub(super) async fn xattrs(pool: &Pool, handle: Handle, kind: &Kind) -> Result<Xattrs> {
    let (mut found, mut cookie) = (Xattrs::new(), 0);
    loop {
        if !matches!(kind, Kind::File | Kind::Directory) {
            return Ok(found);
        }
        let page = pool.xattr_list(handle, cookie, 2).await?;
        for (at, name) in page.names {
            // If the attribute is missing, it was removed after it was listed.
            match pool.xattr_get(handle, &name).await {
                Ok(value) => found.insert(String::from_utf8_lossy(&name).into_owned(), value),
                Err(Error::NotFound(_)) => None,
                Err(error) => return Err(error),
            };
            cookie = at;
        }
        if page.end {
            return Ok(found);
        }
    }
}

/// The first difference between two trees, if any.
pub(super) fn difference(found: &Tree, expected: &Tree) -> Option<String> {
    let paths: BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    paths.into_iter().find(|path| found.get(*path) != expected.get(*path)).map(|path| {
        let there = |tree: &Tree| tree.get(path).map_or("nothing".to_owned(), Shown::summary);
        format!("{path:?} is {}, not {}", there(found), there(expected))
    })
}

/// The names and lengths, for messages.
fn names(xattrs: &Xattrs) -> Vec<(&str, usize)> {
    xattrs.iter().map(|(name, value)| (&name[..], value.len())).collect()
}

impl Shown {
    fn summary(&self) -> String {
        let what = match &self.what {
            What::File(bytes) => {
                format!("file of {} bytes, {}", bytes.len(), &blake3::hash(bytes).to_hex()[..8])
            }
            What::Directory => "directory".to_owned(),
            What::Symlink(_) => "symlink".to_owned(),
        };
        format!("{what} (inode {}, mode {:o}, attributes {:?})", self.inode.0, self.mode, names(&self.xattrs))
    }
}

impl World {
    /// Describes an error in the tree of a new snapshot of the volume with this root, as of `look`.
    pub(super) fn wrong_tree(&self, root: NodeId, found: &Tree, look: Look) -> Option<String> {
        let mut left = VecDeque::from([(String::new(), root)]);
        let mut paths = BTreeSet::new();
        while let Some((path, id)) = left.pop_front() {
            let Some(node) = self.node(id) else { continue };
            if let Some(entries) = node.entries() {
                left.extend(entries.iter().map(|(name, id)| (below(&path, name), *id)));
            }
            let Some(shown) = found.get(&path) else { return Some(format!("{path:?} is missing")) };
            if let Some(wrong) = wrong_node(node, shown, look) {
                return Some(format!("{path:?}: {wrong}"));
            }
            paths.insert(path);
        }
        found.keys().find(|path| !paths.contains(*path)).map(|path| format!("{path:?} must not be there"))
    }

    /// The numbers of all inodes of a volume, with or without a name.
    pub(super) fn inodes_of(&self, volume: VolumeId) -> BTreeSet<InodeId> {
        let handles = self.nodes.values().map(|node| node.handle);
        handles.filter(|handle| handle.volume == volume).map(|handle| handle.inode).collect()
    }

    /// Replaces the content of the volume by this tree. `known` are the inodes that were there before, by number.
    /// Returns the root, and leaves the inodes that are not in the tree in `known`.
    pub(super) fn plant(
        &mut self,
        volume: VolumeId,
        tree: &Tree,
        known: &mut BTreeMap<InodeId, (NodeId, Node)>,
    ) -> NodeId {
        let mut planted: BTreeMap<InodeId, NodeId> = BTreeMap::new();
        let mut root = 0;
        // The order of paths puts a directory before its entries.
        for (path, shown) in tree {
            let (above, name) = split(path);
            let parent = tree.get(above).and_then(|above| planted.get(&above.inode)).copied();
            let id = match planted.get(&shown.inode) {
                Some(id) => {
                    if let Some(node) = self.nodes.get_mut(id) {
                        node.names += 1;
                    }
                    *id
                }
                None => self.plant_one(volume, shown, parent.filter(|_| !path.is_empty()), known),
            };
            planted.insert(shown.inode, id);
            if path.is_empty() {
                root = id;
            } else if let Some(parent) = parent {
                self.set_entry(parent, name, Some(id));
            }
        }
        root
    }

    fn plant_one(
        &mut self,
        volume: VolumeId,
        shown: &Shown,
        parent: Option<NodeId>,
        known: &mut BTreeMap<InodeId, (NodeId, Node)>,
    ) -> NodeId {
        let body = match &shown.what {
            What::File(bytes) => Body::File(FileModel::holding(bytes.to_vec())),
            What::Directory => Body::Directory { entries: BTreeMap::new(), parent },
            What::Symlink(target) => Body::Symlink(target.clone()),
        };
        let handle = Handle { volume, inode: shown.inode, generation: shown.generation };
        match known.remove(&shown.inode) {
            Some((id, node)) => {
                let change_lost = node.change.max(node.change_lost);
                let (life, mode) = (Life::Named, shown.mode);
                let xattrs = shown.xattrs.clone();
                let back = Node { body, life, mode, xattrs, names: 1, change: 0, change_lost, ..node };
                self.nodes.insert(id, back);
                id
            }
            None => {
                let id = self.add(handle, body, shown.mode);
                if let Some(node) = self.nodes.get_mut(&id) {
                    node.xattrs = shown.xattrs.clone();
                }
                id
            }
        }
    }
}

fn wrong_node(node: &Node, shown: &Shown, look: Look) -> Option<String> {
    let same =
        (node.handle.inode, node.handle.generation, node.mode) == (shown.inode, shown.generation, shown.mode);
    if !same || node.xattrs != shown.xattrs {
        let known = (node.handle.inode, node.mode, names(&node.xattrs));
        return Some(format!("{}, not {known:?}", shown.summary()));
    }
    match (&node.body, &shown.what) {
        (Body::File(file), What::File(found)) => {
            let sizes = file.sizes(look);
            if !sizes.contains(found.len() as u64) {
                return Some(format!("size {}, not one of {sizes:?}", found.len()));
            }
            file.wrong(0, found, look)
        }
        (Body::Directory { .. }, What::Directory) => None,
        (Body::Symlink(target), What::Symlink(found)) if target == found => None,
        _ => Some(format!("{}, and not that", shown.summary())),
    }
}
