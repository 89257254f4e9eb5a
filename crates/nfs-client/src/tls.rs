//! RPC-with-TLS on the client's side (RFC 9289).

use std::sync::Arc;

use forebay_nfs_proto::rpc::ALPN;
use forebay_nfs_proto::rpc::OpaqueAuth;
use forebay_nfs_proto::rpc::message::{Call, PROCEDURE_NULL, ReplyHeader};
use forebay_nfs_proto::rpc::record::{RecordReader, write_record};
use forebay_nfs_proto::xdr::{Decode, Decoder, Encoder};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::version::TLS13;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::wire::RECORD_BYTES_MAX;
use crate::{Error, Result};

/// The TLS options of connections.
#[derive(Clone, Debug)]
pub struct TlsOptions {
    config: Arc<ClientConfig>,
    server: ServerName<'static>,
}

/// The certificate with which a client identifies itself, in PEM.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// The certificate, followed by the chain up to the authority.
    pub certificates: &'a str,
    /// The certificate's private key.
    pub key: &'a str,
}

impl TlsOptions {
    /// Accepts a server whose certificate is for the name `server` and signed by one of `authorities` (PEM). With an `identity`, the
    /// client presents its own certificate.
    pub fn new(authorities: &str, server: &str, identity: Option<Identity<'_>>) -> Result<TlsOptions> {
        let mut roots = RootCertStore::empty();
        for authority in certificates(authorities)? {
            roots.add(authority).map_err(tls)?;
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&TLS13])
            .map_err(tls)?
            .with_root_certificates(roots);
        let mut config = match identity {
            None => builder.with_no_client_auth(),
            Some(identity) => {
                let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).map_err(tls)?;
                builder.with_client_auth_cert(certificates(identity.certificates)?, key).map_err(tls)?
            }
        };
        config.alpn_protocols = vec![ALPN.to_vec()];
        let server = ServerName::try_from(server.to_owned()).map_err(tls)?;
        Ok(TlsOptions { config: Arc::new(config), server })
    }

    /// Requests TLS on a new connection (AUTH_TLS), and does the handshake.
    pub(crate) async fn secure(&self, mut stream: TcpStream) -> Result<TlsStream<TcpStream>> {
        let probe = Encoder::of(&Call::nfs(0, PROCEDURE_NULL, OpaqueAuth::TLS)).into_bytes();
        write_record(&mut stream, &[probe]).await?;
        // The server sends nothing more before the client's handshake message, so the reader buffers no bytes of TLS.
        let answer = RecordReader::new(&mut stream, RECORD_BYTES_MAX).next().await?.ok_or(Error::Closed)?;
        let header = ReplyHeader::decode(&mut Decoder::new(answer))?;
        header.outcome.map_err(Error::Refused)?;
        if !header.starttls {
            return Err(Error::Tls("the server does not offer it".to_owned()));
        }
        TlsConnector::from(self.config.clone()).connect(self.server.clone(), stream).await.map_err(tls)
    }
}

fn certificates(pem: &str) -> Result<Vec<CertificateDer<'static>>> {
    CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<std::result::Result<_, _>>().map_err(tls)
}

fn tls(error: impl std::fmt::Display) -> Error {
    Error::Tls(error.to_string())
}
