//! Acquiring and releasing a service address.

use std::io;
use std::time::Duration;

use tokio::task::{AbortHandle, spawn_blocking};

use crate::netlink::{Device, Netlink};
use crate::segment::{self, Announcer};
use crate::{Error, Mac, ServiceAddress};

/// How often an address is probed for and announced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many times [`acquire`] asks whether another machine has the address. 0: it does not ask. Default: 3.
    pub probes: u32,
    /// How long each probe waits for an answer. Default: 200 ms.
    ///
    /// RFC 5227 section 2.1.1 asks for at least 1 s between three probes, for networks where anybody may take any address. Here
    /// the other machine is known to be on the segment and to answer within milliseconds, if it answers at all.
    pub probe_interval: Duration,
    /// How many times the address is announced; at least once. Default: 3.
    pub announcements: u32,
    /// The time between announcements. Default: 400 ms.
    pub announcement_interval: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            probes: 3,
            probe_interval: Duration::from_millis(200),
            announcements: 3,
            announcement_interval: Duration::from_millis(400),
        }
    }
}

/// A service address that this machine has acquired.
///
/// Dropping this leaves the address in place. Only [`Held::release`] removes it.
#[derive(Debug)]
pub struct Held {
    address: ServiceAddress,
    was_present: bool,
    /// The announcements that are still to come.
    announcements: Option<AbortHandle>,
}

impl Held {
    /// The address.
    pub fn address(&self) -> &ServiceAddress {
        &self.address
    }

    /// Whether this machine already had the address when it was acquired, for example because an earlier process was killed.
    pub fn was_present(&self) -> bool {
        self.was_present
    }

    /// Stops announcing the address and removes it from this machine.
    ///
    /// An address that was present before it was acquired is removed too: it belongs to the service, not to the machine. An
    /// address that somebody else has removed is no error.
    ///
    /// # Errors
    /// As [`release`].
    pub async fn release(self) -> Result<(), Error> {
        if let Some(announcements) = &self.announcements {
            announcements.abort();
        }
        release(&self.address).await
    }
}

/// Adds a service address to its device, after making sure that no other machine answers for it, and announces it to the segment.
///
/// In order:
/// 1. The device must exist, be up and have a link.
/// 2. If the device has the address already, with whatever prefix, it is taken over without probing ([`Held::was_present`]).
/// 3. Otherwise the segment is probed: by ARP for IPv4 (RFC 5227), by neighbour discovery for IPv6 (RFC 4862). A machine with another
///    hardware address that answers, or that probes for the same IPv4 address at the same moment, ends it. An IPv6 address is added
///    as `nodad` afterwards, since the kernel's own detection of duplicates takes up to 2 s.
/// 4. The address is added, as `ip address add` does: without a broadcast address.
/// 5. It is announced: by ARP for IPv4, as request and as reply, and by unsolicited advertisements for IPv6 (RFC 4861 section 7.2.6).
///    The first announcement is sent before this returns, the others by a task of the current tokio runtime. An announcement
///    that cannot be sent is logged.
///
/// Devices that use neither ARP nor neighbour discovery over Ethernet, such as `lo`, dummy and tunnel devices or InfiniBand, are
/// neither probed nor announced on.
///
/// With the default options this takes 600 ms, or a few milliseconds if the address is present.
///
/// If the future is dropped before it ends, the address may have been added. [`release`] removes it.
///
/// # Errors
/// As [`acquire_while`].
pub async fn acquire(address: &ServiceAddress, options: &Options) -> Result<Held, Error> {
    acquire_while(address, options, || true).await
}

/// Like [`acquire`], but announces the address only while `is_owner`: a machine that may have lost it to another one must not have
/// clients send to it. It goes on when it is the owner again.
///
/// # Errors
/// No address is added if this fails.
/// - [`Error::NoDevice`], [`Error::DeviceDown`], [`Error::NoLink`], [`Error::Ipv6Disabled`]: the device cannot be used.
/// - [`Error::OtherDevice`]: another device of this machine has the address.
/// - [`Error::Taken`]: another machine has it.
/// - [`Error::Permission`]: CAP_NET_ADMIN or CAP_NET_RAW is missing.
/// - [`Error::System`]: the kernel refused for another reason.
pub async fn acquire_while<F>(address: &ServiceAddress, options: &Options, is_owner: F) -> Result<Held, Error>
where
    F: Fn() -> bool + Send + Sync + 'static,
{
    let netlink = Netlink::connect(address)?;
    let device = usable_device(&netlink, address).await?;
    let was_present = take_over(&netlink, &device, address).await?;
    let announcer = match device.neighbours_ask_for {
        Some(mac) => Some(open_announcer(&device, mac, address).await?),
        None => None,
    };
    if !was_present {
        if let Some(mac) = device.neighbours_ask_for {
            probe(&device, mac, address, options).await?;
        }
        netlink.add(&device).await?;
    }
    let announcements = match announcer {
        Some(announcer) => Some(announce(announcer, address, options, is_owner).await),
        None => None,
    };
    Ok(Held { address: address.clone(), was_present, announcements })
}

