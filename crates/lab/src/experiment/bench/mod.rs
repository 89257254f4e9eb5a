//! `bench`: compares the speed of storages.
//!
//! One Linux client, a guest that mounts all storages, runs fio ([`fio`]). Then the load generator drives many streams from the
//! host ([`load`]). Rows are measured several times. Storages take turns within each repetition, in alternating order, so
//! disturbances of the machine affect all of them. The ratio of two storages is the median of the repetitions' ratios, which is more
//! reliable than the medians themselves. The storage `null` does no work: no server can be faster.

mod fio;
mod load;
mod outcome;
mod row;

use anyhow::{Context, Result, bail};

use self::fio::FioRow;
use self::load::LoadRow;
use self::outcome::Outcome;
use self::row::Row;
use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestSpec};
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::StorageKind;
use crate::request::{Profile, Request};
use crate::storage::{self, Storage, cpu_of_process};
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
                     reads. A figure is the median of the repetitions, with the smallest and the largest value; a ratio is the median of the \
                     repetitions' ratios. Servers are started again before each repetition of the streams. The storage null is a server that does no work, so its rows show what the client and the network \
                     take.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn tools(&self) -> &'static [Toolset] {
        &[Toolset::Bench]
    }

    fn parts(&self) -> &'static [&'static str] {
        PARTS
    }

    fn compares(&self) -> bool {
        true
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        !kind.is_object_store() && kind.folder().is_none()
    }

    fn default_storages(&self) -> &'static [StorageKind] {
        &[StorageKind::Forebay, StorageKind::Ganesha, StorageKind::Null]
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let repetitions = request.repetitions.unwrap_or(match request.profile {
            Profile::Laptop => 5,
            Profile::Full => 10,
        });
        let tools = environment.tools_of(Toolset::Bench)?;
        recorder.version("fio", tools.version("fio")?);
        let rows = Rows::of(&request.parts);
        settings(&rows, recorder, repetitions);
        let mut outcome = Outcome::default();
        let mut setup = Setup::start(environment, request, recorder, tools)?;
        if !rows.fio.is_empty() {
            let guest = setup.boot(environment)?;
            for repetition in 0..repetitions {
                recorder.stage(&format!("one client, {} of {repetitions}", repetition + 1));
                for row in &rows.fio {
                    setup.measure_fio(&guest, row, repetition, &mut outcome)?;
                }
            }
            setup.stop_guest(&guest)?;
        }
        if !rows.load.is_empty() {
            setup.prepare_load(&rows)?;
            for repetition in 0..repetitions {
                setup.renew()?;
                recorder.stage(&format!("many streams, {} of {repetitions}", repetition + 1));
                for row in &rows.load {
                    setup.measure_load(row, repetition, &mut outcome)?;
                }
            }
        }
        setup.stop()?;
        let rows = outcome.report(&rows, &request.storages, repetitions, recorder);
        Ok(format!("{rows} rows were measured {repetitions} times"))
    }
}

/// The names of all rows, for `--part`.
const PARTS: &[&str] = &[
    "sequential-write",
    "sequential-read",
    "append-4k",
    "append-64k",
    "create",
    "append-streams",
    "readers",
    "streams-unlike",
    "replicas-alike",
];

/// The rows to measure.
struct Rows {
    fio: Vec<&'static FioRow>,
    load: Vec<&'static LoadRow>,
}

