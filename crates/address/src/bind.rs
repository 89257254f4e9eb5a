//! Listening on an address that the machine does not have yet.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

/// Connections that the kernel completes and keeps before the caller accepts them.
const BACKLOG: i32 = 1024;

/// Listens for TCP connections on `address`, whether or not this machine has the address at the moment.
///
/// Connections arrive as soon as the machine acquires the address. A service that listens before it acquires its address never
/// refuses a connection; a Linux NFS client waits at least 3 s after a refused one. IP_FREEBIND and IPV6_FREEBIND make this
/// possible; they need no privilege. The port may be in use by connections of an earlier process (SO_REUSEADDR), but not by another
/// listener.
///
/// The listener is non-blocking, as `tokio::net::TcpListener::from_std` requires.
///
/// # Errors
/// The system's error, for example `AddrInUse` if another process listens on the port, or `PermissionDenied` for a port below 1024.
/// It does not name the address.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    match address {
        SocketAddr::V4(_) => socket.set_freebind_v4(true)?,
        SocketAddr::V6(_) => socket.set_freebind_v6(true)?,
    }
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_no_machine_has_can_be_listened_on() {
        for address in ["192.0.2.50:0", "[2001:db8::50]:0", "127.0.0.1:0"] {
            let listener = bind(address.parse().unwrap()).unwrap();
            assert_ne!(listener.local_addr().unwrap().port(), 0);
        }
    }

    #[test]
    fn a_port_has_one_listener() {
        let first = bind("192.0.2.50:0".parse().unwrap()).unwrap();
        let second = bind(first.local_addr().unwrap()).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::AddrInUse);
    }
}
