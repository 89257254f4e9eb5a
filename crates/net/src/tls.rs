//! Certificates for TLS: the server's own, and the authorities that client certificates must come from.
//!
//! The files are read at the start, and again whenever the operator says that they have changed; existing connections keep what they
//! have. Which clients must use TLS is for each protocol to decide.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use rustls::crypto::ring;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::version::TLS13;
use rustls::{RootCertStore, ServerConfig};
use x509_cert::der::Decode;

/// Where certificates are. All files are PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate, and those between it and the authority that clients trust.
    pub certificate: PathBuf,
    /// The certificate's private key.
    pub key: PathBuf,
    /// The authorities whose certificates clients may show; `None`: no client is asked for one.
    pub client_authorities: Option<PathBuf>,
}

/// Why TLS cannot be used as it is configured.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{file}: {source}; it must be a PEM file that the daemon's user may read", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{file}: {problem}", file = file.display())]
    Content {
        /// The file.
        file: PathBuf,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
}

/// What was read from the files.
struct Loaded {
    config: Arc<ServerConfig>,
    expires: Option<SystemTime>,
}

/// What connections are secured with.
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

    /// Reads the files again, for connections that come from now on. If that fails, everything stays as it is.
    pub fn reload(&self) -> Result<(), TlsError> {
        let loaded = read(&self.files, self.alpn)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// For a connection that begins.
    pub fn current(&self) -> Arc<ServerConfig> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).config.clone()
    }

    /// When the first of the server's certificates, its own or one between it and the authority, is not valid any more;
    /// `None` if one of them does not say so in a way that is understood.
    pub fn expires(&self) -> Option<SystemTime> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).expires
    }
}

fn read(files: &TlsFiles, alpn: &[u8]) -> Result<Loaded, TlsError> {
    let chain = certificates(&files.certificate)?;
    let expires = expiry(&chain);
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
                // Which exports need a certificate is for their policies to say.
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
    // A connection lasts as long as a mount, so nothing is gained by resuming, and every client shows its certificate.
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Loaded { config: Arc::new(config), expires })
}

/// When the first of the certificates is not valid any more.
fn expiry(chain: &[CertificateDer<'_>]) -> Option<SystemTime> {
    let end = |certificate: &CertificateDer<'_>| {
        let certificate = x509_cert::Certificate::from_der(certificate).ok()?;
        UNIX_EPOCH.checked_add(certificate.tbs_certificate().validity().not_after.to_unix_duration())
    };
    chain.iter().map(end).collect::<Option<Vec<_>>>()?.into_iter().min()
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
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

fn content(file: &Path, problem: String) -> TlsError {
    TlsError::Content { file: file.to_owned(), problem }
}

fn unreadable(file: &Path, error: pem::Error, what: &str) -> TlsError {
    match error {
        pem::Error::Io(source) => TlsError::Read { file: file.to_owned(), source },
        pem::Error::NoItemsFound => content(file, format!("does not hold {what} in PEM")),
        error => content(file, format!("is not the PEM of {what}: {error}")),
    }
}

/// For whom a certificate is, as RFC 4514 writes it: `CN=broker1,O=Example`. It was verified before.
pub fn subject(certificate: &CertificateDer<'_>) -> String {
    match x509_cert::Certificate::from_der(certificate) {
        Ok(certificate) => certificate.tbs_certificate().subject().to_string(),
        Err(error) => format!("(a subject that cannot be read: {error})"),
    }
}
