//! Tells clients that their connections to the last owner of an address are gone.
//!
//! A client that has sent a request, and whose machine has got the acknowledgement of TCP for it but no reply, has nothing to send again. It waits
//! until its keepalive probes, after many seconds, are answered by a reset. So the new owner sends each client an acknowledgement with a wrong
//! sequence number, a *tickle*. The client's kernel answers with the right one (RFC 9293 section 3.10.7.4), and the new owner's
//! kernel, which knows no such connection, answers that with a reset that the client accepts. The client connects again at once.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::task::spawn_blocking;

use crate::packets::tcp;

/// The time before each round. Linux answers at most one such segment of a connection in 500 ms (`tcp_invalid_ratelimit`), and the first
/// rounds can be sent before all neighbours know who has the address.
const ROUNDS: [Duration; 4] =
    [Duration::ZERO, Duration::from_millis(600), Duration::from_millis(900), Duration::from_millis(2500)];

/// The protocol of sockets whose caller writes the IP header (`raw(7)`).
const IPPROTO_RAW: i32 = 255;

/// Has the clients' connections to the last owner of this machine's new addresses reset. Each connection is the address of the server's
/// end, which must be one that this machine has acquired, and that of the client's end.
///
/// Connections that no longer exist, or were made to this machine, are not harmed: the client ignores the segment, or answers it with an
/// acknowledgement that changes nothing.
///
/// Takes four seconds. If the future is dropped, the remaining rounds are not sent.
///
/// # Errors
/// The kernel does not allow it (CAP_NET_RAW), or has no memory. Clients then find out by themselves.
pub async fn tickle(connections: Vec<(SocketAddr, SocketAddr)>) -> io::Result<()> {
    for pause in ROUNDS {
        tokio::time::sleep(pause).await;
        let connections = connections.clone();
        spawn_blocking(move || send(&connections)).await.map_err(io::Error::other)??;
    }
    Ok(())
}

/// Sends each client one segment.
fn send(connections: &[(SocketAddr, SocketAddr)]) -> io::Result<()> {
    for domain in [Domain::IPV4, Domain::IPV6] {
        let of_domain = |(_, client): &&(SocketAddr, SocketAddr)| Domain::for_address(*client) == domain;
        let mut connections = connections.iter().filter(of_domain).peekable();
        if connections.peek().is_none() {
            continue;
        }
        let socket = raw_socket(domain)?;
        for (server, client) in connections {
            // By chance a number can be inside the window. The next round has another one.
            let Some(packet) = tcp::bare_ack(*server, *client, random()?) else { continue };
            // A client that cannot be reached must not keep the others from being told.
            if let Err(error) = socket.send_to(&packet, &SocketAddr::new(client.ip(), 0).into()) {
                tracing::debug!(%client, %error, "not told that its connection is gone");
            }
        }
    }
    Ok(())
}

/// A socket that sends whole IP packets, and receives none.
fn raw_socket(domain: Domain) -> io::Result<Socket> {
    let socket = Socket::new(domain, Type::RAW, Some(Protocol::from(IPPROTO_RAW)))?;
    // A full queue loses the packet, and the next round sends it again.
    socket.set_nonblocking(true)?;
    Ok(socket)
}

fn random() -> io::Result<u32> {
    let mut bytes = [0; 4];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(u32::from_ne_bytes(bytes))
}
