//! An NFSv4.1 and 4.2 client in user space, for tests and for generating load.
//!
//! It sends only the requests that its caller makes: it has no cache, does not retry, and does not renew leases by itself. So
//! a test controls every request that the server sees. READ and WRITE payloads are not copied, so one client can generate
//! much load.
//!
//! - [`Wire`] is a connection that carries any bytes, well-formed or not.
//! - [`Connection`] carries RPC calls, many at a time.
//! - [`Client`] is a registered client with a session over one or several connections.
//! - [`Files`] opens, reads, writes and lists a client's files.
//! - [`Hoarder`] makes a server hold as much state as the server allows.

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
