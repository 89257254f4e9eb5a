//! `object-speed`: compares the speed of object stores, by turns.
//!
//! The AWS SDK for Java reads ranges and puts objects. The measurements are shown, and have no targets.

use anyhow::{Context, Result};

use super::definition::Experiment;
use super::object_store::{address_of, describe};
use crate::cluster::{Distribution, Measured, ObjectsTool};
use crate::host::Environment;
use crate::report::{Better, Recorder, Subject};
use crate::request::{Profile, Request, StorageKind};
use crate::storage;
use crate::testbed::{Tally, Title};

/// The experiment.
pub struct ObjectSpeed;

const GIB: f64 = 1073741824.0;

/// What is measured: its name in the tool, and for people.
const ROWS: [(&str, &str); 3] =
    [("get_1_mib", "GET of 1 MiB ranges"), ("put_64_mib", "PUT of 64 MiB"), ("put_4_kib", "PUT of 4 KiB")];

/// A value of a measurement: the end of its name, the end of its title, its unit, and which is better.
type Value = (&'static str, &'static str, &'static str, Better, fn(&Measured) -> Option<f64>);

const VALUES: [Value; 6] = [
    ("mb_per_s", "", "MB/s", Better::Higher, |one| Some(one.bytes as f64 / 1e6 / one.seconds)),
    ("per_s", ": requests", "/s", Better::Higher, |one| Some(one.operations as f64 / one.seconds)),
    ("p50_ms", ": p50", "ms", Better::Lower, |one| Some(one.p50_ms)),
    ("p99_ms", ": p99", "ms", Better::Lower, |one| Some(one.p99_ms)),
    ("server_cpu_s_per_gib", ": server's CPU", "s/GiB", Better::Lower, |one| {
        Some(one.server_cpu_s? * GIB / one.bytes as f64)
    }),
    ("client_cpu_s_per_gib", ": client's CPU", "s/GiB", Better::Lower, |one| {
        Some(one.client_cpu_s * GIB / one.bytes as f64)
    }),
];

impl Experiment for ObjectSpeed {
    fn name(&self) -> &'static str {
        "object-speed"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Speed of object stores",
            question: "How fast are ranges of 1 MiB read, and objects of 64 MiB and of 4 KiB put, compared with other S3 servers on the \
                       same machine, and how much processor time does it take?",
            method: "All servers run at the same time, each on an empty folder of one disk. The AWS SDK for Java, with its default settings, \
                     reads random ranges of 1 MiB of four objects (512 by 4 threads), puts 4 objects of 64 MiB (2 threads), and puts 2,000 \
                     objects of 4 KiB (8 threads). The servers take turns in alternating order, after a warm-up that is not counted, and the \
                     machine writes back its dirty pages before each measurement. No content repeats. A server that refuses the SDK's checksums is measured \
                     without them, and a line of the progress says so. A figure is the median of the turns.",
        }
    }

    fn is_on_host(&self) -> bool {
        true
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay || kind.is_object_store()
    }

    fn compares(&self) -> bool {
        true
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay, StorageKind::Versitygw, StorageKind::Garage, StorageKind::Minio]
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let turns = request.repetitions.unwrap_or(match request.profile {
            Profile::Laptop => 7,
            Profile::Full => 21,
        });
        recorder.setting("turns", turns);
        let kafka = Distribution::open(&request.cache.folder, request.kafka, recorder.progress())?;
        recorder.stage("servers");
        let mut stores = Vec::new();
        for kind in &request.storages {
            let store =
                storage::start_object_store(kind, environment).with_context(|| format!("start {kind}"))?;
            describe(&store, recorder);
            stores.push(store);
        }
        let tool = ObjectsTool::new(kafka, environment.logs(), environment.state_folder().to_owned());
        let addresses: Vec<_> = stores.iter().map(address_of).collect();
        let measured = tool.measure(&addresses, turns, |part| recorder.stage(part))?;
        let names = request.names();
        report(&measured, &names, turns, recorder);
        stores.into_iter().try_for_each(storage::ObjectStore::stop)?;
        Ok(format!("{} rows were measured {turns} times on {}", ROWS.len(), names.join(", ")))
    }
}

fn report(measured: &[Measured], storages: &[String], turns: u32, recorder: &Recorder) {
    let mut tally = Tally::default();
    for one in measured {
        for (end, .., value) in VALUES {
            if let Some(value) = value(one) {
                tally.add(&format!("{}_{end}", one.row), &one.store, value);
            }
        }
    }
    for (row, row_title) in ROWS {
        let count = |storage: &String| {
            let of = |one: &&Measured| one.row == row && one.store == *storage;
            measured.iter().filter(of).count()
        };
        let complete = storages.iter().all(|storage| count(storage) == turns as usize);
        let title = format!("{row_title} was measured");
        recorder.check(row, &title, complete, format_args!("{turns} times on each storage"));
        for (end, title, unit, better, _) in VALUES {
            let (name, title) = (format!("{row}_{end}"), format!("{row_title}{title}"));
            tally.report(&Title { name: &name, title: &title, unit, better }, storages, None, recorder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;

    #[test]
    fn processor_time_counts_by_gibibyte_and_a_store_without_a_process_has_none() {
        let one = |store: &str, cpu: Option<f64>| Measured {
            row: "put_64_mib".into(),
            store: store.into(),
            seconds: 2.0,
            operations: 4,
            bytes: 1 << 28,
            p50_ms: 1.0,
            p99_ms: 2.0,
            client_cpu_s: 1.0,
            server_cpu_s: cpu,
        };
        let recorder = Recorder::new(Progress::silent());
        let names = ["forebay".to_owned(), "http://s3.example".to_owned()];
        report(&[one("forebay", Some(0.5)), one("http://s3.example", None)], &names, 1, &recorder);
        let result = recorder.finish("object-speed", "", "laptop", "");
        let found = result.measurements.iter().find(|found| found.name == "put_64_mib_server_cpu_s_per_gib");
        let samples: Vec<_> =
            found.unwrap().samples.iter().map(|sample| (sample.storage.as_str(), sample.median)).collect();
        assert_eq!(samples, [("forebay", 2.0)]);
        assert!(result.checks.iter().any(|check| !check.passed), "two rows are missing");
    }
}
