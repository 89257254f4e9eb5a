//! The interface of storages.

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
}

/// The bytes that a storage has written to its disk since its server started, as the server counts them. The kernel counts whole folios
/// of the page cache for a process: a write of 4 KiB may count as 512 KiB.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Appended to segments, or handed to the metadata store.
    pub stored: u64,
    /// Written to the intent log, for small syncs. It stays there for seconds, until it is stored.
    pub logged: u64,
}

/// A storage's server, where it runs on the host.
#[derive(Debug, Clone)]
pub struct HostServer {
    /// The address that it listens on.
    pub address: SocketAddr,
    /// Path of its volume or export.
    pub path: &'static str,
    /// Its process.
    pub pid: u32,
    /// The folder of its data.
    pub data: PathBuf,
}

/// A running storage. Dropping it ends it at once.
pub trait Storage: Send {
    /// Its kind.
    fn kind(&self) -> StorageKind;

    /// Names and versions of its software.
    fn versions(&self) -> Vec<(String, String)>;

    /// Adds the storage's requirements to a guest's specification, before it boots.
    fn prepare(&mut self, environment: &Environment, spec: &mut GuestSpec) -> Result<()> {
        let _ = (environment, spec);
        Ok(())
    }

    /// Removes the files of a prepared guest that has ended and will not restart.
    fn discard(&mut self, environment: &Environment, guest: &str) -> Result<()> {
        let _ = (environment, guest);
        Ok(())
    }

    /// Sets the number of TCP connections of later mounts, if the storage is reached over the network.
    fn set_connections(&mut self, count: u32) {
        let _ = count;
    }

    /// Mounts it in a guest. All guests share it, except for [`StorageKind::Local`].
    fn mount(&self, guest: &Guest, target: &str) -> Result<()>;

    /// Whether clients rename a removed file that is still open, as far as the lab knows. Deleting a topic then ends Kafka's
    /// brokers.
    fn renames_unlinked(&self) -> bool {
        false
    }

    /// The folder, if the storage is a folder of this host. Then brokers run on the host, and nothing can be mounted in a guest.
    fn folder(&self) -> Option<&Path> {
        None
    }

    /// Its server on the host, for load generators that speak NFS without a guest.
    fn host_server(&self) -> Option<HostServer> {
        None
    }

    /// Whether its server can be killed and restarted, and its consistency checked.
    fn can_be_killed(&self) -> bool {
        false
    }

    /// Kills its server (kill -9), like a crash.
    fn kill(&mut self) -> Result<()> {
        bail!("storage {} has no server of its own to kill", self.kind())
    }

    /// Starts its server again on the same data, after [`Storage::kill`].
    fn restart(&mut self) -> Result<()> {
        bail!("storage {} has no server of its own to start again", self.kind())
    }

    /// Stops its server cleanly and starts it again on the same data, if it has one on the host. No guest has it mounted.
    fn renew(&mut self) -> Result<()> {
        Ok(())
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
        bail!("storage {} has no server whose memory can be measured", self.kind())
    }

    /// The bytes that it has written to its disk.
    fn written(&self) -> Result<Written> {
        bail!("storage {} does not say what it writes to its disk", self.kind())
    }

    /// Checks its consistency, through its server if that runs. Returns one sentence for each difference.
    fn check(&self) -> Result<Vec<String>> {
        bail!("storage {} cannot check its consistency", self.kind())
    }

    /// Stops it cleanly. Guests must have unmounted it.
    fn stop(&mut self) -> Result<()>;
}

/// The volumes of a storage: file trees that are mounted individually.
pub trait Volumes {
    /// Makes an empty volume.
    fn create(&self, name: &str) -> Result<()>;

    /// Mounts a volume in a guest.
    fn mount(&self, guest: &Guest, name: &str, target: &str) -> Result<()>;

    /// Limits reads and writes of a volume to this many bytes per second, from now on. `None` removes the limit.
    fn limit(&self, name: &str, bytes_per_second: Option<u64>) -> Result<()>;

    /// Takes a snapshot of several volumes at one instant. Returns the time it took.
    fn snapshot(&self, volumes: &[String], name: &str) -> Result<Duration>;

    /// Clones a volume's snapshot. Returns the time it took.
    fn clone_snapshot(&self, volume: &str, snapshot: &str, name: &str) -> Result<Duration>;
}
