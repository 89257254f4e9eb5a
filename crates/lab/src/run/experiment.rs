//! The supervisor of an experiment: makes its folders, waits for its worker, and takes its result.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use anyhow::{Context, Result, bail};

use super::leftovers;
use super::supervisor::{Ended, supervise};
use super::task::Task;
use crate::host::RunFolders;
use crate::report::RunResult;
use crate::request::{Request, StorageKind};

/// How a worker ended.
#[derive(Debug)]
pub enum Outcome {
    /// The experiment reached a verdict.
    Finished(Box<RunResult>),
    /// The experiment could not be run; the worker printed the reason.
    CouldNotRun,
    /// The user interrupted it.
    Interrupted,
}

/// Runs one request in a worker.
pub fn run(request: &Request) -> Result<Outcome> {
    fs::create_dir_all(&request.out).with_context(|| format!("make the folder {}", request.out.display()))?;
    fs::create_dir_all(&request.cache.folder)
        .with_context(|| format!("make the cache folder {}", request.cache.folder.display()))?;
    let storages: Vec<&Path> = request.storages.iter().filter_map(StorageKind::folder).collect();
    let folders = RunFolders::create(&request.cache.folder, &storages, request.cluster.as_ref())?;
    let result = supervise(Task::Experiment(request.clone()), &folders).and_then(|ended| match ended {
        Ended::Interrupted => Ok(Outcome::Interrupted),
        Ended::ByItself(status) => outcome(status, &folders),
    });
    let at = stage(&folders);
    let removed = leftovers::remove(&folders);
    let removed = removed.context("the run has ended, but some of its files could not be removed");
    let what = format!("{} on {}", request.experiment, request.storage_names());
    let at = at.as_deref().unwrap_or("its start");
    let outcome = result.with_context(|| format!("{what} stopped at: {at}"))?;
    let logs = request.out.join("logs");
    match &outcome {
        Outcome::Finished(_) => {}
        Outcome::CouldNotRun => {
            eprintln!("forebay lab: {what} stopped at: {at}; logs are in {}", logs.display())
        }
        Outcome::Interrupted => {
            eprintln!("forebay lab: {what} interrupted at: {at}; everything it started has ended");
            // An interrupt also cancels the runs that follow, so it is reported even if the removal failed.
            if let Err(error) = &removed {
                eprintln!("forebay lab: {error:#}");
            }
            return Ok(outcome);
        }
    }
    removed.map(|()| outcome)
}

/// The last stage that the experiment reached.
fn stage(folders: &RunFolders) -> Option<String> {
    fs::read_to_string(folders.stage()).ok()
}

fn outcome(status: ExitStatus, folders: &RunFolders) -> Result<Outcome> {
    if let Some(signal) = status.signal() {
        bail!("the lab's worker was ended by signal {signal}");
    }
    if !status.success() {
        return Ok(Outcome::CouldNotRun);
    }
    let path = folders.worker_result();
    let text = fs::read(&path).with_context(|| format!("read {}", path.display()))?;
    let result = serde_json::from_slice(&text).with_context(|| format!("parse {}", path.display()))?;
    Ok(Outcome::Finished(Box::new(result)))
}
