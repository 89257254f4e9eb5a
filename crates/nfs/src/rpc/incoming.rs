//! The data from a client, with or without TLS.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::tcp::OwnedReadHalf;

use crate::connection::secure::{Opening, Secure};
use forebay_nfs_proto::rpc::record::Readable;

/// The reading half of a connection.
pub(super) struct Incoming {
    socket: OwnedReadHalf,
    tls: Option<Opening>,
}

impl Incoming {
    pub(super) fn new(socket: OwnedReadHalf) -> Self {
        Incoming { socket, tls: None }
    }

    /// The socket, for a handshake.
    pub(super) fn socket(&mut self) -> &mut OwnedReadHalf {
        &mut self.socket
    }

    /// Switches to TLS; `sealed` has already been received.
    pub(super) fn secure(&mut self, secure: Arc<Secure>, sealed: BytesMut) {
        self.tls = Some(Opening::new(secure, sealed));
    }
}

impl AsyncRead for Incoming {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match &mut this.tls {
            None => Pin::new(&mut this.socket).poll_read(context, into),
            Some(tls) => tls.poll_read(&mut this.socket, context, into),
        }
    }
}

impl Readable for Incoming {
    async fn readable(&self) -> io::Result<()> {
        match &self.tls {
            Some(tls) if tls.is_readable() => Ok(()),
            _ => self.socket.readable().await,
        }
    }

    fn rest(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.rest();
        }
    }
}
