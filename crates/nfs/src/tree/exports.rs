//! The pseudo file system (RFC 8881 §7): the read-only directories that lead from the server's root to the
//! volumes. It is derived from the volumes' junction paths alone.
//!
//! With volumes at `/kafka` and `/data/logs`, the root contains `kafka`, which is the volume's own root
//! directory, and `data`, a pseudo directory that contains `logs`. A path that leads to no volume does not
//! exist, so mounting it fails with NFS4ERR_NOENT. Volumes can be created and deleted while the server runs;
//! each access to the tree checks whether the pool has changed.
//!
//! Snapshots are reached through their volume: its root directory contains `.snapshot`, which READDIR does
//! not list, and which contains the root directory of each snapshot under the snapshot's name. `.snapshot`
//! belongs to the file system of the volume; each snapshot is a separate file system. No entry of a volume's
//! root directory can have that name.
//!
//! Paths of other servers' file systems are referrals ([`crate::referral`]): their parent directories contain them, and
//! nothing of them is here. A referral whose path is that of a volume, or above or below it, is covered by the volume.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use forebay_pool::{Handle, Pool, Snapshot, Volume, VolumeId};

use crate::policy::Policies;
use crate::referral::Referral;
use crate::tree::{FileHandle, PseudoId};

/// The pseudo file system of one pool.
pub struct Exports {
    pool: Pool,
    policies: Arc<Policies>,
    referrals: Vec<Referral>,
    tree: Mutex<Arc<Tree>>,
}

/// The pseudo file system at one moment.
#[derive(Debug)]
pub struct Tree {
    /// The version of the pool's volumes that it was built from.
    version: u64,
    /// The generation of the policies: what clients can see of the tree may have changed since.
    generation: u64,
    change: u64,
    directories: HashMap<PseudoId, PseudoDirectory>,
    junctions: HashMap<VolumeId, Junction>,
    /// The directory of snapshots of each volume, by the volume's root directory.
    snapshots: HashMap<Handle, PseudoId>,
    /// The referrals that no volume covers.
    referrals: HashMap<PseudoId, Referral>,
    /// These referrals, and the directories that lead to them.
    leads_to_referral: HashSet<PseudoId>,
    /// The other referrals.
    covered: Vec<CoveredReferral>,
}

/// A referral that clients do not see, because a volume is at its path, or above or below it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CoveredReferral {
    path: String,
    volume: String,
    volume_path: String,
}

/// One directory of the pseudo file system.
#[derive(Debug)]
pub struct PseudoDirectory {
    /// The directory above; `None` for the server's root.
    pub parent: Option<FileHandle>,
    /// The volume to whose file system it belongs; `None` above the volumes.
    pub volume: Option<VolumeId>,
    /// Its entries, in READDIR's order.
    pub children: BTreeMap<PseudoId, Child>,
    /// When the newest of the volumes below was created.
    pub modified: SystemTime,
}

/// An entry of a directory of the pseudo file system.
#[derive(Clone, Debug)]
pub struct Child {
    /// The name.
    pub name: Bytes,
    /// The root directory of the volume or snapshot at this entry; `None` for a pseudo directory or a referral.
    pub volume_root: Option<Handle>,
}

/// The name, in a volume's root directory, of the directory of its snapshots.
pub const SNAPSHOTS: &[u8] = b".snapshot";

/// The place where a volume or a snapshot is mounted.
#[derive(Clone, Debug)]
pub struct Junction {
    /// The path of the volume's root from the server's root.
    pub path: Arc<str>,
    /// The node that the volume's root covers.
    pub node: PseudoId,
    /// The directory that contains its entry.
    pub parent: PseudoId,
    root: Handle,
}

impl Exports {
    /// The exports of `pool`, and these paths of other servers.
    pub fn new(
        pool: Pool,
        policies: Arc<Policies>,
        referrals: Vec<Referral>,
    ) -> forebay_pool::Result<Exports> {
        // The pool counts its openings, so `change` increases across restarts as well.
        let tree = Tree::of(&pool, policies.generation(), &referrals, pool.boot() << 32)?;
        tree.report_covered(&[]);
        Ok(Exports { pool, policies, referrals, tree: Mutex::new(Arc::new(tree)) })
    }

    /// The current pseudo file system.
    pub fn tree(&self) -> Arc<Tree> {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.policies.generation();
        if (tree.version, tree.generation) != (self.pool.volumes_version(), generation) {
            // A pool that is closing leaves the tree as it was: clients must not see their volumes gone.
            let change = tree.change.saturating_add(1);
            if let Ok(now) = Tree::of(&self.pool, generation, &self.referrals, change) {
                now.report_covered(&tree.covered);
                *tree = Arc::new(now);
            }
        }
        Arc::clone(&tree)
    }
}

