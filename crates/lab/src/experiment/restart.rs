//! `restart`: the storage's server is killed (kill -9) and started again while a client has files open, one of them unlinked.
//! The client must recover by itself with every acknowledged byte, and the unlinked file's space must be freed after its close.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Process};
use crate::probe::hold::{self, Held};
use crate::progress::Tone;
use crate::report::{Better, Recorder, Subject};
use crate::request::{Profile, Request, StorageKind};
use crate::storage::{self, Storage};
use crate::testbed::{Tally, Title};

/// The experiment.
pub struct Restart;

const TARGET: &str = "/mnt/volume";
const FOLDER: &str = "/mnt/volume/held";
/// In the guest, on its tmpfs: must not depend on the storage.
const STOP: &str = "/run/stop";
const SERVER: &str = "storage";

/// How long the client works before each kill.
const WORK: Duration = Duration::from_secs(3);
/// The lengths of the outages.
const OUTAGES: [Duration; 3] = [Duration::from_millis(100), Duration::from_secs(3), Duration::from_secs(10)];
/// Time limit for the client to continue after the restart: the server's grace period, and the client's own timers.
const RECOVERY_PATIENCE: Duration = Duration::from_secs(240);
/// Time limit for the storage to free space.
const SPACE_PATIENCE: Duration = Duration::from_secs(120);
const PATIENCE: Duration = Duration::from_secs(120);
/// The interval between two checks.
const PAUSE: Duration = Duration::from_millis(100);

impl Experiment for Restart {
    fn name(&self) -> &'static str {
        "restart"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A server that is killed and comes back",
            question: "Does a client that holds open files, one of them unlinked, recover by itself after kill -9 and a restart of \
                       the server, with every acknowledged byte?",
            method: "A client writes records to two files, holds them open and unlinks one. The server is killed with kill -9 and started \
                     again, after a short and after a long outage. The client continues without help. At the end it compares every byte of \
                     both files and closes them. Then the server must free the space of the unlinked one.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn fits(&self, kind: &StorageKind) -> bool {
        *kind == StorageKind::Forebay
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = request.storage()?;
        let rounds = match request.profile {
            Profile::Laptop => 1,
            Profile::Full => 10,
        };
        recorder.setting("kills", rounds * OUTAGES.len());
        recorder.stage("storage");
        let mut storage = storage::start(kind, environment)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.begin(SERVER, "serving", Tone::Good);
        recorder.stage("guest");
        let guest = environment.boot(&GuestSpec::new("client", 512))?;
        storage.mount(&guest, TARGET)?;
        let used_before = used_bytes(&guest)?;
        guest.make_folder(FOLDER)?;
        let seed = u64::from(std::process::id()) ^ recorder.now_ms();
        recorder.setting("seed", seed);
        let log = environment.logs().join("client.log");
        let probe = crate::probe::guest_command(&["hold", FOLDER, STOP, &seed.to_string()])?.log(log);
        let probe = guest.spawn(&probe)?;
        wait_for_records(&probe, 1).context("the client never began")?;

        let mut pauses = Tally::default();
        for outage in std::iter::repeat_n(OUTAGES, rounds).flatten() {
            let kill = Kill::after(outage);
            match kill_once(recorder, storage.as_mut(), &probe, &kill)? {
                Some(pause) => pauses.add(&kill.figure(), &kind.name(), pause.as_secs_f64()),
                None => break,
            }
        }
        for kill in OUTAGES.map(Kill::after) {
            kill.report(&pauses, kind, recorder);
        }
        recorder.stage("comparing everything");
        let used_held = used_bytes(&guest)?;
        if let Some(held) = finish(recorder, &guest, &probe)? {
            space_returns(recorder, &guest, &held, [used_before, used_held])?;
        }
        recorder.stage("unmounting");
        drop(probe);
        guest.unmount(TARGET)?;
        guest.stop()?;
        storage.stop()?;
        Ok(format!("the client recovered from {} kills of {kind}, and lost nothing", rounds * OUTAGES.len()))
    }
}

/// A kill and what it is called.
struct Kill {
    outage: Duration,
    name: String,
    title: String,
}

impl Kill {
    fn after(outage: Duration) -> Self {
        let ms = outage.as_millis();
        let name = format!("resumes_after_{ms}_ms");
        Self { outage, name, title: format!("The client continues after an outage of {ms} ms") }
    }

    /// The name of the measurement of the client's pause.
    fn figure(&self) -> String {
        format!("{}_s", self.name)
    }

