//! An NFSv4.1 and 4.2 server on a pool.
//!
//! A connection's bytes become RPC records (`rpc`), and a record becomes the operations of a COMPOUND
//! ([`dispatch`]). The operations (`ops`, one file each) run against the pool through filehandles (`tree`) and
//! permissions (`fs`) of users and groups ([`identity`]), and against the protocol's state ([`session`],
//! [`state`]), whose memory is shared fairly ([`memory`]). Export policies ([`policy`]) decide what a client
//! may do (`gate`), and the volume's limit (`throttle`) how fast. The results go back the same way. Start
//! reading at [`dispatch`], or at [`Server`] for the wiring.
//!
//! The modules are *floors*: each uses only those before it in this list.
//!
//! | floor | contents |
//! |---|---|
//! | `status`, `statistics`, `memory`, `identity`, `protection`, `referral` | what the protocol's parts build on, each by itself |
//! | `policy`, `error`, `config` | export policies, why a server cannot start, its configuration |
//! | `connection` | one TCP connection: replies, calls to the client, TLS |
//! | `tree` | filehandles, and the directories from the server's root down to the volumes |
//! | `state`, `session` | clients, leases, opens, locks; their sessions |
//! | `replies` | outcomes of operations that survive a restart |
//! | `inspect` | paths of open files, for operators |
//! | `shared` | all parts of a server together |
//! | `counters`, `housekeeping`, `trace` | a snapshot of all counters, the regular work, spans |
//! | `fs` | objects, their attributes and permissions |
//! | `compound`, `gate`, `throttle` | the context of one COMPOUND, and what an operation must pass before it runs |
//! | `ops` | one file for each operation |
//! | `dispatch` | the operations of a COMPOUND, in order |
//! | `rpc`, `server` | requests on connections; binds, runs, stops |
//!
//! `crates/forebay/tests/tidy/floors.rs` checks this.

mod compound;
mod config;
mod connection;
mod counters;
pub mod dispatch;
mod error;
mod fs;
mod gate;
mod housekeeping;
pub mod identity;
pub mod inspect;
pub mod memory;
mod ops;
pub mod policy;
mod protection;
pub mod referral;
mod replies;
mod rpc;
mod server;
pub mod session;
mod shared;
pub mod state;
pub mod statistics;
mod status;
mod throttle;
mod trace;
mod tree;

pub use config::Config;
pub use connection::{Connection, Endpoints, OpenConnections};
pub use counters::NfsCounters;
pub use error::ServerError;
pub use forebay_pool::TRACES;
pub use server::Server;
pub use shared::Shared;
