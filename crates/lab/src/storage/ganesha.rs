//! `ganesha`: NFS-Ganesha on the host, on a folder of the host's disk. The server that Forebay is compared with.

use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};

use super::interface::{HostServer, Storage};
use super::nfs::mount_nfs;
use super::server::Server;
use crate::host::{Environment, Guest};
use crate::request::StorageKind;
use crate::toolbox::{Toolbox, Toolset};

/// The storage.
pub struct Ganesha {
    tools: Toolbox,
    server: Server,
    folder: PathBuf,
    log: PathBuf,
    listen: Ipv4Addr,
    version: String,
}

/// Not 2049, so that it can run beside Forebay at one address.
const PORT: u16 = 2050;
const PSEUDO_PATH: &str = "/kafka";
const PATIENCE: Duration = Duration::from_secs(30);

impl Ganesha {
    /// Starts it on an empty folder.
    pub fn start(environment: &Environment) -> Result<Self> {
        let tools = environment.tools_of(Toolset::Bench)?;
        let folder = environment.fresh("ganesha")?;
        for name in ["export", "recovery"] {
            let path = folder.join(name);
            fs::create_dir_all(&path).with_context(|| format!("make {}", path.display()))?;
        }
        let (server, log, listen) =
            (Server::new("ganesha.nfsd"), environment.logs().join("ganesha.log"), environment.gateway());
        let mut storage = Self { version: tools.version("nfs-ganesha")?, tools, server, folder, log, listen };
        let path = storage.config_path();
        fs::write(&path, configuration(&storage.tools, &storage.folder, listen))
            .with_context(|| format!("write {}", path.display()))?;
        storage.serve()?;
        Ok(storage)
    }

    fn config_path(&self) -> PathBuf {
        self.folder.join("ganesha.conf")
    }

    fn serve(&mut self) -> Result<()> {
        let log = File::options()
            .create(true)
            .append(true)
            .open(&self.log)
            .with_context(|| format!("open {}", self.log.display()))?;
        let mut command = self.tools.command("usr/bin/ganesha.nfsd");
        command.arg("-F").arg("-f").arg(self.config_path()).args(["-N", "NIV_EVENT"]);
        command.arg("-L").arg("/dev/stderr").arg("-p").arg(self.folder.join("pid"));
        self.server.start(&mut command, log)?;
        self.server
            .wait_for_port(self.listen, PORT, PATIENCE)
            .with_context(|| format!("NFS-Ganesha did not come up; its log is {}", self.log.display()))
    }
}

/// Its configuration: the defaults, except for what it needs to run from a folder.
fn configuration(tools: &Toolbox, folder: &Path, address: Ipv4Addr) -> String {
    let plugins = tools.path("usr/lib/x86_64-linux-gnu/ganesha");
    let (plugins, folder) = (plugins.display(), folder.display());
    // Owners go over the wire as numbers. Without allow_set_io_flusher_fail it refuses to start where CAP_SYS_RESOURCE is missing, as in most containers.
    format!(
        "NFS_CORE_PARAM {{\n  Protocols = 4;\n  NFS_Port = {PORT};\n  Bind_addr = {address};\n  \
         Plugins_Dir = \"{plugins}\";\n  Enable_NLM = false;\n  Enable_RQUOTA = false;\n  \
         allow_set_io_flusher_fail = true;\n}}\n\
         NFSv4 {{\n  Graceless = true;\n  Minor_Versions = 1, 2;\n  RecoveryBackend = fs;\n  \
         RecoveryRoot = \"{folder}/recovery\";\n}}\n\
         DIRECTORY_SERVICES {{\n  Idmapping_Active = false;\n}}\n\
         EXPORT {{\n  Export_Id = 1;\n  Path = \"{folder}/export\";\n  Pseudo = {PSEUDO_PATH};\n  Access_Type = RW;\n  \
         Squash = No_Root_Squash;\n  SecType = sys;\n  FSAL {{ Name = VFS; }}\n}}\n"
    )
}

impl Storage for Ganesha {
    fn kind(&self) -> StorageKind {
        StorageKind::Ganesha
    }

    fn versions(&self) -> Vec<(String, String)> {
        vec![("nfs-ganesha".into(), self.version.clone())]
    }

    fn renames_unlinked(&self) -> bool {
        true
    }

    fn mount(&self, guest: &Guest, target: &str) -> Result<()> {
        guest.load_modules(&["nfsv4"])?;
        let options = format!("vers=4.2,nconnect=4,port={PORT}");
        mount_nfs(guest, self.listen, PSEUDO_PATH, &options, target)
    }

    fn host_server(&self) -> Option<HostServer> {
        let (address, data) = ((self.listen, PORT).into(), self.folder.join("export"));
        Some(HostServer { address, path: PSEUDO_PATH, pid: self.server.pid()?, data })
    }

    fn kill(&mut self) -> Result<()> {
        self.server.kill()
    }

    fn renew(&mut self) -> Result<()> {
        self.stop()?;
        self.serve()
    }

    fn stop(&mut self) -> Result<()> {
        self.server.stop(PATIENCE)
    }
}
