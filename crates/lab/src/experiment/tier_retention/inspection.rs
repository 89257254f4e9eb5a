//! Compares Kafka's metadata, the bucket and the pool.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::{Sizes, findings_of};
use crate::cluster::{SegmentCounts, SegmentsWatch, TierChecked};
use crate::progress::Tone;
use crate::report::{Recorder, number};
use crate::storage::Space;
use crate::testbed::{BUCKET, Testbed, Tier};
use crate::wire::TreeEntry;

/// How long Kafka's metadata must stay the same before it is compared. Longer than the pauses between Kafka's tasks, which are a second.
const QUIET: Duration = Duration::from_secs(5);
const SETTLE_PATIENCE: Duration = Duration::from_secs(240);
/// How often a comparison begins again because the metadata changed meanwhile.
const ATTEMPTS: u32 = 5;
/// How soon the pool must have released the space of what was deleted. What brokers write meanwhile stays uncompressed in the metadata store
/// until its file is idle for a minute.
const SPACE_MAX: Duration = Duration::from_secs(150);
const PAUSE: Duration = Duration::from_secs(1);
/// The interval between two samples of the pool during the load.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// The pool may take this much more than the sizes of objects and files, in percent and bytes.
const SPACE_PERCENT: u64 = 10;
const SPACE_BYTES: u64 = 8 << 20;
/// The part of the deleted bytes that the pool must have less at the end, in percent.
const RELEASED_PERCENT: u64 = 90;
const READ_PATIENCE: Duration = Duration::from_secs(60);

/// Inspects a tier again and again.
pub struct Inspector<'a> {
    sizes: &'a Sizes,
    tier: &'a Tier,
    testbed: &'a Testbed,
    recorder: &'a Recorder,
    segments: SegmentsWatch,
    looked: Instant,
    last: Option<Inspected>,
}

/// The result of an inspection.
#[derive(Debug, Clone, Copy)]
struct Inspected {
    counts: SegmentCounts,
    /// The size of all objects. `None` if the tier has no bucket.
    tier_bytes: Option<u64>,
    space: Option<Space>,
}

/// A comparison with the bucket.
#[derive(Debug)]
struct Compared {
    counts: SegmentCounts,
    /// Whether the metadata stayed the same for long enough.
    is_quiet: bool,
    checked: Option<TierChecked>,
    files: Option<u64>,
}

impl<'a> Inspector<'a> {
    /// Begins to watch the metadata of segments.
    pub fn start(
        sizes: &'a Sizes,
        tier: &'a Tier,
        testbed: &'a Testbed,
        recorder: &'a Recorder,
    ) -> Result<Self> {
        let theirs = recorder.clone();
        let mut speed: Option<(Instant, u64)> = None;
        let segments = testbed.cluster.tools().watch_segments(move |counts| {
            theirs.point_in("segments", "Live segments", "", counts.live as f64);
            theirs.detail(format_args!("{} segments live, {} deleted", counts.live, counts.deleted));
            let (at, before) = *speed.get_or_insert((Instant::now(), counts.deleted));
            let minutes = at.elapsed().as_secs_f64() / 60.0;
            // Over some seconds, because Kafka deletes in batches.
            if minutes > 0.05 {
                let rate = counts.deleted.saturating_sub(before) as f64 / minutes;
                theirs.point("Deleted segments", "/min", rate);
                speed = Some((Instant::now(), counts.deleted));
            }
        })?;
        Ok(Self { sizes, tier, testbed, recorder, segments, looked: Instant::now(), last: None })
    }

    /// The gaps between copied segments.
    pub fn gaps(&self) -> u64 {
        self.segments.latest().gaps
    }

    /// The number of segments that retention has deleted.
    pub fn deleted(&self) -> u64 {
        self.last.map_or(0, |last| last.counts.deleted)
    }

    /// The number of written segments that have not been copied, including active ones. `written` is the number of all.
    pub fn uncopied(&self, written: u64) -> u64 {
        let counts = self.segments.latest();
        written.saturating_sub(counts.live + counts.deleting + counts.deleted)
    }

    /// The segments that are in the tier, and more than retention leaves in any case.
    pub fn undeleted(&self) -> u64 {
        let kept =
            u64::from(self.sizes.partitions) * (self.sizes.retention_bytes / self.sizes.segment_bytes + 2);
        let counts = self.segments.latest();
        (counts.live + counts.deleting).saturating_sub(kept)
    }

    /// Adds a sample of the bucket and the pool to the report's drawings, if the last was some seconds ago.
    pub fn look(&mut self) -> Result<()> {
        if self.looked.elapsed() < LOOK_INTERVAL {
            return Ok(());
        }
        self.looked = Instant::now();
        if let Ok(buckets) = self.tier.buckets() {
            self.recorder.point_in("segments", "Objects in the bucket", "", buckets.objects(BUCKET)? as f64);
        }
        self.space().map(drop)
    }

