//! The network segment of a device: asking its machines who has an address, and telling them that this one has it.
//!
//! The functions here block, for as long as the caller says.

use std::io::{self, Read};
use std::net::{IpAddr, SocketAddrV6};
use std::os::fd::IntoRawFd;
use std::time::{Duration, Instant};

use pnet_datalink::{
    Channel, ChannelType, Config, DataLinkReceiver, DataLinkSender, MacAddr, NetworkInterface,
};
use socket2::{Domain, Protocol, Socket, Type};

use crate::Mac;
use crate::netlink::Device;
use crate::packets::arp::{self, Operation};
use crate::packets::ndp;

/// How long one attempt to receive waits.
const RECEIVE_TIMEOUT: Duration = Duration::from_millis(20);
/// How long a packet may wait for room in the device's queue.
const SEND_TIMEOUT: Duration = Duration::from_millis(100);
/// How much longer than asked packets are read that have arrived already, when a loaded machine reads late.
const LATE_MAX: Duration = Duration::from_millis(100);
/// Larger than any advertisement that matters here. Longer messages are cut.
const PACKET_MAX: usize = 512;

/// Tells the machines of a segment that this machine has an address.
pub struct Announcer {
    sender: Sender,
    packets: Vec<Vec<u8>>,
}

impl Announcer {
    /// Opens a socket for announcements of `ip`. `mac` is the device's.
    pub fn open(device: &Device, mac: Mac, ip: IpAddr) -> io::Result<Self> {
        match ip {
            IpAddr::V4(ip) => {
                let packet = |operation| arp::announcement(operation, mac, ip).to_vec();
                let packets = vec![packet(Operation::Request), packet(Operation::Reply)];
                Ok(Self { sender: Sender::open(device, arp::ETHER_TYPE, Mac::BROADCAST)?, packets })
            }
            IpAddr::V6(ip) => {
                let destination = ndp::multicast_mac(ndp::ALL_NODES);
                let packets = vec![ndp::announcement(mac, ip)];
                Ok(Self { sender: Sender::open(device, ndp::ETHER_TYPE, destination)?, packets })
            }
        }
    }

    /// Announces the address once.
    pub fn announce(&mut self) -> io::Result<()> {
        self.packets.iter().try_for_each(|packet| self.sender.send(packet))
    }
}

/// Asks `probes` times who has `ip`, and waits for `interval` after each. Returns the first machine that answers.
pub fn probe(
    device: &Device,
    mac: Mac,
    ip: IpAddr,
    probes: u32,
    interval: Duration,
) -> io::Result<Option<Mac>> {
    let (mut sender, mut answers, packet) = match ip {
        IpAddr::V4(ip) => {
            let (sender, receiver) = packet_socket(device, arp::ETHER_TYPE, Mac::BROADCAST, None)?;
            (Sender(sender), Answers::Arp(receiver), arp::probe(mac, ip).to_vec())
        }
        IpAddr::V6(ip) => {
            let answers = icmpv6_to_all_nodes(device)?;
            let destination = ndp::multicast_mac(ndp::solicited_node(ip));
            (Sender::open(device, ndp::ETHER_TYPE, destination)?, Answers::Icmpv6(answers), ndp::probe(ip))
        }
    };
    let conflict = |answer: &[u8]| match ip {
        IpAddr::V4(ip) => arp::conflict(answer, mac, ip),
        IpAddr::V6(ip) => ndp::conflict(answer, mac, ip),
    };
    for _ in 0..probes {
        sender.send(&packet)?;
        if let Some(other) = answers.find_until(Instant::now() + interval, conflict)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Where answers arrive.
enum Answers {
    Arp(Box<dyn DataLinkReceiver>),
    /// A packet socket would get everything that arrives by IPv6, and lose answers on a busy device.
    Icmpv6(Socket),
}

impl Answers {
    /// Receives until the deadline, or until `conflict` finds one.
    fn find_until(
        &mut self,
        deadline: Instant,
        conflict: impl Fn(&[u8]) -> Option<Mac>,
    ) -> io::Result<Option<Mac>> {
        loop {
            let received = match self {
                Self::Arp(receiver) => receiver.next().map(&conflict),
                Self::Icmpv6(socket) => {
                    let mut buffer = [0; PACKET_MAX];
                    socket.read(&mut buffer).map(|len| conflict(&buffer[..len]))
                }
            };
            let now = Instant::now();
            match received {
                Ok(Some(other)) => return Ok(Some(other)),
                Ok(None) if now < deadline + LATE_MAX => {}
                Err(error) if !is_timeout(&error) => return Err(error),
                Err(_) if now < deadline => {}
                Ok(None) | Err(_) => return Ok(None),
            }
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

/// Sends packets of one Ethernet type to one hardware address.
struct Sender(Box<dyn DataLinkSender>);

impl Sender {
    /// Opens a socket that only sends.
    fn open(device: &Device, ether_type: u16, destination: Mac) -> io::Result<Self> {
        // Packets that arrive at the socket are not read: they get as little memory as the kernel allows.
        Ok(Self(packet_socket(device, ether_type, destination, Some(0))?.0))
    }

    fn send(&mut self, packet: &[u8]) -> io::Result<()> {
        let too_long = || io::Error::other("the packet is longer than the socket's buffer");
        self.0.send_to(packet, None).ok_or_else(too_long)?
    }
}

/// Opens a packet socket to which the kernel adds Ethernet headers, and which receives packets of one Ethernet type.
fn packet_socket(
    device: &Device,
    ether_type: u16,
    destination: Mac,
    receive_buffer: Option<usize>,
) -> io::Result<(Box<dyn DataLinkSender>, Box<dyn DataLinkReceiver>)> {
    // Programs that the process starts do not inherit this socket. They would inherit one that pnet opens.
    let socket = Socket::new(Domain::PACKET, Type::DGRAM, None)?;
    if let Some(size) = receive_buffer {
        socket.set_recv_buffer_size(size)?;
    }
    let [a, b, c, d, e, f] = destination.0;
    let interface = NetworkInterface {
        name: device.name.clone(),
        description: String::new(),
        index: device.index,
        // In this mode pnet sends to the address that it takes to be the device's.
        mac: Some(MacAddr::new(a, b, c, d, e, f)),
        ips: Vec::new(),
        flags: 0,
    };
    let config = Config {
        read_timeout: Some(RECEIVE_TIMEOUT),
        write_timeout: Some(SEND_TIMEOUT),
        channel_type: ChannelType::Layer3(ether_type),
        promiscuous: false,
        socket_fd: Some(socket.into_raw_fd()),
        ..Config::default()
    };
    match pnet_datalink::channel(&interface, config)? {
        Channel::Ethernet(sender, receiver) => Ok((sender, receiver)),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Opens a socket for ICMPv6 messages to all machines of the segment, without IPv6 headers.
fn icmpv6_to_all_nodes(device: &Device) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV6, Type::RAW, Some(Protocol::ICMPV6))?;
    socket.bind_device(Some(device.name.as_bytes()))?;
    socket.bind(&SocketAddrV6::new(ndp::ALL_NODES, 0, 0, device.index).into())?;
    socket.set_read_timeout(Some(RECEIVE_TIMEOUT))?;
    Ok(socket)
}
