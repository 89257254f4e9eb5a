//! The process that does a run, in namespaces of its own. `supervisor.rs` says how it ends in every case.

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use rustix::process::{Signal, kill_current_process_group};

use super::leftovers;
use super::task::{Task, WorkerTask, read_task};
use crate::client;
use crate::executable;
use crate::experiment;
use crate::host::{Environment, RunFolders};
use crate::progress::{Progress, Tone};
use crate::report::{Recorder, RunResult};
use crate::request::{EnvironmentKind, Request};

/// Does a task, writes its result for the supervisor, and returns the exit status.
pub fn run(task_path: &Path) -> Result<u8> {
    let WorkerTask { task, folders } = read_task(task_path)?;
    end_with_supervisor(task.environment_kind(), task_path);
    let result = match task {
        Task::Experiment(request) => {
            let progress = Progress::new().noting(folders.stage());
            let result = perform(&request, &folders, &progress);
            progress.finish();
            serde_json::to_vec(&result?)?
        }
        Task::Client(task_file) => serde_json::to_vec(&client::work(&task_file, &folders)?)?,
    };
    let path = folders.worker_result();
    fs::write(&path, result).with_context(|| format!("write {}", path.display()))?;
    Ok(0)
}

/// Removes what a run left behind whose supervisor was killed.
pub fn clean(task_path: &Path) -> Result<()> {
    leftovers::remove(&read_task(task_path)?.folders)
}

fn perform(request: &Request, folders: &RunFolders, progress: &Progress) -> Result<RunResult> {
    let experiment = experiment::find(&request.experiment).context("the task names no experiment")?;
    let recorder = Recorder::new(progress.clone());
    let environment_kind = request.environment_kind();
    let (cache, out, daemon) = (request.cache.clone(), request.out.clone(), request.daemon.clone());
    let environment = Environment::create(environment_kind, cache, out, folders.clone(), daemon)?;
    match environment_kind {
        EnvironmentKind::Guests => {
            recorder.version("user-mode-linux", environment.tools()?.version("user-mode-linux")?);
        }
        EnvironmentKind::Native | EnvironmentKind::Cluster | EnvironmentKind::Host => {
            recorder.version("linux", rustix::system::uname().release().to_string_lossy());
        }
    }
    for (storage, why) in &request.missing {
        recorder.setting(&format!("not run: {storage}"), why.as_str());
        recorder.event(Tone::Bad, format_args!("{storage} is not run: {why}"));
    }
    let why = experiment.run(&environment, request, &recorder)?;
    Ok(recorder.finish(experiment.name(), &request.storage_names(), request.profile.name(), &why))
}

/// Ends this process, and the namespace with it, when the supervisor dies or tells it to end.
fn end_with_supervisor(environment_kind: EnvironmentKind, task_path: &Path) {
    let task_path = task_path.to_owned();
    std::thread::spawn(move || {
        let mut wish = [0u8; 1];
        // The read returns at the latest when the other end is closed. If no byte came, the supervisor has died: the kernel closes a dying
        // process's files before it gives its children another parent.
        let is_wish = matches!(std::io::stdin().read(&mut wish), Ok(1));
        if !environment_kind.has_namespaces() {
            if !is_wish {
                // In a process group of its own, so that it survives the kill and cleans up after it.
                let program = executable::lab().unwrap_or_default();
                let _ = Command::new(program).arg("clean").arg(task_path).process_group(0).spawn();
            }
            let _ = kill_current_process_group(Signal::KILL);
        }
        std::process::exit(1);
    });
}