    fn space(&self) -> Result<Option<Space>> {
        let space = self.tier.space(self.testbed)?;
        if let Some(space) = space {
            let megabytes = |bytes: u64| bytes as f64 / 1e6;
            self.recorder.point_in("In the pool:", "logical", "MB", megabytes(space.logical));
            self.recorder.point_in("In the pool:", "physical", "MB", megabytes(space.physical));
        }
        Ok(space)
    }

    /// Waits until Kafka neither copies nor deletes, and compares its metadata, the bucket and the pool.
    pub fn inspect(&mut self, number: u32) -> Result<()> {
        self.recorder.begin("check", &format!("check {number}"), Tone::Plain);
        // Before that time, records are younger than the retention, and Kafka is quiet though deletes follow.
        std::thread::sleep(self.sizes.retention);
        let compared = self.compare()?;
        self.check_objects(&format!("Check {number}"), &compared);
        self.check_deletes(number, &compared.counts);
        let space = self.check_space(number, &compared)?;
        let tier_bytes = compared.checked.as_ref().map(|checked| checked.bytes);
        self.last = Some(Inspected { counts: compared.counts, tier_bytes, space });
        self.recorder.end("check", Tone::Good);
        Ok(())
    }

    /// Compares the metadata with the bucket, while both stay the same.
    fn compare(&self) -> Result<Compared> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let (counts, is_quiet) = self.segments.settle(QUIET, SETTLE_PATIENCE)?;
            let (checked, files) = (self.tier.check(self.testbed)?, self.tier.files(self.testbed)?);
            let stayed = self.segments.read(READ_PATIENCE)? == counts;
            if stayed || !is_quiet || attempt == ATTEMPTS {
                return Ok(Compared { counts, is_quiet: is_quiet && stayed, checked, files });
            }
        }
    }

    fn check_objects(&self, when: &str, compared: &Compared) {
        let counts = &compared.counts;
        let detail = format!("{} live segments, {} deleted until now", counts.live, counts.deleted);
        let title = "Kafka's copies and deletes come to an end when nothing is written";
        self.recorder.check("quiet", title, compared.is_quiet, format_args!("{when}: {detail}"));
        if let Some(files) = compared.files {
            let detail = format!("{when}: {files} files of {} live segments", counts.live);
            let title = "The directory has one log for each live segment";
            self.recorder.check("files", title, files == counts.live, detail);
        }
        let Some(checked) = &compared.checked else { return };
        self.recorder.point_in("segments", "Objects in the bucket", "", checked.objects as f64);
        let (is_good, detail) = objects_agree(counts, checked);
        let title = "The bucket has two objects for each live segment";
        self.recorder.check("objects", title, is_good, format_args!("{when}: {detail}"));
        let detail = findings_of(checked)
            .unwrap_or_else(|_| format!("{} objects, {} bytes", checked.objects, checked.bytes));
        let title = "forebay-tier check finds nothing wrong";
        self.recorder.check("tier", title, checked.findings.is_empty(), format_args!("{when}: {detail}"));
    }

    /// Retention leaves at most what it says, and one segment more.
    fn check_deletes(&self, number: u32, counts: &SegmentCounts) {
        let partitions = u64::from(self.sizes.partitions);
        // Of the other topic at most the last segment of each partition.
        let most = partitions * (self.sizes.retention_bytes + 2 * self.sizes.segment_bytes);
        let detail = format!("check {number}: {} bytes in the tier, {most} allowed", counts.live_bytes);
        let title = "Retention deletes all that it may delete";
        self.recorder.check("retention", title, counts.live_bytes <= most, detail);
    }

    /// Waits until the pool takes no more space than what is in it, or until that takes too long.
    fn check_space(&self, number: u32, compared: &Compared) -> Result<Option<Space>> {
        let Some(checked) = &compared.checked else { return Ok(None) };
        let begun = Instant::now();
        loop {
            self.testbed.sync()?;
            let Some(space) = self.space()? else { return Ok(None) };
            let files = if self.is_shared() { self.files_bytes()? } else { 0 };
            let content = checked.bytes.saturating_add(files);
            let most = content + content * SPACE_PERCENT / 100 + SPACE_BYTES;
            let (took, fits) = (begun.elapsed(), space.physical <= most);
            if fits || took > SPACE_MAX {
                let megabytes = |bytes: u64| number_of_megabytes(bytes);
                let detail = format!(
                    "check {number}: {} MB in the pool after {:.0} s, for {} MB of objects and files",
                    megabytes(space.physical),
                    took.as_secs_f64(),
                    megabytes(content)
                );
                let title = "The pool takes no more space than objects and files have";
                self.recorder.check("space", title, fits, detail);
                return Ok(Some(space));
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether the pool has the log directories too.
    fn is_shared(&self) -> bool {
        self.testbed.storage.space().is_ok()
    }

    /// The space of all files of the log directories, with each of Kafka's own topics counted once: every broker has a replica of them,
    /// and the pool stores one.
    fn files_bytes(&self) -> Result<u64> {
        let mut bytes = 0;
        for (broker, node) in self.testbed.cluster.brokers().iter().zip(&self.testbed.nodes) {
            bytes += counted_bytes(&node.list_tree(broker.log_folder())?, broker.id() == 1);
        }
        Ok(bytes)
    }

    /// Checks how many segments retention has deleted, and how fast.
    pub fn check_deleted(&self) {
        let deleted = self.deleted();
        let least = self.sizes.deleted_min();
        let title = format!("Retention deletes {} segments", number(least as f64));
        self.recorder.check("deleted", &title, deleted >= least, number(deleted as f64));
        self.recorder.figure("segments_deleted", "Segments that retention deleted", deleted as f64, "");
    }

    /// Checks that nothing is left after all records were deleted.
    pub fn conclude(&self) -> Result<()> {
        let compared = self.compare()?;
        self.check_objects("At the end", &compared);
        let live = compared.counts.live;
        let title = "Nothing is live after all records were deleted";
        self.recorder.check("nothing_live", title, live == 0, format_args!("{live} live segments"));
        let abandoned = compared.counts.abandoned as f64;
        let title = "Segments whose copy was not finished, and which Kafka deleted";
        self.recorder.figure("segments_abandoned", title, abandoned, "");
        let (Some(last), Some(checked)) = (self.last, &compared.checked) else { return Ok(()) };
        let (Some(before), Some(tier_before)) = (last.space, last.tier_bytes) else { return Ok(()) };
        let gone = tier_before.saturating_sub(checked.bytes);
        let begun = Instant::now();
        loop {
            self.testbed.sync()?;
            let Some(now) = self.space()? else { return Ok(()) };
            let released = before.physical.saturating_sub(now.physical);
            let (took, is_enough) = (begun.elapsed(), released >= gone * RELEASED_PERCENT / 100);
            if is_enough || took > SPACE_MAX {
                let detail = format!(
                    "{} MB less after {:.0} s, for {} MB of objects that were deleted",
                    number_of_megabytes(released),
                    took.as_secs_f64(),
                    number_of_megabytes(gone)
                );
                let title = "The pool releases the space of deleted objects";
                self.recorder.check("released", title, is_enough && gone > 0, detail);
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn number_of_megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// Whether the bucket has two objects for each live segment, and what it has. Objects of copies and deletes that Kafka has begun are
/// counted by themselves; there must be no others.
fn objects_agree(counts: &SegmentCounts, checked: &TierChecked) -> (bool, String) {
    let expected = counts.live * 2 + checked.unfinished_objects;
    let is_good =
        checked.objects == expected && checked.segments == counts.live && checked.young_objects == 0;
    let detail = format!(
        "{} objects of {} live segments, {} of unfinished copies and deletes, {} that nothing names",
        checked.objects, counts.live, checked.unfinished_objects, checked.young_objects
    );
    (is_good, detail)
}

/// The space of the files of a log directory. Kafka's own topics count only on one broker.
fn counted_bytes(tree: &[TreeEntry], with_own_topics: bool) -> u64 {
    let counts = |entry: &&TreeEntry| with_own_topics || !is_of_own_topic(&entry.path);
    tree.iter().filter(counts).map(|entry| entry.allocated_bytes).sum()
}

/// Whether a path in a log directory belongs to one of Kafka's own topics.
fn is_of_own_topic(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.starts_with("__"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(segments: u64, objects: u64, unfinished_objects: u64, young_objects: u64) -> TierChecked {
        TierChecked { segments, objects, bytes: 0, unfinished_objects, young_objects, findings: Vec::new() }
    }

    #[test]
    fn each_live_segment_has_two_objects_and_others_are_unfinished() {
        let counts = SegmentCounts { live: 10, ..SegmentCounts::default() };
        assert!(objects_agree(&counts, &checked(10, 20, 0, 0)).0);
        assert!(objects_agree(&counts, &checked(10, 21, 1, 0)).0);
        for wrong in
            [checked(10, 21, 0, 1), checked(10, 19, 0, 0), checked(10, 20, 1, 0), checked(9, 20, 0, 0)]
        {
            assert!(!objects_agree(&counts, &wrong).0, "{wrong:?}");
        }
    }

    #[test]
    fn kafkas_own_topics_are_counted_on_one_broker() {
        let entry = |path: &str| TreeEntry { path: path.into(), folder: false, bytes: 9, allocated_bytes: 4 };
        let tree = [entry("size-0/0.log"), entry("__remote_log_metadata-0/0.log")];
        assert_eq!((counted_bytes(&tree, true), counted_bytes(&tree, false)), (8, 4));
    }
}
