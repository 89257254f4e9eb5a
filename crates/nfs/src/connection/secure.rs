//! TLS on a connection (RFC 9289): the handshake, and encryption and decryption after it.
//!
//! TLS stands between the connection's two halves and the socket. The writer encrypts replies in the order in
//! which they are written; the reader decrypts requests. Without TLS none of this code runs.

use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use rustls::{ServerConfig, ServerConnection};
use tokio::io::{AsyncReadExt, ReadBuf};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use crate::protection::Protection;
use forebay_net::tls::subject;

/// The first byte of a handshake. No accepted RPC record begins with it.
pub(crate) const HANDSHAKE: u8 = 0x16;
/// Buffer for encrypted data from the socket.
const SEALED_BYTES: usize = 64 << 10;

/// The TLS state of a connection after the handshake.
pub(crate) struct Secure(Mutex<ServerConnection>);

impl Secure {
    /// Performs a handshake. `sealed` has the bytes that have already arrived; bytes after the handshake are
    /// left there.
    pub(crate) async fn accept(
        config: Arc<ServerConfig>,
        reading: &mut OwnedReadHalf,
        writing: &OwnedWriteHalf,
        sealed: &mut BytesMut,
    ) -> io::Result<(Secure, Protection)> {
        let mut tls = ServerConnection::new(config).map_err(io::Error::other)?;
        // Encrypted data is sent immediately, so it cannot pile up.
        tls.set_buffer_limit(None);
        while tls.is_handshaking() {
            if sealed.is_empty() && reading.read_buf(sealed).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let outcome = open(&mut tls, sealed);
            // Errors must be reported to the peer as well.
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

    /// Encrypts these bytes.
    pub(crate) fn seal<'a>(&self, pieces: impl Iterator<Item = &'a [u8]>) -> io::Result<Bytes> {
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

    /// Whether there is decrypted data that has not been read, or the client has finished.
    pub(crate) fn has_opened(&self) -> bool {
        match self.lock().reader().fill_buf() {
            Ok(_) => true,
            Err(error) => error.kind() != io::ErrorKind::WouldBlock,
        }
    }

    /// Reads decrypted data. Returns false if there is none until more is decrypted.
    pub(crate) fn take(&self, into: &mut ReadBuf<'_>) -> io::Result<bool> {
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
            // The socket ended without a TLS close message. A record that this cuts off is detected above.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Decrypts some of the received data. An empty input means that the socket has ended.
    pub(crate) fn open(&self, sealed: &mut BytesMut) -> io::Result<()> {
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

/// Sends TLS's own messages.
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

/// Reads encrypted data from a socket and returns it decrypted.
pub(crate) struct Opening {
    secure: Arc<Secure>,
    sealed: BytesMut,
}

impl Opening {
    /// `sealed` has already been received.
    pub(crate) fn new(secure: Arc<Secure>, sealed: BytesMut) -> Self {
        Opening { secure, sealed }
    }

    /// As [`tokio::io::AsyncRead::poll_read`].
    pub(crate) fn poll_read(
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
    pub(crate) fn is_readable(&self) -> bool {
        !self.sealed.is_empty() || self.secure.has_opened()
    }

    /// Releases as much memory as possible until data arrives.
    pub(crate) fn rest(&mut self) {
        if self.sealed.is_empty() {
            self.sealed = BytesMut::new();
        }
    }
}
