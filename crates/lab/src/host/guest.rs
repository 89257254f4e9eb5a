//! A guest: a User-Mode Linux kernel with an agent in it that serves the worker's requests.

use std::fs::{self, File};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::environment::Environment;
use super::network::{PREFIX, Port, Side};
use super::node::Node;
use super::process_tree;
use super::processors::ProcessorSplit;
use crate::agent::{AgentConfig, GuestConfig};
use crate::exec;
use crate::executable;
use crate::wire::{self, Mount, Request};

/// Time limit from the start of a guest until its agent answers.
const BOOT_PATIENCE: Duration = Duration::from_secs(60);

/// In the guest's memory.
const WORK_FOLDER: &str = "/run/kafka";

/// The specification of a guest.
#[derive(Debug, Clone)]
pub struct GuestSpec {
    /// Its name: host name, and name of its logs. Letters, digits and `-`.
    pub name: String,
    /// Its memory in MiB.
    pub memory_mib: u32,
    /// The network it is on.
    pub side: Side,
    /// The processors of the brokers, if the machine's processors are split and this is a broker's guest.
    pub processors: Option<ProcessorSplit>,
    /// The processor it runs on, among those it may use: guests with the same seat share one. Without a seat it gets the next.
    pub seat: Option<u32>,
    /// Disk images on the host; the first is `/dev/ubda` in the guest, the second `/dev/ubdb`.
    pub disks: Vec<PathBuf>,
}

impl GuestSpec {
    /// A guest without disks.
    pub fn new(name: impl Into<String>, memory_mib: u32) -> Self {
        Self {
            name: name.into(),
            memory_mib,
            side: Side::First,
            processors: None,
            seat: None,
            disks: Vec::new(),
        }
    }
}

/// A running guest: a node with a kernel of its own. Dropping it ends its kernel at once, as a power failure would.
#[derive(Debug)]
pub struct Guest {
    node: Node,
    console: PathBuf,
    kernel: Mutex<Child>,
    seat: u32,
    started: Instant,
}

impl Guest {
    /// Boots a guest and waits until its agent answers.
    pub(super) fn boot(environment: &Environment, spec: &GuestSpec, port: &Port) -> Result<Self> {
        let console = environment.logs().join(format!("{}-console.log", spec.name));
        let mut command = kernel_command(environment, spec, port)?;
        let log = File::create(&console).with_context(|| format!("create {}", console.display()))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let seat = spec.seat.unwrap_or_else(|| u32::from(port.address.octets()[3]));
        let kernel = ProcessorSplit::spawn(spec.processors, Some(seat), &mut command)
            .with_context(|| format!("start the kernel of guest {}", spec.name))?;
        let node = Node::new("guest", &spec.name, port.address, WORK_FOLDER.into());
        let (kernel, started) = (Mutex::new(kernel), Instant::now());
        let guest = Self { node, console, kernel, seat, started };
        let ended = || Ok(guest.ended()?.map(|status| status.to_string()));
        guest.node.wait_for_agent(BOOT_PATIENCE, ended, || guest.console_tail())?;
        Ok(guest)
    }

