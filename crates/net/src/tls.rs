//! Certificates for TLS: the server's own, and the authorities that client certificates must come from.
//!
//! The files are read at the start and whenever the operator asks for a reload; existing connections are not
//! affected. Each protocol does its own handshake, and decides which clients must use TLS.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::TLS13;
use rustls::{RootCertStore, ServerConfig};
use sha2::{Digest, Sha256};
use x509_cert::der::Decode;

/// The paths of certificates. All files are PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, followed by any intermediate certificates up to the authority that clients
    /// trust.
    pub certificate: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
    /// The authorities that issue client certificates; `None`: clients are not asked for one.
    pub client_authorities: Option<PathBuf>,
}

/// Why the TLS configuration is not usable.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{file}: {source}; it must be a PEM file that the daemon's user may read", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("{file}: cannot be written: {source}; the daemon's user must be able to write in that directory", file = file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file has invalid contents.
    #[error("{file}: {problem}", file = file.display())]
    Content {
        /// The file.
        file: PathBuf,
        /// What is wrong, and what would be valid.
        problem: String,
    },
}

/// The contents of the files.
struct Loaded {
    config: Arc<ServerConfig>,
    expires: Option<SystemTime>,
    fingerprint: String,
}

/// The TLS configuration of connections.
pub struct Tls {
    files: TlsFiles,
    alpn: &'static [u8],
    current: RwLock<Loaded>,
}

impl Tls {
    /// Reads the files. `alpn` is the protocol's ALPN name (RFC 7301).
    pub fn load(files: TlsFiles, alpn: &'static [u8]) -> Result<Tls, TlsError> {
        let loaded = read(&files, alpn)?;
        Ok(Tls { files, alpn, current: RwLock::new(loaded) })
    }

    /// Reads the files again, for new connections. If that fails, nothing changes.
    pub fn reload(&self) -> Result<(), TlsError> {
        let loaded = read(&self.files, self.alpn)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// The configuration for a new connection.
    pub fn current(&self) -> Arc<ServerConfig> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).config.clone()
    }

    /// When the first certificate of the server's chain expires; `None` if the date of one cannot be read.
    pub fn expires(&self) -> Option<SystemTime> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).expires
    }

    /// The [`fingerprint`] of the server's own certificate.
    pub fn fingerprint(&self) -> String {
        self.current.read().unwrap_or_else(PoisonError::into_inner).fingerprint.clone()
    }
}

fn read(files: &TlsFiles, alpn: &[u8]) -> Result<Loaded, TlsError> {
    let chain = certificates(&files.certificate)?;
    let expires = expiry(&chain);
    let fingerprint = chain.first().map(|own| fingerprint(own)).unwrap_or_default();
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| unreadable(&files.key, error, "a private key (PKCS #8, PKCS #1 or SEC 1)"))?;
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| content(&files.certificate, format!("TLS 1.3 cannot be used: {error}")))?;
    let builder = match &files.client_authorities {
        None => builder.with_no_client_auth(),
        Some(file) => {
            let verifier = WebPkiClientVerifier::builder_with_provider(authorities(file)?.into(), provider)
                // The export policies decide which exports need a certificate.
                .allow_unauthenticated()
                .build()
                .map_err(|error| content(file, format!("cannot be used to verify clients: {error}")))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(|error| {
        let problem = format!(
            "cannot be used with the key in {}: {error}; the first certificate must be the key's own",
            files.key.display()
        );
        content(&files.certificate, problem)
    })?;
    config.alpn_protocols = vec![alpn.to_vec()];
    // A connection lasts as long as a mount, so session resumption would gain nothing; without it every
    // client presents its certificate.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Loaded { config: Arc::new(config), expires, fingerprint })
}

/// The SHA-256 fingerprint of a certificate as browsers and OpenSSL show it: `3A:5F:…`, 32 bytes.
pub fn fingerprint(certificate: &[u8]) -> String {
    let digest = Sha256::digest(certificate);
    digest.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// When the first of the certificates expires.
pub(crate) fn expiry(chain: &[CertificateDer<'_>]) -> Option<SystemTime> {
    let end = |certificate: &CertificateDer<'_>| {
        let certificate = x509_cert::Certificate::from_der(certificate).ok()?;
        UNIX_EPOCH.checked_add(certificate.tbs_certificate().validity().not_after.to_unix_duration())
    };
    chain.iter().map(end).collect::<Option<Vec<_>>>()?.into_iter().min()
}

pub(crate) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    const WHAT: &str = "a certificate";
    let read = |error| unreadable(file, error, WHAT);
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).map_err(read)?.collect();
    match found.map_err(read)? {
        none if none.is_empty() => Err(unreadable(file, pem::Error::NoItemsFound, WHAT)),
        found => Ok(found),
    }
}

fn authorities(file: &Path) -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    for certificate in certificates(file)? {
        store
            .add(certificate)
            .map_err(|error| content(file, format!("holds a certificate that is no authority's: {error}")))?;
    }
    Ok(store)
}

pub(crate) fn content(file: &Path, problem: String) -> TlsError {
    TlsError::Content { file: file.to_owned(), problem }
}

pub(crate) fn unreadable(file: &Path, error: pem::Error, what: &str) -> TlsError {
    match error {
        pem::Error::Io(source) => TlsError::Read { file: file.to_owned(), source },
        pem::Error::NoItemsFound => content(file, format!("does not hold {what} in PEM")),
        error => content(file, format!("is not the PEM of {what}: {error}")),
    }
}

/// The subject of a verified certificate in RFC 4514 format: `CN=broker1,O=Example`.
pub fn subject(certificate: &CertificateDer<'_>) -> String {
    match x509_cert::Certificate::from_der(certificate) {
        Ok(certificate) => certificate.tbs_certificate().subject().to_string(),
        Err(error) => format!("(a subject that cannot be read: {error})"),
    }
}
