//! `fio`: how fast storages are, side by side, from one guest that mounts them all.
//!
//! Five rows are measured several times. Storages take turns within each repetition, in an order that alternates, so that
//! what disturbs the machine disturbs all of them; the ratio of the medians is what to trust, not the figures.

mod row;

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use self::row::{ROWS, Row};
use super::Experiment;
use crate::host::toolbox::Toolbox;
use crate::host::{Guest, GuestSpec, Site};
use crate::report::{Measurement, Recorder, Subject, Tone, number};
use crate::request::{Profile, Request};
use crate::storage::{self, Storage, StorageKind};

/// The experiment.
pub struct Fio;

const GUEST_MEMORY_MIB: u32 = 2048;

/// Values of one row on one storage, in the order measured.
type Values = BTreeMap<(&'static str, &'static str), Vec<f64>>;

impl Experiment for Fio {
    fn name(&self) -> &'static str {
        "fio"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Speed of the storage",
            question: "How fast can one Linux client write, read, append and create files, beside another NFS server on the \
                       same machine?",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn needs_bench_tools(&self) -> bool {
        true
    }

    fn compares(&self) -> bool {
        true
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay, StorageKind::Ganesha]
    }

    fn run(&self, site: &Site, request: &Request, recorder: &Recorder) -> Result<String> {
        let repetitions = request.repetitions.unwrap_or(match request.profile {
            Profile::Laptop => 5,
            Profile::Full => 10,
        });
        let tools = site.bench_tools()?;
        recorder.version("fio", tools.version("fio")?);
        recorder.setting("repetitions", repetitions);
        recorder.setting("guest memory, MiB", GUEST_MEMORY_MIB);
        for row in ROWS {
            recorder.setting(row.title, row.settings());
        }
        let mut bench = Bench::start(site, request, recorder, tools)?;
        let mut values = Values::new();
        for repetition in 0..repetitions {
            recorder.stage(&format!("repetition {} of {repetitions}", repetition + 1));
            for row in ROWS {
                bench.measure(row, repetition % 2 == 1, &mut values)?;
            }
        }
        bench.stop()?;
        report(&request.storages, &values, repetitions, recorder);
        Ok(format!("{} rows were measured {repetitions} times", ROWS.len()))
    }
}

/// The storages, and the guest that mounts them all.
struct Bench<'a> {
    recorder: &'a Recorder,
    tools: Toolbox,
    storages: Vec<Box<dyn Storage>>,
    guest: Guest,
}

impl<'a> Bench<'a> {
    fn start(site: &Site, request: &Request, recorder: &'a Recorder, tools: Toolbox) -> Result<Self> {
        recorder.stage("storages");
        let mut spec = GuestSpec::new("client", GUEST_MEMORY_MIB);
        let mut storages = Vec::new();
        for kind in &request.storages {
            let mut storage = storage::start(*kind, site)?;
            storage.prepare(site, &mut spec)?;
            for (name, version) in storage.versions() {
                recorder.version(&name, version);
            }
            storages.push(storage);
        }
        recorder.stage("guest");
        let guest = site.boot(&spec)?;
        for storage in &storages {
            storage.mount(&guest, &mount_point(storage.kind()))?;
        }
        Ok(Self { recorder, tools, storages, guest })
    }

    /// Measures one row once on each storage.
    fn measure(&mut self, row: &Row, backwards: bool, values: &mut Values) -> Result<()> {
        let mut kinds: Vec<_> = self.storages.iter().map(|storage| storage.kind()).collect();
        if backwards {
            kinds.reverse();
        }
        for kind in kinds {
            self.recorder.detail(format_args!("{} on {kind}", row.title));
            let value = row
                .measure(&self.guest, &self.tools, &mount_point(kind))
                .with_context(|| format!("measure {} on {kind}", row.title))?;
            let words = format!("{} on {kind}: {} {}", row.title, number(value), row.unit);
            self.recorder.event(Tone::Plain, words);
            values.entry((row.name, kind.name())).or_default().push(value);
        }
        Ok(())
    }

    fn stop(mut self) -> Result<()> {
        for storage in &self.storages {
            self.guest.unmount(mount_point(storage.kind()))?;
        }
        self.guest.stop()?;
        self.storages.iter_mut().try_for_each(|storage| storage.stop())
    }
}

fn mount_point(kind: StorageKind) -> String {
    format!("/mnt/{kind}")
}

fn report(storages: &[StorageKind], values: &Values, repetitions: u32, recorder: &Recorder) {
    for row in ROWS {
        let of_storages: Vec<_> = storages
            .iter()
            .map(|kind| {
                (kind.name().to_owned(), values.get(&(row.name, kind.name())).cloned().unwrap_or_default())
            })
            .collect();
        let enough = of_storages.iter().all(|(_, values)| values.len() == repetitions as usize);
        recorder.measurement(Measurement::new(row.name, row.title, row.unit, row.better, of_storages));
        let title = format!("{} was measured", row.title);
        recorder.check(row.name, &title, enough, format_args!("{repetitions} times on each storage"));
    }
}
