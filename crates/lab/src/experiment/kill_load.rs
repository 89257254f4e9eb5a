//! `kill-load`: the storage's server is killed (kill -9) repeatedly under load from a kernel client. After each kill the client recovers by
//! itself, every acknowledged byte is there, and the server's check of the pool finds no differences.
//!
//! In most rounds the client gets no packets during the outage, as when the server's machine loses power. TCP segments are then lost
//! instead of refused, so the client reconnects at once after the restart. In the other rounds the server's kernel refuses connections
//! during the outage, after which a Linux client waits for three seconds.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestSpec, Process};
use crate::probe::churn::{self, Event};
use crate::probe::random::Random;
use crate::progress::Tone;
use crate::report::{Recorder, Subject, number};
use crate::request::StorageKind;
use crate::request::{Profile, Request};
use crate::storage::{self, Storage};

/// The experiment.
pub struct KillLoad;

const TARGET: &str = "/mnt/volume";
const FOLDER: &str = "/mnt/volume/load";
/// In the guest, on its tmpfs: must not depend on the storage.
const CONTROL: &str = "/run/load-control";
const SERVER: &str = "storage";

/// The shortest and longest time that the client works before each kill, in milliseconds.
const WORK_MS: (u64, u64) = (300, 1500);
/// The longest that the server stays away, in milliseconds.
const OUTAGE_MS_MAX: u64 = 300;
/// One in this many kills is of the server process alone. The others also cut the network.
const REFUSED_EVERY: u32 = 8;
/// Time limit for the client to go on and compare everything: the server's grace period, and the client's own timers.
const PATIENCE: Duration = Duration::from_secs(240);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(20);

impl Experiment for KillLoad {
    fn name(&self) -> &'static str {
        "kill-load"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "Killed again and again",
            question: "The server is killed with kill -9 at random moments while a Linux client appends, overwrites, creates, renames \
                       and removes. Is every byte correct each time, and does the server's check find no differences?",
            method: "A Linux client appends to logs of record batches, rolls, renames and removes them, overwrites a file at random, and \
                     keeps an unlinked file open. It knows the expected value of every byte. At random moments the server is killed with kill -9 \
                     and started again, in most cases with the network cut during the outage. After each kill the pool is checked, including \
                     every frame. The client recovers by itself, and every byte of every file is compared.",
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
        let kills = request.repetitions.unwrap_or(match request.profile {
            Profile::Laptop => 20,
            Profile::Full => 200,
        });
        recorder.setting("kills", kills);
        let seed = u64::from(std::process::id()) ^ recorder.now_ms();
        recorder.setting("seed", seed);
        recorder.stage("storage");
        let mut storage = storage::start(kind, environment)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.begin(SERVER, "serving", Tone::Good);
        recorder.stage("guest");
        let guest = environment.boot(&GuestSpec::new("client", 512))?;
        storage.mount(&guest, TARGET)?;
        recorder.stage("killing");
        let mut rounds = Rounds::start(environment, &guest, recorder, seed)?;
        for _ in 0..kills {
            if !rounds.kill_once(storage.as_mut())? {
                break;
            }
        }
        rounds.conclude(kills);
        recorder.stage("unmounting");
        let told = rounds.told();
        let whole = rounds.stop()?;
        // The unmount of a client that has not gone on would hang.
        if whole {
            guest.unmount(TARGET)?;
            guest.stop()?;
            storage.stop()?;
        }
        Ok(told)
    }
}

/// The load in the guest, and its results so far.
struct Rounds<'a> {
    environment: &'a Environment,
    guest: &'a Guest,
    recorder: &'a Recorder,
    random: Random,
    program: Process,
    /// Kills so far, each followed by a verification and a recount, of which only the last can have failed.
    kills: u32,
    last: Event,
    bytes: u64,
    longest_ms: u64,
    /// The problem with the files, if there is one.
    wrong: Option<String>,
    differences: Vec<String>,
}

impl<'a> Rounds<'a> {
    fn start(
        environment: &'a Environment,
        guest: &'a Guest,
        recorder: &'a Recorder,
        seed: u64,
    ) -> Result<Self> {
        guest.write_file(CONTROL, b"work")?;
        guest.make_folder(FOLDER)?;
        let log = environment.logs().join("load.log");
        let program = crate::probe::guest_command(&["churn", FOLDER, CONTROL, &seed.to_string()])?.log(log);
        let program = guest.spawn(&program)?;
        Ok(Self {
            environment,
            guest,
            recorder,
            random: Random::new(seed),
            program,
            kills: 0,
            last: Event::default(),
            bytes: 0,
            longest_ms: 0,
            wrong: None,
            differences: Vec::new(),
        })
    }

