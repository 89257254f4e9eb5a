//! TCP connections: what the server knows about one ([`state`]), the replies that are sent on it ([`replies`]),
//! calls to its client ([`caller`]), TLS ([`secure`]), and the list of those that are open ([`open`]).

mod caller;
mod open;
pub(crate) mod replies;
pub(crate) mod secure;
mod state;

pub use open::{Endpoints, OpenConnections};
pub use state::Connection;
pub(crate) use state::{Carried, ReplyRoom};
