//! `object-space`: how much space do log segments take that are on NFS already, when they are put as objects?
//!
//! The load generator writes segments over NFS as three brokers do. The AWS SDK for Java then puts the same segments in parts of
//! several sizes. Their bytes are in the pool already, so only metadata and the seams between parts should be added.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::definition::Experiment;
use super::object_store::{address_of, describe};
use crate::cluster::{Distribution, ObjectsTool};
use crate::executable;
use crate::host::Environment;
use crate::report::{Recorder, Subject};
use crate::request::{Profile, Request, StorageKind};
use crate::storage::{self, SharedPool, Space};

/// The experiment.
pub struct ObjectSpace;

const MIB: u64 = 1 << 20;
const PARTS_MIB: [u32; 3] = [8, 25, 64];
/// The largest part of the segments' size that an upload may add, in percent.
const ADDED_PERCENT_MAX: f64 = 2.0;
/// The interval between two samples of an idle pool, and the number of samples that must agree.
const PAUSE: Duration = Duration::from_secs(1);
const SAMPLES_ALIKE: u32 = 3;
const SETTLE_PATIENCE: Duration = Duration::from_secs(120);

impl Experiment for ObjectSpace {
    fn name(&self) -> &'static str {
        "object-space"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Segments on NFS and as objects",
            question: "How much physical space do log segments add that are on NFS already, when they are put as objects in parts of 8, 25 \
                       and 64 MiB?",
            method: "A load generator writes segments of record batches over NFS, three replicas of each from sessions of their own. Then the \
                     AWS SDK for Java puts each segment once for every size of parts, in a bucket of its own. Physical space is what the pool \
                     uses for stored chunks and tails, read when the pool is idle. The content cannot be compressed.",
        }
    }

    fn is_on_host(&self) -> bool {
        true
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let (segments, segment_mib): (u64, u64) = match request.profile {
            Profile::Laptop => (8, 128),
            Profile::Full => (16, 512),
        };
        recorder.setting("segments", segments);
        recorder.setting("MiB of a segment", segment_mib);
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        recorder.stage("server");
        let store = storage::start_object_store(request.storage()?, environment)?;
        describe(&store, recorder);
        let pool = store.pool.clone().context("the store shares its pool with no NFS server")?;
        let mut files = Vec::new();
        for segment in 1..=segments {
            recorder.stage(&format!("segment {segment} of {segments} over NFS"));
            let file = environment.scratch().join(format!("{segment:020}.log"));
            write_replicas(&pool, segment, segment_mib * MIB, &file)?;
            files.push(file);
        }
        let bytes = segments * segment_mib * MIB;
        let mut before = settle(|| pool.space(), recorder)?;
        let ratio = before.physical as f64 / bytes as f64;
        recorder.figure("replicas_physical_ratio", "Physical space of three replicas, by one", ratio, "");
        let tool = ObjectsTool::new(kafka, environment.logs(), environment.state_folder().to_owned());
        for part_mib in PARTS_MIB {
            recorder.stage(&format!("objects in parts of {part_mib} MiB"));
            let bucket = format!("parts-of-{part_mib}-mib");
            let put =
                tool.upload(&address_of(&store), &bucket, part_mib, &files, |at| recorder.detail(at))?;
            ensure!(put == bytes, "{put} of {bytes} bytes were put");
            let after = settle(|| pool.space(), recorder)?;
            compare(part_mib, bytes, &before, &after, recorder);
            before = after;
        }
        store.stop()?;
        Ok(format!("{} MiB of segments were put three times, and none took its space again", bytes / MIB))
    }
}

/// Writes a segment as three brokers do, and leaves a copy of it in a file of the host.
fn write_replicas(pool: &SharedPool, seed: u64, bytes: u64, copy: &PathBuf) -> Result<()> {
    let output = Command::new(executable::lab()?)
        .args(["probe", "load", "--server", &pool.nfs.to_string(), "--seed", &seed.to_string()])
        .args(["replicas", "--keep", "--bytes", &bytes.to_string(), "--copy"])
        .arg(copy)
        .output()
        .context("start the load generator")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the load generator failed ({}): {}", output.status, said.trim());
    Ok(())
}

/// Waits until the pool no longer changes.
pub fn settle(space: impl Fn() -> Result<Space>, recorder: &Recorder) -> Result<Space> {
    let deadline = Instant::now() + SETTLE_PATIENCE;
    let (mut last, mut alike) = (space()?, 0);
    while alike < SAMPLES_ALIKE {
        ensure!(Instant::now() < deadline, "the pool still changes after {} s", SETTLE_PATIENCE.as_secs());
        std::thread::sleep(PAUSE);
        let now = space()?;
        recorder.point_in("In the pool:", "logical", "MB", now.logical as f64 / 1e6);
        recorder.point_in("In the pool:", "physical", "MB", now.physical as f64 / 1e6);
        alike = if (now.logical, now.physical) == (last.logical, last.physical) { alike + 1 } else { 0 };
        last = now;
    }
    Ok(last)
}

fn compare(part_mib: u32, bytes: u64, before: &Space, after: &Space, recorder: &Recorder) {
    let percent = |after: u64, before: u64| (after as f64 - before as f64) * 100.0 / bytes as f64;
    let added = percent(after.physical, before.physical);
    let title = format!("Physical space that parts of {part_mib} MiB add");
    recorder.figure(&format!("parts_of_{part_mib}_mib_added_percent"), &title, added, "%");
    let title = format!("Parts of {part_mib} MiB add less than {ADDED_PERCENT_MAX} %");
    // Otherwise nothing was put, or it is not counted.
    let logical = percent(after.logical, before.logical);
    let detail = format!("{added:.2} % of physical space, {logical:.1} % of logical size");
    let is_good = added < ADDED_PERCENT_MAX && logical > 99.0;
    recorder.check(&format!("parts_of_{part_mib}_mib"), &title, is_good, detail);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;
    use crate::report::Verdict;

    fn verdict(physical: u64, logical: u64) -> Verdict {
        let recorder = Recorder::new(Progress::silent());
        let before = Space { logical: 3000, physical: 1010, folder: 0 };
        let after = Space { logical: 3000 + logical, physical: 1010 + physical, folder: 0 };
        compare(8, 1000, &before, &after, &recorder);
        recorder.finish("object-space", "forebay", "laptop", "").verdict
    }

    #[test]
    fn an_upload_may_add_less_than_two_percent() {
        assert_eq!(verdict(19, 1000), Verdict::Pass);
        assert_eq!(verdict(20, 1000), Verdict::Fail);
    }

    #[test]
    fn an_upload_that_is_not_counted_proves_nothing() {
        assert_eq!(verdict(0, 0), Verdict::Fail);
    }
}
