//! The report of `tier-workload`, and its checks.

use super::Sizes;
use super::trials::name;
use crate::report::{Better, Recorder, Samples, number};
use crate::request::Fault;
use crate::testbed::{Tally, Title};

/// The largest ratio of head latency with tail consumers to that without.
const HEAD_MAX: f64 = 1.5;
/// The smallest share of the producers' rate with tail consumers.
const PRODUCED_PERCENT_MIN: f64 = 95.0;

/// The measurements: the beginning of the name, title, unit, and which direction is better.
const MEASURED: [(&str, &str, &str, Better); 4] = [
    ("head_ms_p99", "Head latency, p99", "ms", Better::Lower),
    ("publish_ms_p99", "Publish latency, p99", "ms", Better::Lower),
    ("produced_percent", "Produced, of the planned rate", "%", Better::Higher),
    ("tail_mb_per_s", "Tail consumers", "MB/s", Better::Higher),
];

/// Records the measurements, and checks those without a fault. Returns the explanation of the verdict.
pub fn conclude(
    tally: &Tally,
    sizes: &Sizes,
    faults: &[Fault],
    storage: &str,
    recorder: &Recorder,
) -> String {
    for fault in faults.iter().copied() {
        for (what, title, unit, better) in MEASURED {
            for with_tail in [false, true] {
                let name = name(what, fault, with_tail);
                let title = format!("{title}, {}", words(fault, with_tail));
                let title = Title { name: &name, title: &title, unit, better };
                tally.report(&title, &[storage.to_owned()], None, recorder);
            }
        }
        check_measured(tally, fault, storage, recorder);
    }
    if !faults.contains(&Fault::None) {
        let produced = |fault: &Fault| tally.median(&name("produced_percent", *fault, true), storage);
        let least = faults.iter().map(|fault| produced(fault).unwrap_or(0.0)).fold(f64::INFINITY, f64::min);
        return format!(
            "With faults and tail consumers, at least {least:.1} % of the planned rate is produced."
        );
    }
    let head = check_head(tally, storage, recorder);
    let produced = tally.median(&name("produced_percent", Fault::None, true), storage).unwrap_or(0.0);
    recorder.check(
        "produced",
        &format!("With tail consumers, at least {PRODUCED_PERCENT_MIN} % of the planned rate is produced"),
        produced >= PRODUCED_PERCENT_MIN,
        format_args!("{produced:.1} % of {} messages per second", number(f64::from(sizes.rate))),
    );
    format!(
        "With tail consumers, head latency (p99) is {head:.2} times that without, and {produced:.1} % of the planned rate is produced."
    )
}

/// Describes a kind of load.
fn words(fault: Fault, with_tail: bool) -> String {
    let tail = if with_tail { "with tail consumers" } else { "without tail consumers" };
    if fault == Fault::None { tail.to_owned() } else { format!("{tail}, during {fault}") }
}

fn check_measured(tally: &Tally, fault: Fault, storage: &str, recorder: &Recorder) {
    let count = |with_tail| {
        let found = tally.samples(&name("head_ms_p99", fault, with_tail), storage);
        found.map_or(0, |found| found.values.len())
    };
    let (without, with) = (count(false), count(true));
    recorder.check(
        &format!("measured_{}", fault.name().replace('-', "_")),
        &format!(
            "Loads with and without tail consumers were measured ({})",
            if fault == Fault::None { "no fault" } else { fault.name() }
        ),
        without > 0 && with == without,
        format_args!("{with} and {without}"),
    );
}

/// Checks head latency with tail consumers. Returns the median of the pairs' ratios.
fn check_head(tally: &Tally, storage: &str, recorder: &Recorder) -> f64 {
    let of = |with_tail| tally.samples(&name("head_ms_p99", Fault::None, with_tail), storage);
    let values = |with_tail| of(with_tail).map(|found| found.values).unwrap_or_default();
    let ratios: Vec<f64> =
        values(true).iter().zip(values(false)).map(|(with, without)| with / without).collect();
    let found = Samples::of(storage, ratios);
    let median = found.as_ref().map_or(f64::INFINITY, |found| found.median);
    let range = found.map(|found| {
        format!(", the median of {} pairs ({:.2} to {:.2})", found.values.len(), found.min, found.max)
    });
    let title = format!("With tail consumers, head latency (p99) is at most {HEAD_MAX} times that without");
    let detail = format!("{median:.2} times{}", range.unwrap_or_default());
    recorder.check("head_latency", &title, median <= HEAD_MAX, detail);
    median
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::progress::Progress;
    use crate::request::Profile;

    fn verdicts(with_ms: f64, produced: f64) -> BTreeMap<String, bool> {
        let (sizes, recorder) = (Sizes::of(Profile::Laptop), Recorder::new(Progress::silent()));
        let mut tally = Tally::default();
        for (with_tail, ms) in [(false, 10.0), (true, with_ms)] {
            tally.add(&name("head_ms_p99", Fault::None, with_tail), "forebay", ms);
            tally.add(&name("produced_percent", Fault::None, with_tail), "forebay", produced);
        }
        conclude(&tally, &sizes, &[Fault::None], "forebay", &recorder);
        let result = recorder.finish("tier-workload", "forebay", "laptop", "");
        result.checks.into_iter().map(|check| (check.name, check.passed)).collect()
    }

    #[test]
    fn slow_heads_and_slow_producers_fail() {
        assert!(verdicts(15.0, 95.0).values().all(|passed| *passed));
        let bad = verdicts(15.1, 94.9);
        assert_eq!((bad["head_latency"], bad["produced"], bad["measured_none"]), (false, false, true));
    }

    #[test]
    fn a_load_that_was_not_measured_fails() {
        let (sizes, recorder) = (Sizes::of(Profile::Laptop), Recorder::new(Progress::silent()));
        let mut tally = Tally::default();
        tally.add(&name("head_ms_p99", Fault::S3Slow, true), "forebay", 10.0);
        conclude(&tally, &sizes, &[Fault::S3Slow], "forebay", &recorder);
        let result = recorder.finish("tier-workload", "forebay", "laptop", "");
        assert_eq!(result.checks.iter().filter(|check| check.passed).count(), 0);
    }
}
