//! A guest: a User-Mode Linux kernel with an agent in it that does what the worker asks.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::files;
use super::network::{PREFIX, Port, Side};
use super::process::{GuestCommand, Output, Process};
use super::processors::Halves;
use super::site::Site;
use crate::agent::GuestConfig;
use crate::wire::{self, AGENT_PORT, DATA, Mount, Reply, Request, TreeEntry};

/// How long a guest may take from its start until its agent answers.
const BOOT_PATIENCE: Duration = Duration::from_secs(60);

/// How long the agent may take for a short request.
const REQUEST_PATIENCE: Duration = Duration::from_secs(120);

/// What a guest is made of.
#[derive(Debug, Clone)]
pub struct GuestSpec {
    /// Its name: host name, and name of its logs. Letters, digits and `-`.
    pub name: String,
    /// Its memory in MiB.
    pub memory_mib: u32,
    /// The network it is on.
    pub side: Side,
    /// A broker's guest runs on the brokers' processors, where these were divided.
    pub processors: Option<Halves>,
    /// Disk images on the host; the first is `/dev/ubda` in the guest, the second `/dev/ubdb`.
    pub disks: Vec<PathBuf>,
}

impl GuestSpec {
    /// A guest without disks.
    pub fn new(name: impl Into<String>, memory_mib: u32) -> Self {
        Self { name: name.into(), memory_mib, side: Side::First, processors: None, disks: Vec::new() }
    }
}

/// A running guest. Dropping it ends its kernel at once, as a power failure would.
#[derive(Debug)]
pub struct Guest {
    name: String,
    address: Ipv4Addr,
    console: PathBuf,
    kernel: Mutex<Child>,
}

impl Guest {
    /// Boots a guest and waits until its agent answers.
    pub(super) fn boot(site: &Site, spec: &GuestSpec, port: &Port) -> Result<Self> {
        let console = site.logs().join(format!("{}-console.log", spec.name));
        let mut command = kernel_command(site, spec, port)?;
        let log = File::create(&console).with_context(|| format!("create {}", console.display()))?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let kernel = match spec.processors {
            Some(halves) => halves.spawn_with_brokers(&mut command),
            None => command.spawn().map_err(Into::into),
        };
        let kernel = kernel.with_context(|| format!("start {}", site.tools().kernel().display()))?;
        let (name, address) = (spec.name.clone(), port.address);
        let guest = Self { name, address, console, kernel: Mutex::new(kernel) };
        guest.wait_for_agent()?;
        Ok(guest)
    }

