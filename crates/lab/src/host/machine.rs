//! A machine that shares the host's kernel and processes, but not its network: for servers that lose theirs.

use std::ffi::OsStr;
use std::net::Ipv4Addr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::network::{CONGESTION_CONTROL, CONGESTION_CONTROL_SETTING, Network, PREFIX, Side, ip};

/// Its network device.
pub const DEVICE: &str = "eth0";
const PATIENCE: Duration = Duration::from_secs(10);

/// A machine on the lab's first network. Its programs end with the run.
#[derive(Debug)]
pub struct Machine {
    port: String,
    /// Keeps the network namespace.
    keeper: Child,
}

impl Network {
    /// Adds a machine. Guests have the addresses from 11 on.
    pub fn add_machine(&self, name: &str, address: Ipv4Addr) -> Result<Machine> {
        let mut keep = Command::new("unshare");
        keep.args(["--net", "--", "sleep", "infinity"]).stdin(Stdio::null());
        let keeper = keep.spawn().context("make a network namespace (with unshare, package util-linux)")?;
        // From now on it ends with the machine.
        let machine = Machine { port: format!("port-{name}"), keeper };
        machine.wait_for_namespace()?;
        let (port, pid) = (machine.port.as_str(), machine.keeper.id().to_string());
        ip(&["link", "add", port, "type", "veth", "peer", "name", DEVICE, "netns", &pid])?;
        ip(&["link", "set", port, "master", Side::First.bridge(), "up"])?;
        let setting = format!("echo {CONGESTION_CONTROL} >{CONGESTION_CONTROL_SETTING}");
        crate::exec::run(machine.command("sh").args(["-c", &setting]))
            .context("set up a machine's network")?;
        for words in [
            ["link", "set", "lo", "up"].as_slice(),
            &["link", "set", DEVICE, "up"],
            &["address", "add", &format!("{address}/{PREFIX}"), "dev", DEVICE],
        ] {
            let mut command = machine.command("ip");
            crate::exec::run(command.args(words)).context("set up a machine's network")?;
        }
        Ok(machine)
    }
}

impl Machine {
    /// A program of it. Its process is the one that the command starts.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        command.arg(format!("--net={}", self.namespace())).arg("--").arg(program);
        command
    }

    /// Unplugs it: packets of both sides are lost silently.
    pub fn unplug(&self) -> Result<()> {
        ip(&["link", "set", &self.port, "nomaster"])
    }

    /// Plugs it in again.
    pub fn plug(&self) -> Result<()> {
        ip(&["link", "set", &self.port, "master", Side::First.bridge()])
    }

    /// The words with which a shell runs a program on it, in front of the program.
    pub fn prefix(&self) -> String {
        format!("nsenter --net={} --", self.namespace())
    }

    fn namespace(&self) -> String {
        format!("/proc/{}/ns/net", self.keeper.id())
    }

    fn wait_for_namespace(&self) -> Result<()> {
        let link = |path: &str| std::fs::read_link(path).with_context(|| format!("read {path}"));
        let (own, deadline) = (link("/proc/self/ns/net")?, Instant::now() + PATIENCE);
        while link(&self.namespace())? == own {
            ensure!(Instant::now() < deadline, "a new network namespace does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
