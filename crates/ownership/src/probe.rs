//! Asks an NFS server whether it is there: the NULL procedure (RFC 8881 §16.1), which needs no session and does nothing.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_millis(450);
const CALL_WORDS: usize = 11;
/// The mark of the last fragment of a record (RFC 5531 §11).
const LAST_FRAGMENT: u32 = 1 << 31;
/// A reply to NULL has 24 bytes, and a refusal not many more.
const REPLY_BYTES_MAX: u32 = 400;

/// One server, over a connection that is kept.
#[derive(Debug)]
pub(crate) struct Probe {
    address: SocketAddr,
    connection: Option<TcpStream>,
    xid: u32,
}

impl Probe {
    pub(crate) fn new(address: SocketAddr) -> Probe {
        Probe { address, connection: None, xid: 0 }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether the server answers now.
    pub(crate) async fn answers(&mut self) -> bool {
        let answered = timeout(PATIENCE, self.call()).await;
        let answers = matches!(answered, Ok(Ok(())));
        if !answers {
            self.connection = None;
        }
        answers
    }

    async fn call(&mut self) -> io::Result<()> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => TcpStream::connect(self.address).await?,
        };
        self.xid = self.xid.wrapping_add(1);
        connection.write_all(&null_call(self.xid)).await?;
        let mark = connection.read_u32().await?;
        let length = mark & !LAST_FRAGMENT;
        if mark & LAST_FRAGMENT == 0 || !(8..=REPLY_BYTES_MAX).contains(&length) {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        let mut reply = vec![0; length as usize];
        connection.read_exact(&mut reply).await?;
        if reply.first_chunk() != Some(&self.xid.to_be_bytes()) {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        self.connection = Some(connection);
        Ok(())
    }
}

/// Whether something listens at the address, or at least its machine says that nothing does.
pub(crate) async fn is_reachable(address: SocketAddr) -> bool {
    match timeout(PATIENCE, TcpStream::connect(address)).await {
        Ok(Ok(_)) => true,
        Ok(Err(error)) => error.kind() == io::ErrorKind::ConnectionRefused,
        Err(_) => false,
    }
}

/// A call of NFS version 4's procedure 0, with AUTH_NONE (RFC 5531 §9).
fn null_call(xid: u32) -> Vec<u8> {
    let words: [u32; CALL_WORDS] = [
        LAST_FRAGMENT | ((CALL_WORDS - 1) * 4) as u32,
        xid,
        0,       // a call
        2,       // RPC version
        100_003, // NFS
        4,
        0, // NULL
        0, // credential: AUTH_NONE
        0,
        0, // verifier: AUTH_NONE
        0,
    ];
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use tokio::net::TcpListener;

    async fn listener() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    #[tokio::test]
    async fn a_server_that_answers_is_there_and_is_asked_over_one_connection() {
        let (listener, address) = listener().await;
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            for _ in 0..3 {
                let mut call = [0; CALL_WORDS * 4];
                stream.read_exact(&mut call).await.unwrap();
                let mut reply = (LAST_FRAGMENT | 24).to_be_bytes().to_vec();
                reply.extend_from_slice(&call[4..8]);
                reply.extend_from_slice(&[0, 0, 0, 1]);
                reply.extend_from_slice(&[0; 16]);
                stream.write_all(&reply).await.unwrap();
            }
        });
        let mut probe = Probe::new(address);
        for _ in 0..3 {
            assert!(probe.answers().await);
        }
        server.await.unwrap();
        assert!(!probe.answers().await, "it is gone");
    }

    #[tokio::test]
    async fn a_server_that_is_silent_or_talks_nonsense_is_not_there() {
        let (listener, address) = listener().await;
        let mut probe = Probe::new(address);
        assert!(!probe.answers().await, "nobody accepts");
        let server = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
            }
        });
        assert!(!probe.answers().await);
        server.abort();
        let _ = server.await;
        assert!(!probe.answers().await);
        assert!(is_reachable(address).await, "its machine refuses the connection");
    }
}
