//! `tier-correctness`: is every record that went to the tier read back, whatever fails while it is copied? Test T2 of the report on
//! tiered storage.
//!
//! [`round`] has the steps of one round: records are written, copied, deleted locally, and read back from the tier. [`faults`] has what
//! happens meanwhile.

mod damage;
mod errors;
pub mod faults;
mod round;

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use super::definition::Experiment;
use crate::cluster::Settings;
use crate::host::Environment;
use crate::report::{Recorder, Subject, number};
use crate::request::{Fault, Profile, Request, StorageKind};
use crate::testbed::{Ended, Testbed, TestbedSpec, Tier};
use round::{Round, Sums};

/// The experiment.
pub struct TierCorrectness;

const BROKERS: u32 = 3;

/// The sizes of a round.
#[derive(Debug, Clone)]
struct Sizes {
    partitions: u32,
    /// Records of each topic.
    records: u64,
    record_bytes: u32,
    /// Records per second, of each topic.
    rate: u32,
    records_per_transaction: u32,
    segment_bytes: u64,
    guest_memory_mib: u32,
}

impl Sizes {
    fn of(profile: Profile) -> Self {
        match profile {
            Profile::Laptop => Self {
                partitions: 3,
                records: 40_000,
                record_bytes: 1024,
                rate: 1_500,
                records_per_transaction: 500,
                segment_bytes: 1 << 20,
                guest_memory_mib: 1100,
            },
            Profile::Full => Self {
                partitions: 6,
                records: 3_000_000,
                record_bytes: 1024,
                rate: 10_000,
                records_per_transaction: 5_000,
                segment_bytes: 64 << 20,
                guest_memory_mib: 2048,
            },
        }
    }
}

impl Experiment for TierCorrectness {
    fn name(&self) -> &'static str {
        "tier-correctness"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Tiered storage gives back every record",
            question: "Is every acknowledged record read back from the tier once and unchanged, and does copying continue by itself after \
                       a fault?",
            method: "Three brokers write a plain topic and a transactional, compressed one, with keys, headers and small segments. Closed \
                     segments are copied to the tier and deleted locally; meanwhile a fault happens three times. The lab waits until each log \
                     directory has nothing but the active segments, and drops the clients' caches. Then both topics are read from the \
                     beginning and looked up by time, and each record is compared with what was acknowledged. At the end \
                     `forebay-tier check` reads every object.",
        }
    }

    fn takes_tiers(&self) -> bool {
        true
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        matches!(kind, StorageKind::Forebay | StorageKind::Local)
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let sizes = Sizes::of(request.profile);
        let tiering =
            request.tier.clone().unwrap_or_else(|| unreachable!("experiments with a tier have one"));
        let (tier, storage) = Tier::start(environment, request, recorder)?;
        for fault in &tiering.faults {
            faults::check(*fault, &tier, storage.as_ref())?;
        }
        recorder.setting("tier", tier.kind().name());
        recorder.setting(
            "segments are copied",
            if tier.is_by_reference() { "by reference" } else { "by upload" },
        );
        let spec = TestbedSpec::new(BROKERS, sizes.guest_memory_mib, settings(&tier, &sizes));
        let mut testbed = Testbed::start_on(environment, request, storage, None, &spec, recorder)?;
        let repetitions = request.repetitions.unwrap_or(1);
        let planned = (1..=repetitions).flat_map(|_| tiering.faults.iter().copied());
        let mut sums = Sums::default();
        let mut ended = Ended::default();
        for (number, fault) in (1u32..).zip(planned) {
            let round = Round { number, fault, sizes: &sizes, tier: &tier, environment, recorder };
            round.run(&mut testbed, &mut sums)?;
            if ended.look(&testbed, recorder)? {
                break;
            }
        }
        ended.check(&testbed, environment, recorder);
        conclude(&tier, &testbed, &tiering.faults, &mut sums, recorder)
    }
}

