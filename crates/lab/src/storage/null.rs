//! `null`: the lab's NFS server that does no work, on the host. What a load takes on it is the share of the client and the network.

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::interface::{HostServer, Storage};
use super::nfs::mount_nfs;
use super::server::Server;
use crate::executable;
use crate::host::{Environment, Guest};
use crate::request::StorageKind;

/// The storage.
pub struct Null {
    server: Server,
    folder: PathBuf,
    listen: Ipv4Addr,
}

const PORT: u16 = 2052;
const PATH: &str = "/kafka";
const PATIENCE: Duration = Duration::from_secs(30);

impl Null {
    /// Starts it. Its folder stays empty.
    pub fn start(environment: &Environment) -> Result<Self> {
        let log_path = environment.logs().join("null.log");
        let log = File::create(&log_path).with_context(|| format!("create {}", log_path.display()))?;
        let folder = environment.fresh("null")?;
        fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
        let mut storage =
            Self { server: Server::new("the null server"), folder, listen: environment.gateway() };
        let mut command = Command::new(executable::lab()?);
        command.args(["probe", "null-server", "--listen", &format!("{}:{PORT}", storage.listen)]);
        storage.server.start(&mut command, log)?;
        storage.server.wait_for_port(storage.listen, PORT, PATIENCE)?;
        Ok(storage)
    }
}

impl Storage for Null {
    fn kind(&self) -> StorageKind {
        StorageKind::Null
    }

    fn versions(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn mount(&self, guest: &Guest, target: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        mount_nfs(guest, self.listen, PATH, &format!("vers=4.2,nconnect=4,port={PORT}"), target)
    }

    fn host_server(&self) -> Option<HostServer> {
        let address = (self.listen, PORT).into();
        Some(HostServer { address, path: PATH, pid: self.server.pid()?, data: self.folder.clone() })
    }

    fn stop(&mut self) -> Result<()> {
        self.server.kill()
    }
}
