//! ONC RPC over TCP (RFC 5531): accepts connections ([`server`]) within limits ([`roster`]), and reads the
//! requests on each ([`requests`]).

mod incoming;
mod requests;
mod roster;
pub(crate) mod server;
