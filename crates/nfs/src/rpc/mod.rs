//! ONC RPC over TCP (RFC 5531): calls and their callers ([`message`], [`auth`]), framing ([`record`]), and
//! the server that takes calls and sends replies ([`server`]).

mod caller;
mod connection;
mod incoming;
mod replies;
mod requests;
mod roster;
mod secure;
pub(crate) mod server;

pub use connection::{Connection, ReplyRoom};
pub use secure::Protection;