fn settings(tier: &Tier, sizes: &Sizes) -> Settings {
    let more = [
        ("offsets.topic.num.partitions", "3"),
        ("transaction.state.log.num.partitions", "3"),
        // A broker that is killed must not be waited for too long.
        ("broker.session.timeout.ms", "6000"),
        ("broker.heartbeat.interval.ms", "1500"),
        // Guests that share two processors with others may be very late.
        ("replica.lag.time.max.ms", "60000"),
    ];
    let more = more.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    Settings {
        heap_mib: 512,
        segment_bytes: sizes.segment_bytes,
        delete_delay_ms: 1_000,
        more: BTreeMap::from_iter(more.chain(tier.settings())),
        metrics: true,
    }
}

/// Checks the whole tier after all rounds.
fn conclude(
    tier: &Tier,
    testbed: &Testbed,
    faults: &[Fault],
    sums: &mut Sums,
    recorder: &Recorder,
) -> Result<String> {
    recorder.stage("tier checked");
    if let Some(checked) = tier.check(testbed)? {
        let findings: Vec<_> = checked
            .findings
            .iter()
            .take(5)
            .map(|finding| format!("{} {} ({})", finding.problem, finding.key, finding.detail))
            .collect();
        let detail = match checked.findings.len() {
            0 => {
                format!("{} segments, {} objects, {} bytes", checked.segments, checked.objects, checked.bytes)
            }
            count => format!("{count} problems, such as {}", findings.join("; ")),
        };
        recorder.check("tier", "forebay-tier check finds nothing wrong", findings.is_empty(), detail);
        recorder.figure("tier_segments", "Segments in the tier", checked.segments as f64, "");
        let (unfinished, young) = (checked.unfinished_objects, checked.young_objects);
        for (name, title, count) in [
            ("objects_unfinished", "Objects of copies that Kafka began and did not finish", unfinished),
            ("objects_young", "Objects that nothing in Kafka names, too young for orphans", young),
        ] {
            recorder.figure(name, title, count as f64, "");
        }
        let whole = checked.segments.saturating_mul(2);
        let left = checked.objects.saturating_sub(unfinished).saturating_sub(young);
        // Copies that a fault ends can leave objects.
        let expected = left == whole && (faults != [Fault::None] || unfinished + young == 0);
        let detail = format!(
            "{} objects of {} segments, {unfinished} of unfinished copies, {young} others",
            checked.objects, checked.segments
        );
        recorder.check(
            "objects",
            "Each segment has two objects, and no other is unaccounted for",
            expected,
            detail,
        );
    }
    sums.add(&tier.counters(testbed)?);
    recorder.figure("segments_uploaded", "Segments uploaded", sums.uploads(), "");
    let (copies, by_reference) = (sums.counter("Copies"), sums.counter("CopiesByReference"));
    if tier.is_by_reference() {
        let detail = format!("{by_reference} of {copies}, {} uploads", sums.uploads());
        let all = by_reference == copies && copies > 0.0 && sums.uploads() == 0.0;
        recorder.check("by_reference", "Every segment is copied by reference", all, detail);
    }
    for (name, key, title) in [
        ("Copies", "copies", "Copies, as far as brokers that were not killed know"),
        ("CopiesByReference", "copies_by_reference", "Those by reference"),
        ("FailedCopies", "copies_failed", "Copies that failed, and were repeated"),
        ("UploadedBytes", "bytes_uploaded", "Bytes uploaded, indexes included"),
        ("FetchedBytes", "bytes_fetched", "Bytes fetched from the tier"),
        ("ReadBytes", "bytes_read", "Bytes that brokers read of them"),
    ] {
        recorder.figure(key, title, sums.counter(name), "");
    }
    ensure!(sums.rounds > 0, "no round was run");
    Ok(format!(
        "In {} round(s), {} records came back from the tier once and unchanged.",
        sums.rounds,
        number(sums.records as f64)
    ))
}
