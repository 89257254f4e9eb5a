//! The part of an init system that keeps a daemon's listener while the daemon is restarted (sd_pid_notify_with_fds(3), sd_listen_fds(3)).

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

/// Gives a program its standard input as descriptor 3, as one that an init system has kept.
const PASS: &str = "exec 3<&0 0</dev/null; LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=nfs exec \"$0\" \"$@\"";
/// Longer than any message of the daemon.
const MESSAGE_BYTES: usize = 4096;

/// Keeps the listener of one daemon.
#[derive(Debug)]
pub struct Supervisor {
    path: PathBuf,
    notifications: UnixDatagram,
    kept: Option<OwnedFd>,
}

impl Supervisor {
    /// Receives notifications at a path that does not exist yet.
    pub fn new(path: PathBuf) -> Result<Self> {
        let notifications = UnixDatagram::bind(&path).with_context(|| format!("bind {}", path.display()))?;
        notifications.set_nonblocking(true)?;
        Ok(Self { path, notifications, kept: None })
    }

    /// The socket that the daemon notifies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Receives what the daemon has sent, so that its messages find room.
    pub fn receive(&mut self) {
        let mut message = [0; MESSAGE_BYTES];
        loop {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let mut parts = [IoSliceMut::new(&mut message)];
            if recvmsg(&self.notifications, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC).is_err() {
                return;
            }
            for part in control.drain() {
                if let RecvAncillaryMessage::ScmRights(descriptors) = part {
                    self.kept = descriptors.last();
                }
            }
        }
    }

    /// The machine has lost its power, and nothing is kept.
    pub fn forget(&mut self) {
        self.receive();
        self.kept = None;
    }

    /// What must be put in front of a program so that it gets the listener, and its standard input.
    pub fn pass(&mut self) -> Result<Option<([&'static str; 3], Stdio)>> {
        self.receive();
        let Some(kept) = &self.kept else { return Ok(None) };
        Ok(Some((["sh", "-c", PASS], Stdio::from(kept.try_clone()?))))
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_program_gets_the_listener_that_was_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let mut supervisor = Supervisor::new(scratch.path().join("notify")).unwrap();
        assert!(supervisor.pass().unwrap().is_none());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        supervisor.kept = Some(listener.into());
        let ([shell, flag, script], stdin) = supervisor.pass().unwrap().unwrap();
        let told = "test -S /dev/fd/3 && test \"$LISTEN_PID $LISTEN_FDS\" = \"$$ 1\"";
        let program =
            Command::new(shell).args([flag, script, "sh", "-c", told]).stdin(stdin).status().unwrap();
        assert!(program.success());
        supervisor.forget();
        assert!(supervisor.pass().unwrap().is_none());
    }
}
