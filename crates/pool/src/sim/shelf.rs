//! Deleted volumes that can be recovered, in the model.

use std::collections::BTreeMap;

use super::model::{Life, NodeId, Taken, World};
use super::tree::Tree;
use crate::VolumeId;

/// A deleted volume that can be recovered. Its inodes stay in the world, shelved.
#[derive(Clone)]
pub(super) struct Shelf {
    pub(super) name: String,
    pub(super) root: NodeId,
    /// Its snapshots by name.
    snapshots: BTreeMap<String, Taken>,
}

/// The name that a deleted clone has among the clones of a snapshot.
pub(super) fn shelved_name(volume: VolumeId) -> String {
    format!("deleted {}", volume.0)
}

impl World {
    pub(super) fn volume_purged(&mut self, volume: VolumeId) {
        self.shelves.remove(&volume);
        self.rename_clone(&shelved_name(volume), None);
        for node in self.nodes.values_mut().filter(|node| node.handle.volume == volume) {
            node.life = Life::Doomed;
        }
    }

    fn rename_clone(&mut self, before: &str, now: Option<String>) {
        for taken in self.snapshots.values_mut() {
            if taken.clones.remove(before) {
                taken.clones.extend(now.clone());
            }
        }
    }

    /// Everything that a client was told before the deletion is durable.
    pub(super) fn volume_shelved(&mut self, name: String) {
        let Some(root) = self.volumes.remove(&name) else { return };
        let Some(volume) = self.volume_of(root) else { return };
        self.rename_clone(&name, Some(shelved_name(volume)));
        let mut snapshots = BTreeMap::new();
        for (key, taken) in std::mem::take(&mut self.snapshots) {
            if key.0 == name {
                snapshots.insert(key.1, taken);
            } else {
                self.snapshots.insert(key, taken);
            }
        }
        for node in self.nodes.values_mut().filter(|node| node.handle.volume == volume) {
            node.life_before = node.life;
            node.life = Life::Shelved;
            if let Some(file) = node.file_mut() {
                file.committed_all();
            }
        }
        self.shelves.insert(volume, Shelf { name, root, snapshots });
    }

    pub(super) fn volume_recovered(&mut self, volume: VolumeId, name: String) {
        let Some(shelf) = self.shelves.remove(&volume) else { return };
        self.rename_clone(&shelved_name(volume), Some(name.clone()));
        let taken = shelf.snapshots.into_iter();
        self.snapshots.extend(taken.map(|(snapshot, taken)| ((name.clone(), snapshot), taken)));
        self.volumes.insert(name, shelf.root);
        let mut back = Vec::new();
        for (id, node) in self.nodes.iter_mut().filter(|(_, node)| node.handle.volume == volume) {
            node.life = node.life_before;
            back.push(*id);
        }
        back.into_iter().for_each(|id| self.doom(id));
    }

    /// The snapshots of a deleted volume, with the content that they must have.
    pub(super) fn snapshots_of_shelf(&self, volume: VolumeId) -> Vec<(String, Tree)> {
        let shelf = self.shelves.get(&volume).into_iter();
        let taken = shelf.flat_map(|shelf| &shelf.snapshots);
        taken.map(|(name, taken)| (name.clone(), taken.tree.clone())).collect()
    }
}
