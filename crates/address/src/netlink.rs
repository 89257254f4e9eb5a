//! The kernel's devices and addresses, through rtnetlink.

use std::io;
use std::net::IpAddr;

use futures::TryStreamExt;
use rtnetlink::packet_route::AddressFamily;
use rtnetlink::packet_route::address::{
    AddressAttribute, AddressFlags, AddressHeaderFlags, AddressMessage, AddressScope,
};
use rtnetlink::packet_route::link::{LinkAttribute, LinkFlags, LinkLayerType, LinkMessage};

use crate::{Error, Mac, ServiceAddress};

/// A connection to the kernel, for one service address. It ends when this is dropped.
pub struct Netlink<'a> {
    handle: rtnetlink::Handle,
    address: &'a ServiceAddress,
}

/// A network device of this machine.
#[derive(Clone, Debug)]
pub struct Device {
    /// The device's number.
    pub index: u32,
    /// The device's name.
    pub name: String,
    /// Whether it is switched on.
    pub is_up: bool,
    /// Whether it is connected to something.
    pub has_link: bool,
    /// Its hardware address; `None` if the neighbours of the device are not found by ARP or neighbour discovery over Ethernet.
    pub neighbours_ask_for: Option<Mac>,
}

/// An address of this machine.
#[derive(Clone, Debug)]
pub struct Entry(AddressMessage);

impl<'a> Netlink<'a> {
    /// Connects to the kernel. Errors will name `address`.
    pub fn connect(address: &'a ServiceAddress) -> Result<Self, Error> {
        let (connection, handle, _) = rtnetlink::new_connection().map_err(|source| Error::System {
            address: address.clone(),
            action: "ask the kernel about devices",
            source,
        })?;
        tokio::spawn(connection);
        Ok(Self { handle, address })
    }

    /// The service address's device, or `None` if there is none of this name.
    pub async fn device(&self) -> Result<Option<Device>, Error> {
        let request = self.handle.link().get().match_name(self.address.device().to_owned());
        match request.execute().try_next().await {
            Ok(message) => Ok(message.map(|message| device(&message))),
            Err(error) => match system_error(error) {
                error if error.raw_os_error() == Some(rustix::io::Errno::NODEV.raw_os_error()) => Ok(None),
                error => Err(self.failed("find its device", error)),
            },
        }
    }

    /// The name of the device that has an entry.
    pub async fn device_of(&self, entry: &Entry) -> Result<String, Error> {
        let mut links = self.handle.link().get().match_index(entry.device()).execute();
        let link =
            links.try_next().await.map_err(|error| self.failed("find a device", system_error(error)))?;
        Ok(link.map(|message| device(&message).name).unwrap_or_default())
    }

    /// Where this machine has the service's IP address. An entry may have another prefix.
    pub async fn entries(&self) -> Result<Vec<Entry>, Error> {
        let mut entries = self.all_entries().await?;
        entries.retain(|entry| entry.ip() == Some(self.address.ip()));
        Ok(entries)
    }

    /// All addresses of this machine, of the same version of IP.
    async fn all_entries(&self) -> Result<Vec<Entry>, Error> {
        let mut request = self.handle.address().get();
        request.message_mut().header.family = match self.address.ip() {
            IpAddr::V4(_) => AddressFamily::Inet,
            IpAddr::V6(_) => AddressFamily::Inet6,
        };
        let entries = request.execute().map_ok(Entry).try_collect().await;
        entries.map_err(|error| self.failed("list the addresses of this machine", system_error(error)))
    }

    /// Adds the service address to a device, as `ip address add` does. The caller has looked for duplicates.
    pub async fn add(&self, device: &Device) -> Result<(), Error> {
        let mut request = self.handle.address().add(device.index, self.address.ip(), self.address.prefix());
        let message = request.message_mut();
        message.attributes.retain(|attribute| !matches!(attribute, AddressAttribute::Broadcast(_)));
        if self.address.ip().is_loopback() && self.address.ip().is_ipv4() {
            message.header.scope = AddressScope::Host;
        }
        if self.address.ip().is_ipv6() {
            // Without this the kernel looks for duplicates itself, which takes 1 to 2 s, and does not use the address meanwhile.
            message.header.flags |= AddressHeaderFlags::Nodad;
        }
        request.execute().await.map_err(|error| self.failed("add it", system_error(error)))
    }

