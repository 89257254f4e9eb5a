//! TLS on a connection (RFC 9289): the handshake, and what is sealed and opened after it.
//!
//! TLS stands between the connection's two halves and the socket. Replies are sealed in the order in which they are
//! written, by whoever writes; requests are opened by whoever reads. Without TLS none of this is in the way.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use rustls::{ServerConfig, ServerConnection};
use tokio::io::{AsyncReadExt, ReadBuf};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use forebay_net::tls::subject;

/// The first byte that a client sends when it begins a handshake. No RPC record that is taken begins with it.
pub(super) const HANDSHAKE: u8 = 0x16;
/// Room for what was read from the socket and is to be opened.
const SEALED_BYTES: usize = 64 << 10;

/// How a connection is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protection {
    /// For whom the certificate is that the client showed, if it showed one.
    pub certificate: Option<String>,
}

/// The state of TLS on a connection whose handshake is done.
pub(super) struct Secure(Mutex<ServerConnection>);

impl Secure {
    /// Answers a handshake of which `sealed` has arrived already; what came after it is left there.
    pub(super) async fn accept(
        config: Arc<ServerConfig>,
        reading: &mut OwnedReadHalf,
        writing: &OwnedWriteHalf,
        sealed: &mut BytesMut,
    ) -> io::Result<(Secure, Protection)> {
        let mut tls = ServerConnection::new(config).map_err(io::Error::other)?;
        // What is sealed is sent at once, so nothing piles up.
        tls.set_buffer_limit(None);
        while tls.is_handshaking() {
            if sealed.is_empty() && reading.read_buf(sealed).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let outcome = open(&mut tls, sealed);
            // Also what went wrong is to be told.
            send(&mut tls, writing).await?;
            outcome?;
        }
        let certificate = tls.peer_certificates().and_then(|chain| chain.first()).map(subject);
        Ok((Secure(Mutex::new(tls)), Protection { certificate }))
    }

    fn lock(&self) -> MutexGuard<'_, ServerConnection> {
        // A panic inside leaves a connection that cannot be trusted; the peer's checks end it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is to be sent for these bytes.
    pub(super) fn seal<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>) -> io::Result<Bytes> {
        let mut tls = self.lock();
        for piece in pieces {
            tls.writer().write_all(piece)?;
        }
        let mut sealed = Vec::new();
        while tls.wants_write() {
            tls.write_tls(&mut sealed)?;
        }
        Ok(sealed.into())
    }

    /// Whether something was opened that nobody has taken yet, or the client is done.
    pub(super) fn has_opened(&self) -> bool {
        match self.lock().reader().fill_buf() {
            Ok(_) => true,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }

    /// Takes what was opened; false if there is nothing, and more is to be opened first.
    pub(super) fn take(&self, into: &mut ReadBuf<'_>) -> io::Result<bool> {
        let mut tls = self.lock();
        let mut reader = tls.reader();
        match reader.fill_buf() {
            Ok(opened) => {
                let length = opened.len().min(into.remaining());
                into.put_slice(opened.get(..length).unwrap_or_default());
                reader.consume(length);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            // The socket ended without a word of TLS; a record that is cut off by that is found out above.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Opens some of what arrived; nothing at all means that the socket has ended.
    pub(super) fn open(&self, sealed: &mut BytesMut) -> io::Result<()> {
        open(&mut self.lock(), sealed)
    }
}

fn open(tls: &mut ServerConnection, sealed: &mut BytesMut) -> io::Result<()> {
    let mut input = sealed.as_ref();
    let taken = tls.read_tls(&mut input)?;
    sealed.advance(taken);
    let outcome = tls.process_new_packets();
    outcome.map(|_| ()).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Sends what TLS itself has to say.
async fn send(tls: &mut ServerConnection, writing: &OwnedWriteHalf) -> io::Result<()> {
    let mut sealed = Vec::new();
    while tls.wants_write() {
        tls.write_tls(&mut sealed)?;
    }
    let mut rest = sealed.as_slice();
    while !rest.is_empty() {
        writing.writable().await?;
        match writing.try_write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads from a socket what is sealed, and hands it out opened.
pub(super) struct Opening {
    secure: Arc<Secure>,
    sealed: BytesMut,
}

impl Opening {
    /// `sealed` has arrived already.
    pub(super) fn new(secure: Arc<Secure>, sealed: BytesMut) -> Self {
        Opening { secure, sealed }
    }

    /// As [`tokio::io::AsyncRead::poll_read`].
    pub(super) fn poll_read(
        &mut self,
        socket: &mut OwnedReadHalf,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while !self.secure.take(into)? {
            if self.sealed.is_empty() {
                self.sealed.reserve(SEALED_BYTES);
                let read = socket.read_buf(&mut self.sealed);
                let read = std::pin::pin!(read);
                ready!(read.poll(context))?;
            }
            self.secure.open(&mut self.sealed)?;
        }
        Poll::Ready(Ok(()))
    }

    /// Whether something can be read without the socket.
    pub(super) fn is_readable(&self) -> bool {
        !self.sealed.is_empty() || self.secure.has_opened()
    }

    /// Takes no more memory than it must until something comes.
    pub(super) fn rest(&mut self) {
        if self.sealed.is_empty() {
            self.sealed = BytesMut::new();
        }
    }
}
