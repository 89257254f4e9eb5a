//! A Linux NFS client for a person: one guest, with mounts from servers that this host reaches, and a program in it.
//!
//! Guests are on a network of the lab's own, from which nothing leads to the host's, so that nothing of the host's is changed. What
//! goes to a server is carried over: the guest's kernel connects to a port of the worker ([`relay::listen`]), which passes the bytes on,
//! through a UNIX socket in the run's folder, to the supervisor ([`relay::carry`]); that one connects to the server. The input of the
//! program takes the same way.

mod mount;
mod relay;

use std::io::{self, IsTerminal};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::host::supervisor::{self, Ended};
use crate::host::toolbox::Cache;
use crate::host::worker::Task;
use crate::host::{Guest, GuestCommand, GuestSpec, Process, RunFolders, Site};
use crate::storage;
use crate::wire::Exit;
pub use mount::MountSource;

/// The guest's name, which is also its host name.
const NAME: &str = "guest";
/// NFS's own port; the ports of more servers follow.
const FIRST_PORT: u16 = 2049;
/// How long an unmount may take: it waits for the server, which may be gone.
const UNMOUNT_PATIENCE: Duration = Duration::from_secs(20);

/// What a person wants of a guest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    /// What is mounted.
    pub mounts: Vec<MountSource>,
    /// The port at which all those servers listen.
    pub port: u16,
    /// Options of all mounts.
    pub options: String,
    /// The guest's memory in MiB.
    pub memory_mib: u32,
    /// The program and its arguments; a shell if there are none.
    pub command: Vec<String>,
    /// Whether a person types the input.
    pub is_typed: bool,
    /// Where the guest's kernel is.
    pub cache: Cache,
}

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

impl Order {
    /// The servers, each once.
    fn hosts(&self) -> Vec<&str> {
        let mut hosts: Vec<&str> = Vec::new();
        for mount in &self.mounts {
            if !hosts.contains(&mount.host.as_str()) {
                hosts.push(&mount.host);
            }
        }
        hosts
    }

    fn program(&self) -> GuestCommand {
        let command = match self.command.as_slice() {
            [] if self.is_typed => GuestCommand::new("sh").arg("-i").env("PS1", format!("{NAME}# ")),
            [] => GuestCommand::new("sh"),
            words => GuestCommand::from_words(words.iter().cloned()),
        };
        command.folder("/mnt").pass_through()
    }
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
        relay::carry(bind(&way(folders, index))?, host.to_owned(), order.port);
    }
    let input = bind(&input_way(folders))?;
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

/// The socket towards one of the servers.
fn way(folders: &RunFolders, index: usize) -> PathBuf {
    folders.state.join(format!("server{index}"))
}

fn input_way(folders: &RunFolders) -> PathBuf {
    folders.state.join("input")
}

/// Boots the guest, mounts, and runs the program: in the worker. Returns how the program ended.
pub fn work(order: &Order, folders: &RunFolders) -> Result<Exit> {
    let out = folders.scratch.join("out");
    let site =
        Site::create(crate::request::Surroundings::Guests, order.cache.clone(), out, folders.clone(), None)?;
    for (port, index) in (FIRST_PORT..).zip(0..order.hosts().len()) {
        relay::listen(site.gateway(), port, way(folders, index))?;
    }
    let guest = site.boot(&GuestSpec::new(NAME, order.memory_mib))?;
    for mount in &order.mounts {
        mount_one(&site, &guest, order, mount)?;
    }
    let input = input_way(folders);
    let input = UnixStream::connect(&input).with_context(|| format!("connect to {}", input.display()))?;
    let process = guest.spawn(&order.program())?;
    let exit = run_fed(&process, input)?;
    // What a program left running there, or in a mounted folder, ends with the guest.
    drop(process);
    for mount in order.mounts.iter().rev() {
        let unmount = GuestCommand::new("umount").arg(mount.target().to_string_lossy());
        let done = guest.exec(&unmount, UNMOUNT_PATIENCE);
        if !done.is_ok_and(|done| done.exit.success()) {
            eprintln!("forebay lab: {mount} could not be unmounted; what the guest had not yet sent is lost");
        }
    }
    guest.stop()?;
    Ok(exit)
}

fn run_fed(process: &Process, input: UnixStream) -> Result<Exit> {
    std::thread::scope(|scope| {
        let feeder = input.try_clone().context("copy a socket")?;
        // Input that comes too late for the program goes nowhere.
        scope.spawn(move || process.feed(feeder));
        let exit = process.wait_to_end();
        let _ = input.shutdown(Shutdown::Both);
        exit
    })
}

fn mount_one(site: &Site, guest: &Guest, order: &Order, mount: &MountSource) -> Result<()> {
    guest.load_modules(&["nfsv4"])?;
    let index = order.hosts().iter().position(|host| *host == mount.host).unwrap_or_default();
    let port = u16::try_from(index).ok().and_then(|index| FIRST_PORT.checked_add(index));
    let port = port.context("too many servers")?;
    let options = format!("{},port={port}", order.options);
    let target = mount.target();
    storage::mount_nfs(guest, site.gateway(), &mount.path, &options, &target.to_string_lossy())
        .with_context(|| {
            format!(
                "mount {mount}; is there such a volume (`forebay volume list`), and may this host see it \
                 (`forebay export show`)?"
            )
        })?;
    eprintln!("forebay lab: {mount} is mounted on {}", target.display());
    Ok(())
}

/// Whether a person types what comes on standard input.
pub fn is_typed() -> bool {
    io::stdin().is_terminal()
}
