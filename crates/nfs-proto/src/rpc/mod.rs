//! ONC RPC over TCP (RFC 5531): calls and replies ([`message`]), credentials ([`auth`]), and how a stream is divided into
//! records ([`record`]).

pub mod auth;
pub mod message;
pub mod record;

pub use auth::{AuthSys, Credential, OpaqueAuth, Principal};

/// The ALPN name of RPC-with-TLS (RFC 9289 §8.2).
pub const ALPN: &[u8] = b"sunrpc";
