//! NFSv4.1 and 4.2 server on a pool.
//!
//! A connection's bytes become RPC records ([`rpc`]), records become COMPOUND arguments ([`xdr`]), the
//! operations of a COMPOUND ([`compound`], [`ops`]: one file for each) run against the pool, through
//! filehandles and permissions ([`fs`]), and against the protocol's state ([`session`], [`state`]).
//! The results go back the same way. Start reading at [`compound`].

mod clock;
pub mod compound;
mod config;
pub mod fs;
pub mod ops;
pub mod rpc;
pub mod session;
mod shared;
pub mod state;
pub mod xdr;

pub use clock::Clock;
pub use config::Config;
pub use shared::Shared;
