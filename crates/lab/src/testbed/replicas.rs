//! Inspects the brokers' log directories for replicas that should be deleted, and files that a client renamed to `.nfs…`.

use std::collections::BTreeSet;

use anyhow::Result;

use super::own_cluster::Testbed;
use super::watch;
use crate::cluster::Assignment;
use crate::report::Recorder;
use crate::wire::TreeEntry;

/// The suffix by which Kafka marks the folder of a replica that waits for its deletion.
const DELETED: &str = "-delete";

/// The findings of the inspections.
#[derive(Debug, Default)]
pub struct Replicas {
    /// `.nfs…` files that were seen at any time, in a directory or in a broker's log.
    nfs_files: BTreeSet<String>,
    /// Folders of replicas that should be deleted, at the last inspection.
    old: BTreeSet<String>,
}

impl Replicas {
    /// Inspects every broker's log directory. The assignment says where the topic's replicas should be.
    pub fn look(&mut self, testbed: &Testbed, target: &Assignment) -> Result<()> {
        self.old.clear();
        for (broker, node) in testbed.cluster.brokers().iter().zip(&testbed.nodes) {
            let tree = node.list_tree(broker.log_folder())?;
            self.take(&broker.log_folder().display().to_string(), broker.id(), &tree, target);
        }
        Ok(())
    }

    fn take(&mut self, folder: &str, broker: u32, tree: &[TreeEntry], target: &Assignment) {
        let held: BTreeSet<String> = target
            .held_by(broker)
            .into_iter()
            .map(|partition| format!("{}-{partition}", target.topic))
            .collect();
        for entry in tree {
            let name = entry.path.to_string_lossy();
            let path = format!("{folder}/{name}");
            if is_nfs_file(entry) {
                self.nfs_files.insert(path);
            } else if entry.folder && name.starts_with(&target.topic) && !held.contains(name.as_ref()) {
                self.old.insert(path);
            }
        }
    }

    /// The number of replicas' folders that should have been deleted but still exist.
    pub fn old_count(&self) -> usize {
        self.old.len()
    }

    /// The number of partitions whose replicas are exactly on the assigned brokers, not counting replicas that wait for their deletion.
    pub fn moved(&self, target: &Assignment) -> usize {
        let names = self.old.iter().filter_map(|path| path.rsplit('/').next());
        let waiting: BTreeSet<&str> = names.filter(|name| !name.ends_with(DELETED)).collect();
        target.partitions.len().saturating_sub(waiting.len())
    }

    /// Adds the `.nfs…` files named in brokers' error messages, because the files themselves disappear when the broker ends.
    pub fn add_named_in_logs(&mut self, testbed: &Testbed) {
        for broker in testbed.cluster.brokers() {
            let log = std::fs::read(broker.log_file()).unwrap_or_default();
            self.nfs_files.extend(watch::silly_files_in(&String::from_utf8_lossy(&log)));
        }
    }

    /// Records the checks that there are no `.nfs…` files and no old replicas.
    pub fn check(&self, recorder: &Recorder) {
        let first = |set: &BTreeSet<String>| set.first().cloned().unwrap_or_default();
        let nfs = match self.nfs_files.len() {
            0 => "none".to_owned(),
            count => format!("{count}, such as {}", first(&self.nfs_files)),
        };
        recorder.check("nfs_files", "No .nfs file in any log directory", self.nfs_files.is_empty(), nfs);
        let old = match self.old.len() {
            0 => "all gone".to_owned(),
            count => format!("{count} left, such as {}", first(&self.old)),
        };
        recorder.check("old_replicas", "The old replicas' folders are gone", self.old.is_empty(), old);
    }
}

fn is_nfs_file(entry: &TreeEntry) -> bool {
    entry.path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(watch::SILLY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(path: &str) -> TreeEntry {
        TreeEntry { path: path.into(), folder: true, bytes: 0, allocated_bytes: 0 }
    }

    fn file(path: &str) -> TreeEntry {
        TreeEntry { path: path.into(), folder: false, bytes: 1, allocated_bytes: 512 }
    }

    /// Two partitions that move from brokers 1 and 2 to brokers 2 and 1.
    fn target() -> Assignment {
        Assignment::even("t", 2, 1, 2, 1)
    }

    fn found(tree: &[TreeEntry]) -> Replicas {
        let mut replicas = Replicas::default();
        replicas.take("/mnt/broker1", 1, tree, &target());
        replicas
    }

    #[test]
    fn a_partition_has_moved_when_its_old_replica_at_least_waits_for_deletion() {
        let replicas = found(&[folder("t-0"), folder("t-1")]);
        assert_eq!((replicas.moved(&target()), replicas.old_count()), (1, 1));
        let replicas = found(&[folder("t-0.c7ec-delete"), folder("t-1")]);
        assert_eq!((replicas.moved(&target()), replicas.old_count()), (2, 1));
        let replicas = found(&[folder("t-1"), folder("__consumer_offsets-0"), file("meta.properties")]);
        assert_eq!((replicas.moved(&target()), replicas.old_count()), (2, 0));
    }

    #[test]
    fn silly_renamed_files_are_told_from_others_and_not_forgotten() {
        let mut replicas =
            found(&[file("t-1/.nfs000000000013201200000001"), file("t-1/00000000000000000000.log")]);
        assert_eq!(replicas.nfs_files.len(), 1);
        replicas.take("/mnt/broker1", 1, &[], &target());
        assert_eq!(replicas.nfs_files.first().unwrap(), "/mnt/broker1/t-1/.nfs000000000013201200000001");
    }
}
