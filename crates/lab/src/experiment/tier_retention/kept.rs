//! Whether retention keeps what it must keep.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use crate::cluster::TierReading;

/// The number of problems to report.
const PROBLEMS_MAX: usize = 5;
/// Records of a partition that its leader may have and a client does not see yet, because no follower has them. Kafka counts them for
/// retention. The producer sends one request at a time, with one record for each partition.
const UNREPLICATED: u64 = 1;

/// Watches the first and last offsets of partitions.
#[derive(Debug)]
pub struct Kept {
    /// The topic with retention by size.
    by_size: &'static str,
    /// The records that its partitions keep at least, once retention has deleted something.
    records_min: u64,
    /// The topic with retention by time.
    by_time: &'static str,
    retention: Duration,
    /// The ends of partitions by the time at which they arrived.
    history: VecDeque<(Instant, BTreeMap<String, u64>)>,
    /// The fewest records that a partition of the first topic had, once retention had deleted something.
    fewest: Option<u64>,
    problems: Vec<String>,
}

impl Kept {
    /// No reading was made.
    pub fn new(by_size: &'static str, records_min: u64, by_time: &'static str, retention: Duration) -> Self {
        let history = VecDeque::new();
        Self { by_size, records_min, by_time, retention, history, fewest: None, problems: Vec::new() }
    }

    /// Takes a reading of all partitions.
    pub fn take(&mut self, at: Instant, reading: &TierReading) {
        for (partition, start) in &reading.starts {
            let Some((topic, _)) = partition.rsplit_once('-') else { continue };
            let end = reading.ends.get(partition).copied().unwrap_or(*start);
            if topic == self.by_size && *start > 0 {
                self.check_size(partition, end.saturating_sub(*start));
            } else if topic == self.by_time {
                self.check_time(at, partition, *start);
            }
        }
        self.history.push_back((at, reading.ends.clone()));
        // The reading before the oldest that is needed says when that one began.
        while self.history.get(1).is_some_and(|(arrived, _)| at.duration_since(*arrived) > self.retention) {
            self.history.pop_front();
        }
    }

    fn check_size(&mut self, partition: &str, kept: u64) {
        self.fewest = Some(self.fewest.map_or(kept, |fewest| fewest.min(kept)));
        if kept + UNREPLICATED < self.records_min {
            self.problem(format!("{partition} kept {kept} records, and {} fit", self.records_min));
        }
    }

    /// A reading begins when the previous one has arrived. Records after the ends of a reading are younger than its beginning, except
    /// for those that were not replicated then.
    fn check_time(&mut self, at: Instant, partition: &str, start: u64) {
        let mut pairs = self.history.iter().zip(self.history.iter().skip(1));
        let within = pairs.find(|((begun, _), _)| at.duration_since(*begun) <= self.retention);
        let end = within.and_then(|(_, (_, ends))| ends.get(partition).copied());
        if let Some(end) = end.filter(|end| start > end + UNREPLICATED) {
            let seconds = self.retention.as_secs();
            self.problem(format!("{partition} begins at {start}, and ended at {end} {seconds} s before"));
        }
    }

    fn problem(&mut self, text: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(text);
        }
    }

    /// The records that were deleted too early.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// The fewest records that a partition with retention by size had.
    pub fn fewest(&self) -> Option<u64> {
        self.fewest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(partition: &str, start: u64, end: u64) -> TierReading {
        TierReading {
            starts: BTreeMap::from([(partition.to_owned(), start)]),
            ends: BTreeMap::from([(partition.to_owned(), end)]),
            ..TierReading::default()
        }
    }

    fn kept() -> Kept {
        Kept::new("size", 10, "time", Duration::from_secs(10))
    }

    #[test]
    fn fewer_records_than_fit_are_a_problem_once_something_is_deleted() {
        let (mut kept, now) = (kept(), Instant::now());
        kept.take(now, &reading("size-0", 0, 3));
        kept.take(now, &reading("size-0", 5, 15));
        assert_eq!((kept.problems().len(), kept.fewest()), (0, Some(10)));
        kept.take(now, &reading("size-0", 6, 15));
        assert_eq!(kept.problems().len(), 0, "the leader may have one that is not replicated");
        kept.take(now, &reading("size-0", 7, 15));
        assert_eq!(kept.problems(), ["size-0 kept 8 records, and 10 fit"]);
    }

    #[test]
    fn records_that_are_younger_than_the_retention_must_be_there() {
        let (mut kept, begun) = (kept(), Instant::now());
        let at = |seconds| begun + Duration::from_secs(seconds);
        for second in 0..30 {
            kept.take(at(second), &reading("time-0", second.saturating_sub(10), second));
        }
        assert!(kept.problems().is_empty(), "{:?}", kept.problems());
        assert!(kept.history.len() < 15);
        // At 30 s the records since 20 s must be there, and reading 21 is the first that began then.
        kept.take(at(30), &reading("time-0", 21, 30));
        assert!(kept.problems().is_empty(), "{:?}", kept.problems());
        kept.take(at(31), &reading("time-0", 23, 31));
        assert!(
            kept.problems().is_empty(),
            "record 22 may have waited for its replication: {:?}",
            kept.problems()
        );
        kept.take(at(32), &reading("time-0", 25, 32));
        assert_eq!(kept.problems().len(), 1);
    }
}