/// Removes a service address from its device, for example one that a process left behind that was killed.
///
/// An address or a device that does not exist is no error. Other IPv4 addresses of the same network on the device, which the kernel
/// may remove together with the first one, are kept.
///
/// # Errors
/// [`Error::Permission`] without CAP_NET_ADMIN, or [`Error::System`].
pub async fn release(address: &ServiceAddress) -> Result<(), Error> {
    let netlink = Netlink::connect(address)?;
    let Some(device) = netlink.device().await? else { return Ok(()) };
    for entry in netlink.entries().await?.iter().filter(|entry| entry.device() == device.index) {
        netlink.remove(entry).await?;
    }
    Ok(())
}

/// The machine on the device's segment that also has a service address, if one answers within `options.probes` times `options.probe_interval`.
/// This machine may have the address itself.
///
/// # Errors
/// As [`acquire`], except [`Error::Taken`].
pub async fn other_owner(address: &ServiceAddress, options: &Options) -> Result<Option<Mac>, Error> {
    let netlink = Netlink::connect(address)?;
    let device = usable_device(&netlink, address).await?;
    let Some(mac) = device.neighbours_ask_for else { return Ok(None) };
    match probe(&device, mac, address, options).await {
        Ok(()) => Ok(None),
        Err(Error::Taken { mac, .. }) => Ok(Some(mac)),
        Err(error) => Err(error),
    }
}

/// Whether this machine has a service address on its device, and the device is up. Needs no privilege.
///
/// This says nothing about the device's link, nor about other machines.
///
/// # Errors
/// [`Error::System`].
pub async fn check(address: &ServiceAddress) -> Result<bool, Error> {
    let netlink = Netlink::connect(address)?;
    let Some(device) = netlink.device().await?.filter(|device| device.is_up) else { return Ok(false) };
    let entries = netlink.entries().await?;
    Ok(entries.iter().any(|entry| entry.device() == device.index && entry.is_usable()))
}

async fn usable_device(netlink: &Netlink<'_>, address: &ServiceAddress) -> Result<Device, Error> {
    let address = || address.clone();
    let device = netlink.device().await?.ok_or_else(|| Error::NoDevice { address: address() })?;
    if !device.is_up {
        return Err(Error::DeviceDown { address: address() });
    }
    if !device.has_link {
        return Err(Error::NoLink { address: address() });
    }
    Ok(device)
}

/// Whether the device has the address already.
async fn take_over(netlink: &Netlink<'_>, device: &Device, address: &ServiceAddress) -> Result<bool, Error> {
    let mut was_present = false;
    for entry in netlink.entries().await? {
        if entry.device() != device.index {
            let other = netlink.device_of(&entry).await?;
            return Err(Error::OtherDevice { address: address.clone(), other });
        }
        if entry.is_usable() {
            was_present = true;
        } else {
            // The kernel is still looking for duplicates, or has found one. Probing finds out again.
            netlink.remove(&entry).await?;
        }
    }
    Ok(was_present)
}

async fn open_announcer(device: &Device, mac: Mac, address: &ServiceAddress) -> Result<Announcer, Error> {
    let (device, ip) = (device.clone(), address.ip());
    let opened = blocking(move || Announcer::open(&device, mac, ip)).await;
    opened.map_err(|error| failed(address, "announce it", error))
}

async fn probe(device: &Device, mac: Mac, address: &ServiceAddress, options: &Options) -> Result<(), Error> {
    let (device, ip) = (device.clone(), address.ip());
    let (probes, interval) = (options.probes, options.probe_interval);
    match blocking(move || segment::probe(&device, mac, ip, probes, interval)).await {
        Ok(None) => Ok(()),
        Ok(Some(mac)) => Err(Error::Taken { address: address.clone(), mac }),
        Err(error) => Err(failed(address, "ask the network who has it", error)),
    }
}

/// Announces the address once, and starts a task that announces it again, both while `is_owner`.
async fn announce<F>(
    announcer: Announcer,
    address: &ServiceAddress,
    options: &Options,
    is_owner: F,
) -> AbortHandle
where
    F: Fn() -> bool + Send + Sync + 'static,
{
    let mut announcer = announce_once(announcer, address, &is_owner).await;
    let (address, options) = (address.clone(), options.clone());
    let task = tokio::spawn(async move {
        for _ in 1..options.announcements {
            tokio::time::sleep(options.announcement_interval).await;
            let Some(again) = announcer else { return };
            announcer = announce_once(again, &address, &is_owner).await;
        }
    });
    task.abort_handle()
}

/// Announces the address if `is_owner`. Returns the announcer, unless the runtime is shutting down.
async fn announce_once(
    mut announcer: Announcer,
    address: &ServiceAddress,
    is_owner: impl Fn() -> bool,
) -> Option<Announcer> {
    if !is_owner() {
        return Some(announcer);
    }
    let sent = blocking(move || {
        let sent = announcer.announce();
        Ok((announcer, sent))
    });
    let (announcer, sent) = sent.await.ok()?;
    if let Err(error) = sent {
        tracing::warn!(%address, %error, "cannot announce the address; clients may send to its last owner");
    }
    Some(announcer)
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    spawn_blocking(work).await.map_err(io::Error::other)?
}

fn failed(address: &ServiceAddress, action: &'static str, source: io::Error) -> Error {
    let address = address.clone();
    match source.kind() {
        io::ErrorKind::PermissionDenied => Error::Permission { address, action, capability: "CAP_NET_RAW" },
        _ => Error::System { address, action, source },
    }
}
