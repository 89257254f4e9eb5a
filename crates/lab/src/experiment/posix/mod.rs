//! `posix`: does a mounted storage behave as a file system must, for an unmodified Linux client?
//!
//! If the storage has a server that can be killed, all parts run twice: undisturbed, and then while the server is repeatedly
//! killed (kill -9) and restarted ([`kills`]). Each part is a file here.

mod cases;
mod fsx;
mod kills;
mod pjdfstest;
mod tree;

use std::time::Duration;

use anyhow::{Context, Result};

use self::kills::Kills;
use super::definition::Experiment;
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Output, Process};
use crate::probe::cases::Group;
use crate::report::{Recorder, Subject};
use crate::request::StorageKind;
use crate::request::{Profile, Request};
use crate::storage;
use crate::toolbox::Toolset;

/// The experiment.
pub struct Posix;

/// Where both guests mount the storage.
const TARGET: &str = "/mnt/volume";
const PATIENCE: Duration = Duration::from_secs(3600);

/// A part of the experiment.
struct Part {
    name: &'static str,
    run: fn(&PartContext<'_>) -> Result<()>,
}

const PARTS: [Part; 7] = [
    Part { name: "basic", run: |context| cases::run(context, Group::Basic) },
    Part { name: "general", run: |context| cases::run(context, Group::General) },
    Part { name: "special", run: |context| cases::run(context, Group::Special) },
    Part { name: "lock", run: |context| cases::run(context, Group::Lock) },
    Part { name: "pjdfstest", run: pjdfstest::run },
    Part { name: "fsx", run: fsx::run },
    Part { name: "tree", run: tree::run },
];

/// The context of a part.
struct PartContext<'a> {
    environment: &'a Environment,
    recorder: &'a Recorder,
    kind: &'a StorageKind,
    profile: Profile,
    client: &'a Guest,
    /// Another client of the same storage, if the storage can be shared.
    witness: Option<&'a Guest>,
    /// The kills during the second pass.
    kills: Option<&'a Kills>,
}

impl PartContext<'_> {
    /// Records a check under a name and a title that include the pass.
    fn check(&self, name: &str, title: &str, passed: bool, detail: impl std::fmt::Display) {
        match self.kills {
            None => self.recorder.check(name, title, passed, detail),
            Some(kills) => self.recorder.check(
                &format!("{name}_killed"),
                &format!("{title}, while the server is killed"),
                passed,
                format_args!("{detail} ({} kills so far)", kills.count()),
            ),
        }
    }

    /// Records a figure of the undisturbed pass. In the other pass, the pauses of the kills would be part of it.
    fn figure(&self, name: &str, title: &str, value: f64, unit: &str) {
        if self.kills.is_none() {
            self.recorder.figure(name, title, value, unit);
        }
    }

    /// A size that is smaller on a laptop, and smaller still in the second pass there.
    fn size(&self, laptop: u64, laptop_killed: u64, full: u64) -> u64 {
        match (self.profile, self.kills) {
            (Profile::Laptop, None) => laptop,
            (Profile::Laptop, Some(_)) => laptop_killed,
            (Profile::Full, _) => full,
        }
    }
}

