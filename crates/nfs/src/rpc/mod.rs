//! ONC RPC over TCP (RFC 5531): calls and their callers ([`message`], [`auth`]), framing ([`record`]), and
//! the server that takes calls and sends replies ([`server`]).

pub mod auth;
mod backlog;
mod buffers;
mod by_client;
mod caller;
mod connection;
mod incoming;
pub mod message;
pub mod record;
mod replies;
mod requests;
mod roster;
mod secure;
pub(crate) mod server;
mod shares;

pub use auth::{AuthSys, Credential, OpaqueAuth, Principal};
pub use connection::{Connection, ReplyRoom};
pub use secure::Protection;
pub use shares::RequestMemory;
