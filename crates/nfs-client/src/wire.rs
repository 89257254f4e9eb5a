//! A connection that carries any bytes, for testing how a server handles them.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use forebay_nfs_proto::rpc::record::{RecordReader, write_record};
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::{Error, Result};

/// Maximum size of an answer, in bytes.
pub(crate) const RECORD_BYTES_MAX: usize = 64 << 20;

/// Opens a TCP connection.
pub(crate) async fn dial(source: Option<IpAddr>, address: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A TCP connection on which the caller chooses every byte sent.
pub struct Wire {
    reader: RecordReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
}

impl Wire {
    /// Connects to a server.
    pub async fn connect(address: SocketAddr) -> Result<Wire> {
        Wire::connect_from(None, address).await
    }

    /// Connects to a server from this local address, if given.
    pub async fn connect_from(source: Option<IpAddr>, address: SocketAddr) -> Result<Wire> {
        let stream = dial(source, address).await?;
        let (reader, writer) = stream.into_split();
        Ok(Wire { reader: RecordReader::new(reader, RECORD_BYTES_MAX), writer })
    }

    /// Sends bytes unchanged. They must contain the record marks, if any are wanted.
    pub async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.writer.write_all(bytes).await?)
    }

    /// Sends one record.
    pub async fn send_record(&mut self, body: &[u8]) -> Result<()> {
        Ok(write_record(&mut self.writer, &[Bytes::copy_from_slice(body)]).await?)
    }

    /// Closes the sending direction. The connection still receives.
    pub async fn finish(&mut self) -> Result<()> {
        Ok(self.writer.shutdown().await?)
    }

    /// Receives the next record; `None` if the server closed or reset the connection.
    pub async fn receive(&mut self, within: Duration) -> Result<Option<Bytes>> {
        match timeout(within, self.reader.next()).await {
            Err(_) => Err(Error::Timeout(within)),
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionReset => Ok(None),
            Ok(record) => Ok(record?),
        }
    }
}
