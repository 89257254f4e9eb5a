//! `forebay`: this very binary as a daemon, on the host, with a pool in the scratch folder.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use super::server::Server;
use super::{HostServer, Storage, StorageKind, mount_nfs};
use crate::host::{Guest, Site};

/// The storage.
pub struct Forebay {
    server: Server,
    pool: PathBuf,
    log: PathBuf,
    listen: std::net::Ipv4Addr,
}

/// The volume that every new pool has.
const JUNCTION_PATH: &str = "/kafka";
const PORT: u16 = 2049;
/// Bounded, so that what the volume says is used is what the pool uses, and not what else is on the host's disk.
const POOL_SIZE_MAX: &str = "48GiB";
const PATIENCE: Duration = Duration::from_secs(30);

impl Forebay {
    /// Starts the daemon on an empty pool.
    pub fn start(site: &Site) -> Result<Self> {
        let mut storage = Self {
            server: Server::new("forebay serve"),
            pool: site.scratch().join("forebay-data"),
            log: site.logs().join("forebay.log"),
            listen: site.gateway(),
        };
        storage.serve()?;
        Ok(storage)
    }

    fn serve(&mut self) -> Result<()> {
        let program = std::env::current_exe().context("find this program")?;
        let mut command = std::process::Command::new(program);
        command.arg("serve").arg("--pool-directory").arg(&self.pool).args(["--pool-size-max", POOL_SIZE_MAX]);
        command.arg("--nfs-listen").arg(format!("{}:{PORT}", self.listen));
        let log = File::options()
            .create(true)
            .append(true)
            .open(&self.log)
            .with_context(|| format!("open {}", self.log.display()))?;
        self.server.start(&mut command, log)?;
        self.server
            .wait_for_port(self.listen, PORT, PATIENCE)
            .with_context(|| format!("forebay serve did not come up; its log is {}", self.log.display()))
    }
}

impl Storage for Forebay {
    fn kind(&self) -> StorageKind {
        StorageKind::Forebay
    }

    fn versions(&self) -> Vec<(String, String)> {
        vec![("forebay".into(), env!("CARGO_PKG_VERSION").into())]
    }

    fn mount(&self, guest: &Guest, target: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        mount_nfs(guest, self.listen, JUNCTION_PATH, "vers=4.2,nconnect=4", target)
    }

    fn host_server(&self) -> Option<HostServer> {
        let address = (self.listen, PORT).into();
        Some(HostServer { address, path: JUNCTION_PATH, pid: self.server.pid()?, data: self.pool.clone() })
    }

    fn kill(&mut self) -> Result<()> {
        self.server.kill()
    }

    fn restart(&mut self) -> Result<()> {
        self.serve()
    }

    fn stop(&mut self) -> Result<()> {
        self.server.stop(PATIENCE)
    }
}
