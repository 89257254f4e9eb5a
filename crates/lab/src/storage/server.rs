//! A server program on the host, in the lab's namespaces.

use std::fs::File;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

/// The interval between two checks.
const PAUSE: Duration = Duration::from_millis(20);

/// A server program, running or not. Dropping it kills the program.
pub struct Server {
    name: &'static str,
    child: Option<Child>,
}

impl Server {
    /// A server that does not run yet.
    pub fn new(name: &'static str) -> Self {
        Self { name, child: None }
    }

    /// Starts it, with both outputs to a log, and without an input.
    pub fn start(&mut self, command: &mut Command, log: File) -> Result<()> {
        self.start_with_input(command, Stdio::null(), log)
    }

    /// The same, with a standard input.
    pub fn start_with_input(&mut self, command: &mut Command, stdin: Stdio, log: File) -> Result<()> {
        command.stdin(stdin).stdout(log.try_clone()?).stderr(log);
        self.child = Some(command.spawn().with_context(|| format!("start {}", self.name))?);
        Ok(())
    }

    /// Waits until it listens on a port; an error if it ends before.
    pub fn wait_for_port(&mut self, address: Ipv4Addr, port: u16, patience: Duration) -> Result<()> {
        let connects = || TcpStream::connect_timeout(&(address, port).into(), Duration::from_secs(1)).is_ok();
        self.wait_until(&format!("{address}:{port}"), connects, patience)
    }

    /// Waits until it listens on a UNIX socket; an error if it ends before.
    pub fn wait_for_socket(&mut self, path: &Path, patience: Duration) -> Result<()> {
        let connects = || UnixStream::connect(path).is_ok();
        self.wait_until(&path.display().to_string(), connects, patience)
    }

    fn wait_until(&mut self, place: &str, connects: impl Fn() -> bool, patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        while !connects() {
            if let Some(status) = self.child()?.try_wait()? {
                bail!("{} ended ({status})", self.name);
            }
            if Instant::now() > deadline {
                bail!("{} does not listen on {place} after {} s", self.name, patience.as_secs());
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Its process, if it runs.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Sends it a signal.
    pub fn signal(&mut self, signal: Signal) -> Result<()> {
        let name = self.name;
        let pid =
            i32::try_from(self.child()?.id()).ok().and_then(Pid::from_raw).context("pid out of range")?;
        kill_process(pid, signal).with_context(|| format!("send {name} a signal"))
    }

    /// Waits until it has ended by itself, and returns its exit status.
    pub fn wait_for_end(&mut self, patience: Duration) -> Result<ExitStatus> {
        let (name, deadline) = (self.name, Instant::now() + patience);
        loop {
            if let Some(status) = self.child()?.try_wait()? {
                self.child = None;
                return Ok(status);
            }
            if Instant::now() > deadline {
                bail!("{name} did not end within {} s", patience.as_secs());
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Kills it.
    pub fn kill(&mut self) -> Result<()> {
        let mut child = self.child.take().with_context(|| format!("{} does not run", self.name))?;
        child.kill().and_then(|()| child.wait()).with_context(|| format!("end {}", self.name))?;
        Ok(())
    }

    /// Stops it with SIGTERM and waits. It is an error if it does not exit with status 0 in time; it has ended in any case.
    pub fn stop(&mut self, patience: Duration) -> Result<()> {
        let name = self.name;
        self.signal(Signal::TERM)?;
        let child = self.child()?;
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if let Some(status) = child.try_wait()? {
                self.child = None;
                if !status.success() {
                    bail!("{name} did not stop cleanly ({status})");
                }
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        self.kill()?;
        bail!("{name} did not end within {} s of SIGTERM", patience.as_secs())
    }

    fn child(&mut self) -> Result<&mut Child> {
        self.child.as_mut().with_context(|| format!("{} does not run", self.name))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}
