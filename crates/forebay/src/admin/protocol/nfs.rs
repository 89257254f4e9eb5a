//! What is said about NFS clients and their state.

use serde::{Deserialize, Serialize};

/// What can be asked for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NfsCommand {
    /// All clients.
    Clients {},
    /// All sessions.
    Sessions {},
    /// What is open.
    Opens {
        /// The client; none: all.
        client: Option<String>,
        /// How many are shown at most.
        limit: usize,
    },
    /// What is locked.
    Locks {
        /// The client; none: all.
        client: Option<String>,
        /// How many are shown at most.
        limit: usize,
    },
    /// Take everything from a client; answered with `done`.
    Evict {
        /// The client's id.
        client: String,
    },
    /// Take an open or locks from a client; answered with `done`.
    Revoke {
        /// The stateid.
        stateid: String,
    },
    /// Counters of operations.
    Stats {},
}

/// A client as an operator sees it; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct ClientView {
    /// Its id, in hexadecimal.
    pub client: String,
    /// What it calls itself.
    pub owner: String,
    /// Where it registered from.
    pub address: Option<String>,
    /// `unconfirmed`, `reclaiming`, `confirmed`, `courteous` or `leaving`.
    pub state: String,
    /// Milliseconds since it was heard of.
    pub silent_ms: u64,
    /// How many sessions it has.
    pub sessions: usize,
    /// How many files it has open.
    pub opens: usize,
    /// How many separate ranges it has locked.
    pub locks: usize,
    /// Whether its connections are secured by TLS: `off`, `on`, `mutual` if the client showed a certificate, or `partly`.
    pub tls: String,
    /// For whom the certificates are that it showed.
    pub certificates: Vec<String>,
}

/// A session as an operator sees it; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct SessionView {
    /// Its id, in hexadecimal.
    pub session: String,
    /// The client's id.
    pub client: String,
    /// How many requests the client may have in work.
    pub slots: u32,
    /// How many it has in work.
    pub slots_in_work: usize,
    /// Bytes that a request may have.
    pub request_bytes_max: u32,
    /// Whether the client answers calls: `none` if it offered no connection for them, `probing`, `answers`, `silent`.
    pub back_channel: String,
    /// Addresses at the other ends of its connections.
    pub connections: Vec<String>,
}

/// What is open, or some of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct OpensView {
    /// The oldest.
    pub opens: Vec<OpenView>,
    /// How many there are.
    pub total: usize,
}

/// What is locked, or some of it.
#[derive(Debug, Serialize, Deserialize)]
pub struct LocksView {
    /// The oldest.
    pub locks: Vec<LockView>,
    /// How many there are.
    pub total: usize,
}

/// An open as an operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct OpenView {
    /// What `forebay nfs revoke` takes.
    pub stateid: String,
    /// The client's id.
    pub client: String,
    /// What is open.
    #[serde(flatten)]
    pub file: FileView,
    /// What may be done: `r`, `w` or `rw`.
    pub access: String,
    /// What others may not do: nothing, `r`, `w` or `rw`.
    pub deny: String,
}

/// A lock as an operator sees it.
#[derive(Debug, Serialize, Deserialize)]
pub struct LockView {
    /// What `forebay nfs revoke` takes.
    pub stateid: String,
    /// The client's id.
    pub client: String,
    /// What is locked.
    #[serde(flatten)]
    pub file: FileView,
    /// The first byte.
    pub offset: u64,
    /// How many bytes; nothing: to the end, whatever the size.
    pub length: Option<u64>,
    /// `read` or `write`.
    pub kind: String,
}

/// A file that is open.
#[derive(Debug, Serialize, Deserialize)]
pub struct FileView {
    /// The volume; nothing if it is gone.
    pub volume: Option<String>,
    /// The number of its inode.
    pub inode: u64,
    /// Its path from the server's root, if it still has the name by which it was opened.
    pub path: Option<String>,
}

/// Counters of one operation; also what `--json` prints.
#[derive(Debug, Serialize, Deserialize)]
pub struct OperationView {
    /// Its name, as RFC 8881 has it.
    pub operation: String,
    /// How often it was executed since the daemon started.
    pub count: u64,
    /// How often it failed.
    pub errors: u64,
    /// Nanoseconds that half of the executions did not exceed.
    pub p50_ns: u64,
    /// Nanoseconds that 99 of 100 did not exceed.
    pub p99_ns: u64,
    /// How many waited before that, because their volume has a limit.
    pub waits: u64,
    /// Nanoseconds that they waited, all together.
    pub waited_ns: u64,
    /// Failures by status.
    pub errors_by_status: std::collections::BTreeMap<String, u64>,
}
