//! The lab's network: a bridge in the worker's own network namespace, and one tap device per guest.
//!
//! Nothing is taken down explicitly: bridge and taps go with the namespace when its last process ends.

use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::files;

const BRIDGE: &str = "lab0";

/// The length of the network's prefix.
pub const PREFIX: u8 = 24;

/// Where the host side of the lab listens.
pub const GATEWAY: Ipv4Addr = Ipv4Addr::new(10, 99, 0, 1);

/// Last byte of the first guest's address.
const FIRST_GUEST: u8 = 11;

/// The bridge, and which guests are on it.
#[derive(Debug)]
pub struct Network {
    taps: AtomicU8,
}

/// A guest's place on the network.
#[derive(Debug, Clone)]
pub struct Port {
    /// Name of the tap device.
    pub tap: String,
    /// The guest's address.
    pub address: Ipv4Addr,
}

impl Network {
    /// Makes the bridge. Must run in a network namespace of its own.
    pub fn create() -> Result<Self> {
        let address = format!("{GATEWAY}/{PREFIX}");
        ip(&["link", "set", "lo", "up"])?;
        ip(&["link", "add", BRIDGE, "type", "bridge"])?;
        ip(&["address", "add", &address, "dev", BRIDGE])?;
        ip(&["link", "set", BRIDGE, "up"])?;
        Ok(Self { taps: AtomicU8::new(0) })
    }

    /// Adds a tap for one more guest.
    pub fn add_port(&self) -> Result<Port> {
        let index = self.taps.fetch_add(1, Ordering::SeqCst);
        let last = FIRST_GUEST.checked_add(index).filter(|last| *last < 255).context("too many guests")?;
        let [a, b, c, _] = GATEWAY.octets();
        let port = Port { tap: format!("tap{index}"), address: Ipv4Addr::new(a, b, c, last) };
        ip(&["tuntap", "add", "dev", &port.tap, "mode", "tap"])?;
        ip(&["link", "set", &port.tap, "master", BRIDGE, "up"])?;
        Ok(port)
    }

    /// Takes every guest off the bridge: what either side sends is lost without a word, as when a machine loses its power or a
    /// cable is pulled.
    pub fn cut(&self) -> Result<()> {
        self.each_tap(&["nomaster"])
    }

    /// Puts every guest back on the bridge.
    pub fn mend(&self) -> Result<()> {
        self.each_tap(&["master", BRIDGE])
    }

    fn each_tap(&self, words: &[&str]) -> Result<()> {
        let taps = self.taps.load(Ordering::SeqCst);
        (0..taps).try_for_each(|index| ip(&[&["link", "set", &format!("tap{index}")], words].concat()))
    }
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

fn ip(arguments: &[&str]) -> Result<()> {
    files::run(Command::new("ip").args(arguments)).context("set up the lab's network")
}
