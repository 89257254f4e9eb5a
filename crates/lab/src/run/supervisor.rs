//! The process that the user starts. It starts the worker in new namespaces, waits for it, and cleans up after it.
//!
//! The worker is process 1 of a new pid namespace. So when it ends, for any reason, the kernel ends everything that was
//! started inside. The network and mount namespaces have no names and disappear with their last process. The worker ends when it reads a
//! byte or the end of its standard input, a pipe that only the supervisor holds. So when the supervisor dies, even by kill -9, everything ends
//! with it. Only the run's folders remain for the supervisor to remove.
//!
//! A run on an existing cluster or on object stores has no namespaces: it needs the machine's network, and no root. The supervisor kills the
//! worker's process group instead, and deletes the run's topics once no process is left that could create one.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::task::{Task, WorkerTask};
use crate::executable;
use crate::host::RunFolders;
use crate::request::EnvironmentKind;

/// Exit status of an interrupted command: 128 + SIGINT, like a shell.
pub const STATUS_INTERRUPTED: u8 = 130;

/// How a worker's process ended.
#[derive(Debug, Clone, Copy)]
pub enum Ended {
    /// The user interrupted it.
    Interrupted,
    /// It exited with this status.
    ByItself(ExitStatus),
}

/// Starts a worker for a task, and waits until it and all of its processes have ended. The run's folders remain.
pub fn supervise(task: Task, folders: &RunFolders) -> Result<Ended> {
    let task_path = folders.state.join("order.json");
    let environment_kind = task.environment_kind();
    let task_file = WorkerTask { task, folders: folders.clone() };
    fs::write(&task_path, serde_json::to_vec(&task_file)?)
        .with_context(|| format!("write {}", task_path.display()))?;
    let mut worker = worker_command(environment_kind)?
        .arg(&task_path)
        .stdin(Stdio::piped())
        // A Ctrl-C on the terminal must reach only the supervisor.
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

/// Ends the worker if it still runs. The byte tells the worker that the supervisor lives and will clean up: at the end of the pipe without a
/// byte, the supervisor is dead, and the worker cleans up.
fn end_by(lifeline: Option<ChildStdin>) {
    if let Some(mut lifeline) = lifeline {
        // The write fails if the worker has already ended.
        let _ = lifeline.write_all(b".");
    }
}

/// The command that starts a worker, without the path of its task.
fn worker_command(environment_kind: EnvironmentKind) -> Result<Command> {
    let program = executable::lab()?;
    let mut command = match environment_kind {
        EnvironmentKind::Guests | EnvironmentKind::Native => {
            let mut command = Command::new("unshare");
            command
                .args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"])
                .arg(program);
            command
        }
        // Without root there are no namespaces; only the process group holds its processes together.
        EnvironmentKind::Cluster | EnvironmentKind::Host => Command::new(program),
    };
    command.arg("worker");
    Ok(command)
}

/// Waits until the worker has ended, and kills the rest of its process group.
fn end_group_with(worker: &Child) {
    let Some(pid) = i32::try_from(worker.id()).ok().and_then(Pid::from_raw) else { return };
    // The worker is not reaped yet, so its pid, which names the group, cannot be reused.
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    let _ = kill_process_group(pid, Signal::KILL);
}

/// Waits until the worker ends or a signal arrives; returns true if it was the signal.
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
