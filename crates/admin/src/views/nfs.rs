//! NFS clients and their state.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words::words;

/// Where clients reach NFS, and how they mount from there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NfsView {
    /// The address that the server listens on.
    pub address: String,
    /// The port.
    #[schema(minimum = 1)]
    pub port: u16,
    /// It listens on every address of its machine.
    pub every_address: bool,
    /// What stands for the server in a mount command: the address that it listens on, or its machine's own name if it listens on every one.
    pub host: String,
    /// The options of a mount command: `mount -t nfs -o OPTIONS HOST:PATH DIRECTORY`.
    pub options: String,
    /// TLS is offered.
    pub tls: bool,
}

words! {
    /// Where a client stands.
    ClientState for forebay_nfs::state::Condition {
        /// Before its first session.
        Unconfirmed = "unconfirmed",
        /// After a restart of the daemon, until it has taken back what it had open.
        Reclaiming = "reclaiming",
        /// As usual.
        Confirmed = "confirmed",
        /// Its lease ran out, and it keeps what nobody else wants.
        Courteous = "courteous",
        /// Its state is being taken away.
        Leaving = "leaving",
    }
}

words! {
    /// Whether a client answers calls of the server.
    BackChannel for forebay_nfs::session::Reach {
        /// It offered no connection for them.
        None = "none",
        /// It is being found out.
        Probing = "probing",
        /// It does.
        Answers = "answers",
        /// It does not.
        Silent = "silent",
    }
}

words! {
    /// What a lock keeps others from.
    LockKind for forebay_nfs::state::LockKind {
        /// Writing.
        Read = "read",
        /// Reading and writing.
        Write = "write",
    }
}

words! {
    /// How the connections of a client are secured.
    TlsState {
        /// None is.
        Off = "off",
        /// Some are.
        Partly = "partly",
        /// All are.
        On = "on",
        /// All are, and the client showed a certificate.
        Mutual = "mutual",
    }
}

/// A client.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClientView {
    /// Its id, in hexadecimal.
    pub client: String,
    /// What it calls itself.
    pub owner: String,
    /// Where it registered from.
    pub address: Option<String>,
    /// Where it stands.
    pub state: ClientState,
    /// Milliseconds since it was heard of.
    pub silent_ms: u64,
    /// How many sessions it has.
    pub sessions: u64,
    /// How many files it has open.
    pub opens: u64,
    /// How many separate ranges it has locked.
    pub locks: u64,
    /// Bytes of memory that are kept for it.
    pub memory_bytes: u64,
    /// How its connections are secured.
    pub tls: TlsState,
    /// For whom the certificates are that it showed.
    pub certificates: Vec<String>,
}

/// A session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionView {
    /// Its id, in hexadecimal.
    pub session: String,
    /// The client's id.
    pub client: String,
    /// How many requests the client may have in work.
    pub slots: u32,
    /// How many it has in work.
    pub slots_in_work: u64,
    /// Bytes that a request may have.
    pub request_bytes_max: u32,
    /// Whether the client answers calls.
    pub back_channel: BackChannel,
    /// Addresses at the other ends of its connections.
    pub connections: Vec<String>,
}

/// An open.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenView {
    /// Names it: `nfs/opens/{stateid}`.
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

/// A lock.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LockView {
    /// Names the locks of its owner on the file: `nfs/opens/{stateid}`.
    pub stateid: String,
    /// The client's id.
    pub client: String,
    /// What is locked.
    #[serde(flatten)]
    pub file: FileView,
    /// The first byte.
    pub offset: u64,
    /// How many bytes; null: to the end, whatever the size.
    pub length: Option<u64>,
    /// What it keeps others from.
    pub kind: LockKind,
}

/// A file that is open.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FileView {
    /// The volume; null if it is gone.
    pub volume: Option<String>,
    /// The number of its inode.
    pub inode: u64,
    /// Its path from the server's root, if it still has the name by which it was opened.
    pub path: Option<String>,
}

/// Counters of one operation.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
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
