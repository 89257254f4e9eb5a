//! Random operations on a file, every byte compared; then another client reads the file.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{PATIENCE, PartContext};
use crate::host::{Guest, GuestCommand, Process};
use crate::probe::fsx::{self, FsxDone};
use crate::request::StorageKind;

const FILE: &str = "/mnt/volume/fsx";
/// The interval between two checks of the progress.
const PAUSE: Duration = Duration::from_millis(500);
/// Time limit without a finished operation: far longer than an outage of the server.
const STALL_MAX: Duration = Duration::from_secs(600);
/// Kinds of operations that a storage may refuse without failing, unless it is Forebay.
const OPTIONAL: [&str; 5] = ["punch-hole", "zero-range", "allocate", "copy", "clone"];

/// Runs the part.
pub fn run(context: &PartContext<'_>) -> Result<()> {
    let operations = context.size(20_000, 20_000, 1_000_000);
    let seed = u64::from(std::process::id()) ^ context.recorder.now_ms();
    context.recorder.setting("fsx operations", operations);
    context.recorder.setting("fsx seed", seed);
    let (count, seed_text) = (operations.to_string(), seed.to_string());
    let mut words = vec!["fsx", FILE, &count, &seed_text];
    if context.kills.is_some() {
        words.push("--server-restarts");
    }
    let begun = context.recorder.now_ms();
    let process = context.client.spawn(&probe_command(&words)?)?;
    follow(context, &process, operations)?;
    let exit = process.wait(PATIENCE)?;
    let (stdout, stderr) = process.output();
    let done = if exit.success() { Some(fsx::parse(&stdout)?) } else { None };
    let detail = match &done {
        Some(done) => described(done, seed),
        None => format!("{exit}: {}", stderr.trim()),
    };
    context.check("fsx", "Random reads, writes, maps and truncations of a file", done.is_some(), detail);
    let Some(done) = done else { return Ok(()) };
    let seconds = (context.recorder.now_ms() - begun) as f64 / 1e3;
    context.figure("fsx_operations_per_s", "fsx", operations as f64 / seconds, "1/s");
    check_support(context, &done);
    if let Some(witness) = context.witness {
        compare_with_witness(context, witness)?;
    }
    context.client.run(&GuestCommand::new("rm").args(["-f", FILE]), PATIENCE)?;
    Ok(())
}

fn probe_command(words: &[&str]) -> Result<GuestCommand> {
    crate::probe::guest_command(words)
}

fn described(done: &FsxDone, seed: u64) -> String {
    let kinds: Vec<_> = done
        .kinds
        .iter()
        .map(|(kind, count, ms)| format!("{count} {kind} {:.1} s", Duration::from_millis(*ms).as_secs_f64()))
        .collect();
    format!(
        "{} operations ({}), {} MB read and compared, seed {seed}",
        done.operations,
        kinds.join(", "),
        done.compared_bytes / 1_000_000
    )
}

/// Shows the progress until the probe ends. A million operations may take hours on a slow machine, but there is progress every second.
fn follow(context: &PartContext<'_>, process: &Process, operations: u64) -> Result<()> {
    let (mut before, mut moved) = (0, Instant::now());
    while process.exit()?.is_none() {
        let done = fsx::operations_so_far(&process.output().0);
        context.recorder.detail(format_args!("{done} of {operations} operations"));
        if done > before {
            (before, moved) = (done, Instant::now());
        }
        if moved.elapsed() > STALL_MAX {
            bail!("no operation ended for {} s, after {done} of {operations}", STALL_MAX.as_secs());
        }
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Checks that Forebay supports all operations. For other storages, the unsupported ones are only reported.
fn check_support(context: &PartContext<'_>, done: &FsxDone) {
    let missing: Vec<_> = done.unsupported.iter().map(String::as_str).collect();
    if *context.kind == StorageKind::Forebay {
        let detail =
            if missing.is_empty() { OPTIONAL.join(", ") } else { format!("without {}", missing.join(", ")) };
        context.check(
            "fsx_kinds",
            "Holes, allocation, copies and clones are supported",
            missing.is_empty(),
            detail,
        );
    } else {
        context.recorder.setting("fsx without", missing.join(", "));
    }
}

/// Checks that the other guest reads the first one's data from the server.
fn compare_with_witness(context: &PartContext<'_>, witness: &Guest) -> Result<()> {
    let sum = |guest: &Guest| guest.run(&GuestCommand::new("sha256sum").arg(FILE), PATIENCE);
    let (written, read) = (sum(context.client)?, sum(witness)?);
    let detail = written.split_whitespace().next().context("sha256sum printed nothing")?.to_owned();
    context.check("witness", "Another guest reads the same file", written == read, detail);
    Ok(())
}