impl Tree {
    /// The server's root directory.
    pub fn root() -> PseudoId {
        node_of("")
    }

    fn of(pool: &Pool, generation: u64, referrals: &[Referral], change: u64) -> forebay_pool::Result<Tree> {
        // Read first: a change in between is picked up next time.
        let version = pool.volumes_version();
        let (volumes, snapshots) = (pool.volumes()?, pool.snapshots(None)?);
        Ok(Tree { version, generation, ..Tree::new(&volumes, &snapshots, referrals, change) })
    }

    fn new(volumes: &[Volume], snapshots: &[Snapshot], referrals: &[Referral], change: u64) -> Tree {
        let root = PseudoDirectory {
            parent: None,
            volume: None,
            children: BTreeMap::new(),
            modified: SystemTime::UNIX_EPOCH,
        };
        let mut tree = Tree {
            version: 0,
            generation: 0,
            change,
            directories: HashMap::from([(Tree::root(), root)]),
            junctions: HashMap::new(),
            snapshots: HashMap::new(),
            referrals: HashMap::new(),
            leads_to_referral: HashSet::new(),
            covered: Vec::new(),
        };
        for volume in volumes {
            tree.mount(volume);
            let snapshots = snapshots.iter().filter(|snapshot| snapshot.volume == volume.id);
            tree.add_snapshots(volume, snapshots);
        }
        for referral in referrals {
            match volumes.iter().find(|volume| referral.overlaps(&volume.spec.junction_path)) {
                Some(volume) => tree.covered.push(CoveredReferral {
                    path: referral.path.clone(),
                    volume: volume.spec.name.clone(),
                    volume_path: volume.spec.junction_path.clone(),
                }),
                None => tree.refer(referral),
            }
        }
        tree
    }

