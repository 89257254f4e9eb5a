//! The table of all metrics: name, meaning, what to do when the value changes, and how the samples are
//! collected.

mod alerts;
mod cluster;
mod kafka;
mod nfs;
mod node;
mod objects;
mod pool;
mod process;
mod s3;
mod volume;

use forebay_nfs::NfsCounters;
use forebay_ownership::Beats;
use forebay_pool::PoolCounters;
use forebay_s3::counters::S3Counters;

pub use super::samples::{Samples, Value};
use crate::efficiency::Counted;
use crate::object_store::Cost;
use crate::views::ClusterView;

use super::{BackupsSeen, KafkaSeen, Observation, Process, VolumeSeen};

/// All metrics, by subject.
pub static FAMILIES: [&[Family]; 10] = [
    pool::FAMILIES,
    objects::FAMILIES,
    volume::FAMILIES,
    nfs::FAMILIES,
    s3::FAMILIES,
    node::FAMILIES,
    cluster::FAMILIES,
    kafka::FAMILIES,
    alerts::FAMILIES,
    process::FAMILIES,
];

/// A metric family. Its samples differ only in their labels.
pub struct Family {
    /// The name, which ends in its unit and, for a counter, in `_total`.
    pub name: &'static str,
    /// The kind of metric.
    pub kind: Kind,
    /// The labels of its samples.
    pub labels: &'static [Label],
    /// What the metric measures, in a phrase.
    pub says: &'static str,
    /// What an operator should do when the value changes.
    pub then: &'static str,
    /// How the samples are collected.
    pub(super) collect: Collect,
}

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only increases, and starts at 0 with the daemon.
    Counter,
    /// Can increase and decrease.
    Gauge,
    /// Counts durations by their length.
    Histogram,
}

impl Kind {
    /// Prometheus' name for the kind.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        }
    }
}

/// A label, and the bound on its values.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// The label's name.
    pub name: &'static str,
    /// Which values it can have.
    pub bound: &'static str,
}

/// How the samples of a metric are collected.
#[derive(Clone, Copy)]
pub(super) enum Collect {
    Pool(fn(&PoolCounters, &mut Samples<'_>)),
    /// From each volume; the samples have the label `volume`.
    Volume(fn(&VolumeSeen, &mut Samples<'_>)),
    Nfs(fn(&NfsCounters, &mut Samples<'_>)),
    /// No samples if S3 is not served.
    S3(fn(&S3Counters, &mut Samples<'_>)),
    /// No samples if no other node can serve the pool.
    Node(fn(&Beats, &mut Samples<'_>)),
    /// No samples if the pool does not lie in a database.
    Cluster(fn(&ClusterView, &mut Samples<'_>)),
    /// No samples while there is no estimate.
    ObjectCost(fn(&Cost, &mut Samples<'_>)),
    /// No samples if Kafka views are off.
    Kafka(fn(&KafkaSeen, &mut Samples<'_>)),
    Alerts(fn(&Observation, &mut Samples<'_>)),
    Backups(fn(&BackupsSeen, &mut Samples<'_>)),
    /// No samples until it has been counted.
    Efficiency(fn(&Counted, &mut Samples<'_>)),
    Process(fn(&Process, &mut Samples<'_>)),
}

/// The metric of that name. The name may also be that of part of a histogram, such as `…_bucket`.
pub fn family(name: &str) -> Option<&'static Family> {
    let find = |name: &str| FAMILIES.iter().copied().flatten().find(|family| family.name == name);
    find(name).or_else(|| {
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| name.strip_suffix(suffix))?;
        find(base).filter(|family| family.kind == Kind::Histogram)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn all() -> impl Iterator<Item = &'static Family> {
        FAMILIES.iter().copied().flatten()
    }

    #[test]
    fn names_are_unique_and_say_what_their_metric_is() {
        let names: BTreeSet<_> = all().map(|family| family.name).collect();
        assert_eq!(names.len(), all().count());
        for family in all() {
            let name = family.name;
            assert!(name.starts_with("forebay_") || name.starts_with("process_"), "{name}");
            assert_eq!(family.kind == Kind::Counter, name.ends_with("_total"), "{name}");
            assert_eq!(family.kind == Kind::Histogram, name.ends_with("_duration_seconds"), "{name}");
            let odd =
                |letter: char| !(letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
            assert!(!name.contains(odd), "{name}");
        }
    }

    #[test]
    fn every_metric_says_what_it_is_and_what_to_do() {
        for family in all() {
            for text in [family.says, family.then] {
                assert!(
                    text.len() > 15 && text.ends_with('.') && !text.contains(['|', '\n']),
                    "{}",
                    family.name
                );
            }
            let of_volume = matches!(family.collect, Collect::Volume(_));
            let has_volume = family.labels.iter().any(|label| label.name == "volume");
            assert_eq!(of_volume, has_volume, "{}", family.name);
        }
    }

    #[test]
    fn parts_of_histograms_belong_to_them_and_to_nothing_else() {
        let named = |name: &str| family(name).map(|family| family.name);
        let histogram = "forebay_pool_segment_sync_duration_seconds";
        assert_eq!(named(&format!("{histogram}_bucket")), Some(histogram));
        assert_eq!(named("forebay_pool_free_bytes_sum"), None);
    }
}
