//! `bench`: compares the speed of storages.
//!
//! One Linux client, a guest that mounts all storages, runs fio ([`fio`]). Then the load generator drives many streams from the
//! host ([`load`]). Rows are measured several times. Storages take turns within each repetition, in alternating order, so
//! disturbances of the machine affect all of them. The ratio of the medians is more reliable than the medians themselves.

mod fio;
mod load;
mod outcome;
mod row;

use anyhow::{Context, Result};

use self::fio::FioRow;
use self::load::LoadRow;
use self::outcome::Outcome;
use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestSpec};
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::StorageKind;
use crate::request::{Profile, Request};
use crate::storage::{self, Storage};
use crate::toolbox::{Toolbox, Toolset};

/// The experiment.
pub struct Bench;

const GUEST_MEMORY_MIB: u32 = 2048;

impl Experiment for Bench {
    fn name(&self) -> &'static str {
        "bench"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Speed of the storage",
            question: "How fast can one Linux client write, read, append and create files, and how fast are many streams, compared with \
                       another NFS server on the same machine?",
            method: "Each workload runs on the storages in turns, several times. One kernel client writes and reads sequentially, appends with \
                     fsync, and creates files. A load generator writes and reads many streams of record batches. Caches are dropped before \
                     reads. A figure is the median of the repetitions, with the smallest and the largest value.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn tools(&self) -> &'static [Toolset] {
        &[Toolset::Bench]
    }

    fn compares(&self) -> bool {
        true
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay, StorageKind::Ganesha]
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let repetitions = request.repetitions.unwrap_or(match request.profile {
            Profile::Laptop => 5,
            Profile::Full => 10,
        });
        let tools = environment.tools_of(Toolset::Bench)?;
        recorder.version("fio", tools.version("fio")?);
        settings(recorder, repetitions);
        let mut outcome = Outcome::default();
        let mut setup = Setup::start(environment, request, recorder, tools)?;
        for repetition in 0..repetitions {
            recorder.stage(&format!("one client, {} of {repetitions}", repetition + 1));
            for row in fio::ROWS {
                setup.measure_fio(row, repetition, &mut outcome)?;
            }
        }
        setup.stop_guest()?;
        recorder.stage("files for the readers");
        setup.prepare_load()?;
        for repetition in 0..repetitions {
            recorder.stage(&format!("many streams, {} of {repetitions}", repetition + 1));
            for row in load::ROWS {
                setup.measure_load(row, repetition, &mut outcome)?;
            }
        }
        setup.stop()?;
        let rows = outcome.report(&request.storages, repetitions, recorder);
        Ok(format!("{rows} rows were measured {repetitions} times"))
    }
}

fn settings(recorder: &Recorder, repetitions: u32) {
    recorder.setting("repetitions", repetitions);
    recorder.setting("guest memory, MiB", GUEST_MEMORY_MIB);
    for fio in fio::ROWS {
        recorder.setting(fio.row.title, fio.settings());
    }
    for load in load::ROWS {
        recorder.setting(load.row.title, load.settings());
    }
}

/// The storages, and the guest that mounts them all.
struct Setup<'a> {
    recorder: &'a Recorder,
    tools: Toolbox,
    storages: Vec<Box<dyn Storage>>,
    guest: Guest,
}

impl<'a> Setup<'a> {
    fn start(
        environment: &Environment,
        request: &Request,
        recorder: &'a Recorder,
        tools: Toolbox,
    ) -> Result<Self> {
        recorder.stage("storages");
        let mut spec = GuestSpec::new("client", GUEST_MEMORY_MIB);
        let mut storages = Vec::new();
        for kind in &request.storages {
            let mut storage = storage::start(kind, environment)?;
            storage.prepare(environment, &mut spec)?;
            for (name, version) in storage.versions() {
                recorder.version(&name, version);
            }
            storages.push(storage);
        }
        recorder.stage("guest");
        let guest = environment.boot(&spec)?;
        for storage in &storages {
            storage.mount(&guest, &mount_point(&storage.kind()))?;
        }
        Ok(Self { recorder, tools, storages, guest })
    }

    /// The storages in the order of this repetition.
    fn in_turn(&self, repetition: u32) -> Vec<&dyn Storage> {
        let mut storages: Vec<_> = self.storages.iter().map(AsRef::as_ref).collect();
        if repetition % 2 == 1 {
            storages.reverse();
        }
        storages
    }

    /// Measures one row once on each storage.
    fn measure_fio(&self, fio: &FioRow, repetition: u32, outcome: &mut Outcome) -> Result<()> {
        for storage in self.in_turn(repetition) {
            let (row, kind) = (&fio.row, storage.kind());
            self.recorder.detail(format_args!("{} on {kind}", row.title));
            let value = fio
                .measure(&self.guest, &self.tools, &mount_point(&kind))
                .with_context(|| format!("measure {} on {kind}", row.title))?;
            let words = format!("{} on {kind}: {} {}", row.title, number(value), row.unit);
            self.recorder.event(Tone::Plain, words);
            outcome.add(row, &kind, value);
        }
        Ok(())
    }

    fn stop_guest(&mut self) -> Result<()> {
        self.recorder.stage("unmounting");
        for storage in &self.storages {
            self.guest.unmount(mount_point(&storage.kind()))?;
        }
        self.guest.stop()
    }

    fn prepare_load(&self) -> Result<()> {
        let servers = self.storages.iter().filter_map(|storage| storage.host_server());
        servers.into_iter().try_for_each(|server| load::prepare(&server))
    }

    /// Measures one row once on each storage whose server is on the host.
    fn measure_load(&self, load: &LoadRow, repetition: u32, outcome: &mut Outcome) -> Result<()> {
        for storage in self.in_turn(repetition) {
            let Some(server) = storage.host_server() else { continue };
            let (row, kind) = (&load.row, storage.kind());
            self.recorder.detail(format_args!("{} on {kind}", row.title));
            let done = load
                .measure(&server, u64::from(repetition))
                .with_context(|| format!("measure {} on {kind}", row.title))?;
            let value = outcome.add_load(row, &kind, &done);
            let words = format!(
                "{} on {kind}: {} {}, p99 {} ms",
                row.title,
                number(value),
                row.unit,
                number(done.latency_us_p99 as f64 / 1e3)
            );
            self.recorder.event(Tone::Plain, words);
        }
        Ok(())
    }

    fn stop(mut self) -> Result<()> {
        self.storages.iter_mut().try_for_each(|storage| storage.stop())
    }
}

fn mount_point(kind: &StorageKind) -> String {
    format!("/mnt/{}", kind.file_name())
}
