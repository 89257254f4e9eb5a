//! ONC RPC over TCP (RFC 5531): who calls what, and how that is framed.

pub mod auth;
mod connection;

pub use auth::{AuthSys, Credential, OpaqueAuth, Principal};
pub use connection::Connection;
