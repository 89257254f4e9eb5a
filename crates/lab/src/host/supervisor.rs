//! The process a person starts: gives the worker namespaces of its own, waits for it, and cleans up behind it.
//!
//! The worker is process 1 of a new pid namespace, so when it ends, however it ends, the kernel ends everything that was
//! started inside. The network and mount namespaces have no names and go with their last process. The worker in turn ends
//! when its standard input has a byte or is at its end, and that is a pipe which only the supervisor holds: so a supervisor that dies, even
//! by kill -9, takes all with it. What is left for the supervisor are the run's folders.
//!
//! A run on a cluster that was there before has no namespaces: it needs the machine's network, and no root. There the worker's process group
//! is what is ended, and the run's topics are deleted once nothing is left that could make one.

use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::leftovers::{self, RunFolders};
use super::worker::{Task, WorkOrder};
use crate::executable;
use crate::report::RunResult;
use crate::request::{Request, Surroundings};
use crate::storage::StorageKind;

/// Exit status of an interrupted command: 128 + SIGINT, as a shell says it.
pub const STATUS_INTERRUPTED: u8 = 130;

/// How a worker ended.
#[derive(Debug)]
pub enum Outcome {
    /// It came to a verdict.
    Finished(Box<RunResult>),
    /// It could not run the experiment, and has said why.
    CouldNotRun,
    /// Someone stopped it.
    Interrupted,
}

/// Says which abandoned runs were cleaned up, if any.
pub fn sweep(cache: &Path) {
    for run in leftovers::remove_abandoned(cache) {
        match run.removed {
            Ok(()) => eprintln!("forebay lab: removed what a killed run left behind: {}", run.name),
            Err(error) => {
                eprintln!(
                    "forebay lab: what the killed run {} left behind stays for now: {error:#}; if it never can be removed, such as the topics of a \
                     cluster that is gone, remove {} to hear no more of it",
                    run.name,
                    run.noted_in.display()
                );
            }
        }
    }
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
    let removed = folders.remove();
    let removed = removed.context("the run has ended, but what it made is not all gone");
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
            // Whoever interrupts wants no more runs, whatever became of this one.
            if let Err(error) = &removed {
                eprintln!("forebay lab: {error:#}");
            }
            return Ok(outcome);
        }
    }
    removed.map(|()| outcome)
}

/// The stage that the experiment was at last.
fn stage(folders: &RunFolders) -> Option<String> {
    fs::read_to_string(folders.stage()).ok()
}

/// How a worker's process ended.
#[derive(Debug, Clone, Copy)]
pub enum Ended {
    /// Someone stopped it.
    Interrupted,
    /// With this status.
    ByItself(ExitStatus),
}

/// Has a worker do a task, and waits until it ended and nothing is left of it but the run's folders.
pub fn supervise(task: Task, folders: &RunFolders) -> Result<Ended> {
    let order_path = folders.state.join("order.json");
    let surroundings = task.surroundings();
    let order = WorkOrder { task, folders: folders.clone() };
    fs::write(&order_path, serde_json::to_vec(&order)?)
        .with_context(|| format!("write {}", order_path.display()))?;
    let mut worker = worker_command(surroundings)?
        .arg(&order_path)
        .stdin(Stdio::piped())
        // A Ctrl-C on the terminal is for the supervisor alone.
        .process_group(0)
        .spawn()
        .context("start the worker (with unshare, package util-linux)")?;
    let lifeline = worker.stdin.take();

    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("start tokio")?;
    let interrupted = std::thread::scope(|scope| {
        let (ended, has_ended) = tokio::sync::oneshot::channel();
        let waiter = scope.spawn(move || {
            end_group_with(&worker);
            let status = worker.wait();
            let _ = ended.send(());
            status
        });
        let interrupted = runtime.block_on(interrupted_before(has_ended));
        end_by(lifeline);
        let status = waiter.join();
        interrupted.map(|interrupted| (interrupted, status))
    });
    let (interrupted, status) = interrupted?;
    if interrupted {
        return Ok(Ended::Interrupted);
    }
    match status {
        Ok(status) => status.map(Ended::ByItself).context("wait for the worker"),
        Err(_) => bail!("the thread that waits for the worker panicked"),
    }
}

/// Ends the worker if it still runs. A byte says that this is a wish: without one, the supervisor is dead, and cleaning up is the worker's.
fn end_by(lifeline: Option<ChildStdin>) {
    if let Some(mut lifeline) = lifeline {
        // It fails if the worker has ended.
        let _ = lifeline.write_all(b".");
    }
}

/// The worker, without its order.
fn worker_command(surroundings: Surroundings) -> Result<Command> {
    let program = executable::lab()?;
    let mut command = match surroundings {
        Surroundings::Guests | Surroundings::Native => {
            let mut command = Command::new("unshare");
            command
                .args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"])
                .arg(program);
            command
        }
        // On the machine's own network, and without root: what it starts is held together by its process group alone.
        Surroundings::Cluster => Command::new(program),
    };
    command.arg("worker");
    Ok(command)
}

/// Returns when a worker has ended, and all in its process group with it.
fn end_group_with(worker: &Child) {
    let Some(pid) = i32::try_from(worker.id()).ok().and_then(Pid::from_raw) else { return };
    // The worker is not reaped yet, so that its pid, which is its group's, cannot be anyone else's.
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    let _ = kill_process_group(pid, Signal::KILL);
}

/// Waits for the worker's end or a signal to stop, whichever is first; true if it was the signal.
async fn interrupted_before(ended: tokio::sync::oneshot::Receiver<()>) -> Result<bool> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate()).context("handle SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("handle SIGINT")?;
    let mut hangup = signal(SignalKind::hangup()).context("handle SIGHUP")?;
    tokio::select! {
        _ = ended => Ok(false),
        _ = terminate.recv() => Ok(true),
        _ = interrupt.recv() => Ok(true),
        _ = hangup.recv() => Ok(true),
    }
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