    /// Removes an entry from its device. An entry that is gone already is no error.
    ///
    /// The kernel calls the first IPv4 address of a network on a device primary, and removes the others together with it, unless the
    /// device's setting `promote_secondaries` says otherwise. These are put back.
    pub async fn remove(&self, entry: &Entry) -> Result<(), Error> {
        let before = self.all_entries().await?;
        let gone = rustix::io::Errno::ADDRNOTAVAIL.raw_os_error();
        match self.handle.address().del(entry.0.clone()).execute().await.map_err(system_error) {
            Err(error) if error.raw_os_error() != Some(gone) => return Err(self.failed("remove it", error)),
            _ => {}
        }
        let after = self.all_entries().await?;
        let is_lost = |other: &&Entry| {
            other.device() == entry.device()
                && other.ip() != entry.ip()
                && after.iter().all(|kept| kept.ip() != other.ip() || kept.device() != other.device())
        };
        for lost in before.iter().filter(|other| other.is_secondary()).filter(is_lost) {
            self.put_back(lost).await?;
        }
        Ok(())
    }

    async fn put_back(&self, entry: &Entry) -> Result<(), Error> {
        let Some(ip) = entry.ip() else { return Ok(()) };
        let mut request = self.handle.address().add(entry.device(), ip, entry.0.header.prefix_len);
        let message = request.message_mut();
        message.header.scope = entry.0.header.scope;
        message.attributes = entry.0.attributes.clone();
        message.attributes.retain(|attribute| match attribute {
            AddressAttribute::Address(_)
            | AddressAttribute::Local(_)
            | AddressAttribute::Broadcast(_)
            | AddressAttribute::Label(_)
            | AddressAttribute::RoutePriority(_)
            | AddressAttribute::CacheInfo(_) => true,
            // The kernel decides which address is primary.
            AddressAttribute::Flags(flags) => !flags.contains(AddressFlags::Secondary),
            _ => false,
        });
        tracing::info!(%ip, "the kernel removed this address of the same network too; it is put back");
        let put_back = request.execute().await;
        put_back.map_err(|error| self.failed("put another address of its network back", system_error(error)))
    }

    fn failed(&self, action: &'static str, source: io::Error) -> Error {
        let address = self.address.clone();
        match source.raw_os_error().map(rustix::io::Errno::from_raw_os_error) {
            Some(rustix::io::Errno::PERM) => {
                Error::Permission { address, action, capability: "CAP_NET_ADMIN" }
            }
            Some(rustix::io::Errno::ACCESS) if address.ip().is_ipv6() => Error::Ipv6Disabled { address },
            _ => Error::System { address, action, source },
        }
    }
}

impl Entry {
    /// The number of the device that has the address.
    pub fn device(&self) -> u32 {
        self.0.header.index
    }

    /// Whether the kernel uses the address: it neither looks for duplicates nor has found one.
    pub fn is_usable(&self) -> bool {
        !self.flags().intersects(AddressFlags::Tentative | AddressFlags::Dadfailed)
    }

    fn is_secondary(&self) -> bool {
        self.ip().is_some_and(|ip| ip.is_ipv4()) && self.flags().contains(AddressFlags::Secondary)
    }

    fn flags(&self) -> AddressFlags {
        let all = self.0.attributes.iter().find_map(|attribute| match attribute {
            AddressAttribute::Flags(flags) => Some(*flags),
            _ => None,
        });
        all.unwrap_or(AddressFlags::from_bits_retain(u32::from(self.0.header.flags.bits())))
    }

    /// The machine's own address. On a point-to-point link the other attribute is the peer's.
    fn ip(&self) -> Option<IpAddr> {
        let local = self.0.attributes.iter().find_map(|attribute| match attribute {
            AddressAttribute::Local(ip) => Some(*ip),
            _ => None,
        });
        local.or_else(|| {
            self.0.attributes.iter().find_map(|attribute| match attribute {
                AddressAttribute::Address(ip) => Some(*ip),
                _ => None,
            })
        })
    }
}

fn device(message: &LinkMessage) -> Device {
    let name = message.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::IfName(name) => Some(name.clone()),
        _ => None,
    });
    let mac = message.attributes.iter().find_map(|attribute| match attribute {
        LinkAttribute::Address(mac) => Some(Mac(mac.as_slice().try_into().ok()?)),
        _ => None,
    });
    let flags = message.header.flags;
    let has_neighbours = message.header.link_layer_type == LinkLayerType::Ether
        && !flags.intersects(LinkFlags::Noarp | LinkFlags::Loopback);
    Device {
        index: message.header.index,
        name: name.unwrap_or_default(),
        is_up: flags.contains(LinkFlags::Up),
        has_link: flags.contains(LinkFlags::Running),
        neighbours_ask_for: mac.filter(|_| has_neighbours),
    }
}

fn system_error(error: rtnetlink::Error) -> io::Error {
    match error {
        rtnetlink::Error::NetlinkError(message) => message.to_io(),
        other => io::Error::other(other),
    }
}
