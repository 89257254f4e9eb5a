//! The supervisor of a guest for a person: connects it with the servers, and passes the input on.

use std::io::{self, IsTerminal};
use std::net::Shutdown;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::ExitStatus;

use anyhow::{Context, Result, bail};

use super::supervisor::{self, Ended};
use super::task::Task;
use crate::client::{Order, input_socket, relay, server_socket};
use crate::host::RunFolders;
use crate::wire::Exit;

/// How the guest's program ended.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// By itself.
    Exited(Exit),
    /// The guest could not be had, which was said.
    CouldNotRun,
    /// Someone stopped it.
    Interrupted,
}

/// Boots a guest and stays until its program has ended.
pub fn run(order: &Order) -> Result<Outcome> {
    for host in order.hosts() {
        relay::check(host, order.port)?;
    }
    let folders = RunFolders::create(&order.cache.folder, &[], None)?;
    let result = supervise(order, &folders);
    folders.remove().context("the guest has ended, but what it made is not all gone")?;
    result
}

fn supervise(order: &Order, folders: &RunFolders) -> Result<Outcome> {
    for (index, host) in order.hosts().into_iter().enumerate() {
        relay::carry(bind(&server_socket(folders, index))?, host.to_owned(), order.port);
    }
    let input = bind(&input_socket(folders))?;
    std::thread::spawn(move || give_input(&input));
    match supervisor::supervise(Task::Client(order.clone()), folders)? {
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

/// Passes on what comes from standard input, up to its end.
fn give_input(input: &UnixListener) {
    if let Ok((stream, _)) = input.accept() {
        let _ = io::copy(&mut io::stdin(), &mut &stream);
        let _ = stream.shutdown(Shutdown::Write);
    }
}

fn bind(path: &Path) -> Result<UnixListener> {
    UnixListener::bind(path).with_context(|| format!("listen on {}", path.display()))
}

/// Whether a person types what comes on standard input.
pub fn is_typed() -> bool {
    io::stdin().is_terminal()
}
