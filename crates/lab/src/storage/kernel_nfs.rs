//! `knfsd-v3` and `knfsd-v4`: the Linux kernel's own NFS server, in a guest of its own with ext4 on a disk image. The baseline.
//!
//! The server's user-space half (rpcbind, rpc.mountd, exportfs, rpc.nfsd) comes from the toolbox. It reads its configuration
//! from `/etc`, so this guest gets a small `/etc` of its own over the host's.

use std::time::Duration;

use anyhow::{Context, Result};

use super::interface::Storage;
use super::local;
use super::nfs::mount_nfs;
use crate::host::{Environment, Guest, GuestCommand, GuestSpec, Process};
use crate::request::StorageKind;
use crate::wire::Mount;

/// The version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// NFSv3, without locks over the network.
    V3,
    /// NFSv4.2.
    V4,
}

/// The storage.
pub struct KernelNfs {
    version: Version,
    guest: Guest,
    daemons: Vec<Process>,
    packages: Vec<(String, String)>,
}

const EXPORT: &str = "/mnt/export";
const DISK_BYTES: u64 = 128 << 30;
const MEMORY_MIB: u32 = 1024;
const THREADS: &str = "8";
const PATIENCE: Duration = Duration::from_secs(30);

/// `fsid=0` makes the export the root of the v4 tree.
const EXPORTS: &str = "/mnt/export *(rw,sync,no_root_squash,no_subtree_check,insecure,fsid=0)\n";

/// The files of the server guest's `/etc`.
const ETC: [(&str, &str); 8] = [
    ("exports", EXPORTS),
    (
        "passwd",
        "root:x:0:0:root:/:/bin/sh\n_rpc:x:101:65534::/run/rpcbind:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n",
    ),
    ("group", "root:x:0:\nnogroup:x:65534:\n"),
    (
        "nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files\nservices: files\nprotocols: files\nrpc: files\n",
    ),
    ("hosts", "127.0.0.1 localhost\n"),
    ("netconfig", NETCONFIG),
    ("protocols", "tcp 6 TCP\nudp 17 UDP\n"),
    ("services", "sunrpc 111/tcp portmapper\nsunrpc 111/udp portmapper\nnfs 2049/tcp\n"),
];

const NETCONFIG: &str = "udp tpi_clts v inet udp - -\ntcp tpi_cots_ord v inet tcp - -\n\
                         udp6 tpi_clts v inet6 udp - -\ntcp6 tpi_cots_ord v inet6 tcp - -\n\
                         local tpi_cots_ord - loopback - - -\n";

impl KernelNfs {
    /// Boots the server's guest and starts the server in it.
    pub fn start(environment: &Environment, version: Version) -> Result<Self> {
        let mut spec = GuestSpec::new("knfsd", MEMORY_MIB);
        spec.disks.push(environment.make_disk("knfsd", DISK_BYTES)?);
        let guest = environment.boot(&spec)?;
        let tools = environment.tools()?;
        let packages = ["user-mode-linux", "nfs-kernel-server"]
            .map(|package| Ok((package.to_owned(), tools.version(package)?)))
            .into_iter()
            .collect::<Result<_>>()?;
        let mut server = Self { version, guest, daemons: Vec::new(), packages };
        server.configure()?;
        server.serve(environment).context("start the kernel's NFS server")?;
        Ok(server)
    }

    fn configure(&self) -> Result<()> {
        let guest = &self.guest;
        local::mount_disk(guest, EXPORT)?;
        guest.mount(&pseudo("tmpfs", "/etc"))?;
        for (name, content) in ETC {
            guest.write_file(format!("/etc/{name}"), content.as_bytes())?;
        }
        guest.mount(&pseudo("tmpfs", "/var"))?;
        for folder in ["/var/lib/nfs/sm", "/var/lib/nfs/nfsdcld", "/run/rpcbind"] {
            guest.make_folder(folder)?;
        }
        for name in ["etab", "rmtab", "xtab"] {
            guest.write_file(format!("/var/lib/nfs/{name}"), b"")?;
        }
        guest.load_modules(&["nfsd"])?;
        guest.mount(&pseudo("nfsd", "/proc/fs/nfsd"))?;
        guest.mount(&pseudo("rpc_pipefs", "/var/lib/nfs/rpc_pipefs"))
    }

    fn serve(&mut self, environment: &Environment) -> Result<()> {
        let log = environment.logs().join("knfsd.log");
        let tools = environment.tools()?;
        let tool = |program: &str| GuestCommand::from_words(tools.words(program)).log(&log);
        self.daemons.push(self.guest.spawn(&tool("usr/sbin/rpcbind").arg("-f"))?);
        self.wait_for_port(111)?;
        // Tells the server that no client has anything to reclaim, so the first open need not wait for the end of the grace period.
        self.daemons.push(self.guest.spawn(&tool("usr/sbin/nfsdcld").arg("-F"))?);
        self.guest.run(&tool("usr/sbin/exportfs").arg("-ra"), PATIENCE)?;
        self.daemons.push(self.guest.spawn(&tool("usr/sbin/rpc.mountd").args(["-F", "-p", "20048"]))?);
        self.guest.run(&tool("usr/sbin/rpc.nfsd").args(["-G", "10", "-L", "15", THREADS]), PATIENCE)?;
        self.wait_for_port(20048)?;
        self.wait_for_port(2049)
    }

    fn wait_for_port(&self, port: u16) -> Result<()> {
        crate::host::wait_for_port(self.guest.address(), port, PATIENCE)
    }
}

impl Storage for KernelNfs {
    fn kind(&self) -> StorageKind {
        match self.version {
            Version::V3 => StorageKind::KnfsdV3,
            Version::V4 => StorageKind::KnfsdV4,
        }
    }

    fn versions(&self) -> Vec<(String, String)> {
        self.packages.clone()
    }

    fn renames_unlinked(&self) -> bool {
        true
    }

    fn mount(&self, guest: &Guest, target: &str) -> Result<()> {
        let server = self.guest.address();
        match self.version {
            Version::V3 => {
                guest.load_modules(&["nfsv3"])?;
                let options = format!("vers=3,nolock,mountvers=3,mountproto=tcp,mountaddr={server}");
                mount_nfs(guest, server, EXPORT, &options, target)
            }
            Version::V4 => {
                guest.load_modules(&["nfsv4"])?;
                mount_nfs(guest, server, "/", "vers=4.2", target)
            }
        }
    }

    fn stop(&mut self) -> Result<()> {
        self.daemons.clear();
        self.guest.stop()
    }
}

fn pseudo(kind: &str, target: &str) -> Mount {
    Mount { source: kind.into(), target: target.into(), kind: kind.into(), options: String::new() }
}
