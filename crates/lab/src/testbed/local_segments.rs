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

    /// Describes the first replica that has more than it needs. In each partition one replica, as the leader, has only its active segment,
    /// which begins where the tier ends. Followers close their segments at other offsets than the leader, so the one in which the tier ends
    /// may be closed.
    pub fn first_with_more(&self, reading: &TierReading) -> Option<String> {
        self.0.iter().find_map(|((broker, partition), bases)| {
            let tiered = reading.next.get(partition).copied().unwrap_or_default();
            let has_leader = self.of(partition).any(|bases| *bases == [tiered]);
            match bases.as_slice() {
                [base] if has_leader && *base <= tiered => None,
                [base, next] if has_leader && *base <= tiered && tiered < *next => None,
                [base] => Some(format!(
                    "broker {broker} has {partition} from {base}, and the tier ends at {tiered}"
                )),
                several => Some(format!("broker {broker} has {} segments of {partition}", several.len())),
            }
        })
    }

    /// The base offsets of each replica of a partition.
    fn of<'a>(&'a self, partition: &'a str) -> impl Iterator<Item = &'a Vec<u64>> {
        let ours = self.0.iter().filter(move |((_, name), _)| name == partition);
        ours.map(|(_, bases)| bases)
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

    fn listed_by(brokers: &[(u32, &[&str])]) -> LocalSegments {
        let entry =
            |path: &&str| TreeEntry { path: path.into(), folder: false, bytes: 1, allocated_bytes: 1 };
        let mut all = LocalSegments::default();
        for (broker, paths) in brokers {
            all.take(*broker, &paths.iter().map(entry).collect::<Vec<_>>(), &["plain-1"]);
        }
        all
    }

    fn listed(paths: &[&str]) -> LocalSegments {
        listed_by(&[(1, paths)])
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
    fn a_follower_may_have_closed_the_segment_in_which_the_tier_ends() {
        let leader: &[&str] = &["plain-1-0/00000000000000000100.log"];
        let late: &[&str] = &["plain-1-0/00000000000000000090.log"];
        let closed: &[&str] = &["plain-1-0/00000000000000000000.log", "plain-1-0/00000000000000000110.log"];
        let copied: &[&str] = &["plain-1-0/00000000000000000000.log", "plain-1-0/00000000000000000100.log"];
        for (follower, is_allowed) in [(leader, true), (late, true), (closed, true), (copied, false)] {
            let both = listed_by(&[(1, leader), (2, follower)]);
            assert_eq!(both.first_with_more(&reading(100)).is_none(), is_allowed, "{follower:?}");
            // Somebody must be the leader.
            assert!(listed_by(&[(1, closed), (2, follower)]).first_with_more(&reading(105)).is_some());
        }
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
