//! The supervisor of a guest for the user: forwards its connections to the servers, and its input.

use std::io::{self, IsTerminal};
use std::net::Shutdown;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::ExitStatus;

use anyhow::{Context, Result, bail};

use super::supervisor::{self, Ended};
use super::task::Task;
use crate::client::{GuestRequest, input_socket, relay, server_socket};
use crate::host::RunFolders;
use crate::wire::Exit;

/// How the guest's program ended.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// It ended by itself.
    Exited(Exit),
    /// The guest could not be started; the worker printed the reason.
    CouldNotRun,
    /// The user interrupted it.
    Interrupted,
}

/// Boots a guest and waits until its program has ended.
pub fn run(request: &GuestRequest) -> Result<Outcome> {
    for host in request.hosts() {
        relay::check(host, request.port)?;
    }
    let folders = RunFolders::create(&request.cache.folder, &[], None)?;
    let result = supervise(request, &folders);
    folders.remove().context("the guest has ended, but some of its files could not be removed")?;
    result
}

fn supervise(request: &GuestRequest, folders: &RunFolders) -> Result<Outcome> {
    for (index, host) in request.hosts().into_iter().enumerate() {
        relay::carry(bind(&server_socket(folders, index))?, host.to_owned(), request.port);
    }
    let input = bind(&input_socket(folders))?;
    std::thread::spawn(move || give_input(&input));
    match supervisor::supervise(Task::Client(request.clone()), folders)? {
        Ended::Interrupted => Ok(Outcome::Interrupted),
        Ended::ByItself(status) => outcome(status, folders),
    }
}

fn outcome(status: ExitStatus, folders: &RunFolders) -> Result<Outcome> {
    match status.code() {
        Some(0) => {
            let path = folders.worker_result();
            let text = std::fs::read(&path).with_context(|| format!("read {}", path.display()))?;
            Ok(Outcome::Exited(serde_json::from_slice(&text).context("parse how the program ended")?))
        }
        Some(_) => Ok(Outcome::CouldNotRun),
        None => bail!("the process that runs the guest was ended ({status})"),
    }
}

/// Forwards standard input until its end.
fn give_input(input: &UnixListener) {
    if let Ok((stream, _)) = input.accept() {
        let _ = io::copy(&mut io::stdin(), &mut &stream);
        let _ = stream.shutdown(Shutdown::Write);
    }
}

fn bind(path: &Path) -> Result<UnixListener> {
    UnixListener::bind(path).with_context(|| format!("listen on {}", path.display()))
}

/// Whether standard input is a terminal.
pub fn is_typed() -> bool {
    io::stdin().is_terminal()
}
