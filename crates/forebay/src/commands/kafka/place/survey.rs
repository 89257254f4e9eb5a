//! The partitions with all their replicas, and those that a plan must leave where they are.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::described::{Assigned, Assignment, LogDirs, Name, written};
use super::layout::Layout;

/// The largest sum of all replicas.
const BYTES_MAX: u64 = 1 << 63;

/// A replica.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// Its broker.
    pub broker: u32,
    /// The index of its log directory.
    pub directory: usize,
    /// The size of its segments.
    pub bytes: u64,
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    /// Its name.
    pub name: Name,
    /// Its replicas, in Kafka's order if that is known, else by broker.
    pub replicas: Vec<Replica>,
    /// Whether the plan may move it.
    pub is_free: bool,
}

impl Partition {
    /// The size of all replicas.
    pub fn bytes(&self) -> u64 {
        self.replicas.iter().map(|replica| replica.bytes).sum()
    }
}

/// Partitions that the plan leaves out for one reason.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: String,
}

/// Why a partition is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A replica is on its way to another log directory.
    Moving,
    /// A replica is in a log directory that is in no pool.
    Outside,
    /// Kafka moves the partition to other brokers.
    Reassigned,
    /// Replicas are on other brokers than assigned: one did not answer, or the assignment has changed.
    Elsewhere,
    /// The topic is not among those whose replicas were described: it was deleted meanwhile, or created.
    Unknown,
}

/// All partitions.
#[derive(Debug)]
pub struct Survey {
    /// By name.
    pub partitions: Vec<Partition>,
    /// Those that are left out although they were chosen.
    pub left_out: BTreeMap<Reason, LeftOut>,
}

impl Survey {
    /// Puts the replicas of each partition together. `assignment` gives their order.
    pub fn new(
        dirs: &LogDirs,
        layout: &Layout,
        assignment: Option<&Assignment>,
        is_chosen: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        let mut found: BTreeMap<Name, (Vec<Replica>, Option<Reason>)> = BTreeMap::new();
        let mut total = 0_u64;
        let index: BTreeMap<(u32, &str), usize> = (0..)
            .zip(&layout.directories)
            .map(|(index, directory)| ((directory.broker, directory.path.as_str()), index))
            .collect();
        for broker in &dirs.brokers {
            for dir in &broker.log_dirs {
                let directory = index.get(&(broker.broker, dir.log_dir.as_str()));
                for replica in &dir.partitions {
                    let (replicas, problem) = found.entry(replica.name()?).or_default();
                    let Some(&directory) = directory else {
                        *problem = Some(Reason::Outside);
                        continue;
                    };
                    // At the end of a move a broker may show both for a moment.
                    if replica.is_future || replicas.iter().any(|other| other.broker == broker.broker) {
                        problem.get_or_insert(Reason::Moving);
                        continue;
                    }
                    let bytes = u64::try_from(replica.size).unwrap_or(0);
                    total = total.saturating_add(bytes);
                    replicas.push(Replica { broker: broker.broker, directory, bytes });
                }
            }
        }
        // So that no sum of them overflows.
        ensure!(
            total <= BYTES_MAX,
            "the replicas have more than 8 EiB: the sizes of kafka-log-dirs.sh are wrong"
        );
        let mut survey = Self { partitions: Vec::with_capacity(found.len()), left_out: BTreeMap::new() };
        for (name, (mut replicas, problem)) in found {
            replicas.sort_by_key(|replica| replica.broker);
            let problem = problem.or_else(|| ordered(&mut replicas, assignment, &name));
            let is_chosen = is_chosen(&name.0);
            if let Some(reason) = problem.filter(|_| is_chosen) {
                let left = survey.left_out.entry(reason).or_default();
                left.count = left.count.saturating_add(1);
                if left.first.is_empty() {
                    left.first = written(&name);
                }
            }
            let is_free = is_chosen && problem.is_none();
            survey.partitions.push(Partition { name, replicas, is_free });
        }
        Ok(survey)
    }
}

/// Puts replicas into their order. Returns a reason if they are not those of the assignment.
fn ordered(replicas: &mut [Replica], assignment: Option<&Assignment>, name: &Name) -> Option<Reason> {
    let assignment = assignment?;
    let Some(Assigned { brokers, is_changing }) = assignment.get(name) else { return Some(Reason::Unknown) };
    if *is_changing {
        return Some(Reason::Reassigned);
    }
    let place = |replica: &Replica| brokers.iter().position(|broker| *broker == replica.broker);
    if brokers.len() != replicas.len() || replicas.iter().any(|replica| place(replica).is_none()) {
        return Some(Reason::Elsewhere);
    }
    replicas.sort_by_key(place);
    None
}

/// Whether a name matches a pattern in which `*` stands for any text.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in [
            ("a", "a"),
            ("*", ""),
            ("a*", "a"),
            ("a*c", "abc"),
            ("*b*", "abc"),
            ("a*b*c", "abbc"),
            ("*.v1", "x.v1"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("a", "ab"), ("a*c", "ab"), ("b*", "ab"), ("*b", "bc"), ("ab*b", "ab"), ("", "a")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
