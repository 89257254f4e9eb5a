//! The TCP server for ONC RPC (RFC 5531): connections ([`server`], [`connection`](Connection)), the requests on them
//! (`requests.rs`), and the replies (`replies.rs`). The messages are in [`forebay_nfs_proto::rpc`], the memory for requests in
//! [`forebay_net::memory`].

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
