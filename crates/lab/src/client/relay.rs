//! Forwards TCP connections of the guest to servers that only the host reaches.

use std::io;
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

/// Time limit for a connection to a server.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);

/// Fails if nothing listens there, with a message that contains the remedy.
pub fn check(host: &str, port: u16) -> Result<()> {
    connect(host, port).map(drop).with_context(|| {
        format!(
            "no NFS server answers at {host}, port {port}: is the daemon running, and is that the port in its `ready` line \
             (--port names another)?"
        )
    })
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT_PATIENCE) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// In the worker: accepts connections of the guest on a port of the lab's network, and forwards them to a socket.
pub fn listen(address: Ipv4Addr, port: u16, way: PathBuf) -> Result<()> {
    let listener =
        TcpListener::bind((address, port)).with_context(|| format!("listen on {address}:{port}"))?;
    std::thread::spawn(move || {
        // The guest's kernel reconnects if one of these breaks.
        for guest in listener.incoming().flatten() {
            if guest.set_nodelay(true).is_ok()
                && let Ok(host) = UnixStream::connect(&way)
            {
                join(guest, host);
            }
        }
    });
    Ok(())
}

/// In the supervisor: accepts connections of the worker, and forwards each on a connection of its own to the server.
pub fn carry(listener: UnixListener, host: String, port: u16) {
    std::thread::spawn(move || {
        for worker in listener.incoming().flatten() {
            let host = host.clone();
            // A server that does not answer must not delay other connections.
            std::thread::spawn(move || connect(&host, port).map(|server| join(server, worker)));
        }
    });
}

/// Copies bytes in both directions until both sides have ended.
fn join(tcp: TcpStream, unix: UnixStream) {
    let (Ok(tcp_too), Ok(unix_too)) = (tcp.try_clone(), unix.try_clone()) else { return };
    std::thread::spawn(move || {
        let _ = io::copy(&mut &tcp, &mut &unix);
        let _ = unix.shutdown(Shutdown::Write);
    });
    std::thread::spawn(move || {
        let _ = io::copy(&mut &unix_too, &mut &tcp_too);
        let _ = tcp_too.shutdown(Shutdown::Write);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn what_is_sent_arrives_both_ways_and_ends_are_passed_on() {
        let folder = tempfile::tempdir().unwrap();
        let way = folder.path().join("way");
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        carry(UnixListener::bind(&way).unwrap(), "127.0.0.1".into(), server.local_addr().unwrap().port());
        let mut client = UnixStream::connect(&way).unwrap();
        let (mut accepted, _) = server.accept().unwrap();
        client.write_all(b"a question").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let mut heard = Vec::new();
        accepted.read_to_end(&mut heard).unwrap();
        assert_eq!(heard, b"a question");
        accepted.write_all(b"an answer").unwrap();
        drop(accepted);
        heard.clear();
        client.read_to_end(&mut heard).unwrap();
        assert_eq!(heard, b"an answer");
    }

    #[test]
    fn a_server_that_is_not_there_is_named_with_what_to_do() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let said = format!("{:#}", check("127.0.0.1", port).unwrap_err());
        assert!(said.contains(&port.to_string()) && said.contains("--port"), "{said}");
    }
}
