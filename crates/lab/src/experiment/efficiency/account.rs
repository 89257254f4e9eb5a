//! Counts the brokers' data, the space that the pool needs for it, and the resources of the pool's server.

use std::cell::Cell;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::report::Recorder;
use crate::storage::{Space, Written};
use crate::testbed::Testbed;
use crate::wire::TreeEntry;

/// The interval between two samples.
const PAUSE: Duration = Duration::from_secs(1);
/// Time limit for the pool to become idle after the brokers.
const SETTLE_PATIENCE: Duration = Duration::from_secs(120);
/// The number of consecutive samples that must agree, and their tolerance: brokers never stop writing their checkpoints.
const LOOKS_ALIKE: u32 = 4;
const ALIKE: f64 = 0.001;

/// The idle pool.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    pub space: Space,
    pub written: Written,
}

impl Settled {
    /// The ratio of logical to physical bytes of all data.
    pub fn ratio(&self) -> f64 {
        self.space.logical as f64 / self.space.physical.max(1) as f64
    }

    /// The ratio of logical to physical bytes of the data added since.
    pub fn ratio_since(&self, before: &Settled) -> f64 {
        let logical = self.space.logical.saturating_sub(before.space.logical);
        let physical = self.space.physical.saturating_sub(before.space.physical);
        logical as f64 / physical.max(1) as f64
    }
}

/// Takes samples for the report.
pub struct Account {
    recorder: Recorder,
    resident_max: Cell<u64>,
}

impl Account {
    pub fn new(recorder: &Recorder) -> Self {
        Self { recorder: recorder.clone(), resident_max: Cell::new(0) }
    }

    /// Samples the pool and its server, and adds the values to the report's drawings.
    fn look(&self, testbed: &Testbed) -> Result<Settled> {
        let storage = &testbed.storage;
        let (space, usage, written) = (storage.space()?, storage.usage()?, storage.written()?);
        self.resident_max.set(self.resident_max.get().max(usage.resident));
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        self.recorder.point_in("In the pool:", "logical", "MB", megabytes(space.logical));
        self.recorder.point_in("In the pool:", "physical", "MB", megabytes(space.physical));
        self.recorder.point("Server's memory", "MB", megabytes(usage.resident));
        Ok(Settled { space, written })
    }

