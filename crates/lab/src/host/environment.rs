//! The environment of an experiment: the lab's network and the folders of the run. `boot.rs` starts nodes in it.

use std::fs;
use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};

use anyhow::{Context, Result};

use super::network::{self, GATEWAY, Network};
use super::run_folders::RunFolders;
use crate::exec;
use crate::request::{EnvironmentKind, ExternalCluster};
use crate::toolbox::{Cache, Toolbox, Toolset};

/// The environment of one run. Each worker has one.
#[derive(Debug)]
pub struct Environment {
    /// None where there are no guests.
    guest_resources: Option<GuestResources>,
    gateway: Ipv4Addr,
    natives: AtomicU8,
    cache: Cache,
    out: PathBuf,
    folders: RunFolders,
    /// The daemon's program, if the run needs it.
    daemon: Option<PathBuf>,
}

/// The network and the packages that guests need.
#[derive(Debug)]
struct GuestResources {
    network: Network,
    tools: Toolbox,
}

impl Environment {
    /// Creates the network, and opens the packages for guests if there will be any. The process must be in a network namespace of its own,
    /// unless the run is on an existing cluster.
    pub fn create(
        environment_kind: EnvironmentKind,
        cache: Cache,
        out: PathBuf,
        folders: RunFolders,
        daemon: Option<PathBuf>,
    ) -> Result<Self> {
        let (guest_resources, gateway) = match environment_kind {
            EnvironmentKind::Guests => {
                let tools = Toolbox::open(&cache, Toolset::Guests)?;
                (Some(GuestResources { network: Network::create()?, tools }), GATEWAY)
            }
            EnvironmentKind::Native => {
                network::begin_loopback()?;
                (None, Ipv4Addr::LOCALHOST)
            }
            EnvironmentKind::Cluster | EnvironmentKind::Host => (None, Ipv4Addr::LOCALHOST),
        };
        let environment =
            Self { guest_resources, gateway, natives: AtomicU8::new(0), cache, out, folders, daemon };
        for folder in [environment.logs(), environment.state_folder().join("umid")] {
            fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
        }
        remove_old_logs(&environment.logs())?;
        Ok(environment)
    }

    /// The index of the next native node, from 1.
    pub(super) fn next_native(&self) -> Result<u8> {
        let next = |count: u8| count.checked_add(1);
        let before = self.natives.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        before.ok().and_then(next).filter(|index| *index < u8::MAX).context("too many native nodes")
    }

    /// The host side's address on the lab's network. Programs that an experiment starts on the host with
    /// [`std::process::Command`] are on that network too, and end with the run.
    pub fn gateway(&self) -> Ipv4Addr {
        self.gateway
    }

    /// The program of the daemon under test.
    pub fn daemon(&self) -> Result<&Path> {
        self.daemon.as_deref().context("this run has no daemon, but a part of it needs one")
    }

    /// The network of the lab's guests.
    pub fn network(&self) -> Result<&Network> {
        Ok(&self.guest_resources()?.network)
    }

    /// The unpacked packages for guests.
    pub fn tools(&self) -> Result<&Toolbox> {
        Ok(&self.guest_resources()?.tools)
    }

    fn guest_resources(&self) -> Result<&GuestResources> {
        self.guest_resources.as_ref().context("this run has no guests, but a part of it needs them")
    }

    /// The run's folder in a storage `mount:DIR`, which is removed when the run ends.
    pub fn folder_in(&self, mounted: &Path) -> Result<&Path> {
        self.folders
            .in_storage(mounted)
            .with_context(|| format!("the run has no folder in {}", mounted.display()))
    }

    /// The cluster that the lab did not start, if the run is on one.
    pub fn external_cluster(&self) -> Option<&ExternalCluster> {
        self.folders.external()
    }

    /// The run's control group, if the machine lets the lab create one.
    pub(super) fn cgroup(&self) -> Option<&Path> {
        self.folders.cgroup()
    }

    /// A tool set that the experiment declares ([`crate::experiment::Experiment::tools`]).
    pub fn tools_of(&self, set: Toolset) -> Result<Toolbox> {
        Toolbox::open(&self.cache, set)
    }

    /// The folder of results.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// The folder of logs, in the folder of results.
    pub fn logs(&self) -> PathBuf {
        self.out.join("logs")
    }

    /// A folder on the host's disk for large data, which is removed when the run ends.
    pub fn scratch(&self) -> &Path {
        &self.folders.scratch
    }

    /// A path in the scratch folder at which nothing exists. Files of an earlier use of the name are removed.
    pub fn fresh(&self, name: &str) -> Result<PathBuf> {
        let path = self.scratch().join(name);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(error).with_context(|| format!("remove {}", path.display()))
            }
            _ => Ok(path),
        }
    }

    /// A new folder on the host's disk for a program that runs as `user`, who owns it. It is removed when the run ends.
    pub fn folder_of_user(&self, user: &str, name: &str) -> Result<PathBuf> {
        let folder = self.folders.public.join(name);
        fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
        exec::run(Command::new("chown").arg(user).arg(&folder))
            .with_context(|| format!("give a folder to the user {user}; the lab must run as root"))?;
        Ok(folder)
    }

    /// A folder for small files, which is removed when the run ends. Its path is short and has no spaces. Guests cannot see it.
    pub fn state_folder(&self) -> &Path {
        &self.folders.state
    }

    /// Creates a sparse disk image with an empty ext4 in the scratch folder.
    pub fn make_disk(&self, name: &str, bytes: u64) -> Result<PathBuf> {
        let path = self.disk(name);
        let file = fs::File::create(&path).with_context(|| format!("create {}", path.display()))?;
        file.set_len(bytes).with_context(|| format!("extend {}", path.display()))?;
        exec::run(Command::new("mkfs.ext4").args(["-q", "-F", "-E", "lazy_itable_init=0"]).arg(&path))
            .context("make an ext4 (package e2fsprogs)")?;
        Ok(path)
    }

    /// Removes a disk image that [`Environment::make_disk`] made.
    pub fn remove_disk(&self, name: &str) -> Result<()> {
        let path = self.disk(name);
        fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))
    }

    fn disk(&self, name: &str) -> PathBuf {
        self.scratch().join(format!("{name}.img"))
    }
}

/// Removes the logs of an earlier run with the same folder of results, because logs are opened for appending.
fn remove_old_logs(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "log") {
            fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
        }
    }
    Ok(())
}