    fn report(&self, pauses: &Tally, kind: &StorageKind, recorder: &Recorder) {
        let name = self.figure();
        let title = Title { name: &name, title: &self.title, unit: "s", better: Better::Lower };
        pauses.report(&title, &[kind.name()], None, recorder);
    }
}

/// Kills the server, restarts it, and waits until the client continues. Returns how long that took, or `None` if it does not continue.
fn kill_once(
    recorder: &Recorder,
    storage: &mut dyn Storage,
    probe: &Process,
    kill: &Kill,
) -> Result<Option<Duration>> {
    recorder.stage("working");
    std::thread::sleep(WORK);
    recorder.stage(&format!("killed for {} ms", kill.outage.as_millis()));
    storage.kill()?;
    recorder.begin(SERVER, "killed", Tone::Bad);
    recorder.event(Tone::Plain, "the server is killed");
    // The length of the outage is part of the experiment.
    std::thread::sleep(kill.outage);
    let before = hold::records_so_far(&probe.output().0);
    storage.restart()?;
    recorder.begin(SERVER, "serving", Tone::Good);
    recorder.event(Tone::Plain, "the server is back");
    let back = Instant::now();
    // Two more than were acknowledged before: at least one was written after the restart.
    let result = wait_for_records(probe, before + 2);
    let pause = back.elapsed();
    let detail = match &result {
        Ok(()) => format!("{:.1} s after the server was back", pause.as_secs_f64()),
        Err(error) => format!("{error:#}"),
    };
    recorder.check(&kill.name, &kill.title, result.is_ok(), detail);
    Ok(result.is_ok().then_some(pause))
}

/// Waits until this many records are acknowledged to the client; an error if the client ended or takes too long.
fn wait_for_records(probe: &Process, count: u64) -> Result<()> {
    let deadline = Instant::now() + RECOVERY_PATIENCE;
    while hold::records_so_far(&probe.output().0) < count {
        if let Some(exit) = probe.exit()? {
            bail!("the client's program ended ({exit}): {}", probe.output().1.trim());
        }
        ensure!(Instant::now() < deadline, "no progress for {} s", RECOVERY_PATIENCE.as_secs());
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Makes the client compare everything and close its files. Returns the amount of data if everything was correct.
fn finish(recorder: &Recorder, guest: &Guest, probe: &Process) -> Result<Option<Held>> {
    guest.write_file(STOP, b"")?;
    let exit = probe.wait(PATIENCE)?;
    let (stdout, stderr) = probe.output();
    let held = if exit.success() { Some(hold::parse(&stdout)?) } else { None };
    let detail = match &held {
        Some(held) => format!("{} records in each of two files, one of them unlinked", held.records),
        None => format!("{exit}: {}", stderr.trim()),
    };
    let title = "Every acknowledged record is there, byte for byte";
    recorder.check("records", title, held.is_some(), detail);
    if let Some(held) = &held {
        let seconds = Duration::from_millis(held.longest_round_ms).as_secs_f64();
        recorder.figure("longest_pause_s", "Longest pause of the client", seconds, "s");
    }
    Ok(held)
}

/// Checks that the storage frees the space of both files after the unlinked one is closed and the other one is removed.
fn space_returns(
    recorder: &Recorder,
    guest: &Guest,
    held: &Held,
    [used_before, used_held]: [u64; 2],
) -> Result<()> {
    recorder.stage("space");
    guest.run(&GuestCommand::new("rm").args(["-r", FOLDER]), PATIENCE)?;
    let start = Instant::now();
    // The rest may be the storage's overhead, which must be small compared with the space given back.
    let allowed = used_before + held.file_bytes / 4;
    let mut used = used_bytes(guest)?;
    while used > allowed && start.elapsed() < SPACE_PATIENCE {
        std::thread::sleep(PAUSE);
        used = used_bytes(guest)?;
    }
    let detail = format!(
        "{used} bytes in use {:.1} s after the close; {used_held} while the file was open, {used_before} at the start",
        start.elapsed().as_secs_f64()
    );
    let title = "The unlinked file's space is freed after its close";
    recorder.check("space", title, used <= allowed && used_held > allowed, detail);
    Ok(())
}

/// The used space of the volume, in bytes.
fn used_bytes(guest: &Guest) -> Result<u64> {
    let command = GuestCommand::new("df").args(["-B1", "--output=used", TARGET]);
    let text = guest.run(&command, PATIENCE)?;
    text.lines().last().and_then(|line| line.trim().parse().ok()).context("df printed no number")
}