    /// Adds the directory of a volume's snapshots, even if there are none.
    fn add_snapshots<'a>(&mut self, volume: &Volume, snapshots: impl Iterator<Item = &'a Snapshot>) {
        let path = format!("{}/.snapshot", volume.spec.junction_path);
        let node = node_of(&path);
        let directory = PseudoDirectory {
            parent: Some(FileHandle::Inode(volume.root)),
            volume: Some(volume.id),
            children: BTreeMap::new(),
            modified: volume.created,
        };
        self.directories.insert(node, directory);
        for snapshot in snapshots {
            let child = node_of(&format!("{path}/{}", snapshot.name));
            self.add(node, child, &snapshot.name, Some(snapshot.root));
            self.touch(node, snapshot.created);
            let path = format!("{path}/{}", snapshot.name).into();
            let junction = Junction { path, node: child, parent: node, root: snapshot.root };
            self.junctions.insert(snapshot.id, junction);
        }
        self.snapshots.insert(volume.root, node);
    }

    fn mount(&mut self, volume: &Volume) {
        let path = &volume.spec.junction_path;
        let Some((above, last)) = self.add_above(path, Some(volume.created)) else { return };
        let (parent, node) = (above.last().copied().unwrap_or(Tree::root()), node_of(path));
        self.add(parent, node, last, Some(volume.root));
        let junction = Junction { path: path.as_str().into(), node, parent, root: volume.root };
        self.junctions.insert(volume.id, junction);
    }

    fn refer(&mut self, referral: &Referral) {
        let Some((above, last)) = self.add_above(&referral.path, None) else { return };
        // Not the node of a directory with this path: for a filehandle of such a directory, which has since become a
        // referral, Linux would take NFS4ERR_MOVED as the news that the whole mount has moved.
        let node = node_of(&format!("referral:{}", referral.path));
        self.add(above.last().copied().unwrap_or(Tree::root()), node, last, None);
        self.referrals.insert(node, referral.clone());
        self.leads_to_referral.insert(node);
        self.leads_to_referral.extend(above);
    }

    /// Adds the directories above a path that do not exist yet. Returns them, the root first, and the path's last name.
    fn add_above<'a>(
        &mut self,
        path: &'a str,
        created: Option<SystemTime>,
    ) -> Option<(Vec<PseudoId>, &'a str)> {
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let (last, above) = names.split_last()?;
        let mut path = String::new();
        let mut nodes = vec![Tree::root()];
        let mut parent = Tree::root();
        for name in above {
            path = format!("{path}/{name}");
            let node = node_of(&path);
            self.add(parent, node, name, None);
            self.directories.entry(node).or_insert_with(|| PseudoDirectory {
                parent: Some(FileHandle::Pseudo(parent)),
                volume: None,
                children: BTreeMap::new(),
                modified: SystemTime::UNIX_EPOCH,
            });
            nodes.push(node);
            parent = node;
        }
        if let Some(created) = created {
            nodes.iter().for_each(|node| self.touch(*node, created));
        }
        Some((nodes, last))
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

    /// A directory of the pseudo file system, if it still exists.
    pub fn directory(&self, node: PseudoId) -> Option<&PseudoDirectory> {
        self.directories.get(&node)
    }

    /// The junction that `handle` covers, if it is a volume's root directory.
    pub fn junction(&self, handle: Handle) -> Option<Junction> {
        self.junctions.get(&handle.volume).cloned().filter(|junction| junction.root == handle)
    }

    /// The path of the root directory of a volume or a snapshot.
    pub fn path_of(&self, volume: VolumeId) -> Option<Arc<str>> {
        self.junctions.get(&volume).map(|junction| junction.path.clone())
    }

    /// The referral at this node, if there is one: the root directory of a file system that is not here.
    pub fn referral(&self, node: PseudoId) -> Option<&Referral> {
        self.referrals.get(&node)
    }

    /// Whether the node is a referral, or a directory that leads to one.
    pub fn leads_to_referral(&self, node: PseudoId) -> bool {
        self.leads_to_referral.contains(&node)
    }

    /// Tells the operator which referrals are covered that were not before.
    fn report_covered(&self, before: &[CoveredReferral]) {
        for covered in self.covered.iter().filter(|covered| !before.contains(covered)) {
            let CoveredReferral { path, volume, volume_path } = covered;
            tracing::warn!(
                referral = path,
                volume,
                volume_path,
                "clients do not see this referral of nfs.referrals, because a volume is at its path, or above or below it; change \
                 the path of one of them"
            );
        }
    }

    /// The root directories of the volumes below a directory; for a directory of snapshots, that of its
    /// volume.
    pub fn volumes_below(&self, node: PseudoId) -> Vec<Handle> {
        let mut roots = Vec::new();
        let mut directories = vec![node];
        while let Some(directory) = directories.pop().and_then(|node| self.directory(node)) {
            roots.extend(
                directory.volume.and_then(|volume| self.junctions.get(&volume)).map(|junction| junction.root),
            );
            for (node, child) in &directory.children {
                match child.volume_root {
                    Some(root) => roots.push(root),
                    None => directories.push(*node),
                }
            }
        }
        roots
    }

    /// The directory of snapshots, if `directory` is the root directory of a volume and `name` is that of its
    /// snapshots.
    pub fn snapshots(&self, directory: Handle, name: &[u8]) -> Option<PseudoId> {
        if name == SNAPSHOTS { self.snapshots.get(&directory).copied() } else { None }
    }

    /// The `change` attribute of all directories of the pseudo file system.
    pub fn change(&self) -> u64 {
        self.change
    }
}

impl PseudoDirectory {
    /// The entry for `name`.
    pub fn child(&self, name: &[u8]) -> Option<(PseudoId, &Child)> {
        self.children.iter().find(|(_, child)| child.name == name).map(|(node, child)| (*node, child))
    }
}

