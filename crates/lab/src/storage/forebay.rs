//! `forebay`: this very binary as a daemon, on the host, with a pool in the scratch folder.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::server::Server;
use super::{Space, Storage, StorageKind, Usage, mount_nfs, usage};
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
        let mut command = Command::new(program);
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

impl Forebay {
    /// Runs a command of this program against the pool.
    fn admin(&self, words: &[&str]) -> Result<Output> {
        let program = std::env::current_exe().context("find this program")?;
        let mut command = Command::new(program);
        command.args(words).arg("--pool-directory").arg(&self.pool);
        command.output().with_context(|| format!("run forebay {}", words.join(" ")))
    }
}

/// What `forebay pool show --json` says, as far as the lab needs it.
#[derive(Deserialize)]
struct PoolShown {
    bytes_logical: u64,
    bytes_total: u64,
    bytes_free: u64,
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

    fn kill(&mut self) -> Result<()> {
        self.server.kill()
    }

    fn restart(&mut self) -> Result<()> {
        self.serve()
    }

    fn space(&self) -> Result<Space> {
        let output = self.admin(&["pool", "show", "--json"])?;
        if !output.status.success() {
            bail!("forebay pool show failed: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        let shown: PoolShown = serde_json::from_slice(&output.stdout).context("parse what pool show says")?;
        Ok(Space {
            logical: shown.bytes_logical,
            physical: shown.bytes_total.saturating_sub(shown.bytes_free),
            folder: usage::allocated_bytes(&self.pool)?,
        })
    }

    fn usage(&self) -> Result<Usage> {
        usage::of_process(self.server.pid()?)
    }

    fn check(&self) -> Result<Vec<String>> {
        let output = self.admin(&["pool", "check", "--read"])?;
        let lines = String::from_utf8_lossy(&output.stdout);
        match output.status.code() {
            Some(0) => Ok(Vec::new()),
            Some(4) => Ok(lines.lines().map(str::to_owned).collect()),
            _ => bail!("forebay pool check failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
        }
    }

    fn stop(&mut self) -> Result<()> {
        self.server.stop(PATIENCE)
    }
}
