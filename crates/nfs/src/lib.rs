//! NFSv4.1 and 4.2 server on a pool.
//!
//! A connection's bytes become RPC records ([`rpc`]), records become the operations of a COMPOUND
//! ([`dispatch`], [`forebay_nfs_proto`]), and these ([`ops`]: one file for each) run against the pool, through filehandles
//! and permissions ([`fs`]) of users and groups ([`identity`]), as far as export policies let the client ([`policy`]) and as fast as the volume's limit does ([`throttle`]), and against the protocol's state ([`session`], [`state`]), whose memory is shared out fairly ([`memory`]). The results go back
//! the same way. Start reading at [`dispatch`], or at [`Server`] to see what is wired to what.

pub mod compound;
mod config;
pub mod dispatch;
pub mod fs;
pub mod identity;
pub mod inspect;
pub mod memory;
pub mod ops;
pub mod policy;
pub mod rpc;
mod server;
pub mod session;
mod shared;
pub mod state;
pub mod statistics;
mod throttle;
mod trace;

pub use config::Config;
pub use forebay_pool::TRACES;
pub use server::{Server, ServerError};
pub use shared::Shared;
