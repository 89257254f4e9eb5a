//! The errors of the client.

use forebay_nfs_proto::rpc::message::Refusal;
use forebay_nfs_proto::xdr::{Status, XdrError};

/// An error of the client.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The connection broke, or could not be established.
    #[error("connection: {0}")]
    Io(#[from] std::io::Error),
    /// The server closed the connection before it answered.
    #[error("the server closed the connection")]
    Closed,
    /// The server did not answer in time.
    #[error("no answer within {0:?}")]
    Timeout(std::time::Duration),
    /// The server's answer cannot be decoded.
    #[error("bad answer: {0}")]
    Xdr(#[from] XdrError),
    /// The server did not execute the call.
    #[error("RPC call refused: {0:?}")]
    Refused(Refusal),
    /// An operation failed.
    #[error("operation {operation}: {status:?}")]
    Status {
        /// The operation's number.
        operation: u32,
        /// The status of the operation.
        status: Status,
    },
    /// TLS cannot be used: the options are invalid, the server does not offer TLS, or the handshake failed.
    #[error("cannot use TLS: {0}")]
    Tls(String),
    /// The server's answer lacks a result, or the client lacks a connection or a free slot.
    #[error("the answer has no result of {0}")]
    Missing(&'static str),
}

impl Error {
    /// The status, if an operation failed.
    pub fn status(&self) -> Option<Status> {
        match self {
            Error::Status { status, .. } => Some(*status),
            _ => None,
        }
    }
}

/// The result of the client's functions.
pub type Result<T> = std::result::Result<T, Error>;
