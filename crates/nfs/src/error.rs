//! Why a server cannot start.

use std::net::SocketAddr;

use crate::policy::PolicyError;
use forebay_net::tls::TlsError;

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Cannot listen on the address.
    #[error("NFS cannot listen on {address}: {source}; choose another address, or stop who uses it")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
    /// The TLS configuration is not usable.
    #[error("NFS cannot use TLS: {0}")]
    Tls(#[from] TlsError),
    /// The pool's export policies cannot be read.
    #[error("{0}")]
    Policies(#[from] PolicyError),
    /// The pool failed to return the server's records.
    #[error("NFS cannot read its records from the pool: {0}")]
    Pool(#[from] forebay_pool::Error),
}
