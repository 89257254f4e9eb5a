//! The Prometheus text format, version 0.0.4.

use std::fmt::Write;

use super::observation::Observation;
use super::samples::{Samples, escape_help};
use super::table::{Collect, FAMILIES, Family};

/// All families, in the order of the table.
pub fn exposition(seen: &Observation) -> String {
    let mut text = String::new();
    for family in FAMILIES.iter().copied().flatten() {
        family.expose(seen, &mut text);
    }
    text
}

impl Family {
    fn expose(&self, seen: &Observation, text: &mut String) {
        let (name, kind) = (self.name, self.kind.word());
        // Writing to a String cannot fail.
        let _ = writeln!(text, "# HELP {name} {}\n# TYPE {name} {kind}", escape_help(self.says));
        let mut samples = Samples { text, name, volume: None };
        match (self.collect, &seen.pool) {
            (Collect::Pool(collect), Some(pool)) => collect(pool, &mut samples),
            (Collect::Pool(_), None) => {}
            (Collect::Nfs(collect), _) => collect(&seen.nfs, &mut samples),
            (Collect::S3(collect), _) => {
                if let Some(s3) = &seen.s3 {
                    collect(s3, &mut samples);
                }
            }
            (Collect::Node(collect), _) => {
                if let Some(node) = &seen.node {
                    collect(node, &mut samples);
                }
            }
            (Collect::Cluster(collect), _) => {
                if let Some(cluster) = &seen.cluster {
                    collect(&cluster.view, &mut samples);
                }
            }
            (Collect::Kafka(collect), _) => {
                if let Some(kafka) = &seen.kafka {
                    collect(kafka, &mut samples);
                }
            }
            (Collect::Alerts(collect), _) => collect(seen, &mut samples),
            (Collect::Backups(collect), _) => collect(&seen.backups, &mut samples),
            (Collect::ObjectCost(collect), _) => {
                seen.object_cost.iter().for_each(|cost| collect(cost, &mut samples));
            }
            (Collect::Efficiency(collect), _) => {
                if let Some(counted) = &seen.efficiency {
                    collect(counted, &mut samples);
                }
            }
            (Collect::Process(collect), _) => collect(&seen.process, &mut samples),
            (Collect::Volume(collect), _) => {
                for volume in &seen.volumes {
                    samples.volume = Some(&volume.usage.name);
                    collect(volume, &mut samples);
                }
            }
        }
    }
}
