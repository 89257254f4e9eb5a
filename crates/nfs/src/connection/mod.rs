//! TCP connections: what the server knows about one ([`state`]), the replies that are sent on it ([`replies`]),
//! calls to its client ([`caller`]), and TLS ([`secure`]).

mod caller;
pub(crate) mod replies;
pub(crate) mod secure;
mod state;

pub use state::Connection;
pub(crate) use state::{Carried, ReplyRoom};
