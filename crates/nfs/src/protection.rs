//! The protection of a connection by TLS, which export policies can require.

/// How a connection is protected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protection {
    /// The subject of the client's certificate, if it presented one.
    pub certificate: Option<String>,
}
