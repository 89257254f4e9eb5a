//! Collects values, and makes the table from them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::fio::FioRow;
use super::row::Row;
use super::{Rows, load};
use crate::probe::LoadDone;
use crate::report::{Better, Measurement, Recorder, Target};
use crate::request::StorageKind;

const REPLICAS_GAIN: &str = "load_replicas_gain";

/// The end of the name of the server's processor time for each GB.
const SERVER_CPU: &str = "server_cpu_s_per_gb";
/// The costs and latencies of a load, besides its rate: end of the name, end of the title, unit.
const DETAILS: [(&str, &str, &str); 5] = [
    ("operations_per_s", "operations", "1/s"),
    ("p50_ms", "p50", "ms"),
    ("p99_ms", "p99", "ms"),
    (SERVER_CPU, "server's CPU", "s/GB"),
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
            self.values.entry((row.detail_name(end), kind.clone())).or_default().push(value);
        }
        let rate = bytes / 1e6 / seconds;
        self.add(row, kind, rate);
        rate
    }

    /// Adds the processor time that a storage's server took for a row of one client.
    pub fn add_server_cpu(&mut self, fio: &FioRow, kind: &StorageKind, time: Duration) {
        let name = fio.row.detail_name(fio.server_cpu().0);
        self.values.entry((name, kind.clone())).or_default().push(fio.server_cpu_of(time));
    }

    /// Records the table, and returns the number of rows. Its columns are the storages, of which the first two are compared.
    pub fn report(&self, rows: &Rows, storages: &[StorageKind], pairs: u32, recorder: &Recorder) -> usize {
        let table = Table { outcome: self, storages, recorder };
        let mut count = 0;
        for row in rows.all() {
            let values = self.of_storages(storages, row.name);
            // The load generator leaves out storages whose server is not on the host.
            let complete = |values: &[f64]| values.is_empty() || values.len() == pairs as usize;
            let enough = values.iter().all(|(_, values)| complete(values));
            let title = format!("{} was measured", row.title);
            recorder.check(row.name, &title, enough, format_args!("{pairs} times on each storage"));
            table.add(row.name, row.title, row.unit, Better::Higher, Some(Target::Ratio(row.ratio_min)));
            count += 1;
        }
        let gains: Vec<_> = storages.iter().map(|kind| (kind.name(), self.replicas_gain(kind))).collect();
        if gains.iter().any(|(_, gains)| !gains.is_empty()) {
            let title = "3 replicas ÷ 3 unlike";
            recorder.measurement(Measurement::new(REPLICAS_GAIN, title, "times", Better::Higher, gains));
        }
        for fio in &rows.fio {
            let (end, unit) = fio.server_cpu();
            let title = format!("{}: server's CPU", fio.row.title);
            let target = fio.row.server_cpu_max.map(Target::MedianMax);
            table.add(&fio.row.detail_name(end), &title, unit, Better::Lower, target);
        }
        for load in &rows.load {
            for (end, what, unit) in DETAILS {
                let better = if end == "operations_per_s" { Better::Higher } else { Better::Lower };
                let title = format!("{}: {what}", load.row.title);
                let largest = load.row.server_cpu_max.filter(|_| end == SERVER_CPU);
                table.add(&load.row.detail_name(end), &title, unit, better, largest.map(Target::MedianMax));
            }
        }
        count
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

/// The table that is recorded.
struct Table<'a> {
    outcome: &'a Outcome,
    storages: &'a [StorageKind],
    recorder: &'a Recorder,
}

impl Table<'_> {
    fn add(&self, name: &str, title: &str, unit: &str, better: Better, target: Option<Target>) {
        let values = self.outcome.of_storages(self.storages, name);
        let measurement = Measurement::of_pairs(name, title, unit, better, values).with_target(target);
        self.recorder.measurement(measurement);
    }
}

#[cfg(test)]
mod tests {
    use super::super::fio;
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
        let fio = &fio::ROWS[0];
        outcome.add_server_cpu(fio, &StorageKind::Forebay, Duration::from_secs(1));
        assert_eq!(outcome.report(&Rows::of(&[]), &[StorageKind::Forebay], 2, &recorder), 9);
        let result = recorder.finish("bench", "forebay", "laptop", "");
        let targets: Vec<bool> = result.measurements.iter().filter_map(|found| found.reached).collect();
        assert_eq!(targets, [true, true], "two loads took little enough processor time");
        assert!(result.measurements.iter().any(|found| found.name == REPLICAS_GAIN));
        let cost =
            result.measurements.iter().find(|found| found.name == "sequential_write_server_cpu_s_per_gb");
        assert_eq!(cost.map(|cost| cost.samples.len()), Some(1));
    }
}
