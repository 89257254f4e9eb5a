//! Boots the guest, mounts, and runs the program: in the worker.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::{Context, Result};

use super::mount::MountSource;
use super::relay;
use super::request::{NAME, Order, input_socket, server_socket};
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Process, RunFolders};
use crate::request::EnvironmentKind;
use crate::storage;
use crate::wire::Exit;

/// NFS's own port; the ports of more servers follow.
const FIRST_PORT: u16 = 2049;
/// How long an unmount may take: it waits for the server, which may be gone.
const UNMOUNT_PATIENCE: Duration = Duration::from_secs(20);

/// Serves a request; returns how the program ended.
pub fn work(order: &Order, folders: &RunFolders) -> Result<Exit> {
    let out = folders.scratch.join("out");
    let environment =
        Environment::create(EnvironmentKind::Guests, order.cache.clone(), out, folders.clone(), None)?;
    for (port, index) in (FIRST_PORT..).zip(0..order.hosts().len()) {
        relay::listen(environment.gateway(), port, server_socket(folders, index))?;
    }
    let guest = environment.boot(&GuestSpec::new(NAME, order.memory_mib))?;
    for mount in &order.mounts {
        mount_one(&environment, &guest, order, mount)?;
    }
    let input = input_socket(folders);
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

fn mount_one(environment: &Environment, guest: &Guest, order: &Order, mount: &MountSource) -> Result<()> {
    guest.load_modules(&["nfsv4"])?;
    let index = order.hosts().iter().position(|host| *host == mount.host).unwrap_or_default();
    let port = u16::try_from(index).ok().and_then(|index| FIRST_PORT.checked_add(index));
    let port = port.context("too many servers")?;
    let options = format!("{},port={port}", order.options);
    let target = mount.target();
    storage::mount_nfs(guest, environment.gateway(), &mount.path, &options, &target.to_string_lossy())
        .with_context(|| {
            format!(
                "mount {mount}; is there such a volume (`forebay volume list`), and may this host see it \
                 (`forebay export show`)?"
            )
        })?;
    eprintln!("forebay lab: {mount} is mounted on {}", target.display());
    Ok(())
}