impl Experiment for Posix {
    fn name(&self) -> &'static str {
        "posix"
    }

    fn subject(&self) -> Subject {
        Subject {
            title: "A file system according to POSIX",
            question: "Does a mounted volume behave as programs expect of a file system: system calls and their errors, locks, memory \
                       mappings, and every byte of data? Does it also do so while its server is repeatedly killed and restarted?",
            method: "Two Linux clients mount one volume. pjdfstest tries the system calls and their errors. Cases in the groups of the \
                     Connectathon test suite try single operations, small loads, and locks within a client and between two. fsx does random \
                     operations on one file. A tree of files is created, renamed, listed while it is deleted, and removed. Then all parts \
                     run again while the server is repeatedly killed and restarted. A case that fails there is run once more, alone, because \
                     the reply to a finished operation may have been lost with the server; the report counts these.",
        }
    }

    fn needs_kafka(&self) -> bool {
        false
    }

    fn tools(&self) -> &'static [Toolset] {
        &[Toolset::Pjdfstest]
    }

    fn parts(&self) -> &'static [&'static str] {
        &["basic", "general", "special", "lock", "pjdfstest", "fsx", "tree", QUIET, KILLED]
    }

    fn run(&self, environment: &Environment, request: &Request, recorder: &Recorder) -> Result<String> {
        let kind = request.storage()?;
        recorder.stage("storage");
        let mut storage = storage::start(kind, environment)?;
        for (name, version) in storage.versions() {
            recorder.version(&name, version);
        }
        recorder.stage("guests");
        let mut specs = vec![GuestSpec::new("client", 768), GuestSpec::new("witness", 384)];
        for spec in &mut specs {
            storage.prepare(environment, spec)?;
        }
        let guests = environment.boot_all(&specs)?;
        for guest in &guests {
            storage.mount(guest, TARGET)?;
        }
        let [client, witness] = guests.as_slice() else { anyhow::bail!("two guests were asked for") };
        let before = client.list_tree(TARGET)?;
        let witness = (*kind != StorageKind::Local).then_some(witness);
        let quiet = PartContext {
            environment,
            recorder,
            kind,
            profile: request.profile,
            client,
            witness,
            kills: None,
        };
        if wants_pass(request, QUIET) {
            run_parts(request, &quiet)?;
        }
        if wants_pass(request, KILLED) && storage.can_be_killed() {
            let every = match request.profile {
                Profile::Laptop => Duration::from_secs(5),
                Profile::Full => Duration::from_secs(20),
            };
            recorder.setting("seconds from kill to kill", every.as_secs());
            let _lookouts = guests.iter().map(keep_looking).collect::<Result<Vec<_>>>()?;
            let count = kills::during(storage.as_mut(), recorder, every, |kills| {
                run_parts(request, &PartContext { kills: Some(kills), ..quiet })?;
                Ok(kills.count())
            })?;
            recorder.figure("kills", "Kills of the server", f64::from(count), "");
        }
        let left = client.list_tree(TARGET)?;
        let extra: Vec<_> = left.iter().filter(|entry| !before.contains(entry)).collect();
        let detail = match extra.first() {
            None => "no object is left".to_owned(),
            Some(first) => format!("{} objects are left, such as {}", extra.len(), first.path.display()),
        };
        recorder.check("empty", "No files are left", extra.is_empty(), detail);
        if storage.can_be_killed() {
            recorder.stage("recounting");
            let differences = storage.check()?;
            let detail = differences.first().map_or("clean", String::as_str);
            recorder.check(
                "recount",
                "The server's check finds no differences",
                differences.is_empty(),
                detail,
            );
        }
        recorder.stage("unmounting");
        for guest in &guests {
            guest.unmount(TARGET)?;
            guest.stop()?;
        }
        storage.stop()?;
        Ok(format!("{kind} behaves as a POSIX file system"))
    }
}

/// Makes a guest continuously ask for the file system's size. An idle client would notice a restart of the server only after half a minute,
/// and the server's grace period, in which it refuses new opens, would last as long.
fn keep_looking(guest: &Guest) -> Result<Process> {
    let script = format!("while :; do stat -f {TARGET}; sleep 0.5; done > /dev/null");
    guest.spawn(&GuestCommand::new("sh").args(["-c", &script]))
}

/// The names of the two passes. They can be requested like parts.
const QUIET: &str = "quiet";
const KILLED: &str = "killed";

/// A pass runs if it is named, or if none is.
fn wants_pass(request: &Request, pass: &str) -> bool {
    let named = |name: &str| request.parts.iter().any(|part| part == name);
    named(pass) || !(named(QUIET) || named(KILLED))
}

fn run_parts(request: &Request, context: &PartContext<'_>) -> Result<()> {
    let named = |part: &&Part| request.parts.iter().any(|name| name == part.name);
    let all = !PARTS.iter().any(|part| named(&part));
    for part in PARTS.iter().filter(|part| all || named(part)) {
        let pass = if context.kills.is_some() { ", killed" } else { "" };
        context.recorder.stage(&format!("{}{pass}", part.name));
        (part.run)(context).with_context(|| part.name)?;
    }
    Ok(())
}

/// The output of a program that failed.
fn said(output: &Output) -> String {
    format!("{}: {}", output.exit, output.stderr.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_can_be_asked_for() {
        let named: Vec<_> = PARTS.iter().map(|part| part.name).chain([QUIET, KILLED]).collect();
        assert_eq!(named, Posix.parts());
    }
}
