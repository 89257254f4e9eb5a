//! Boots the guest, mounts, and runs the program: in the worker.

use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use anyhow::{Context, Result};

use super::mount::MountSource;
use super::relay;
use super::request::{GuestRequest, NAME, input_socket, server_socket};
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Process, RunFolders};
use crate::request::EnvironmentKind;
use crate::storage;
use crate::wire::Exit;

/// The NFS port, for the first server; other servers get the ports after it.
const FIRST_PORT: u16 = 2049;
/// Time limit for an unmount, which waits for the server.
const UNMOUNT_PATIENCE: Duration = Duration::from_secs(20);

/// Serves a request; returns how the program ended.
pub fn work(request: &GuestRequest, folders: &RunFolders) -> Result<Exit> {
    let out = folders.scratch.join("out");
    let environment =
        Environment::create(EnvironmentKind::Guests, request.cache.clone(), out, folders.clone(), None)?;
    for (port, index) in (FIRST_PORT..).zip(0..request.hosts().len()) {
        relay::listen(environment.gateway(), port, server_socket(folders, index))?;
    }
    let guest = environment.boot(&GuestSpec::new(NAME, request.memory_mib))?;
    for mount in &request.mounts {
        mount_one(&environment, &guest, request, mount)?;
    }
    let input = input_socket(folders);
    let input = UnixStream::connect(&input).with_context(|| format!("connect to {}", input.display()))?;
    let process = guest.spawn(&request.program())?;
    let exit = run_fed(&process, input)?;
    // Processes that the program left running end with the guest.
    drop(process);
    for mount in request.mounts.iter().rev() {
        let unmount = GuestCommand::new("umount").arg(mount.target().to_string_lossy());
        let done = guest.exec(&unmount, UNMOUNT_PATIENCE);
        if !done.is_ok_and(|done| done.exit.success()) {
            eprintln!(
                "forebay lab: {mount} could not be unmounted; writes that the guest had not yet sent are lost"
            );
        }
    }
    guest.stop()?;
    Ok(exit)
}

fn run_fed(process: &Process, input: UnixStream) -> Result<Exit> {
    std::thread::scope(|scope| {
        let feeder = input.try_clone().context("copy a socket")?;
        // Input that arrives after the program has ended is dropped.
        scope.spawn(move || process.feed(feeder));
        let exit = process.wait_to_end();
        let _ = input.shutdown(Shutdown::Both);
        exit
    })
}

fn mount_one(
    environment: &Environment,
    guest: &Guest,
    request: &GuestRequest,
    mount: &MountSource,
) -> Result<()> {
    guest.load_modules(&["nfsv4"])?;
    let index = request.hosts().iter().position(|host| *host == mount.host).unwrap_or_default();
    let port = u16::try_from(index).ok().and_then(|index| FIRST_PORT.checked_add(index));
    let port = port.context("too many servers")?;
    let options = format!("{},port={port}", request.options);
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
