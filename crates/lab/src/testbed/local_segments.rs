//! What brokers have of topics in their log directories.

use std::collections::BTreeMap;

use anyhow::Result;

use super::own_cluster::Testbed;
use crate::cluster::TierReading;
use crate::wire::TreeEntry;

/// The suffix of a segment's file. Kafka adds another to files that it is about to delete.
const LOG: &str = ".log";

/// The base offsets of the segments of each replica, by the broker and the partition's name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LocalSegments(BTreeMap<(u32, String), Vec<u64>>);

impl LocalSegments {
    /// Lists the log directories of all brokers.
    pub fn list(testbed: &Testbed, topics: &[&str]) -> Result<Self> {
        let mut all = Self::default();
        for (broker, node) in testbed.cluster.brokers().iter().zip(&testbed.nodes) {
            all.take(broker.id(), &node.list_tree(broker.log_folder())?, topics);
        }
        Ok(all)
    }

    fn take(&mut self, broker: u32, tree: &[TreeEntry], topics: &[&str]) {
        for entry in tree {
            let Some((partition, base)) = segment_in(entry) else { continue };
            let is_ours = partition
                .rsplit_once('-')
                .is_some_and(|(topic, number)| topics.contains(&topic) && number.parse::<u32>().is_ok());
            if is_ours {
                self.0.entry((broker, partition.to_owned())).or_default().push(base);
            }
        }
    }

    /// The base offsets of a replica's segments, the active one last.
    pub fn bases(&self, broker: u32, partition: &str) -> &[u64] {
        self.0.get(&(broker, partition.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The number of segments of all replicas.
    pub fn count(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }

    /// The number of replicas.
    pub fn replicas(&self) -> usize {
        self.0.len()
    }

    /// Describes the first replica that has more than its active segment, or whose active segment does not begin where the tier ends.
    pub fn first_with_more(&self, reading: &TierReading) -> Option<String> {
        self.0.iter().find_map(|((broker, partition), bases)| {
            let tiered = reading.next.get(partition).copied().unwrap_or_default();
            match bases.as_slice() {
                [base] if *base == tiered => None,
                [base] => Some(format!(
                    "broker {broker} has {partition} from {base}, and the tier ends at {tiered}"
                )),
                several => Some(format!("broker {broker} has {} segments of {partition}", several.len())),
            }
        })
    }
}

/// The partition's name and the base offset of a segment's file.
fn segment_in(entry: &TreeEntry) -> Option<(&str, u64)> {
    let (partition, file) = entry.path.to_str()?.rsplit_once('/')?;
    Some((partition, file.strip_suffix(LOG)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(paths: &[&str]) -> LocalSegments {
        let entry =
            |path: &&str| TreeEntry { path: path.into(), folder: false, bytes: 1, allocated_bytes: 1 };
        let mut all = LocalSegments::default();
        all.take(1, &paths.iter().map(entry).collect::<Vec<_>>(), &["plain-1"]);
        all
    }

    fn reading(next: u64) -> TierReading {
        TierReading { next: BTreeMap::from([("plain-1-0".to_owned(), next)]), ..TierReading::default() }
    }

    #[test]
    fn only_the_segments_of_the_topics_count_and_not_files_to_be_deleted() {
        let all = listed(&[
            "plain-1-0/00000000000000000100.log",
            "plain-1-0/00000000000000000000.log.deleted",
            "plain-1-0/00000000000000000100.index",
            "plain-11-0/00000000000000000000.log",
            "plain-1-1.0a1b-delete/00000000000000000000.log",
        ]);
        assert_eq!((all.replicas(), all.count()), (1, 1));
        assert_eq!(all.first_with_more(&reading(100)), None);
    }

    #[test]
    fn a_replica_with_more_than_its_active_segment_is_named() {
        let two = listed(&["plain-1-0/00000000000000000000.log", "plain-1-0/00000000000000000100.log"]);
        assert_eq!(two.first_with_more(&reading(100)).unwrap(), "broker 1 has 2 segments of plain-1-0");
        let untiered = listed(&["plain-1-0/00000000000000000000.log"]);
        assert_eq!(untiered.first_with_more(&reading(0)), None);
        assert!(untiered.first_with_more(&reading(7)).unwrap().contains("the tier ends at 7"));
    }
}
