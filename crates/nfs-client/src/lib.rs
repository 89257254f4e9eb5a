//! An NFSv4.1 and 4.2 client that needs no kernel: for tests and for load.
//!
//! It does what it is told and nothing more: no cache, no retry, no renewal of leases by itself. That makes
//! it fit to provoke a server. READ and WRITE payloads are not copied, so it can also load one.
//!
//! - [`Wire`] is a connection that carries any bytes, well-formed or not,
//! - [`Connection`] carries RPC calls, many at a time,
//! - [`Client`] is a registered client with a session over one or several connections,
//! - [`Files`] opens, reads, writes, locks and lists files for it,
//! - [`Hoarder`] has the server keep as much as it will.

mod attributes;
mod client;
mod connection;
mod error;
mod files;
mod hoarder;
mod tls;
mod wire;

pub use attributes::{Attributes, attribute};
pub use client::{Client, ClientOptions, Slot};
pub use connection::{CompoundReply, Connection};
pub use error::{Error, Result};
pub use files::{FileHandle, Files, OpenFile};
pub use forebay_nfs_proto::xdr;
pub use hoarder::{Hoard, Hoarder};
pub use tls::{Identity, TlsOptions};
pub use wire::Wire;
