//! The programs inside a guest: the init process, and the agent that serves the worker's requests. On a native node, which is not a
//! guest, the agent runs alone, as a program of the host.
//!
//! The guest's root is the host's file system, so init and agent are the same program as the lab. [`init`], the first process, prepares
//! the guest, starts the agent and then only reaps children. The agent is a separate process because the first process must wait for any
//! child, and would take the exit statuses that the agent waits for.

pub(crate) mod caches;
mod modules;
mod programs;
mod requests;

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use rustix::mount::{MountFlags, mount, mount_bind};
use rustix::process::WaitOptions;
use rustix::system::{RebootCommand, reboot, sethostname};
use serde::{Deserialize, Serialize};

use crate::executable;
use crate::wire::AGENT_PORT;
use requests::NodeKind;

/// The name of a guest's only network card in User-Mode Linux.
const CARD: &str = "vec0";

/// KiB of memory that the kernel keeps free.
const RESERVE_SETTING: &str = "/proc/sys/vm/min_free_kbytes";

/// The search path for programs in guests: the kernel gives its init none.
const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// The configuration of an agent and of a guest's init: a JSON file whose path is their argument.
#[derive(Debug, Serialize, Deserialize)]
pub enum AgentConfig {
    /// The agent is in a guest.
    Guest(GuestConfig),
    /// The agent is on the host.
    Native(NativeConfig),
}

/// The configuration of a native node.
#[derive(Debug, Serialize, Deserialize)]
pub struct NativeConfig {
    /// Its address on the loopback network.
    pub address: Ipv4Addr,
    /// Its folder on the storage under test. Requests to drop caches apply to this folder, as far as possible.
    pub folder: PathBuf,
}

/// The configuration of a guest.
#[derive(Debug, Serialize, Deserialize)]
pub struct GuestConfig {
    /// Host name.
    pub name: String,
    /// Address on the lab's network.
    pub address: Ipv4Addr,
    /// Length of the network's prefix.
    pub prefix: u8,
    /// The lab's own address, where storages that run on the host listen.
    pub gateway: Ipv4Addr,
    /// Folder of the kernel's modules, with its `modules.dep`.
    pub modules_folder: PathBuf,
}

/// Runs as process 1 of a guest, and ends by powering the guest off.
pub fn init(config_path: &Path) -> ExitCode {
    if !rustix::process::getpid().is_init() {
        eprintln!("forebay lab init: is only for the first process of a guest; use `forebay lab run`");
        return ExitCode::from(2);
    }
    if let Err(error) = run_guest(config_path) {
        eprintln!("forebay lab init: {error:#}");
    }
    // If this returns, the guest could not be powered off. The kernel then stops because its first process ends.
    let _ = reboot(RebootCommand::PowerOff);
    ExitCode::FAILURE
}

fn run_guest(config_path: &Path) -> Result<()> {
    // Read before the tmpfs on /run hides it.
    let text = fs::read(config_path).with_context(|| format!("read {}", config_path.display()))?;
    let AgentConfig::Guest(config) = parse(config_path, &text)? else {
        bail!("{} is not the configuration of a guest", config_path.display())
    };
    mount_basics()?;
    keep_memory_free()?;
    sethostname(config.name.as_bytes()).context("set the host name")?;
    know_own_name(&config);
    bring_network_up(&config)?;
    let agent_config = Path::new("/run/agent.json");
    fs::write(agent_config, text).context("write /run/agent.json")?;
    let agent = Command::new(executable::lab()?)
        .arg("agent")
        .arg(agent_config)
        .env("PATH", SEARCH_PATH)
        .env("HOME", "/run/home")
        .env("TMPDIR", "/run/tmp")
        .spawn()
        .context("start the agent")?;
    reap_until(agent.id())
}

