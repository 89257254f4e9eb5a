//! Runs cases that use files as programs do, in the groups of the Connectathon suite: basic, general, special, and locks between two
//! clients.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::{PATIENCE, PartContext, TARGET};
use crate::host::{GuestCommand, Process, wait_for_port};
use crate::probe;
use crate::probe::cases::{CaseDone, Group, parse};
use crate::report::Excerpt;
use crate::request::Profile;
use crate::request::StorageKind;

/// The port of the peer in the other guest.
const PEER_PORT: u16 = 7200;
const PEER_PATIENCE: Duration = Duration::from_secs(30);
/// In the second pass, the cases of a group are repeated until this many kills.
const KILLS_LEAST: u32 = 2;

/// Runs a group.
pub fn run(context: &PartContext<'_>, group: Group) -> Result<()> {
    let peer = start_peer(context)?;
    let mut cases = Vec::new();
    let mut again = 0;
    match context.kills {
        None => cases = run_cases(context, group, &[])?,
        Some(kills) => kills.through(KILLS_LEAST, || {
            for case in run_cases(context, group, &[])? {
                cases.push(if may_have_been_repeated(&case) {
                    again += 1;
                    run_again(context, group, case)?
                } else {
                    case
                });
            }
            Ok(())
        })?,
    }
    conclude(context, group, &cases, again);
    // It must have ended before the next group starts one on the same port.
    peer.map_or(Ok(()), |peer| peer.stop(PEER_PATIENCE).map(drop))
}

fn start_peer(context: &PartContext<'_>) -> Result<Option<Process>> {
    let Some(witness) = context.witness else { return Ok(None) };
    let log = context.environment.logs().join("peer.log");
    let command = probe::guest_command(&["peer", &format!("0.0.0.0:{PEER_PORT}")])?.log(log);
    let process = witness.spawn(&command)?;
    wait_for_port(witness.address(), PEER_PORT, PEER_PATIENCE)?;
    Ok(Some(process))
}

/// Runs the cases of these names, or all.
fn run_cases(context: &PartContext<'_>, group: Group, only: &[&str]) -> Result<Vec<CaseDone>> {
    let folder = format!("{TARGET}/cases");
    let mut command = probe::guest_command(&["cases", group.name(), &folder])?;
    if let Some(witness) = context.witness {
        command = command.args(["--peer", &format!("{}:{PEER_PORT}", witness.address())]);
    }
    if context.profile == Profile::Laptop {
        command = command.arg("--small");
    }
    if !only.is_empty() {
        command = command.args(["--only", &only.join(",")]);
    }
    let log = context.environment.logs().join("cases.log");
    let output = context.client.exec(&command.log(log), PATIENCE)?;
    let cases = parse(&output.stdout);
    ensure!(
        output.exit.success() && !cases.is_empty(),
        "{} cases ran, then {}: {}",
        cases.len(),
        output.exit,
        output.stderr.trim()
    );
    let remove = GuestCommand::new("rm").args(["-rf", &folder]);
    context.client.run(&remove, PATIENCE)?;
    Ok(cases)
}

/// If the server dies between an operation and its reply, the client sends the request again, and the program gets the error that the name
/// exists or is missing. Only a reply cache on disk could prevent this. Any other failure counts.
fn may_have_been_repeated(case: &CaseDone) -> bool {
    const ERRORS: [&str; 4] = ["(os error 2)", "(os error 17)", "Failed(2,", "Failed(17,"];
    case.wrong.as_ref().is_some_and(|wrong| ERRORS.iter().any(|error| wrong.contains(error)))
}

fn run_again(context: &PartContext<'_>, group: Group, case: CaseDone) -> Result<CaseDone> {
    // If the reply to an operation on a name was lost, the client trusts its older cache of that name for up to a minute.
    context.client.drop_caches()?;
    let again = run_cases(context, group, &[&case.name])?;
    Ok(again.into_iter().next().unwrap_or(case))
}

fn conclude(context: &PartContext<'_>, group: Group, cases: &[CaseDone], again: usize) {
    let wrong: Vec<_> = cases.iter().filter(|case| case.wrong.is_some()).map(told).collect();
    let seconds = cases.iter().map(|case| case.ms).sum::<u64>() as f64 / 1e3;
    let mut detail = format!("{} of {} cases, {seconds:.1} s", cases.len() - wrong.len(), cases.len());
    if context.kills.is_some() {
        detail = format!("{detail}; {again} were run twice");
    }
    if !wrong.is_empty() {
        detail = format!("{detail}; {}", wrong.join("; "));
    }
    // Failures of other storages are reported, but do not fail the experiment.
    let passed = wrong.is_empty() || *context.kind != StorageKind::Forebay;
    let title = match group {
        Group::Basic => "Single operations and their effects",
        Group::General => "Loads such as a compiler's",
        Group::Special => "Rare operations that some programs rely on",
        Group::Lock => "Locks between processes and between clients",
    };
    context.check(group.name(), title, passed, detail);
    context.figure(&format!("{}_s", group.name()), title, seconds, "s");
    if context.kills.is_none() {
        context.recorder.excerpt(Excerpt {
            title: format!("{title}: the cases"),
            file: "logs/cases.log".into(),
            lines: cases.iter().map(told).collect(),
            highlight: "WRONG".into(),
        });
    }
}

fn told(case: &CaseDone) -> String {
    match &case.wrong {
        None => format!("{}: holds, {} ms", case.name, case.ms),
        Some(wrong) => format!("{}: WRONG: {wrong}", case.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_repeated_operation_explains_is_run_again() {
        let case = |wrong: &str| CaseDone { name: "x".into(), ms: 1, wrong: Some(wrong.into()) };
        assert!(may_have_been_repeated(&case("create x: File exists (os error 17)")));
        assert!(!may_have_been_repeated(&case("x does not hold what was written")));
        assert!(!may_have_been_repeated(&case("write: Input/output error (os error 5)")));
    }
}
