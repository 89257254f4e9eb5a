//! The pseudo file system (RFC 8881 §7): the read-only directories that lead from the server's root to the
//! volumes, made from the volumes' junction paths alone.
//!
//! With volumes at `/kafka` and `/data/logs`, the root holds `kafka`, which is the volume's own root
//! directory, and `data`, which is a pseudo directory that holds `logs`. A path that leads to no volume does not
//! exist, so mounting it fails with NFS4ERR_NOENT. Volumes come and go while the server runs; each look at the
//! tree compares it with the pool's volumes, which are few.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use forebay_pool::{Handle, Pool, Volume, VolumeId};

use crate::fs::handle::PseudoId;
use crate::policy::Policies;

/// The pseudo file system of one pool.
pub struct Exports {
    pool: Pool,
    policies: Arc<Policies>,
    tree: Mutex<Arc<Tree>>,
}

/// The pseudo file system as it was at one moment.
#[derive(Debug)]
pub struct Tree {
    volumes: Vec<Volume>,
    /// Of the policies: what clients see of the tree may have changed since an earlier one.
    generation: u64,
    change: u64,
    directories: HashMap<PseudoId, PseudoDirectory>,
    junctions: HashMap<VolumeId, Junction>,
}

/// One directory of the pseudo file system.
#[derive(Debug)]
pub struct PseudoDirectory {
    /// The directory above; `None` for the server's root.
    pub parent: Option<PseudoId>,
    /// What it holds, in READDIR's order.
    pub children: BTreeMap<PseudoId, Child>,
    /// When the newest of the volumes below was created.
    pub modified: SystemTime,
}

/// One name in a directory of the pseudo file system.
#[derive(Clone, Debug)]
pub struct Child {
    /// The name.
    pub name: Bytes,
    /// The volume's root directory, if a volume is mounted here; else it is a pseudo directory.
    pub volume_root: Option<Handle>,
}

/// Where a volume is mounted.
#[derive(Clone, Copy, Debug)]
pub struct Junction {
    /// The node that the volume's root covers.
    pub node: PseudoId,
    /// The directory that holds its name.
    pub parent: PseudoId,
    root: Handle,
}

impl Exports {
    /// The exports of `pool`.
    pub fn new(pool: Pool, policies: Arc<Policies>) -> Exports {
        let (generation, volumes) = (policies.generation(), pool.volumes());
        // The pool counts its openings, so `change` also increases through restarts.
        let tree = Tree::new(volumes, generation, pool.boot() << 32);
        Exports { pool, policies, tree: Mutex::new(Arc::new(tree)) }
    }

    /// The pseudo file system as it is now.
    pub fn tree(&self) -> Arc<Tree> {
        let (generation, volumes) = (self.policies.generation(), self.pool.volumes());
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        if tree.volumes != volumes || tree.generation != generation {
            *tree = Arc::new(Tree::new(volumes, generation, tree.change.saturating_add(1)));
        }
        Arc::clone(&tree)
    }
}

impl Tree {
    /// The server's root directory.
    pub fn root() -> PseudoId {
        node_of("")
    }

    fn new(volumes: Vec<Volume>, generation: u64, change: u64) -> Tree {
        let root =
            PseudoDirectory { parent: None, children: BTreeMap::new(), modified: SystemTime::UNIX_EPOCH };
        let mut tree = Tree {
            generation,
            change,
            directories: HashMap::from([(Tree::root(), root)]),
            junctions: HashMap::new(),
            volumes: Vec::new(),
        };
        for volume in &volumes {
            tree.mount(volume);
        }
        tree.volumes = volumes;
        tree
    }

    fn mount(&mut self, volume: &Volume) {
        let names: Vec<&str> = volume.spec.junction_path.split('/').filter(|name| !name.is_empty()).collect();
        let Some((last, above)) = names.split_last() else { return };
        let mut path = String::new();
        let mut parent = Tree::root();
        self.touch(parent, volume.created);
        for name in above {
            path = format!("{path}/{name}");
            let node = node_of(&path);
            self.add(parent, node, name, None);
            self.directories.entry(node).or_insert_with(|| PseudoDirectory {
                parent: Some(parent),
                children: BTreeMap::new(),
                modified: SystemTime::UNIX_EPOCH,
            });
            self.touch(node, volume.created);
            parent = node;
        }
        let node = node_of(&format!("{path}/{last}"));
        self.add(parent, node, last, Some(volume.root));
        self.junctions.insert(volume.id, Junction { node, parent, root: volume.root });
    }

