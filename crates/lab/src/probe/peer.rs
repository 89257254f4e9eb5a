//! A second process, on this client or on another one, that executes requests for cases that need two processes.
//!
//! `peer` listens. A connection carries one request on a line (JSON) and one reply on a line. Connections are served one after the other,
//! so that the process has one set of locks. A request to end is executed at once, without closing any files.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::ranges::{self, Kind, Range};
use crate::executable;

/// Time limit for a reply of a peer: the grace period, and the client's own timers.
const PATIENCE: Duration = Duration::from_secs(180);
/// Exit status of a peer that ended on request.
const STATUS_TOLD_TO_END: i32 = 0;

/// The arguments.
#[derive(Debug, Args)]
pub struct PeerArgs {
    /// Address and port; with port 0 the port is printed
    listen: SocketAddr,
}

/// A request to a peer.
#[derive(Debug, Serialize, Deserialize)]
pub enum PeerRequest {
    /// Open a file for reading and writing, create it if it does not exist, and keep it open under this name.
    Open(String, PathBuf),
    /// Close the file.
    Close(String),
    /// Lock a range of the file without waiting.
    Lock(String, Kind, Range),
    /// Lock a range of the file, and wait for the lock if necessary.
    LockWhenFree(String, Kind, Range),
    /// Unlock a range of the file.
    Unlock(String, Range),
    /// Return the lock that conflicts with this one, if any.
    InTheWay(String, Kind, Range),
    /// Write at an offset, and fsync.
    Write(String, u64, Vec<u8>),
    /// Read from an offset.
    Read(String, u64, usize),
    /// Read a whole file by its name.
    ReadFile(PathBuf),
    /// Create a file, which must not exist.
    CreateNew(PathBuf),
    /// Remove a file.
    Remove(PathBuf),
    /// Rename a file.
    Rename(PathBuf, PathBuf),
    /// List a folder's names.
    List(PathBuf),
    /// End at once.
    End,
}

/// The reply of a peer.
#[derive(Debug, Serialize, Deserialize)]
pub enum PeerReply {
    Done,
    Lock(Option<(Kind, Range)>),
    Bytes(Vec<u8>),
    Names(Vec<String>),
    /// The request failed with this error number (0 if there is none).
    Failed(i32, String),
}

/// Serves until a request to end.
pub fn run(args: &PeerArgs) -> Result<()> {
    let listener = TcpListener::bind(args.listen).with_context(|| format!("listen on {}", args.listen))?;
    println!("{}", listener.local_addr()?);
    let mut files = HashMap::new();
    loop {
        let (stream, _) = listener.accept().context("accept a connection")?;
        serve(stream, &mut files)?;
    }
}

fn serve(stream: TcpStream, files: &mut HashMap<String, File>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut out = stream.try_clone()?;
    for line in BufReader::new(stream).lines() {
        // A client that only checks whether the port answers sends nothing, and can disconnect at any time.
        let Ok(line) = line else { return Ok(()) };
        let ask: PeerRequest = serde_json::from_str(&line).with_context(|| format!("understand {line:?}"))?;
        let told = perform(ask, files).unwrap_or_else(|error| {
            PeerReply::Failed(error.raw_os_error().unwrap_or_default(), error.to_string())
        });
        writeln!(out, "{}", serde_json::to_string(&told)?)?;
    }
    Ok(())
}

fn perform(ask: PeerRequest, files: &mut HashMap<String, File>) -> io::Result<PeerReply> {
    let open = |name: &str| files.get(name).ok_or_else(|| io::Error::other(format!("{name} is not open")));
    match ask {
        PeerRequest::Open(name, path) => {
            let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
            files.insert(name, file);
        }
        PeerRequest::Close(name) => drop(files.remove(&name)),
        PeerRequest::Lock(name, kind, range) => ranges::lock(open(&name)?, kind, range)?,
        PeerRequest::LockWhenFree(name, kind, range) => ranges::lock_when_free(open(&name)?, kind, range)?,
        PeerRequest::Unlock(name, range) => ranges::unlock(open(&name)?, range)?,
        PeerRequest::InTheWay(name, kind, range) => {
            return Ok(PeerReply::Lock(ranges::in_the_way(open(&name)?, kind, range)?));
        }
        PeerRequest::Write(name, offset, bytes) => {
            let file = open(&name)?;
            file.write_all_at(&bytes, offset)?;
            file.sync_all()?;
        }
        PeerRequest::Read(name, offset, length) => {
            let mut bytes = vec![0; length];
            open(&name)?.read_exact_at(&mut bytes, offset)?;
            return Ok(PeerReply::Bytes(bytes));
        }
        PeerRequest::ReadFile(path) => return Ok(PeerReply::Bytes(std::fs::read(path)?)),
        PeerRequest::CreateNew(path) => drop(File::create_new(path)?),
        PeerRequest::Remove(path) => std::fs::remove_file(path)?,
        PeerRequest::Rename(from, to) => std::fs::rename(from, to)?,
        PeerRequest::List(path) => {
            let names = std::fs::read_dir(path)?
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect::<io::Result<_>>()?;
            return Ok(PeerReply::Names(names));
        }
        PeerRequest::End => std::process::exit(STATUS_TOLD_TO_END),
    }
    Ok(PeerReply::Done)
}

