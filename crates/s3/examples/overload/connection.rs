//! A connection from a chosen loopback address.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::signer::Raw;

/// Connects from 127.0.0.`last`. A small buffer makes a slow reader one that the server notices.
pub async fn connect(to: SocketAddr, last: u8, buffer_bytes: Option<u32>) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    if let Some(bytes) = buffer_bytes {
        socket.set_recv_buffer_size(bytes)?;
    }
    socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Sends a request, and reads its response: the status and the length of the body.
pub async fn exchange(stream: &mut TcpStream, raw: &Raw) -> io::Result<(u16, usize)> {
    stream.write_all(&raw.bytes()).await?;
    let mut buffer = vec![0; 256 << 10];
    let mut filled = 0;
    let head_end = loop {
        let more = stream.read(&mut buffer[filled..]).await?;
        if more == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        filled += more;
        if let Some(at) = buffer[..filled].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..head_end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let length: usize = length.unwrap_or(0);
    let mut left = length.saturating_sub(filled - head_end);
    while left > 0 {
        match stream.read(&mut buffer).await? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            bytes => left = left.saturating_sub(bytes),
        }
    }
    Ok((status, length))
}
