//! NFS clients and their state.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::words::words;

/// The address of the NFS server, and its mount options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct NfsView {
    /// The address that the server listens on.
    pub address: String,
    /// The port.
    #[schema(minimum = 1)]
    pub port: u16,
    /// Whether the server listens on all addresses of its machine.
    pub every_address: bool,
    /// The server's name in a mount command: the address that it listens on, or the machine's host name if it
    /// listens on all.
    pub host: String,
    /// The options of a mount command: `mount -t nfs -o OPTIONS HOST:PATH DIRECTORY`.
    pub options: String,
    /// Whether TLS is offered.
    pub tls: bool,
}

words! {
    /// The state of a client.
    ClientState for forebay_nfs::state::Condition {
        /// The client has no session yet.
        Unconfirmed = "unconfirmed",
        /// After a restart of the daemon, until the client has reclaimed its open files.
        Reclaiming = "reclaiming",
        /// Connected.
        Confirmed = "confirmed",
        /// The lease has expired; the client keeps state that no other client needs.
        Courteous = "courteous",
        /// The client's state is being removed.
        Leaving = "leaving",
    }
}

words! {
    /// Whether a client answers the server's callbacks.
    BackChannel for forebay_nfs::session::Reach {
        /// The client offered no connection for callbacks.
        None = "none",
        /// The server is testing the connection.
        Probing = "probing",
        /// The client answers.
        Answers = "answers",
        /// The client does not answer.
        Silent = "silent",
    }
}

words! {
    /// The kind of a lock: the access that it denies to other owners.
    LockKind for forebay_nfs::state::LockKind {
        /// Writing.
        Read = "read",
        /// Reading and writing.
        Write = "write",
    }
}

words! {
    /// TLS on the connections of a client.
    TlsState {
        /// No connection uses TLS.
        Off = "off",
        /// Some connections use TLS.
        Partly = "partly",
        /// All connections use TLS.
        On = "on",
        /// All connections use TLS, and the client presented a certificate.
        Mutual = "mutual",
    }
}

/// An NFS client.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ClientView {
    /// The client's id, in hexadecimal.
    pub client: String,
    /// The owner string that the client sends.
    pub owner: String,
    /// The address it registered from.
    pub address: Option<String>,
    /// The client's state.
    pub state: ClientState,
    /// Milliseconds since the last request from the client.
    pub silent_ms: u64,
    /// Number of sessions.
    pub sessions: u64,
    /// Number of open files.
    pub opens: u64,
    /// Number of separate locked ranges.
    pub locks: u64,
    /// Bytes of memory used for the client's state.
    pub memory_bytes: u64,
    /// TLS on the client's connections.
    pub tls: TlsState,
    /// Subjects of the certificates that the client presented.
    pub certificates: Vec<String>,
    /// Bytes that the client has written since it registered.
    pub bytes_written: u64,
    /// The client's activity in the last half minute.
    pub now: ClientNowView,
}

/// The activity of a client in the last half minute, as of the last evaluation of the health rules.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ClientNowView {
    /// Bytes per second read.
    pub read_rate: f64,
    /// Bytes per second written.
    pub write_rate: f64,
    /// Operations per second, without SEQUENCE and PUTFH.
    pub operation_rate: f64,
    /// The mean duration of reads, in seconds; null if there were none.
    pub read_mean_seconds: Option<f64>,
    /// The mean duration of writes, in seconds; null if there were none.
    pub write_mean_seconds: Option<f64>,
    /// The 99th percentile of COMMIT, which a broker's fsync waits for, in seconds; null if there were none.
    pub commit_p99_seconds: Option<f64>,
}

/// A session.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionView {
    /// The session's id, in hexadecimal.
    pub session: String,
    /// The client's id.
    pub client: String,
    /// Maximum number of requests in progress.
    pub slots: u32,
    /// Number of requests in progress.
    pub slots_in_work: u64,
    /// Maximum size of a request in bytes.
    pub request_bytes_max: u32,
    /// Whether the client answers callbacks.
    pub back_channel: BackChannel,
    /// Client addresses of the session's connections.
    pub connections: Vec<String>,
}

/// An open file of a client.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OpenView {
    /// The id of the open, as in `nfs/opens/{stateid}`.
    pub stateid: String,
    /// The client's id.
    pub client: String,
    /// The open file.
    #[serde(flatten)]
    pub file: FileView,
    /// The access it allows: `r`, `w` or `rw`.
    pub access: String,
    /// The access it denies to others: empty, `r`, `w` or `rw`.
    pub deny: String,
}

/// A byte-range lock.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LockView {
    /// The id of the owner's locks on the file, as in `nfs/opens/{stateid}`.
    pub stateid: String,
    /// The client's id.
    pub client: String,
    /// The locked file.
    #[serde(flatten)]
    pub file: FileView,
    /// The first locked byte.
    pub offset: u64,
    /// The number of locked bytes; null means to the end of the file, whatever its size.
    pub length: Option<u64>,
    /// The kind of the lock: the access that it denies to other owners.
    pub kind: LockKind,
}

/// A file that is open.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct FileView {
    /// The volume; null if it has been deleted.
    pub volume: Option<String>,
    /// The inode number.
    pub inode: u64,
    /// The path from the server's root, if the file still has the name by which it was opened.
    pub path: Option<String>,
}

/// Counters of one operation.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct OperationView {
    /// The operation's name, as in RFC 8881.
    pub operation: String,
    /// Number of executions since the daemon started.
    pub count: u64,
    /// Number of failures.
    pub errors: u64,
    /// Median duration in nanoseconds.
    pub p50_ns: u64,
    /// 99th percentile of the duration in nanoseconds.
    pub p99_ns: u64,
    /// Number of executions that first waited for a volume's limit.
    pub waits: u64,
    /// Total time they waited, in nanoseconds.
    pub waited_ns: u64,
    /// Failures by status.
    pub errors_by_status: std::collections::BTreeMap<String, u64>,
}