/// A connection to a peer, and the peer's process if it was started here.
#[derive(Debug)]
pub struct Peer {
    stream: BufReader<TcpStream>,
    child: Option<Child>,
}

impl Peer {
    /// Starts a peer on this client.
    pub fn start() -> Result<Self> {
        let mut child = Command::new(executable::lab()?)
            .args(["probe", "peer", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("start a peer")?;
        let mut address = String::new();
        let stdout = child.stdout.take().context("the peer has no output")?;
        BufReader::new(stdout).read_line(&mut address).context("read where the peer listens")?;
        let mut peer = Self::connect(address.trim().parse().context("read where the peer listens")?)?;
        peer.child = Some(child);
        Ok(peer)
    }

    /// Connects to a running peer.
    pub fn connect(address: SocketAddr) -> Result<Self> {
        let stream =
            TcpStream::connect(address).with_context(|| format!("connect to the peer at {address}"))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::new(stream), child: None })
    }

    /// Sends a request without waiting for the reply.
    pub fn send(&mut self, ask: &PeerRequest) -> Result<()> {
        writeln!(self.stream.get_mut(), "{}", serde_json::to_string(ask)?).context("send to the peer")
    }

    /// Receives the reply to a request that was sent.
    pub fn answer(&mut self) -> Result<PeerReply> {
        let mut line = String::new();
        self.stream.read_line(&mut line).context("wait for the peer")?;
        serde_json::from_str(&line).with_context(|| format!("the peer answered {line:?}"))
    }

    /// Whether a reply arrives within this time.
    pub fn answers_within(&mut self, patience: Duration) -> Result<bool> {
        self.stream.get_mut().set_read_timeout(Some(patience))?;
        let found = match self.stream.fill_buf() {
            Ok(bytes) => Ok(!bytes.is_empty()),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                Ok(false)
            }
            Err(error) => Err(error).context("wait for the peer"),
        };
        self.stream.get_mut().set_read_timeout(Some(PATIENCE))?;
        found
    }

    /// Sends a request, and waits for its reply.
    pub fn ask(&mut self, ask: &PeerRequest) -> Result<PeerReply> {
        self.send(ask)?;
        self.answer()
    }

    /// Sends a request that must succeed.
    pub fn must(&mut self, ask: &PeerRequest) -> Result<()> {
        match self.ask(ask)? {
            PeerReply::Done => Ok(()),
            other => bail!("the peer was to {ask:?} and answered {other:?}"),
        }
    }

    /// Sends a request that must fail. Returns the error number.
    pub fn must_fail(&mut self, ask: &PeerRequest) -> Result<i32> {
        match self.ask(ask)? {
            PeerReply::Failed(number, _) => Ok(number),
            other => bail!("the peer was to fail to {ask:?} and answered {other:?}"),
        }
    }

    /// Reads bytes through the peer.
    pub fn bytes(&mut self, ask: &PeerRequest) -> Result<Vec<u8>> {
        match self.ask(ask)? {
            PeerReply::Bytes(bytes) => Ok(bytes),
            other => bail!("the peer was to {ask:?} and answered {other:?}"),
        }
    }

    /// Asks for the conflicting lock.
    pub fn in_the_way(&mut self, name: &str, kind: Kind, range: Range) -> Result<Option<(Kind, Range)>> {
        match self.ask(&PeerRequest::InTheWay(name.to_owned(), kind, range))? {
            PeerReply::Lock(found) => Ok(found),
            other => bail!("the peer was to test a lock and answered {other:?}"),
        }
    }

    /// Ends the process at once, without closing files or releasing locks.
    pub fn kill(mut self) -> Result<()> {
        self.end()
    }

    fn end(&mut self) -> Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill().and_then(|()| child.wait()).context("end the peer")?;
        }
        Ok(())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