fn mount_basics() -> Result<()> {
    let nothing = MountFlags::empty();
    for (kind, target, options) in [
        ("proc", c"/proc", c""),
        ("sysfs", c"/sys", c""),
        ("tmpfs", c"/run", c"mode=755"),
        ("tmpfs", c"/mnt", c"mode=755"),
    ] {
        mount(kind, target, kind, nothing, options).with_context(|| format!("mount {kind} on {target:?}"))?;
    }
    for (kind, target) in [("tmpfs", "/dev/shm"), ("devpts", "/dev/pts"), ("tmpfs", "/var/lib/nfs")] {
        // The last folder exists only if the host has the NFS utilities.
        let _ = fs::create_dir(target).and_then(|()| Ok(mount(kind, target, kind, nothing, c"")?));
    }
    for folder in ["/run/tmp", "/run/home"] {
        fs::create_dir(folder).with_context(|| format!("make {folder}"))?;
    }
    Ok(())
}

/// Makes the kernel keep a sixteenth of the memory free for allocations that cannot wait, such as packets. If the network card's driver finds
/// no memory for a packet, it should drop the packet. Instead it reads the packet to an uninitialized address, treats the error as the end
/// of the device, and stops without a message. With the kernel's default of a few MiB, one of fifteen copies of several GB failed.
fn keep_memory_free() -> Result<()> {
    const SHARE: u64 = 16;
    let system = rustix::system::sysinfo();
    let kib = u64::from(system.mem_unit).saturating_mul(system.totalram) / 1024 / SHARE;
    fs::write(RESERVE_SETTING, kib.to_string()).with_context(|| format!("write {kib} to {RESERVE_SETTING}"))
}

/// Makes the guest find its own name in files, and look up no other names. There is no name server on the lab's network, and Java programs
/// look up their host's name before they log. Without this, each start took 20 s longer.
fn know_own_name(config: &GuestConfig) {
    let hosts = format!("127.0.0.1 localhost\n{} {}\n", config.address, config.name);
    for (name, text) in
        [("hosts", hosts.as_str()), ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n")]
    {
        let own = format!("/run/{name}");
        // Without that file on the host, the C library uses its defaults.
        let _ = fs::write(&own, text).and_then(|()| Ok(mount_bind(&own, format!("/etc/{name}"))?));
    }
}

fn bring_network_up(config: &GuestConfig) -> Result<()> {
    let address = format!("{}/{}", config.address, config.prefix);
    let gateway = config.gateway.to_string();
    ip(&["link", "set", "lo", "up"])?;
    ip(&["address", "add", &address, "dev", CARD])?;
    ip(&["link", "set", CARD, "up"])?;
    ip(&["route", "add", "default", "via", &gateway])
}

fn ip(arguments: &[&str]) -> Result<()> {
    let output = Command::new("ip")
        .args(arguments)
        .env("PATH", SEARCH_PATH)
        .output()
        .context("run ip (package iproute2)")?;
    if !output.status.success() {
        bail!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Reaps children until the one with this pid has ended.
fn reap_until(pid: u32) -> Result<()> {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((ended, _))) if ended.as_raw_nonzero().get().unsigned_abs() == pid => return Ok(()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error).context("wait for the agent"),
        }
    }
}

fn parse(path: &Path, text: &[u8]) -> Result<AgentConfig> {
    serde_json::from_slice(text).with_context(|| format!("parse {}", path.display()))
}

/// Serves the worker's requests until the guest is powered off, or the native node ended.
pub fn serve(config_path: &Path) -> Result<()> {
    let text = fs::read(config_path).with_context(|| format!("read {}", config_path.display()))?;
    let (address, node_kind) = match parse(config_path, &text)? {
        AgentConfig::Guest(config) => {
            (config.address, NodeKind::Guest(modules::Modules::open(&config.modules_folder)?))
        }
        AgentConfig::Native(config) => (config.address, NodeKind::Host(config.folder)),
    };
    let address = SocketAddr::from((address, AGENT_PORT));
    let listener = TcpListener::bind(address).with_context(|| format!("listen on {address}"))?;
    loop {
        let (stream, _) = listener.accept().context("accept a connection")?;
        let node_kind = node_kind.clone();
        std::thread::spawn(move || {
            if let Err(error) = requests::answer(stream, &node_kind) {
                eprintln!("agent: {error:#}");
            }
        });
    }
}
