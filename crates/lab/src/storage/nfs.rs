//! Mounts NFS exports in guests.

use anyhow::Result;

use crate::host::Guest;
use crate::wire::Mount;

/// Mounts an NFS export in a guest, with the common options of all storages: hard, 1 MiB reads and writes.
pub fn mount_nfs(
    guest: &Guest,
    server: std::net::Ipv4Addr,
    path: &str,
    options: &str,
    target: &str,
) -> Result<()> {
    // Without mount.nfs, the kernel parses the options itself, and needs both addresses among them.
    let options = format!(
        "{options},addr={server},clientaddr={},rsize=1048576,wsize=1048576,hard,proto=tcp,timeo=600,retrans=2",
        guest.address()
    );
    let source = format!("{server}:{path}");
    guest.mount(&Mount { source, target: target.into(), kind: "nfs".into(), options })
}
