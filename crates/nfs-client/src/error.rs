//! What can go wrong.

use forebay_nfs_proto::rpc::message::Refusal;
use forebay_nfs_proto::xdr::{Status, XdrError};

/// An error of the client.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The connection broke, or could not be made.
    #[error("connection: {0}")]
    Io(#[from] std::io::Error),
    /// The server closed the connection before it answered.
    #[error("the server closed the connection")]
    Closed,
    /// The server did not answer in time.
    #[error("no answer within {0:?}")]
    Timeout(std::time::Duration),
    /// The server's answer cannot be read.
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
        /// Why.
        status: Status,
    },
    /// The connection cannot be secured.
    #[error("no TLS: {0}")]
    Tls(String),
    /// The server's answer lacks a result.
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

/// What the client's functions return.
pub type Result<T> = std::result::Result<T, Error>;