    /// The process of its kernel, which starts the processes of the guest's programs.
    pub fn pid(&self) -> u32 {
        self.kernel.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Moves it to the brokers' half of the processors.
    pub fn confine(&self, split: &ProcessorSplit) {
        split.confine(self.pid(), Some(self.seat));
    }

    /// Processor time of this host that the guest, including its kernel, has used since its start.
    ///
    /// It is not read from the guest's own `/proc/stat`. A guest's kernel counts the time that it waits for a processor of the host as work, and
    /// samples with a timer that mostly fires when something runs. Three guests that used 29 % each by the host's count reported 82 to 86 %.
    pub fn busy(&self) -> Duration {
        process_tree::busy(self.pid())
    }

    /// The time since its start, for its one processor.
    pub fn available(&self) -> Duration {
        self.started.elapsed()
    }

    /// How its kernel ended, or `None` while it runs.
    pub fn ended(&self) -> Result<Option<ExitStatus>> {
        let mut kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        kernel.try_wait().with_context(|| format!("look after guest {}", self.name()))
    }

    /// Mounts a file system; its folder is made if it is missing.
    pub fn mount(&self, mount: &Mount) -> Result<()> {
        self.ask(&Request::Mount(mount.clone()))
    }

    /// Unmounts a folder.
    pub fn unmount(&self, target: impl Into<PathBuf>) -> Result<()> {
        self.ask(&Request::Unmount(target.into()))
    }

    /// Loads kernel modules, with what they need.
    pub fn load_modules(&self, names: &[&str]) -> Result<()> {
        self.ask(&Request::LoadModules(names.iter().map(|name| (*name).to_owned()).collect()))
    }

    /// Powers the guest off and waits until its kernel has ended.
    pub fn stop(&self) -> Result<()> {
        // The connection ends with the guest: there is no answer to wait for.
        if let Ok(mut stream) = self.connect(Duration::from_secs(5)) {
            wire::write_message(&mut stream, &Request::PowerOff)?;
        }
        let deadline = Instant::now() + Duration::from_secs(20);
        while Instant::now() < deadline {
            if self.ended()?.is_some() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.kill()
    }

    /// Ends the kernel at once, as a power failure would.
    pub fn kill(&self) -> Result<()> {
        let mut kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        let result = kernel.kill().and_then(|()| kernel.wait());
        result.map(drop).with_context(|| format!("end guest {}", self.name()))
    }

    /// The last lines of the guest's console, for messages.
    pub fn console_tail(&self) -> String {
        let text = fs::read(&self.console).unwrap_or_default();
        format!(
            "{} ends with: {}",
            self.console.display(),
            exec::last_lines(&String::from_utf8_lossy(&text), 5)
        )
    }
}

impl Deref for Guest {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The command line of a guest's kernel. Words with `=` are for the kernel; the words after `--` are for init.
fn kernel_command(environment: &Environment, spec: &GuestSpec, port: &Port) -> Result<Command> {
    let config = GuestConfig {
        name: spec.name.clone(),
        address: port.address,
        prefix: PREFIX,
        gateway: port.gateway,
        modules_folder: environment.tools()?.modules_folder()?,
    };
    let config_path = environment.state_folder().join(format!("{}.json", spec.name));
    fs::write(&config_path, serde_json::to_vec(&AgentConfig::Guest(config))?)
        .with_context(|| format!("write {}", config_path.display()))?;
    let program = executable::lab()?;
    let mut command = Command::new(environment.tools()?.kernel());
    command
        .arg(format!("umid={}", spec.name))
        .arg(format!("uml_dir={}", environment.state_folder().join("umid").display()))
        .arg(format!("mem={}M", spec.memory_mib))
        .args(["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw"])
        .arg(format!("init={}", word(&program)?))
        // Packets have 1,500 bytes, although storage networks often use 9,000. A packet of 9,000 bytes needs several consecutive pages, and the
        // network device of a guest stops permanently if it does not find them.
        .arg(format!("vec0:transport=tap,ifname={},depth=128,gro=1", port.tap))
        .args(["seccomp=on", "con=null", "con0=null,fd:1", "quiet", "panic=-1"]);
    for (disk, letter) in spec.disks.iter().zip('a'..='h') {
        command.arg(format!("ubd{letter}={}", word(disk)?));
    }
    command.args(["--", "init"]).arg(word(&config_path)?);
    // The kernel keeps its guest's memory in a file in one of these, or in /dev/shm if none is set.
    command.env_remove("TMP").env_remove("TEMP").env_remove("TMPDIR");
    if !fits_shared_memory(spec.memory_mib) {
        command.env("TMPDIR", environment.scratch());
    }
    Ok(command)
}

/// A path as an argument on a kernel's command line, which has no quotes.
fn word(path: &Path) -> Result<&str> {
    match path.to_str() {
        Some(text) if !text.contains(|c: char| c.is_whitespace() || c == ',') => Ok(text),
        _ => bail!(
            "{} has a space or comma in its path, which a guest kernel's command line cannot carry",
            path.display()
        ),
    }
}

fn fits_shared_memory(memory_mib: u32) -> bool {
    rustix::fs::statvfs("/dev/shm").is_ok_and(|stat| {
        stat.f_bavail.saturating_mul(stat.f_frsize) > u64::from(memory_mib).saturating_mul(1 << 20)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_would_break_the_kernels_command_line_is_refused() {
        assert!(word(Path::new("/cache/disk.img")).is_ok());
        assert!(word(Path::new("/my cache/disk.img")).is_err());
        assert!(word(Path::new("/a,b")).is_err());
    }
}