    fn add(&mut self, parent: PseudoId, node: PseudoId, name: &str, volume_root: Option<Handle>) {
        if let Some(directory) = self.directories.get_mut(&parent) {
            let name = Bytes::copy_from_slice(name.as_bytes());
            directory.children.insert(node, Child { name, volume_root });
        }
    }

    fn touch(&mut self, node: PseudoId, time: SystemTime) {
        if let Some(directory) = self.directories.get_mut(&node) {
            directory.modified = directory.modified.max(time);
        }
    }

    /// A directory of the pseudo file system, if it (still) exists.
    pub fn directory(&self, node: PseudoId) -> Option<&PseudoDirectory> {
        self.directories.get(&node)
    }

    /// The junction that `handle` covers, if it is a volume's root directory.
    pub fn junction(&self, handle: Handle) -> Option<Junction> {
        self.junctions.get(&handle.volume).copied().filter(|junction| junction.root == handle)
    }

    /// The root directories of the volumes at and below a directory.
    pub fn volumes_below(&self, node: PseudoId) -> Vec<Handle> {
        let mut roots = Vec::new();
        let mut directories = vec![node];
        while let Some(directory) = directories.pop().and_then(|node| self.directory(node)) {
            for (node, child) in &directory.children {
                match child.volume_root {
                    Some(root) => roots.push(root),
                    None => directories.push(*node),
                }
            }
        }
        roots
    }

    /// The `change` attribute of all directories of the pseudo file system.
    pub fn change(&self) -> u64 {
        self.change
    }
}

impl PseudoDirectory {
    /// What `name` stands for.
    pub fn child(&self, name: &[u8]) -> Option<(PseudoId, &Child)> {
        self.children.iter().find(|(_, child)| child.name == name).map(|(node, child)| (*node, child))
    }
}

/// The node of a path, such as `/data/logs`, or of the root if empty. 63 bits of a hash: among the few
/// directories of a server two of the same hash do not occur.
fn node_of(path: &str) -> PseudoId {
    let hash = blake3::hash(path.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    PseudoId((u64::from_be_bytes(first) >> 1).max(3))
}

#[cfg(test)]
mod tests {
    use forebay_pool::{InodeId, VolumeSpec};

    use super::*;

    fn volume(id: u32, path: &str) -> Volume {
        Volume {
            id: VolumeId(id),
            spec: VolumeSpec::new(&format!("volume{id}"), path),
            root: Handle { volume: VolumeId(id), inode: InodeId(u64::from(id) << 8), generation: 1 },
            created: SystemTime::UNIX_EPOCH,
        }
    }

    fn names(tree: &Tree, node: PseudoId) -> Vec<String> {
        let directory = tree.directory(node).expect("the directory exists");
        let mut names: Vec<String> =
            directory.children.values().map(|child| String::from_utf8_lossy(&child.name).into()).collect();
        names.sort();
        names
    }

    #[test]
    fn paths_of_volumes_share_their_directories() {
        let tree =
            Tree::new(vec![volume(1, "/kafka"), volume(2, "/data/a/logs"), volume(3, "/data/b")], 1, 1);
        assert_eq!(names(&tree, Tree::root()), ["data", "kafka"]);
        let root = tree.directory(Tree::root()).expect("there is a root");
        let (data, child) = root.child(b"data").expect("data is there");
        assert!(child.volume_root.is_none());
        assert_eq!(names(&tree, data), ["a", "b"]);
        assert_eq!(tree.directory(data).and_then(|data| data.parent), Some(Tree::root()));
        let (_, kafka) = root.child(b"kafka").expect("kafka is there");
        assert_eq!(kafka.volume_root, Some(volume(1, "/kafka").root));
        assert!(root.child(b"nothing").is_none());
    }

    #[test]
    fn only_a_root_directory_covers_a_junction() {
        let kafka = volume(1, "/kafka");
        let tree = Tree::new(vec![kafka.clone()], 1, 1);
        let junction = tree.junction(kafka.root).expect("the root is mounted");
        assert_eq!(junction.parent, Tree::root());
        let inside = Handle { inode: InodeId(99), ..kafka.root };
        assert!(tree.junction(inside).is_none());
    }

    #[test]
    fn without_volumes_there_is_an_empty_root() {
        let tree = Tree::new(Vec::new(), 1, 1);
        assert!(names(&tree, Tree::root()).is_empty());
    }
}
