//! Why an address cannot be acquired, released or checked.

use std::io;

use crate::{Mac, ServiceAddress};

/// Why a service address cannot be acquired, released or checked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The device does not exist.
    #[error(
        "address {ip}: there is no device {device} on this machine; `ip link` lists its devices",
        ip = address.ip(),
        device = address.device()
    )]
    NoDevice {
        /// The address that the caller asked for.
        address: ServiceAddress,
    },
    /// The device is switched off.
    #[error(
        "address {ip}: device {device} is down; start it with `ip link set {device} up`",
        ip = address.ip(),
        device = address.device()
    )]
    DeviceDown {
        /// The address that the caller asked for.
        address: ServiceAddress,
    },
    /// The device is switched on, but not connected.
    #[error(
        "address {ip}: device {device} is up but has no link; check its cable and what it is connected to, and \
         `ip link show {device}`",
        ip = address.ip(),
        device = address.device()
    )]
    NoLink {
        /// The address that the caller asked for.
        address: ServiceAddress,
    },
    /// Another device of this machine has the address.
    #[error(
        "address {ip} is on device {other} of this machine, not on {device}; name that device, or remove the address there: \
         `ip address show {other}`",
        ip = address.ip(),
        device = address.device()
    )]
    OtherDevice {
        /// The address that the caller asked for.
        address: ServiceAddress,
        /// The device that has it.
        other: String,
    },
    /// Another machine answers for the address, or is acquiring it at the same moment.
    #[error(
        "address {ip} on {device} is in use by {mac}; stop the service on that machine or fence it, or choose another address",
        ip = address.ip(),
        device = address.device()
    )]
    Taken {
        /// The address that the caller asked for.
        address: ServiceAddress,
        /// The hardware address of the other machine.
        mac: Mac,
    },
    /// The process has no permission.
    #[error(
        "address {address}: the process needs {capability} to {action}; run it as root, or let systemd grant it: \
         `AmbientCapabilities=CAP_NET_ADMIN CAP_NET_RAW`"
    )]
    Permission {
        /// The address that the caller asked for.
        address: ServiceAddress,
        /// What the process tried, as in "add it".
        action: &'static str,
        /// The capability that it needs, as in "CAP_NET_ADMIN".
        capability: &'static str,
    },
    /// The device does not take IPv6 addresses.
    #[error(
        "address {ip}: IPv6 is disabled on device {device}; enable it with `sysctl net.ipv6.conf.{device}.disable_ipv6=0`",
        ip = address.ip(),
        device = address.device()
    )]
    Ipv6Disabled {
        /// The address that the caller asked for.
        address: ServiceAddress,
    },
    /// A request to the kernel failed for another reason.
    #[error("address {address}: cannot {action}: {source}; `dmesg` may say more")]
    System {
        /// The address that the caller asked for.
        address: ServiceAddress,
        /// What the process tried, as in "add it".
        action: &'static str,
        /// The system's error.
        source: io::Error,
    },
}
