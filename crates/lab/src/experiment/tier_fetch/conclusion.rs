//! The report of `tier-fetch`, and its checks.

use anyhow::{Context, Result};

use super::Sizes;
use super::turns::Names;
use crate::report::{Axis, Better, CurveSpec, Recorder, Reference, Samples, Target, number};
use crate::testbed::{Tally, Title};

/// The most bytes asked of the tier for each byte that is consumed from the beginning.
const ASKED_MAX: f64 = 1.15;
/// The most bytes asked of the tier for each fetch at a random offset, in units of `max.partition.fetch.bytes`.
const RANDOM_ASKED_MAX: f64 = 2.0;
/// The smallest ratio of what is read from the tier to what is read from local logs with cold caches.
const RATIO_MIN: f64 = 0.7;

const SPEED: &str = "fetch_by_brokers";
const SCALING: &str = "fetch_per_broker_by_brokers";

/// The measurements of each number of brokers: the beginning of the name, title, unit, and which direction is better.
const MEASURED: [(&str, &str, &str, Better); 16] = [
    ("tier_mb_per_s", "From the tier, from the beginning", "MB/s", Better::Higher),
    ("local_mb_per_s", "From local logs, from the beginning", "MB/s", Better::Higher),
    ("get_mb_per_s", "Ranged GETs, in order", "MB/s", Better::Higher),
    ("tier_mb_per_s_per_broker", "From the tier, for each broker", "MB/s", Better::Higher),
    ("tier_broker_s_per_gb", "From the tier: brokers' processor time", "s/GB", Better::Lower),
    ("local_broker_s_per_gb", "From local logs: brokers' processor time", "s/GB", Better::Lower),
    ("tier_server_s_per_gb", "From the tier: the server's processor time", "s/GB", Better::Lower),
    ("local_server_s_per_gb", "From local logs: the server's processor time", "s/GB", Better::Lower),
    ("bytes_asked_per_byte", "Bytes asked of the tier for each byte consumed", "", Better::Lower),
    ("kib_per_request", "Bytes of a request to the tier", "KiB", Better::Higher),
    ("random_tier_ms_p50", "Random offsets from the tier, p50", "ms", Better::Lower),
    ("random_tier_ms_p99", "Random offsets from the tier, p99", "ms", Better::Lower),
    ("random_local_ms_p50", "Random offsets from local logs, p50", "ms", Better::Lower),
    ("random_local_ms_p99", "Random offsets from local logs, p99", "ms", Better::Lower),
    ("random_get_ms_p50", "Random ranged GETs, p50", "ms", Better::Lower),
    ("random_get_ms_p99", "Random ranged GETs, p99", "ms", Better::Lower),
];

/// Records the measurements, and checks them. Returns the explanation of the verdict.
pub fn conclude(tally: &Tally, sizes: &Sizes, storage: &str, recorder: &Recorder) -> Result<String> {
    let storages = [storage.to_owned()];
    for brokers in sizes.brokers {
        let names = Names::of(*brokers);
        for (what, title, unit, better) in MEASURED {
            let (name, title) = (names.name(what), format!("{title}, {brokers} broker(s)"));
            tally.report(&Title { name: &name, title: &title, unit, better }, &storages, None, recorder);
        }
        check_ratio(tally, *brokers, storage, recorder);
        check_asked(tally, *brokers, storage, recorder);
    }
    let most = sizes.brokers_max();
    check_random(tally, sizes, most, storage, recorder);
    draw(tally, sizes, storage, recorder);
    let median = |what: &str| {
        let name = Names::of(most).name(what);
        tally.median(&name, storage).with_context(|| format!("{name} was not measured"))
    };
    Ok(format!(
        "With {most} broker(s), consumers read {} MB/s from the tier, and {} MB/s from local logs with cold caches.",
        number(median("tier_mb_per_s")?),
        number(median("local_mb_per_s")?)
    ))
}

/// Checks how fast the tier is, compared with local logs.
fn check_ratio(tally: &Tally, brokers: u32, storage: &str, recorder: &Recorder) {
    let names = Names::of(brokers);
    let of = |what: &str| tally.samples(&names.name(what), storage).map(|samples| samples.values);
    let (tier, local) = (of("tier_mb_per_s").unwrap_or_default(), of("local_mb_per_s").unwrap_or_default());
    let ratios: Vec<f64> = tier.iter().zip(&local).map(|(tier, local)| tier / local).collect();
    let mut ratio = Tally::default();
    let name = names.name("tier_to_local");
    ratios.iter().for_each(|value| ratio.add(&name, storage, *value));
    let title = format!("From the tier ÷ from local logs, {brokers} broker(s)");
    let title = Title { name: &name, title: &title, unit: "", better: Better::Higher };
    ratio.report(&title, &[storage.to_owned()], Some(Target::Median(RATIO_MIN)), recorder);
    let median = ratio.median(&name, storage).unwrap_or(0.0);
    recorder.check(
        &name,
        &format!(
            "With {brokers} broker(s), the tier is read at least {RATIO_MIN} times as fast as local logs with cold caches"
        ),
        median >= RATIO_MIN,
        format_args!("{median:.2}, the median of {} pairs{}", ratios.len(), range(Samples::of(storage, ratios.clone()).as_ref())),
    );
}

/// Checks what is asked of the tier for sequential reads. There are no counters if the plugin is not ours.
fn check_asked(tally: &Tally, brokers: u32, storage: &str, recorder: &Recorder) {
    let name = Names::of(brokers).name("bytes_asked_per_byte");
    let Some(asked) = tally.samples(&name, storage) else { return };
    let title = format!(
        "With {brokers} broker(s), at most {ASKED_MAX} bytes are asked of the tier for each byte consumed from the beginning"
    );
    recorder.check(
        &name,
        &title,
        asked.median <= ASKED_MAX,
        format_args!("{:.3}{}", asked.median, range(Some(&asked))),
    );
}

