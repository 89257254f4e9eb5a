//! `local`: a disk of its own for each guest, with ext4 and without NFS. The best case for a broker.

use anyhow::{Context, Result};

use super::interface::Storage;
use crate::host::{Environment, Guest, GuestSpec};
use crate::request::StorageKind;
use crate::wire::Mount;

/// Size of each disk in bytes; only what is written takes space.
const DISK_BYTES: u64 = 64 << 30;

/// The storage.
pub struct LocalDisk {
    kernel: String,
}

impl LocalDisk {
    /// Starts nothing: disks are created when guests are prepared.
    pub fn start(environment: &Environment) -> Result<Self> {
        Ok(Self { kernel: environment.tools()?.version("user-mode-linux")? })
    }
}

impl Storage for LocalDisk {
    fn kind(&self) -> StorageKind {
        StorageKind::Local
    }

    fn versions(&self) -> Vec<(String, String)> {
        vec![("ext4 of user-mode-linux".into(), self.kernel.clone())]
    }

    fn prepare(&mut self, environment: &Environment, spec: &mut GuestSpec) -> Result<()> {
        let disk = environment.make_disk(&disk_name(&spec.name), DISK_BYTES)?;
        spec.disks.insert(0, disk);
        Ok(())
    }

    fn discard(&mut self, environment: &Environment, guest: &str) -> Result<()> {
        environment.remove_disk(&disk_name(guest))
    }

    fn mount(&self, guest: &Guest, target: &str) -> Result<()> {
        mount_disk(guest, target).with_context(|| format!("mount the local disk of {}", guest.name()))
    }

    fn stop(&mut self) -> Result<()> {
        Ok(())
    }
}

fn disk_name(guest: &str) -> String {
    format!("{guest}-local")
}

/// Mounts a guest's first disk.
pub(super) fn mount_disk(guest: &Guest, target: &str) -> Result<()> {
    let source = "/dev/ubda".to_owned();
    guest.mount(&Mount { source, target: target.into(), kind: "ext4".into(), options: String::new() })
}
