//! `hostile`: do hostile or greedy peers slow down a light client?
//!
//! The light client does GETATTR, a WRITE of 4 KiB and COMMIT, one after the other. It is measured alone and during each attack, in
//! turns. Of both, the best round counts, because other work on the machine can only make a round slower. No guest is needed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::definition::Experiment;
use crate::executable;
use crate::host::Environment;
use crate::probe::{Attack, LoadDone};
use crate::report::{Recorder, Subject, number};
use crate::request::{Profile, Request};
use crate::storage::{self, HostServer, Storage};

/// The experiment.
pub struct Hostile;

/// The largest ratio of an operation's time during an attack to its time alone.
const RATIO_MAX: f64 = 2.0;
/// Times up to this always pass: they are within the noise of a disk's flush.
const NEGLIGIBLE_US: u64 = 3_000;
/// The limit during an attack by a client that writes as much as it can: it shares the disk and the processors, but no client may starve.
const STARVED_US: u64 = 3_000_000;

impl Experiment for Hostile {
    fn name(&self) -> &'static str {
        "hostile"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A light client during attacks",
            question: "Hostile peers announce records of 2 GiB, open 10,000 connections, send a byte a second, or write as much as they \
                       can. Does this slow down a light client?",
            method: "A light client does small operations alone, and then while hostile peers announce records of 2 GiB, open 10,000 \
                     connections, send a byte a second, or write as much as they can: one kind of attack at a time, in several rounds. The \
                     time of its operations during an attack is compared with the time without one. Of both, the best round counts, because \
                     other work on the machine can only make a round slower.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = request.storage()?;
        let (rounds, ms) = match request.profile {
            Profile::Laptop => (request.repetitions.unwrap_or(2), 2_500),
            Profile::Full => (request.repetitions.unwrap_or(7), 10_000),
        };
        recorder.setting("rounds", rounds);
        recorder.setting("milliseconds of a measurement", ms);
        recorder.stage("storage");
        let mut storage = storage::start(kind, environment)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        let setup =
            Setup { server: storage.host_server().context("its server is not on the host")?, ms, recorder };
        setup.light()?;
        for attack in [Attack::Headers, Attack::Connections, Attack::Dribble, Attack::Flood] {
            recorder.stage(attack.name());
            let outcome = setup.measure(attack, rounds, storage.as_ref())?;
            outcome.conclude(attack, recorder);
        }
        storage.stop()?;
        Ok("A light client's operations took no more than twice as long while hostile peers attacked. A peer that wrote as much \
            as it could did not starve the client."
            .to_owned())
    }
}

/// The server, and the settings of the measurement.
struct Setup<'a> {
    server: HostServer,
    ms: u32,
    recorder: &'a Recorder,
}

/// The measurements of several rounds with and without one attack.
struct Outcome {
    /// The results alone, and during the attack.
    rounds: Vec<(LoadDone, LoadDone)>,
    /// The server's memory, in bytes.
    resident_max: u64,
}

impl Setup<'_> {
    fn measure(&self, attack: Attack, rounds: u32, storage: &dyn Storage) -> Result<Outcome> {
        let mut outcome = Outcome { rounds: Vec::new(), resident_max: 0 };
        for _ in 0..rounds {
            let alone = self.light()?;
            let mut attacker = Attacker::start(attack, &self.server)?;
            let beside = self.light()?;
            attacker.require_under_way(attack)?;
            outcome.resident_max = outcome.resident_max.max(storage.usage()?.resident);
            drop(attacker);
            self.recorder.point_in(attack.name(), "alone, p99", "ms", ms(alone.latency_us_p99));
            self.recorder.point_in(attack.name(), "during the attack, p99", "ms", ms(beside.latency_us_p99));
            outcome.rounds.push((alone, beside));
        }
        Ok(outcome)
    }

    fn light(&self) -> Result<LoadDone> {
        let output = Command::new(executable::lab()?)
            .args(["probe", "load", "--connections", "1", "--path", self.server.path])
            .args(["--server", &self.server.address.to_string()])
            .args(["light", "--ms", &self.ms.to_string()])
            .output()
            .context("start the light client")?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the light client failed ({}): {}", output.status, said.trim());
        serde_json::from_slice(&output.stdout).context("parse what the light client printed")
    }
}

impl Outcome {
    fn conclude(&self, attack: Attack, recorder: &Recorder) {
        let name = attack.name();
        recorder.figure(
            &format!("{name}_memory_mb"),
            &format!("{name}: server's memory"),
            self.resident_max as f64 / 1e6,
            "MB",
        );
        for (what, of) in [("p50", latency_p50 as fn(&LoadDone) -> u64), ("p99", latency_p99)] {
            let quietest = |rounds: &mut dyn Iterator<Item = u64>| rounds.min().unwrap_or(0).max(1) as f64;
            let alone = quietest(&mut self.rounds.iter().map(|(alone, _)| of(alone)));
            let beside = quietest(&mut self.rounds.iter().map(|(_, beside)| of(beside)));
            let ratio = beside / alone;
            recorder.figure(
                &format!("{name}_{what}_ratio"),
                &format!("{name}: {what} during the attack / alone"),
                ratio,
                "×",
            );
            let (title, passed) = match attack {
                Attack::Flood => {
                    (format!("{name}: the light client is served ({what})"), beside <= STARVED_US as f64)
                }
                _ => (
                    format!(
                        "{name}: the light client's {what} stays within {RATIO_MAX}×, or {} ms",
                        NEGLIGIBLE_US / 1000
                    ),
                    ratio <= RATIO_MAX || beside <= NEGLIGIBLE_US as f64,
                ),
            };
            let (alone, beside) = (number(alone / 1e3), number(beside / 1e3));
            let detail = format!("{alone} ms alone, {beside} ms during the attack, {}×", number(ratio));
            recorder.check(&format!("{name}_{what}"), &title, passed, detail);
        }
    }
}

fn latency_p50(done: &LoadDone) -> u64 {
    done.latency_us_p50
}

fn latency_p99(done: &LoadDone) -> u64 {
    done.latency_us_p99
}

fn ms(us: u64) -> f64 {
    us as f64 / 1e3
}

/// The process that attacks, until this is dropped.
struct Attacker(Child);

impl Attacker {
    /// Starts it and waits until it is under way.
    fn start(attack: Attack, server: &HostServer) -> Result<Self> {
        let child = Command::new(executable::lab()?)
            .args(["probe", "hostile", "--path", server.path])
            .args(["--server", &server.address.to_string(), attack.name()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("start the attack")?;
        let mut attacker = Self(child);
        let output = attacker.0.stdout.take().context("the attack has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).context("wait for the attack")?;
        if line != "ready\n" {
            bail!("the attack {} did not start", attack.name());
        }
        Ok(attacker)
    }

    /// Fails if the attack has ended, because the measurement would then be meaningless.
    fn require_under_way(&mut self, attack: Attack) -> Result<()> {
        let ended = self.0.try_wait().context("look after the attack")?;
        ended.map_or(Ok(()), |status| bail!("the attack {} ended too soon ({status})", attack.name()))
    }
}

impl Drop for Attacker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
