//! What a storage can do.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};

use crate::host::{Environment, Guest, GuestSpec};
use crate::request::StorageKind;

/// The space of a storage's pool, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Space {
    /// The size of its files without holes; every replica counts.
    pub logical: u64,
    /// The space that they take in the pool: stored chunks with their headers, and tails.
    pub physical: u64,
    /// The space that its folder takes on the host's disk, including preallocated space and space that is not yet cleaned.
    pub folder: u64,
}

/// The resources that a storage's server uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Resident memory, in bytes.
    pub resident: u64,
    /// Bytes written to disk since its start.
    pub written: u64,
}

/// A storage's server, where it runs on the host.
#[derive(Debug, Clone)]
pub struct HostServer {
    /// Where it listens.
    pub address: SocketAddr,
    /// Path of its volume or export.
    pub path: &'static str,
    /// Its process.
    pub pid: u32,
    /// Where it keeps its data.
    pub data: PathBuf,
}

/// A running storage. Dropping it ends it at once.
pub trait Storage: Send {
    /// Which it is.
    fn kind(&self) -> StorageKind;

    /// Names and versions of its software.
    fn versions(&self) -> Vec<(String, String)>;

    /// Adds what a guest needs before it boots.
    fn prepare(&mut self, environment: &Environment, spec: &mut GuestSpec) -> Result<()> {
        let _ = (environment, spec);
        Ok(())
    }

    /// Removes what belonged to a prepared guest that has ended for good.
    fn discard(&mut self, environment: &Environment, guest: &str) -> Result<()> {
        let _ = (environment, guest);
        Ok(())
    }

    /// Sets the number of TCP connections of later mounts, if the storage is reached over the network.
    fn set_connections(&mut self, count: u32) {
        let _ = count;
    }

    /// Mounts it in a guest. Shared by all guests, but for [`StorageKind::Local`].
    fn mount(&self, guest: &Guest, target: &str) -> Result<()>;

    /// Whether a client that removes a file which is still open renames it instead, as far as the lab knows: Kafka's brokers end when
    /// a topic is deleted then.
    fn renames_unlinked(&self) -> bool {
        false
    }

    /// The folder of this host that it is. Brokers run on the host then, and nothing can be mounted in a guest.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Its server on the host, for load generators that speak NFS without a guest.
    fn host_server(&self) -> Option<HostServer> {
        None
    }

    /// Whether its server can be killed and started again, and its files recounted.
    fn can_be_killed(&self) -> bool {
        false
    }

    /// Ends its server at once (kill -9), as a crash would.
    fn kill(&mut self) -> Result<()> {
        bail!("storage {} has no server of its own to kill", self.kind())
    }

    /// Starts its server again on the same data, after [`Storage::kill`].
    fn restart(&mut self) -> Result<()> {
        bail!("storage {} has no server of its own to start again", self.kind())
    }

    /// Its volumes.
    fn volumes(&self) -> Result<&dyn Volumes> {
        bail!("storage {} has no volumes that can be cloned", self.kind())
    }

    /// The size of its content, and the space that it takes.
    fn space(&self) -> Result<Space> {
        bail!("storage {} does not report how much space it takes", self.kind())
    }

    /// The resources that its server uses.
    fn usage(&self) -> Result<Usage> {
        bail!("storage {} has no server whose memory and disk writes can be measured", self.kind())
    }

    /// Checks its consistency, with its server if that runs; returns one sentence for each difference.
    fn check(&self) -> Result<Vec<String>> {
        bail!("storage {} cannot check its consistency", self.kind())
    }

    /// Stops it cleanly. Guests must have unmounted it.
    fn stop(&mut self) -> Result<()>;
}

/// Volumes of a storage: trees that are mounted one by one.
pub trait Volumes {
    /// Makes an empty volume.
    fn create(&self, name: &str) -> Result<()>;

    /// Mounts a volume in a guest.
    fn mount(&self, guest: &Guest, name: &str, target: &str) -> Result<()>;

    /// Limits reads and writes of a volume to this many bytes per second from now on; `None`: no limit.
    fn limit(&self, name: &str, bytes_per_second: Option<u64>) -> Result<()>;

    /// Takes a snapshot of several volumes at one instant; returns how long that took.
    fn snapshot(&self, volumes: &[String], name: &str) -> Result<Duration>;

    /// Makes a volume that can be written of a volume's snapshot; returns how long that took.
    fn clone_snapshot(&self, volume: &str, snapshot: &str, name: &str) -> Result<Duration>;
}
