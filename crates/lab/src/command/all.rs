//! `forebay lab run all`: runs every experiment that repeats a test of the technical reports, and writes two pages about all of them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::args::RunArgs;
use super::run::{Done, Requests, execute, names_of, out_folder, prepare, requests};
use super::status::{STATUS_COULD_NOT_RUN, STATUS_USAGE};
use crate::experiment::{self, Experiment};
use crate::output::print;
use crate::report::{self, All, NotRun};
use crate::request::StorageKind;
use crate::run::supervisor;

/// Its name on the command line, in place of an experiment's.
pub const NAME: &str = "all";

/// The storages if none is given.
const STORAGES: [StorageKind; 2] = [StorageKind::Forebay, StorageKind::Local];

/// An experiment with its requests, or why there are none.
struct Planned {
    experiment: &'static dyn Experiment,
    requests: Requests,
}

/// Runs them, and returns the worst of their exit statuses.
pub fn run(mut args: RunArgs) -> Result<u8> {
    if !args.part.is_empty()
        || !args.bootstrap_server.is_empty()
        || args.tier.is_some()
        || !args.fault.is_empty()
    {
        eprintln!(
            "forebay lab: {NAME} takes none of --part, --bootstrap-server, --tier and --fault; these need the name of one experiment"
        );
        return Ok(STATUS_USAGE);
    }
    if args.storage.is_empty() {
        args.storage = STORAGES.to_vec();
    }
    let begun = Instant::now();
    let out = out_folder(args.out.take(), NAME, &file_names(&args.storage))?;
    let (mut plan, mut not_run) = plan(&args, &out)?;
    plan.iter_mut().try_for_each(|planned| prepare(planned.experiment, &mut planned.requests))?;
    plan.iter().try_for_each(|planned| planned.requests.forget())?;
    let count = plan.len();
    let mut status = 0;
    for (index, planned) in plan.iter().enumerate() {
        eprintln!(
            "\n{} ({} of {count}, {} so far)",
            planned.experiment.name(),
            index + 1,
            told(begun.elapsed())
        );
        let Done { status: of_experiment, interrupted, missing } =
            execute(planned.experiment, &planned.requests, &args.expect_fail)?;
        not_run.extend(missing);
        if interrupted {
            not_run.extend(plan.iter().skip(index + 1).map(not_begun));
            let name = planned.experiment.name();
            eprintln!("forebay lab: interrupted in {name}, experiment {} of {count}", index + 1);
            conclude(&out, &not_run, begun)?;
            return Ok(supervisor::STATUS_INTERRUPTED);
        }
        status = worse(status, of_experiment);
    }
    conclude(&out, &not_run, begun)?;
    Ok(status)
}

fn plan(args: &RunArgs, out: &Path) -> Result<(Vec<Planned>, Vec<NotRun>)> {
    let (mut plan, mut not_run) = (Vec::new(), Vec::new());
    for experiment in experiment::of_reports() {
        let (fits, others): (Vec<_>, Vec<_>) =
            args.storage.iter().cloned().partition(|kind| experiment.fits(kind));
        not_run.extend(others.iter().map(|kind| NotRun {
            experiment: experiment.name().to_owned(),
            storage: kind.name(),
            why: format!("{} cannot be run on {kind}", experiment.name()),
        }));
        if fits.is_empty() {
            continue;
        }
        let own = RunArgs {
            experiment: experiment.name().to_owned(),
            storage: fits,
            out: Some(out.join(experiment.name())),
            ..args.clone()
        };
        plan.push(Planned { experiment, requests: requests(experiment, own)? });
    }
    Ok((plan, not_run))
}

fn not_begun(planned: &Planned) -> NotRun {
    NotRun {
        experiment: planned.experiment.name().to_owned(),
        storage: planned
            .requests
            .each
            .iter()
            .map(|request| names_of(&request.storages))
            .collect::<Vec<_>>()
            .join(","),
        why: "interrupted before it began".to_owned(),
    }
}

/// Writes the pages about all runs, and prints the table.
fn conclude(out: &Path, not_run: &[NotRun], begun: Instant) -> Result<()> {
    let found = match report::read(&[PathBuf::from(out)]) {
        Ok(found) => found,
        Err(error) => {
            eprintln!("forebay lab: the page about all experiments was not written: {error:#}");
            return Ok(());
        }
    };
    let took_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let page = report::write_all(out, &found, &All { took_ms, not_run, subject_of: experiment::subject_of })?;
    print(&report::verdict_table(&found, experiment::subject_of))?;
    print(&format!("all experiments: {}, after {}", page.display(), told(begun.elapsed())))?;
    print(&format!("side by side: {}", out.join(report::COMPARISON_FILE).display()))
}

/// The worse of two exit statuses: 1 before 4 before 0.
fn worse(one: u8, other: u8) -> u8 {
    match (one, other) {
        (STATUS_COULD_NOT_RUN, _) | (_, 0) => one,
        _ => other,
    }
}

fn file_names(storages: &[StorageKind]) -> String {
    storages.iter().map(StorageKind::file_name).collect::<Vec<_>>().join("-")
}

fn told(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02} min", seconds / 60, seconds % 60)
}