    fn wait_for_agent(&self) -> Result<()> {
        let deadline = Instant::now() + BOOT_PATIENCE;
        loop {
            let attempt = self.request(&Request::Ping, Duration::from_secs(5));
            if attempt.is_ok() {
                return Ok(());
            }
            if let Some(status) = self.ended()? {
                bail!("guest {} ended while it booted ({status}): {}", self.name, self.console_tail());
            }
            if Instant::now() > deadline {
                return attempt.map(drop).with_context(|| {
                    format!("guest {} did not come up: {}", self.name, self.console_tail())
                });
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its address on the lab's network.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// How its kernel ended, or `None` while it runs.
    pub fn ended(&self) -> Result<Option<ExitStatus>> {
        let mut kernel = self.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        kernel.try_wait().with_context(|| format!("look after guest {}", self.name))
    }

    /// Starts a program and returns at once.
    pub fn spawn(&self, command: &GuestCommand) -> Result<Process> {
        let stream = self.connect(REQUEST_PATIENCE)?;
        Process::start(command, stream).with_context(|| format!("in guest {}", self.name))
    }

    /// Runs a program to its end, whatever its exit status; one that takes longer than `patience` is ended, with an error.
    pub fn exec(&self, command: &GuestCommand, patience: Duration) -> Result<Output> {
        let process = self.spawn(command)?;
        let exit = process.wait(patience).with_context(|| format!("in guest {}", self.name))?;
        let (stdout, stderr) = process.output();
        Ok(Output { exit, stdout, stderr })
    }

    /// Runs a program to its end, which must be exit status 0; returns its standard output.
    pub fn run(&self, command: &GuestCommand, patience: Duration) -> Result<String> {
        let Output { exit, stdout, stderr } = self.exec(command, patience)?;
        if !exit.success() {
            let said = files::last_lines(if stderr.trim().is_empty() { &stdout } else { &stderr }, 4);
            bail!("in guest {}: {command} failed ({exit}): {said}", self.name);
        }
        Ok(stdout)
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

    /// Makes a folder and its parents.
    pub fn make_folder(&self, path: impl Into<PathBuf>) -> Result<()> {
        self.ask(&Request::MakeFolder(path.into()))
    }

    /// Writes dirty pages back, then drops the page cache, directory entries and inodes.
    pub fn drop_caches(&self) -> Result<()> {
        self.ask(&Request::DropCaches)
    }

    /// Writes dirty pages back; they stay cached.
    pub fn sync(&self) -> Result<()> {
        self.ask(&Request::Sync)
    }

    /// Reads a file.
    pub fn read_file(&self, path: impl Into<PathBuf>) -> Result<Vec<u8>> {
        let mut stream = self.request(&Request::ReadFile(path.into()), REQUEST_PATIENCE)?.0;
        Ok(wire::read_expected(&mut stream, DATA)?)
    }

    /// Writes a file and makes its parent folders. Use this, and a path on a tmpfs such as `/run`, for files that change:
    /// a guest may keep serving the old content of a file of the host that it has read before.
    pub fn write_file(&self, path: impl Into<PathBuf>, content: &[u8]) -> Result<()> {
        let mut stream = self.connect(REQUEST_PATIENCE)?;
        wire::write_message(&mut stream, &Request::WriteFile(path.into()))?;
        wire::write_frame(&mut stream, DATA, content)?;
        self.accept(wire::read_message(&mut stream)?).map(drop)
    }

    /// Lists everything below a folder, sorted by path.
    pub fn list_tree(&self, path: impl Into<PathBuf>) -> Result<Vec<TreeEntry>> {
        match self.request(&Request::ListTree(path.into()), REQUEST_PATIENCE)?.1 {
            Reply::Tree(entries) => Ok(entries),
            other => bail!("guest {} gave an unexpected answer: {other:?}", self.name),
        }
    }

    /// Powers the guest off and waits until its kernel ended.
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
        result.map(drop).with_context(|| format!("end guest {}", self.name))
    }

    /// The last lines of the guest's console, for messages.
    pub fn console_tail(&self) -> String {
        let text = fs::read(&self.console).unwrap_or_default();
        format!(
            "{} ends with: {}",
            self.console.display(),
            files::last_lines(&String::from_utf8_lossy(&text), 5)
        )
    }

    fn ask(&self, request: &Request) -> Result<()> {
        self.request(request, REQUEST_PATIENCE).map(drop)
    }

    /// Sends a request; returns the connection, on which data may follow, and the answer.
    fn request(&self, request: &Request, patience: Duration) -> Result<(TcpStream, Reply)> {
        let mut stream = self.connect(patience)?;
        let exchange =
            wire::write_message(&mut stream, request).and_then(|()| wire::read_message(&mut stream));
        let reply = exchange.with_context(|| format!("guest {} did not answer {request:?}", self.name))?;
        Ok((stream, self.accept(reply)?))
    }

    fn accept(&self, reply: Reply) -> Result<Reply> {
        match reply {
            Reply::Failed(why) => bail!("in guest {}: {why}", self.name),
            other => Ok(other),
        }
    }

    fn connect(&self, patience: Duration) -> Result<TcpStream> {
        let address = SocketAddr::from((self.address, AGENT_PORT));
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))
            .with_context(|| format!("guest {} does not answer at {address}", self.name))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        Ok(stream)
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The command line of a guest's kernel. Words with `=` are the kernel's own; what follows `--` is for init.
fn kernel_command(site: &Site, spec: &GuestSpec, port: &Port) -> Result<Command> {
    let config = GuestConfig {
        name: spec.name.clone(),
        address: port.address,
        prefix: PREFIX,
        gateway: port.gateway,
        modules_folder: site.tools().modules_folder()?,
    };
    let config_path = site.state_folder().join(format!("{}.json", spec.name));
    fs::write(&config_path, serde_json::to_vec(&config)?)
        .with_context(|| format!("write {}", config_path.display()))?;
    let program = std::env::current_exe().context("find this program")?;
    let mut command = Command::new(site.tools().kernel());
    command
        .arg(format!("umid={}", spec.name))
        .arg(format!("uml_dir={}", site.state_folder().join("umid").display()))
        .arg(format!("mem={}M", spec.memory_mib))
        .args(["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw"])
        .arg(format!("init={}", word(&program)?))
        .arg(format!("vec0:transport=tap,ifname={},depth=128,gro=1", port.tap))
        .args(["seccomp=on", "con=null", "con0=null,fd:1", "quiet", "panic=-1"]);
    for (disk, letter) in spec.disks.iter().zip('a'..='h') {
        command.arg(format!("ubd{letter}={}", word(disk)?));
    }
    command.args(["--", "lab", "init"]).arg(word(&config_path)?);
    // The kernel keeps its guest's memory in a file in one of these, or in /dev/shm if none is set.
    command.env_remove("TMP").env_remove("TEMP").env_remove("TMPDIR");
    if !fits_shared_memory(spec.memory_mib) {
        command.env("TMPDIR", site.scratch());
    }
    Ok(command)
}

/// A path as a word of a kernel's command line, which has no quotes.
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