fn check_random(tally: &Tally, sizes: &Sizes, brokers: u32, storage: &str, recorder: &Recorder) {
    let asked = tally.samples(&Names::of(brokers).name("random_bytes_asked"), storage);
    let Some(asked) = asked.filter(|asked| asked.max > 0.0) else { return };
    let name = "random_fetches_asked";
    let mut in_fetches = Tally::default();
    asked.values.iter().for_each(|bytes| in_fetches.add(name, storage, bytes / sizes.fetch_bytes as f64));
    let title = Title {
        name,
        title: "Bytes asked of the tier for each random offset ÷ max.partition.fetch.bytes",
        unit: "",
        better: Better::Lower,
    };
    in_fetches.report(&title, &[storage.to_owned()], None, recorder);
    let Some(found) = in_fetches.samples(name, storage) else { return };
    recorder.check(
        name,
        &format!("At most {RANDOM_ASKED_MAX} times max.partition.fetch.bytes are asked of the tier for each random offset"),
        found.median <= RANDOM_ASKED_MAX,
        format_args!("{:.2}{}", found.median, range(Some(&found))),
    );
}

fn range(samples: Option<&Samples>) -> String {
    samples.map(|found| format!(" ({:.2} to {:.2})", found.min, found.max)).unwrap_or_default()
}

/// Draws speeds by the number of brokers. The report found them to be linear.
fn draw(tally: &Tally, sizes: &Sizes, storage: &str, recorder: &Recorder) {
    let brokers_axis = || Axis::linear("Brokers", "");
    recorder.curve(CurveSpec {
        drawing: SPEED.to_owned(),
        title: "Read from the beginning, by number of brokers".to_owned(),
        x: brokers_axis(),
        y: Axis::linear("Read", "MB/s"),
        references: Vec::new(),
    });
    recorder.curve(CurveSpec {
        drawing: SCALING.to_owned(),
        title: "Read from the tier for each broker, relative to one broker".to_owned(),
        x: brokers_axis(),
        y: Axis::linear("Relative to one broker", ""),
        references: vec![Reference { label: "TR-4941: linear in brokers".to_owned(), y: 1.0 }],
    });
    let lowest = sizes.brokers.first().map(|brokers| Names::of(*brokers).name("tier_mb_per_s_per_broker"));
    let one = lowest.and_then(|name| tally.median(&name, storage)).unwrap_or(f64::NAN);
    for brokers in sizes.brokers {
        let names = Names::of(*brokers);
        for (what, line) in
            [("tier_mb_per_s", "tier"), ("local_mb_per_s", "local logs"), ("get_mb_per_s", "ranged GETs")]
        {
            if let Some(found) = tally.samples(&names.name(what), storage) {
                let line = format!("{storage}, {line}");
                let x = f64::from(*brokers);
                recorder.curve_point_spread(SPEED, &line, x, found.median, found.min, found.max);
            }
        }
        if let Some(found) = tally.samples(&names.name("tier_mb_per_s_per_broker"), storage) {
            let [median, low, high] = [found.median, found.min, found.max].map(|value| value / one);
            recorder.curve_point_spread(SCALING, storage, f64::from(*brokers), median, low, high);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::progress::Progress;
    use crate::request::Profile;

    fn verdicts(tier: f64, asked: f64, random_fetches: f64) -> BTreeMap<String, bool> {
        let (sizes, recorder) = (Sizes::of(Profile::Laptop), Recorder::new(Progress::silent()));
        let mut tally = Tally::default();
        for brokers in [1, 2] {
            let names = Names::of(brokers);
            tally.add(&names.name("tier_mb_per_s"), "forebay", tier);
            tally.add(&names.name("tier_mb_per_s_per_broker"), "forebay", tier / f64::from(brokers));
            tally.add(&names.name("local_mb_per_s"), "forebay", 100.0);
            tally.add(&names.name("bytes_asked_per_byte"), "forebay", asked);
        }
        let bytes = random_fetches * sizes.fetch_bytes as f64;
        tally.add(&Names::of(2).name("random_bytes_asked"), "forebay", bytes);
        conclude(&tally, &sizes, "forebay", &recorder).unwrap();
        let result = recorder.finish("tier-fetch", "forebay", "laptop", "");
        result.checks.into_iter().map(|check| (check.name, check.passed)).collect()
    }

    #[test]
    fn a_slow_tier_and_too_many_bytes_asked_fail() {
        assert!(verdicts(71.0, 1.14, 1.9).values().all(|passed| *passed));
        let bad = verdicts(69.0, 1.16, 2.1);
        assert_eq!(bad.len(), 5);
        assert!(bad.values().all(|passed| !passed));
    }

    #[test]
    fn without_our_plugin_there_is_nothing_to_check_about_bytes() {
        let (sizes, recorder) = (Sizes::of(Profile::Laptop), Recorder::new(Progress::silent()));
        let mut tally = Tally::default();
        for brokers in [1, 2] {
            for what in ["tier_mb_per_s", "local_mb_per_s"] {
                tally.add(&Names::of(brokers).name(what), "forebay", 50.0);
            }
        }
        conclude(&tally, &sizes, "forebay", &recorder).unwrap();
        let result = recorder.finish("tier-fetch", "forebay", "laptop", "");
        let names: Vec<_> = result.checks.iter().map(|check| check.name.as_str()).collect();
        assert_eq!(names, ["tier_to_local_at_1", "tier_to_local_at_2"]);
    }
}
