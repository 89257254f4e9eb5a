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
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::task::{Task, WorkOrder};
use crate::executable;
use crate::host::RunFolders;
use crate::request::EnvironmentKind;

/// Exit status of an interrupted command: 128 + SIGINT, as a shell says it.
pub const STATUS_INTERRUPTED: u8 = 130;

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
    let environment_kind = task.environment_kind();
    let order = WorkOrder { task, folders: folders.clone() };
    fs::write(&order_path, serde_json::to_vec(&order)?)
        .with_context(|| format!("write {}", order_path.display()))?;
    let mut worker = worker_command(environment_kind)?
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
        // On the machine's own network, and without root: what it starts is held together by its process group alone.
        EnvironmentKind::Cluster => Command::new(program),
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
