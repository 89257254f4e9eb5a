//! ONC RPC over TCP (RFC 5531): who calls what ([`message`], [`auth`]), how that is framed ([`record`]),
//! and the server that takes calls and sends replies ([`server`]).

pub mod auth;
mod buffers;
mod caller;
mod connection;
pub mod message;
pub mod record;
mod replies;
mod requests;
pub(crate) mod server;

pub use auth::{AuthSys, Credential, OpaqueAuth, Principal};
pub use connection::Connection;