impl Rows {
    /// Those with these names, or all of them.
    fn of(parts: &[String]) -> Self {
        let wants = |row: &Row| parts.is_empty() || parts.iter().any(|part| part == row.part);
        Self {
            fio: fio::ROWS.iter().filter(|fio| wants(&fio.row)).collect(),
            load: load::ROWS.iter().filter(|load| wants(&load.row)).collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = &'static Row> {
        self.fio.iter().map(|fio| &fio.row).chain(self.load.iter().map(|load| &load.row))
    }
}

fn settings(rows: &Rows, recorder: &Recorder, repetitions: u32) {
    recorder.setting("repetitions", repetitions);
    recorder.setting("guest memory, MiB", GUEST_MEMORY_MIB);
    for fio in &rows.fio {
        recorder.setting(fio.row.title, fio.settings());
    }
    for load in &rows.load {
        recorder.setting(load.row.title, load.settings());
    }
}

/// The storages, and the guest that will mount them all.
struct Setup<'a> {
    recorder: &'a Recorder,
    tools: Toolbox,
    storages: Vec<Box<dyn Storage>>,
    spec: GuestSpec,
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
        let builds = request.storages.iter().filter(|kind| matches!(kind, StorageKind::Daemon(_))).count();
        if builds > 1 {
            bail!("{builds} other builds would use the same port and pool: name one forebay:PROGRAM");
        }
        let mut storages = Vec::new();
        for kind in &request.storages {
            let mut storage = storage::start(kind, environment)?;
            storage.prepare(environment, &mut spec)?;
            for (name, version) in storage.versions() {
                recorder.version(&name, version);
            }
            storages.push(storage);
        }
        Ok(Self { recorder, tools, storages, spec })
    }

    fn boot(&self, environment: &Environment) -> Result<Guest> {
        self.recorder.stage("guest");
        let guest = environment.boot(&self.spec)?;
        for storage in &self.storages {
            storage.mount(&guest, &mount_point(&storage.kind()))?;
        }
        Ok(guest)
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
    fn measure_fio(&self, guest: &Guest, fio: &FioRow, repetition: u32, outcome: &mut Outcome) -> Result<()> {
        for storage in self.in_turn(repetition) {
            let (row, kind) = (&fio.row, storage.kind());
            self.recorder.detail(format_args!("{} on {kind}", row.title));
            let folder = mount_point(&kind);
            let server = storage.host_server().map(|server| server.pid);
            let cpu = || server.map(cpu_of_process).transpose();
            fio.prepare(guest, &self.tools, &folder)
                .with_context(|| format!("prepare {} on {kind}", row.title))?;
            let before = cpu()?;
            let value = fio
                .measure(guest, &self.tools, &folder)
                .with_context(|| format!("measure {} on {kind}", row.title))?;
            if let Some((before, after)) = before.zip(cpu()?) {
                outcome.add_server_cpu(fio, &kind, after.saturating_sub(before));
            }
            let words = format!("{} on {kind}: {} {}", row.title, number(value), row.unit);
            self.recorder.event(Tone::Plain, words);
            outcome.add(row, &kind, value);
        }
        Ok(())
    }

    fn stop_guest(&self, guest: &Guest) -> Result<()> {
        self.recorder.stage("unmounting");
        for storage in &self.storages {
            guest.unmount(mount_point(&storage.kind()))?;
        }
        guest.stop()
    }

    fn prepare_load(&self, rows: &Rows) -> Result<()> {
        if !rows.load.iter().any(|load| load.reads()) {
            return Ok(());
        }
        self.recorder.stage("files for the readers");
        let servers = self.storages.iter().filter_map(|storage| storage.host_server());
        servers.into_iter().try_for_each(|server| load::prepare(&server))
    }

    /// Starts every server again: a process that happens to be faster or slower than another of the same program stays so.
    fn renew(&mut self) -> Result<()> {
        self.recorder.stage("servers, started again");
        self.storages.iter_mut().try_for_each(|storage| storage.renew())
    }

    /// Measures one row once on each storage whose server is on the host.
    fn measure_load(&self, load: &LoadRow, repetition: u32, outcome: &mut Outcome) -> Result<()> {
        for storage in self.in_turn(repetition) {
            let Some(server) = storage.host_server() else { continue };
            let (row, kind) = (&load.row, storage.kind());
            self.recorder.detail(format_args!("{} on {kind}", row.title));
            let done = load
                .measure(&server, u64::from(repetition), kind != StorageKind::Null)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_part_by_itself() {
        let names: Vec<_> = Rows::of(&[]).all().map(|row| row.part).collect();
        assert_eq!(names, PARTS);
        for part in PARTS {
            let rows = Rows::of(&[(*part).to_owned()]);
            assert_eq!(rows.all().map(|row| row.part).collect::<Vec<_>>(), [*part]);
        }
    }
}
