//! The S3 server: buckets and objects in the pool, for clients of Amazon's protocol. It knows nothing of NFS.
//!
//! ```text
//!   net::http     connections, TLS, limits
//!     server      one request after the other; `exchange` follows each: its id, counts, audit trail, span, log line
//!       guard     refuses what the library would wrongly obey; limits and counts the body
//!         s3s     the library: parses, checks the signature, routes, writes XML
//!           auth  which user, and may they: keys, groups, policies
//!             ops        one file for each operation, or for a few that belong together
//!               store    the bucket's tables, and the rules of versions: one atomic batch for each change
//! ```
//! `manage` is for the REST API: it creates, changes and deletes buckets, and lists what is in them.
//! What waits in memory for a request is charged to the client (`memory`), from the body that arrives to the response that the client
//! takes (`held`). `limits` counts how often a limit was reached.
//!
//! Three tasks run beside the requests: `cleaning` removes the parts of uploads that have ended, `lifecycle_worker` carries out
//! lifecycle rules, and `key_expiry` reports access keys that have expired.
//!
//! Rules that several operations share, without I/O: `checksum`, `conditions`, `configuration`, `facts`, `listing`, `names`, `range`, `records`. Open
//! `server.rs` first, then an operation such as `ops/put_object.rs`.

pub mod auth;
pub mod checksum;
pub mod cleaning;
pub mod clock;
pub mod conditions;
pub mod configuration;
pub mod copy_source;
pub mod counters;
pub mod cross_origin;
pub mod error_document;
pub mod errors;
pub mod exchange;
pub mod facts;
pub mod file_copy;
pub mod guard;
pub mod held;
mod host;
pub mod impossible;
pub mod key_expiry;
pub mod lenient;
pub mod lifecycle_worker;
pub mod limits;
pub mod listing;
pub mod manage;
pub mod memory;
pub mod names;
pub mod not_built;
pub mod ops;
pub mod percent;
pub mod pieces;
pub mod pool_error;
pub mod range;
pub mod records;
pub mod reference;
pub mod server;
pub mod shared;
pub mod statistics;
pub mod store;
pub mod throttle;

use std::sync::Arc;

use auth::users::Users;
use shared::Shared;

/// The S3 server of a daemon, for those who administer it.
#[derive(Clone)]
pub struct S3 {
    /// What all requests share.
    pub shared: Arc<Shared>,
    /// Users, groups and access keys.
    pub users: Users,
}
