//! Collects values, and makes the table from them.

use std::collections::BTreeMap;

use super::row::Row;
use super::{fio, load};
use crate::probe::LoadDone;
use crate::report::{Better, Measurement, Recorder, Target};
use crate::request::StorageKind;

/// The target for the gain from three equal replicas: they are written once.
const REPLICAS_GAIN_MIN: f64 = 3.0;
const REPLICAS_GAIN: &str = "load_replicas_gain";

/// The costs and latencies of a load, besides its rate: end of the name, end of the title, unit.
const DETAILS: [(&str, &str, &str); 5] = [
    ("operations_per_s", "operations", "1/s"),
    ("p50_ms", "p50", "ms"),
    ("p99_ms", "p99", "ms"),
    ("server_cpu_s_per_gb", "server's CPU", "s/GB"),
    ("client_cpu_s_per_gb", "load's CPU", "s/GB"),
];

/// Values by name of the row (or of its detail) and storage, in the order measured.
#[derive(Default)]
pub struct Outcome {
    values: BTreeMap<(String, StorageKind), Vec<f64>>,
}

impl Outcome {
    /// Adds a value of a row.
    pub fn add(&mut self, row: &Row, kind: &StorageKind, value: f64) {
        self.values.entry((row.name.to_owned(), kind.clone())).or_default().push(value);
    }

    /// Adds the load generator's result for a row. Returns the rate.
    pub fn add_load(&mut self, row: &Row, kind: &StorageKind, done: &LoadDone) -> f64 {
        let (seconds, bytes) = (done.elapsed_us as f64 / 1e6, done.bytes as f64);
        let details = [
            done.operations as f64 / seconds,
            done.latency_us_p50 as f64 / 1e3,
            done.latency_us_p99 as f64 / 1e3,
            done.server_cpu_s.unwrap_or_default() / (bytes / 1e9),
            done.client_cpu_s / (bytes / 1e9),
        ];
        for ((end, ..), value) in DETAILS.iter().zip(details) {
            self.values.entry((detail_name(row, end), kind.clone())).or_default().push(value);
        }
        let rate = bytes / 1e6 / seconds;
        self.add(row, kind, rate);
        rate
    }

    /// Records the table. Returns the number of rows.
    pub fn report(&self, storages: &[StorageKind], repetitions: u32, recorder: &Recorder) -> usize {
        let rows = fio::ROWS.iter().map(|fio| &fio.row).chain(load::ROWS.iter().map(|load| &load.row));
        let mut count = 0;
        for row in rows {
            let values = self.of_storages(storages, row.name);
            // The load generator leaves out storages whose server is not on the host.
            let complete = |values: &[f64]| values.is_empty() || values.len() == repetitions as usize;
            let enough = values.iter().all(|(_, values)| complete(values));
            let title = format!("{} was measured", row.title);
            recorder.check(row.name, &title, enough, format_args!("{repetitions} times on each storage"));
            let measurement = Measurement::new(row.name, row.title, row.unit, Better::Higher, values);
            recorder.measurement(measurement.with_target(Some(Target::Ratio(row.ratio_min))));
            count += 1;
        }
        let gains = storages.iter().map(|kind| (kind.name(), self.replicas_gain(kind))).collect();
        let gain = Measurement::new(REPLICAS_GAIN, "3 replicas ÷ 3 unlike", "times", Better::Higher, gains);
        recorder.measurement(gain.with_target(Some(Target::Median(REPLICAS_GAIN_MIN))));
        self.report_details(storages, recorder);
        count + 1
    }

    fn report_details(&self, storages: &[StorageKind], recorder: &Recorder) {
        for load in load::ROWS {
            for (end, what, unit) in DETAILS {
                let name = detail_name(&load.row, end);
                let better = if end == "operations_per_s" { Better::Higher } else { Better::Lower };
                let title = format!("{}: {what}", load.row.title);
                let values = self.of_storages(storages, &name);
                recorder.measurement(Measurement::new(&name, &title, unit, better, values));
            }
        }
    }

    fn of_storages(&self, storages: &[StorageKind], name: &str) -> Vec<(String, Vec<f64>)> {
        storages.iter().map(|kind| (kind.name(), self.of(name, kind).to_vec())).collect()
    }

    fn of(&self, name: &str, kind: &StorageKind) -> &[f64] {
        self.values.get(&(name.to_owned(), kind.clone())).map_or(&[], Vec::as_slice)
    }

    /// The ratio of the rate of equal streams to that of different ones, in each repetition.
    fn replicas_gain(&self, kind: &StorageKind) -> Vec<f64> {
        let [alike, unlike] = load::REPLICAS.map(|name| self.of(name, kind));
        alike.iter().zip(unlike).map(|(alike, unlike)| alike / unlike).collect()
    }
}

fn detail_name(row: &Row, end: &str) -> String {
    let stem = row.name.strip_suffix("_mb_per_s").unwrap_or(row.name);
    format!("{stem}_{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::Progress;

    #[test]
    fn what_replicas_gain_is_taken_within_each_repetition() {
        let mut outcome = Outcome::default();
        let done = |elapsed_us| LoadDone {
            bytes: 1_000_000_000,
            elapsed_us,
            operations: 1000,
            latency_us_p50: 1,
            latency_us_p99: 2,
            client_cpu_s: 0.1,
            server_cpu_s: Some(0.5),
        };
        let row = |name| &load::ROWS.iter().find(|load| load.row.name == name).unwrap().row;
        for (unlike, alike) in [(3_000_000, 1_000_000), (1_000_000, 500_000)] {
            outcome.add_load(row(load::REPLICAS[1]), &StorageKind::Forebay, &done(unlike));
            outcome.add_load(row(load::REPLICAS[0]), &StorageKind::Forebay, &done(alike));
        }
        assert_eq!(outcome.replicas_gain(&StorageKind::Forebay), [3.0, 2.0]);
        assert_eq!(outcome.of("load_replicas_same_server_cpu_s_per_gb", &StorageKind::Forebay), [0.5, 0.5]);
        let recorder = Recorder::new(Progress::silent());
        outcome.report(&[StorageKind::Forebay], 2, &recorder);
        let result = recorder.finish("bench", "forebay", "laptop", "");
        let gain = result.measurements.iter().find(|found| found.name == REPLICAS_GAIN).unwrap();
        assert_eq!(gain.reached, Some(false));
    }
}