    /// Takes samples until a condition holds.
    pub fn wait(
        &self,
        testbed: &Testbed,
        what: &str,
        patience: Duration,
        mut condition: impl FnMut(&Testbed) -> Result<bool>,
    ) -> Result<()> {
        let begun = Instant::now();
        while !condition(testbed)? {
            ensure!(begun.elapsed() < patience, "{what}: not within {} s", patience.as_secs());
            self.look(testbed)?;
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Writes the dirty pages of every guest back, and waits until the pool no longer changes.
    pub fn settle(&self, testbed: &Testbed) -> Result<Settled> {
        let deadline = Instant::now() + SETTLE_PATIENCE;
        testbed.sync()?;
        let mut last = self.look(testbed)?;
        let mut alike = 0;
        while alike < LOOKS_ALIKE {
            ensure!(
                Instant::now() < deadline,
                "the pool still changes {} s after the brokers finished: {last:?}",
                SETTLE_PATIENCE.as_secs()
            );
            std::thread::sleep(PAUSE);
            testbed.sync()?;
            let now = self.look(testbed)?;
            alike = if is_alike(&last, &now) { alike + 1 } else { 0 };
            last = now;
        }
        Ok(last)
    }

    /// Records the figures of the whole run.
    pub fn tell(&self) {
        let megabytes = self.resident_max.get() as f64 / 1e6;
        self.recorder.figure("server_memory_mb_max", "Server's memory, largest", megabytes, "MB");
    }
}

fn is_alike(one: &Settled, other: &Settled) -> bool {
    let alike = |a: u64, b: u64| a.abs_diff(b) as f64 <= a as f64 * ALIKE + 65536.0;
    alike(one.space.logical, other.space.logical) && alike(one.space.physical, other.space.physical)
}

/// The size of a topic's logs at one broker: every byte that Kafka writes, counted once.
pub fn replica_bytes(testbed: &Testbed, topic: &str) -> Result<u64> {
    Ok(log_bytes(&testbed.node(1)?.list_tree(testbed.log_folder(1)?)?, topic))
}

fn log_bytes(tree: &[TreeEntry], topic: &str) -> u64 {
    segments(tree, topic).map(|(_, bytes)| bytes).sum()
}

/// Base offset and size of each of a topic's segments.
fn segments<'a>(tree: &'a [TreeEntry], topic: &'a str) -> impl Iterator<Item = (u64, u64)> + 'a {
    tree.iter().filter_map(move |entry| {
        let path = entry.path.to_str()?.strip_prefix(topic)?.strip_prefix('-')?;
        let (_, file) = path.split_once('/')?;
        Some((file.strip_suffix(".log")?.parse().ok()?, entry.bytes))
    })
}

/// Whether all brokers have removed the segments that end below this offset, including those that wait for their deletion.
pub fn is_trimmed(testbed: &Testbed, topic: &str, before: u64) -> Result<bool> {
    for broker in testbed.cluster.brokers() {
        let tree = testbed.node(broker.id())?.list_tree(broker.log_folder())?;
        let waiting = tree.iter().any(|entry| entry.path.extension().is_some_and(|end| end == "deleted"));
        if waiting || !all_reach(&tree, topic, before) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether at most one segment of each partition begins below this offset: the segment that contains the offset.
fn all_reach(tree: &[TreeEntry], topic: &str, before: u64) -> bool {
    let partitions = tree.iter().filter(|entry| entry.folder);
    partitions.map(|folder| folder.path.as_path()).all(|folder| {
        let inside = tree.iter().filter(|entry| entry.path.parent() == Some(folder));
        let inside: Vec<TreeEntry> = inside.cloned().collect();
        segments(&inside, topic).filter(|(base, _)| *base < before).count() <= 1
    })
}

/// The size of all brokers' files as clients see it, without holes.
pub fn allocated_bytes(testbed: &Testbed) -> Result<u64> {
    let mut bytes = 0;
    for broker in testbed.cluster.brokers() {
        let tree = testbed.node(broker.id())?.list_tree(broker.log_folder())?;
        bytes += tree.iter().map(|entry| entry.allocated_bytes).sum::<u64>();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, bytes: u64) -> TreeEntry {
        TreeEntry { path: path.into(), folder: false, bytes, allocated_bytes: bytes }
    }

    fn tree() -> Vec<TreeEntry> {
        vec![
            TreeEntry { path: "t-0".into(), folder: true, bytes: 0, allocated_bytes: 0 },
            file("t-0/00000000000000000000.log", 100),
            file("t-0/00000000000000000050.log", 60),
            file("t-0/00000000000000000000.index", 8),
            file("other-0/00000000000000000000.log", 7),
            file("t-0/leader-epoch-checkpoint", 9),
        ]
    }

    #[test]
    fn only_a_topics_own_logs_count() {
        assert_eq!(log_bytes(&tree(), "t"), 160);
        assert_eq!(log_bytes(&tree(), "other"), 7);
    }

    #[test]
    fn a_partition_is_trimmed_when_only_the_segment_around_the_offset_begins_before_it() {
        assert!(!all_reach(&tree(), "t", 70));
        assert!(all_reach(&tree(), "t", 50));
        assert!(all_reach(&tree(), "t", 20));
    }

    #[test]
    fn a_ratio_is_of_what_came_since() {
        let settled = |logical, physical| Settled {
            space: Space { logical, physical, folder: 0 },
            written: Written::default(),
        };
        let (before, after) = (settled(300, 100), settled(900, 200));
        assert!((before.ratio() - 3.0).abs() < 1e-9);
        assert!((after.ratio_since(&before) - 6.0).abs() < 1e-9);
    }
}
