//! How old the oldest records of a replica are, against those of its peers.
//!
//! The age of a record is taken from the last change of its segment. A replica that was rebuilt has new files with old records, so times
//! alone would make its peers look old. Only a replica that also begins at a lower offset has records that its peers have deleted.

use std::time::{Duration, SystemTime};

use crate::layout::State;
use crate::report::{Partition, Topic};

/// A replica whose oldest record is this many times as old as its peers' is unusual.
pub const RATIO_USUAL_MAX: f64 = 2.0;
/// Brokers apply retention every few minutes, and delete only whole segments, so a smaller difference says nothing.
const DIFFERENCE_MIN: Duration = Duration::from_secs(3600);
/// The replicas of a partition that are compared. Kafka's factor is far below.
const REPLICAS_MAX: usize = 64;

/// The age of a replica and of its peers: the other live replicas of its partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// The partition.
    pub partition: u32,
    /// The index of the replica's log directory in its cluster.
    pub directory: usize,
    /// The last change of its oldest segment.
    pub oldest: SystemTime,
    /// The last change of the oldest segment of all its peers.
    pub oldest_of_peers: SystemTime,
    /// Whether it has offsets that all of its peers have deleted.
    pub keeps_more: bool,
}

impl Age {
    /// How many times as old as its peers' its oldest record is; 1 if it keeps no more than they do.
    pub fn ratio(&self, now: SystemTime) -> f64 {
        if !self.keeps_more {
            return 1.0;
        }
        let age = |time| now.duration_since(time).unwrap_or_default().as_secs_f64().max(1.0);
        (age(self.oldest) / age(self.oldest_of_peers)).max(1.0)
    }

    /// Whether it should have deleted records long ago.
    pub fn is_unusual(&self, now: SystemTime) -> bool {
        let difference = self.oldest_of_peers.duration_since(self.oldest).unwrap_or_default();
        difference >= DIFFERENCE_MIN && self.ratio(now) >= RATIO_USUAL_MAX
    }
}

impl Topic {
    /// The ages of all live replicas that have peers. Brokers compact by themselves, so compacted partitions are left out.
    pub fn ages(&self) -> impl Iterator<Item = Age> {
        let partitions = self.partitions.iter().filter(|(_, partition)| !partition.is_compacted);
        partitions.flat_map(|(number, partition)| ages(*number, partition))
    }

    /// The age of the replica that is oldest against its peers; `None` if no replica has peers.
    pub fn most_unequal_age(&self, now: SystemTime) -> Option<Age> {
        self.ages().max_by(|one, other| one.ratio(now).total_cmp(&other.ratio(now)))
    }
}

fn ages(number: u32, partition: &Partition) -> impl Iterator<Item = Age> {
    let live = || {
        let of_broker = partition.replicas.iter().filter(|one| one.state == State::Live);
        of_broker.filter(|one| one.oldest.is_some()).take(REPLICAS_MAX)
    };
    live().enumerate().filter_map(move |(index, replica)| {
        let peers = || live().enumerate().filter(|(other, _)| *other != index).map(|(_, peer)| peer);
        Some(Age {
            partition: number,
            directory: replica.directory,
            oldest: replica.oldest?,
            oldest_of_peers: peers().filter_map(|peer| peer.oldest).min()?,
            keeps_more: peers().all(|peer| replica.offset_start < peer.offset_start),
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use forebay_pool::{Handle, InodeId, VolumeId};

    use super::*;
    use crate::report::{Figures, Replica};

    const HOUR: u64 = 3600;

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000)
    }

    /// A topic with one partition, whose replicas have these ages in hours and first offsets.
    fn topic(replicas: &[(u64, u64)]) -> Topic {
        let replica = |(directory, (hours, offset_start)): (usize, &(u64, u64))| Replica {
            directory,
            state: State::Live,
            name: "orders-0".to_owned(),
            handle: Handle { volume: VolumeId(1), inode: InodeId(1), generation: 0 },
            changed: now(),
            figures: Figures::default(),
            segments: 1,
            offset_start: *offset_start,
            offset_last_segment: *offset_start,
            high_watermark: None,
            oldest: Some(now() - Duration::from_secs(hours * HOUR)),
            newest: Some(now()),
            bytes_per_day: None,
            shared_permille: None,
            reason: None,
        };
        let replicas = replicas.iter().enumerate().map(replica).collect();
        let partition = Partition { replicas, is_compacted: false };
        Topic { partitions: BTreeMap::from([(0, partition)]), ..Topic::default() }
    }

    /// The log directory of the replica that is unusual, and its ratio.
    fn unusual(topic: &Topic) -> Option<(usize, f64)> {
        let age = topic.most_unequal_age(now()).filter(|age| age.is_unusual(now()))?;
        Some((age.directory, age.ratio(now())))
    }

    #[test]
    fn a_replica_that_keeps_what_its_peers_have_deleted_is_found() {
        assert_eq!(unusual(&topic(&[(168, 900), (168, 900), (504, 100)])), Some((2, 3.0)));
        assert_eq!(unusual(&topic(&[(168, 900), (170, 880), (172, 870)])), None);
        assert_eq!(unusual(&topic(&[(168, 900), (330, 100)])), None, "less than twice");
    }

    #[test]
    fn a_rebuilt_replica_with_new_files_makes_its_peers_not_old() {
        assert_eq!(unusual(&topic(&[(168, 900), (2, 900)])), None);
        assert_eq!(unusual(&topic(&[(168, 900), (2, 950), (168, 900)])), None, "its peers agree");
    }

    #[test]
    fn short_retention_compacted_partitions_and_single_replicas_are_no_finding() {
        let mut few = topic(&[(1, 900), (0, 950)]);
        few.partitions.get_mut(&0).unwrap().replicas[0].oldest = Some(now() - Duration::from_secs(600));
        assert_eq!(unusual(&few), None, "ten minutes");
        let mut compacted = topic(&[(168, 900), (504, 100)]);
        compacted.partitions.get_mut(&0).unwrap().is_compacted = true;
        assert_eq!((unusual(&compacted), compacted.ages().count()), (None, 0));
        assert_eq!(topic(&[(168, 0)]).most_unequal_age(now()), None);
        assert_eq!(topic(&[]).most_unequal_age(now()), None);
    }

    #[test]
    fn times_of_the_future_are_no_ages() {
        let mut topic = topic(&[(168, 900), (504, 100)]);
        topic.partitions.get_mut(&0).unwrap().replicas[0].oldest = Some(now() + Duration::from_secs(1 << 40));
        assert!(topic.most_unequal_age(now()).unwrap().ratio(now()).is_finite());
    }

    #[test]
    fn replicas_that_are_deleted_or_strays_are_no_peers() {
        let mut topic = topic(&[(168, 900), (504, 100)]);
        topic.partitions.get_mut(&0).unwrap().replicas[1].state = State::Stray;
        assert_eq!(topic.ages().count(), 0);
    }
}
