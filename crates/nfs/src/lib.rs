//! An NFSv4.1 and 4.2 server on a pool.
//!
//! A connection's bytes become RPC records ([`rpc`]), and a record becomes the operations of a COMPOUND
//! ([`dispatch`], [`xdr`]). The operations ([`ops`], one file each) run against the pool through filehandles
//! and permissions ([`fs`]) of users and groups ([`identity`]), and against the protocol's state
//! ([`session`], [`state`]), whose memory is shared fairly ([`memory`]). Export policies ([`policy`]) decide
//! what a client may do, and the volume's limit ([`throttle`]) how fast. The results go back the same way.
//! Start reading at [`dispatch`], or at [`Server`] for the wiring.

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
