//! The lab's networks: two bridges in the worker's own network namespace, and one tap device per guest.
//!
//! Nothing is removed explicitly: bridges and taps disappear with the namespace when its last process ends.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::exec;

/// The lab's two networks. A guest is on one of them and cannot reach the other; the host is on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Side {
    /// The default.
    #[default]
    First,
    /// For guests that must not reach the others.
    Second,
}

impl Side {
    const ALL: [Self; 2] = [Self::First, Self::Second];

    pub(super) fn bridge(self) -> &'static str {
        match self {
            Self::First => "lab0",
            Self::Second => "lab1",
        }
    }

    /// The host's address there.
    pub fn gateway(self) -> Ipv4Addr {
        match self {
            Self::First => GATEWAY,
            Self::Second => Ipv4Addr::new(10, 99, 1, 1),
        }
    }
}

/// The length of the network's prefix.
pub const PREFIX: u8 = 24;

/// The address on which programs of the host listen. Both networks reach it.
pub const GATEWAY: Ipv4Addr = Ipv4Addr::new(10, 99, 0, 1);

/// The kernel's setting for IP forwarding.
const FORWARDING: &str = "/proc/sys/net/ipv4/ip_forward";

/// The TCP congestion control on the lab's networks. Every kernel has this one, and every namespace may select it.
///
/// A new namespace has the host's default. BBR, the default of some hosts, paces packets by the last measured rate, and limits the data in
/// flight accordingly. This does not suit guests, which share a processor with others and receive in bursts.
pub const CONGESTION_CONTROL: &str = "reno";

pub(super) const CONGESTION_CONTROL_SETTING: &str = "/proc/sys/net/ipv4/tcp_congestion_control";

/// Last byte of the first guest's address.
const FIRST_GUEST: u8 = 11;

/// Sets up the network of a run without guests: the loopback device, on which native nodes have addresses of their own. The process must
/// be in a network namespace of its own.
pub fn begin_loopback() -> Result<()> {
    ip(&["link", "set", "lo", "up"])
}

/// The bridges, and the guests on them.
#[derive(Debug)]
pub struct Network {
    taps: Mutex<Vec<Side>>,
}

/// A guest's connection to the network.
#[derive(Debug, Clone)]
pub struct Port {
    /// Name of the tap device.
    pub tap: String,
    /// The guest's address.
    pub address: Ipv4Addr,
    /// The host's address on the guest's network.
    pub gateway: Ipv4Addr,
}

impl Network {
    /// Creates the bridges. The process must be in a network namespace of its own.
    pub fn create() -> Result<Self> {
        // A new namespace can have the machine's settings.
        for (setting, value) in [(FORWARDING, "0"), (CONGESTION_CONTROL_SETTING, CONGESTION_CONTROL)] {
            fs::write(setting, value).with_context(|| format!("write {value} to {setting}"))?;
        }
        begin_loopback()?;
        for side in Side::ALL {
            let address = format!("{}/{PREFIX}", side.gateway());
            ip(&["link", "add", side.bridge(), "type", "bridge"])?;
            ip(&["address", "add", &address, "dev", side.bridge()])?;
            ip(&["link", "set", side.bridge(), "up"])?;
        }
        Ok(Self { taps: Mutex::default() })
    }

    /// Adds a tap for one more guest.
    pub fn add_port(&self, side: Side) -> Result<Port> {
        let mut taps = self.taps.lock().unwrap_or_else(PoisonError::into_inner);
        let index = u8::try_from(taps.len()).ok();
        let last = index.and_then(|index| FIRST_GUEST.checked_add(index)).filter(|last| *last < 255);
        let [a, b, c, _] = side.gateway().octets();
        let port = Port {
            tap: tap(taps.len()),
            address: Ipv4Addr::new(
                a,
                b,
                c,
                last.context(
                    "a run has 244 guests at most, one after another or at once; ask for fewer repetitions",
                )?,
            ),
            gateway: side.gateway(),
        };
        ip(&["tuntap", "add", "dev", &port.tap, "mode", "tap"])?;
        ip(&["link", "set", &port.tap, "master", side.bridge(), "up"])?;
        taps.push(side);
        Ok(port)
    }

    /// Disconnects every guest from the bridge. Packets of both sides are then lost silently, as when a machine loses its power or a
    /// cable is pulled.
    pub fn cut(&self) -> Result<()> {
        self.each_tap(|_| vec!["nomaster"])
    }

    /// Reconnects every guest to the bridge.
    pub fn mend(&self) -> Result<()> {
        self.each_tap(|side| vec!["master", side.bridge()])
    }

    fn each_tap(&self, words: impl Fn(Side) -> Vec<&'static str>) -> Result<()> {
        let taps = self.taps.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taps = taps.iter().enumerate();
        taps.try_for_each(|(index, side)| {
            ip(&[&["link", "set", &tap(index)], words(*side).as_slice()].concat())
        })
    }
}

fn tap(index: usize) -> String {
    format!("tap{index}")
}

/// Waits until something listens on a port.
pub fn wait_for_port(address: Ipv4Addr, port: u16, patience: Duration) -> Result<()> {
    let deadline = Instant::now() + patience;
    loop {
        match TcpStream::connect_timeout(&(address, port).into(), Duration::from_secs(2)) {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() > deadline => {
                return Err(error).with_context(|| {
                    format!("nothing answered at {address}:{port} within {} s", patience.as_secs())
                });
            }
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

pub(super) fn ip(arguments: &[&str]) -> Result<()> {
    exec::run(Command::new("ip").args(arguments)).context("set up the lab's network")
}
