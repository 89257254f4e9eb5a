//! Reports the daemon's state to an init system with the protocol of sd_notify(3): datagrams to the socket
//! that `NOTIFY_SOCKET` names.
//!
//! What must hold: the listener never delays the daemon, and it is no error if there is none.

use std::env;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

use forebay_nfs::Shared;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// How often the status is checked. It is sent when it has changed.
const STATUS_EVERY: Duration = Duration::from_secs(2);

/// The init system that started the daemon, if it wants notifications.
#[derive(Clone, Default)]
pub struct Notifier(Option<Arc<Listening>>);

struct Listening {
    socket: UnixDatagram,
    address: SocketAddr,
}

/// The init system keeps nothing twice.
const KEEP_LISTENER: &str = "FDSTORE=1\nFDNAME=nfs";
const FORGET_LISTENER: &str = "FDSTOREREMOVE=1\nFDNAME=nfs";

impl Listening {
    /// Sends a message with a file descriptor.
    fn send_with(&self, message: &[u8], descriptor: BorrowedFd<'_>) -> std::io::Result<()> {
        // Messages with descriptors are sent to the address that a socket is connected to.
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        socket.connect_addr(&self.address)?;
        let descriptors = [descriptor];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
        sendmsg(&socket, &[IoSlice::new(message)], &mut control, SendFlags::empty())?;
        Ok(())
    }
}

impl Notifier {
    /// The socket that the environment names, if any.
    pub fn from_environment() -> Notifier {
        let Some(name) = env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Notifier::default();
        };
        Notifier::open(name.as_bytes()).unwrap_or_else(|error| {
            tracing::warn!(?name, %error, "NOTIFY_SOCKET cannot be used; the init system receives no status");
            Notifier::default()
        })
    }

    /// Opens a socket. `name` is a path or, after an `@`, a name in the abstract namespace.
    fn open(name: &[u8]) -> std::io::Result<Notifier> {
        let address = match name.strip_prefix(b"@") {
            Some(name) => SocketAddr::from_abstract_name(name)?,
            None => SocketAddr::from_pathname(std::ffi::OsStr::from_bytes(name))?,
        };
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        Ok(Notifier(Some(Arc::new(Listening { socket, address }))))
    }

    /// Reports that clients can connect.
    pub fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={status}"));
    }

    /// Reports the status of the running daemon.
    fn status(&self, status: &str) {
        self.send(&format!("STATUS={status}"));
    }

    /// Reports that the daemon is stopping.
    pub fn stopping(&self) {
        self.send("STOPPING=1\nSTATUS=finishing requests in progress and closing the pool");
    }

    /// Has the init system keep a copy of the listener for the next start. It ignores this unless its service allows it
    /// (FileDescriptorStoreMax=).
    pub fn keep_listener(&self, listener: impl AsFd) {
        let Some(listening) = &self.0 else { return };
        if let Err(error) = listening.send_with(KEEP_LISTENER.as_bytes(), listener.as_fd()) {
            tracing::debug!(%error, "NOTIFY_SOCKET: the listener was not sent");
        }
    }

    /// Has the init system close the listener that it keeps.
    pub fn forget_listener(&self) {
        self.send(FORGET_LISTENER);
    }

    /// Sends the server's status whenever it changes, until the future is dropped.
    pub async fn keep_told(self, nfs: Arc<Shared>) {
        let mut told = String::new();
        while self.0.is_some() {
            let status = status_of(&nfs);
            if status != told {
                self.status(&status);
                told = status;
            }
            tokio::time::sleep(STATUS_EVERY).await;
        }
    }

    fn send(&self, message: &str) {
        if let Some(listening) = &self.0
            && let Err(error) = listening.socket.send_to_addr(message.as_bytes(), &listening.address)
        {
            tracing::debug!(%error, message, "NOTIFY_SOCKET: not sent");
        }
    }
}

/// One line for `systemctl status`.
pub fn status_of(nfs: &Shared) -> String {
    let volumes = match nfs.pool.volumes().map_or(0, |volumes| volumes.len()) {
        1 => "1 volume".to_owned(),
        count => format!("{count} volumes"),
    };
    let grace = if nfs.state.in_grace() { "; clients may reclaim open files" } else { "" };
    format!("serving {volumes}{grace}")
}

#[cfg(test)]
mod tests {
    use std::io::IoSliceMut;
    use std::net::{TcpListener, TcpStream};

    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

    use super::*;

    fn receive(socket: &UnixDatagram) -> String {
        socket.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut buffer = [0; 512];
        let length = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    #[test]
    fn a_socket_with_a_path_and_one_in_the_abstract_namespace_are_told() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("notify");
        let listener = UnixDatagram::bind(&path).unwrap();
        Notifier::open(path.as_os_str().as_bytes()).unwrap().ready("serving 2 volumes");
        assert_eq!(receive(&listener), "READY=1\nSTATUS=serving 2 volumes");

        let name = format!("forebay-notify-test-{}", std::process::id());
        let listener = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        Notifier::open(format!("@{name}").as_bytes()).unwrap().stopping();
        assert!(receive(&listener).starts_with("STOPPING=1\n"));
    }

    #[test]
    fn a_listener_is_sent_that_still_takes_connections_when_its_process_has_closed_it() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("notify");
        let init = UnixDatagram::bind(&path).unwrap();
        init.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        Notifier::open(path.as_os_str().as_bytes()).unwrap().keep_listener(&listener);
        drop(listener);
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut message = [0; 64];
        let received =
            recvmsg(&init, &mut [IoSliceMut::new(&mut message)], &mut control, RecvFlags::empty()).unwrap();
        assert_eq!(&message[..received.bytes], KEEP_LISTENER.as_bytes());
        let Some(RecvAncillaryMessage::ScmRights(mut descriptors)) = control.drain().next() else {
            panic!("no descriptor")
        };
        let kept = TcpListener::from(descriptors.next().unwrap());
        let _client = TcpStream::connect(address).unwrap();
        kept.accept().unwrap();
    }

    #[test]
    fn nobody_who_listens_and_a_name_that_is_none_hold_nothing_up() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("nobody");
        Notifier::open(path.as_os_str().as_bytes()).unwrap().ready("serving");
        Notifier::default().ready("serving");
        assert!(Notifier::open(&[b'x'; 200]).is_err());

        // A listener that reads nothing: its queue fills up, and the sender must not wait.
        let _full = UnixDatagram::bind(&path).unwrap();
        let notifier = Notifier::open(path.as_os_str().as_bytes()).unwrap();
        for _ in 0..5000 {
            notifier.status("serving");
        }
    }
}
