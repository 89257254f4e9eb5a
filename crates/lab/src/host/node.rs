//! A node, on which a broker runs, and the requests to its agent. It is a guest or a program on the host.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::process::{GuestCommand, Output, Process};
use crate::exec;
use crate::wire::{self, AGENT_PORT, DATA, Reply, Request, TreeEntry};

/// Time limit for a short request.
const REQUEST_PATIENCE: Duration = Duration::from_secs(120);
/// Time limit for the check whether a node answers.
const PING_PATIENCE: Duration = Duration::from_secs(5);

/// The common part of a guest and a native node: an agent at an address, which serves the worker's requests.
#[derive(Debug)]
pub struct Node {
    /// Its kind and name, for messages: `guest broker1`.
    title: String,
    name: String,
    address: Ipv4Addr,
    work_folder: PathBuf,
}

impl Node {
    /// A node whose agent may not answer yet. `kind` is the word before its name in messages.
    pub(super) fn new(kind: &str, name: &str, address: Ipv4Addr, work_folder: PathBuf) -> Self {
        Self { title: format!("{kind} {name}"), name: name.to_owned(), address, work_folder }
    }

    /// Waits until the agent answers. If the node has ended, `ended` returns how and why.
    pub(super) fn wait_for_agent(
        &self,
        patience: Duration,
        ended: impl Fn() -> Result<Option<String>>,
        excuse: impl Fn() -> String,
    ) -> Result<()> {
        let deadline = Instant::now() + patience;
        loop {
            let attempt = self.request(&Request::Ping, PING_PATIENCE);
            if attempt.is_ok() {
                return Ok(());
            }
            if let Some(how) = ended()? {
                bail!("{} ended while it started ({how}): {}", self.title, excuse());
            }
            if Instant::now() > deadline {
                return attempt
                    .map(drop)
                    .with_context(|| format!("{} did not come up: {}", self.title, excuse()));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its kind and name, for messages: `guest broker1`.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// A folder on the node for small files of its programs, which is removed with the node.
    pub fn work_folder(&self) -> &Path {
        &self.work_folder
    }

    /// Its address on the lab's network.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Starts a program and returns at once.
    pub fn spawn(&self, command: &GuestCommand) -> Result<Process> {
        let stream = self.connect(REQUEST_PATIENCE)?;
        Process::start(command, stream).with_context(|| format!("in {}", self.title))
    }

    /// Runs a program to its end, whatever its exit status. If it takes longer than `patience`, it is killed, and the result is an error.
    pub fn exec(&self, command: &GuestCommand, patience: Duration) -> Result<Output> {
        let process = self.spawn(command)?;
        let exit = process.wait(patience).with_context(|| format!("in {}", self.title))?;
        let (stdout, stderr) = process.output();
        Ok(Output { exit, stdout, stderr })
    }

    /// Runs a program that must exit with status 0; returns its standard output.
    pub fn run(&self, command: &GuestCommand, patience: Duration) -> Result<String> {
        let Output { exit, stdout, stderr } = self.exec(command, patience)?;
        if !exit.success() {
            let said = exec::last_lines(if stderr.trim().is_empty() { &stdout } else { &stderr }, 4);
            bail!("in {}: {command} failed ({exit}): {said}", self.title);
        }
        Ok(stdout)
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
            other => bail!("{} gave an unexpected answer: {other:?}", self.title),
        }
    }

    /// Whether its agent answers. If it does not, the call takes five seconds.
    pub fn answers(&self) -> bool {
        self.request(&Request::Ping, PING_PATIENCE).is_ok()
    }

    pub(super) fn ask(&self, request: &Request) -> Result<()> {
        self.request(request, REQUEST_PATIENCE).map(drop)
    }

    /// Sends a request; returns the connection, on which data may follow, and the answer.
    fn request(&self, request: &Request, patience: Duration) -> Result<(TcpStream, Reply)> {
        let mut stream = self.connect(patience)?;
        let exchange =
            wire::write_message(&mut stream, request).and_then(|()| wire::read_message(&mut stream));
        let reply = exchange.with_context(|| format!("{} did not answer {request:?}", self.title))?;
        Ok((stream, self.accept(reply)?))
    }

    fn accept(&self, reply: Reply) -> Result<Reply> {
        match reply {
            Reply::Failed(why) => bail!("in {}: {why}", self.title),
            other => Ok(other),
        }
    }

    pub(super) fn connect(&self, patience: Duration) -> Result<TcpStream> {
        let address = SocketAddr::from((self.address, AGENT_PORT));
        let stream = TcpStream::connect_timeout(&address, PING_PATIENCE)
            .with_context(|| format!("{} does not answer at {address}", self.title))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(patience))?;
        Ok(stream)
    }
}