/// The node of a path such as `/data/logs`, or of the root if it is empty. It is a 63-bit hash; collisions do
/// not occur among the few directories of a server.
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
    use crate::referral;

    fn volume(id: u32, path: &str) -> Volume {
        Volume {
            id: VolumeId(id),
            spec: VolumeSpec::new(&format!("volume{id}"), path),
            root: Handle { volume: VolumeId(id), inode: InodeId(u64::from(id) << 8), generation: 1 },
            created: SystemTime::UNIX_EPOCH,
            clone_of: None,
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
        let volumes = [volume(1, "/kafka"), volume(2, "/data/a/logs"), volume(3, "/data/b")];
        let tree = Tree::new(&volumes, &[], &[], 1);
        assert_eq!(names(&tree, Tree::root()), ["data", "kafka"]);
        let root = tree.directory(Tree::root()).expect("there is a root");
        let (data, child) = root.child(b"data").expect("data is there");
        assert!(child.volume_root.is_none());
        assert_eq!(names(&tree, data), ["a", "b"]);
        let above = tree.directory(data).and_then(|data| data.parent);
        assert_eq!(above, Some(FileHandle::Pseudo(Tree::root())));
        let (_, kafka) = root.child(b"kafka").expect("kafka is there");
        assert_eq!(kafka.volume_root, Some(volume(1, "/kafka").root));
        assert!(root.child(b"nothing").is_none());
    }

    #[test]
    fn only_a_root_directory_covers_a_junction() {
        let kafka = volume(1, "/kafka");
        let tree = Tree::new(std::slice::from_ref(&kafka), &[], &[], 1);
        let junction = tree.junction(kafka.root).expect("the root is mounted");
        assert_eq!(junction.parent, Tree::root());
        let inside = Handle { inode: InodeId(99), ..kafka.root };
        assert!(tree.junction(inside).is_none());
    }

    #[test]
    fn snapshots_are_found_from_the_root_of_their_volume_only() {
        let kafka = volume(1, "/kafka");
        let taken = Snapshot {
            id: VolumeId(2),
            volume: kafka.id,
            volume_name: "kafka".to_string(),
            name: "monday".to_string(),
            root: Handle { volume: VolumeId(2), ..kafka.root },
            created: SystemTime::UNIX_EPOCH,
            period: None,
            bytes_logical: 0,
            clones: Vec::new(),
            clones_deleted: Vec::new(),
            expires: None,
            locked_until: None,
            is_for_clone: false,
        };
        let tree = Tree::new(std::slice::from_ref(&kafka), std::slice::from_ref(&taken), &[], 1);
        let node = tree.snapshots(kafka.root, b".snapshot").expect("they are there");
        assert_eq!(names(&tree, node), ["monday"]);
        assert_eq!(tree.directory(node).and_then(|all| all.parent), Some(FileHandle::Inode(kafka.root)));
        assert_eq!(tree.junction(taken.root).map(|junction| junction.parent), Some(node));
        assert_eq!(names(&tree, Tree::root()), ["kafka"]);
        assert_eq!(tree.snapshots(kafka.root, b"snapshot"), None);
        assert_eq!(tree.snapshots(taken.root, b".snapshot"), None);
    }

    #[test]
    fn referrals_are_entries_of_the_directories_that_lead_to_them() {
        let referrals = referral::list("/kafka-2=10.0.0.2:/kafka-2,/data/b=10.0.0.3:/b").expect("a list");
        let tree = Tree::new(&[volume(1, "/data/a"), volume(2, "/logs")], &[], &referrals, 1);
        assert_eq!(names(&tree, Tree::root()), ["data", "kafka-2", "logs"]);
        let root = tree.directory(Tree::root()).expect("there is a root");
        let (data, _) = root.child(b"data").expect("data is there");
        assert_eq!(names(&tree, data), ["a", "b"]);
        let (other, child) = root.child(b"kafka-2").expect("the referral is there");
        assert!(child.volume_root.is_none() && tree.directory(other).is_none());
        assert_eq!(tree.referral(other), Some(&referrals[0]));
        assert!(tree.referral(data).is_none());
        let logs = tree.junction(volume(2, "/logs").root).expect("it is mounted").node;
        let leads = [Tree::root(), data, other, logs].map(|node| tree.leads_to_referral(node));
        assert_eq!(leads, [true, true, true, false]);
    }

    #[test]
    fn a_volume_covers_referrals_at_its_path_and_above_and_below_it() {
        let text = "/data=10.0.0.2:/a,/logs=10.0.0.2:/b,/kafka/b=10.0.0.2:/c,/kafka-2=10.0.0.2:/d";
        let referrals = referral::list(text).expect("a list");
        let volumes = [volume(1, "/data/a"), volume(2, "/logs"), volume(3, "/kafka")];
        let tree = Tree::new(&volumes, &[], &referrals, 1);
        assert_eq!(names(&tree, Tree::root()), ["data", "kafka", "kafka-2", "logs"]);
        assert!(volumes.iter().all(|volume| tree.junction(volume.root).is_some()));
        let covered: Vec<_> =
            tree.covered.iter().map(|one| (one.path.as_str(), one.volume.as_str())).collect();
        assert_eq!(covered, [("/data", "volume1"), ("/logs", "volume2"), ("/kafka/b", "volume3")]);
    }

    #[test]
    fn a_referral_is_another_object_than_a_directory_at_its_path() {
        let referrals = referral::list("/data=10.0.0.2:/data").expect("a list");
        let before = Tree::new(&[volume(1, "/data/a")], &[], &referrals, 1);
        let after = Tree::new(&[], &[], &referrals, 2);
        let node = |tree: &Tree| {
            tree.directory(Tree::root()).and_then(|root| root.child(b"data")).expect("data is there").0
        };
        assert!(before.directory(node(&before)).is_some() && after.referral(node(&after)).is_some());
        assert_ne!(node(&before), node(&after));
    }

    #[test]
    fn without_volumes_there_is_an_empty_root() {
        let tree = Tree::new(&[], &[], &[], 1);
        assert!(names(&tree, Tree::root()).is_empty());
    }
}