    /// Kills the server under load, starts it again, and verifies; false if something is wrong.
    fn kill_once(&mut self, storage: &mut dyn Storage) -> Result<bool> {
        self.guest.write_file(CONTROL, b"work")?;
        std::thread::sleep(Duration::from_millis(self.between(WORK_MS.0, WORK_MS.1)));
        self.kills += 1;
        let silent = !self.kills.is_multiple_of(REFUSED_EVERY);
        if silent {
            self.environment.network()?.cut()?;
        }
        storage.kill()?;
        self.recorder.begin(SERVER, "killed", Tone::Plain);
        // The length of the outage is part of the experiment.
        std::thread::sleep(Duration::from_millis(self.between(0, OUTAGE_MS_MAX)));
        // Checks the state that the kill left, before any client reconnects. In half of the rounds the server is the first to open the pool.
        let without_server = self.kills.is_multiple_of(2);
        if without_server {
            self.differences = storage.check()?;
        }
        storage.restart()?;
        self.recorder.begin(SERVER, "serving", Tone::Good);
        if !without_server {
            self.differences = storage.check()?;
        }
        if silent {
            self.environment.network()?.mend()?;
        }
        let back = Instant::now();
        self.verify()?;
        self.note(storage, back.elapsed())?;
        Ok(self.wrong.is_none() && self.differences.is_empty())
    }

    fn between(&mut self, least: u64, most: u64) -> u64 {
        let span = usize::try_from(most.saturating_sub(least)).unwrap_or(usize::MAX);
        least + self.random.below(span.saturating_add(1)) as u64
    }

    /// Makes the client compare everything.
    fn verify(&mut self) -> Result<()> {
        let round = u64::from(self.kills);
        self.guest.write_file(CONTROL, format!("verify {round}").as_bytes())?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(event) = churn::event(&self.program.output().0, round) {
                self.bytes += event.bytes;
                self.longest_ms = self.longest_ms.max(event.longest_ms);
                self.last = event;
                return Ok(());
            }
            if let Some(exit) = self.program.exit()? {
                self.wrong = Some(format!("{exit}: {}", self.program.output().1.trim()));
                return Ok(());
            }
            if Instant::now() > deadline {
                let seconds = PATIENCE.as_secs();
                self.wrong = Some(format!("the client has not gone on for {seconds} s after kill {round}"));
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn note(&self, storage: &dyn Storage, back: Duration) -> Result<()> {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        self.recorder.point("Back and verified after", "s", back.as_secs_f64());
        self.recorder.point("Compared", "MB", megabytes(self.last.bytes));
        self.recorder.point("Server's memory", "MB", megabytes(storage.usage()?.resident));
        self.recorder.detail(format_args!(
            "kill {}: {:.0} MB compared {:.1} s after the server was back",
            self.kills,
            megabytes(self.last.bytes),
            back.as_secs_f64()
        ));
        Ok(())
    }

    fn conclude(&self, planned: u32) {
        let (recorder, last) = (self.recorder, &self.last);
        let done = self.kills == planned;
        recorder.check(
            "kills",
            "The server was killed under load",
            done,
            format_args!("{} kills", self.kills),
        );
        let verified = format!(
            "after each of {} kills; {} MB compared in all, {} files and {:.0} MB of them after the last",
            self.kills,
            number(self.bytes as f64 / 1e6),
            last.files,
            last.bytes as f64 / 1e6
        );
        let detail = match &self.wrong {
            None => verified,
            Some(wrong) => format!("after kill {}: {wrong}", self.kills),
        };
        recorder.check("bytes", "Every byte of every file is correct", self.wrong.is_none(), detail);
        let differences = match self.differences.as_slice() {
            [] => format!("clean {} times", self.kills),
            [first, ..] => {
                format!("after kill {}: {} differences, such as: {first}", self.kills, self.differences.len())
            }
        };
        recorder.check(
            "recount",
            "The server's check finds no differences",
            self.differences.is_empty(),
            differences,
        );
        recorder.figure("kills", "Kills", f64::from(self.kills), "");
        recorder.figure("compared_mb", "Bytes compared", self.bytes as f64 / 1e6, "MB");
        recorder.figure("operations", "Operations", last.operations as f64, "");
        recorder.figure("repeated", "Done before, and asked for again", last.repeated as f64, "");
        recorder.figure("pause_s_max", "Longest pause", self.longest_ms as f64 / 1e3, "s");
    }

    /// Ends the load, so that its files are closed; false if it could not be ended in order.
    fn stop(self) -> Result<bool> {
        if self.wrong.is_some() {
            return Ok(false);
        }
        self.guest.write_file(CONTROL, b"stop")?;
        Ok(self.program.wait(PATIENCE)?.success())
    }

    fn told(&self) -> String {
        format!(
            "The server was killed {} times under load; the client recovered each time, and every byte was correct ({} MB in all).",
            self.kills,
            number(self.bytes as f64 / 1e6)
        )
    }
}
