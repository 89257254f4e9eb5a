//! The configuration of a server.

use crate::identity::Directory;
use crate::policy::Resolver;
use crate::referral::Referral;
use forebay_net::tls::TlsFiles;
use forebay_service::{Clock, ServiceOptions};

/// The configuration of a server. The defaults suit production.
#[derive(Clone, Debug)]
pub struct Config {
    /// Seconds after which a silent client may lose its state. Default 30.
    pub lease_seconds: u32,
    /// Seconds that a client keeps its state after its lease has expired, unless another client needs what it
    /// has open or locked, or the space of its deleted open files. Default a day.
    pub courtesy_seconds: u32,
    /// Maximum number of opens and locks kept for all such clients together. Beyond it, the clients that have
    /// been silent longest lose theirs. Default 100,000.
    pub courtesy_states_max: usize,
    /// Seconds after a start during which only state from before can be reclaimed. Default 45. Ends early
    /// when every client that had state has returned.
    pub grace_seconds: u32,
    /// Seconds that a request is held that has to wait for the end of a grace period, before it gets NFS4ERR_GRACE. Default 5.
    pub grace_hold_seconds: u32,
    /// Maximum number of TCP connections. Beyond it, a new connection replaces one that carries no session,
    /// or is closed. Default 16,384: 1,024 clients with 16 each.
    pub connections_max: usize,
    /// Maximum number of TCP connections from one address. Default 16,384: several clients may share an
    /// address.
    pub connections_per_client_max: usize,
    /// Maximum size of an RPC record, in bytes, which is the largest payload of a READ or WRITE plus 64 KiB.
    /// Default 1 MiB + 64 KiB.
    pub record_bytes_max: u32,
    /// Maximum number of requests of one connection in progress; further ones wait in the socket. Default
    /// 256.
    pub requests_per_connection_max: usize,
    /// Maximum size of all requests in progress, in bytes. Beyond it, connections wait before they take up
    /// their next request. Large requests that are being received may use half as much again, a quarter is
    /// kept for the next ones, and replies that clients have not read may use the same amount again. The
    /// connections from one address can use at most half of each. Default 256 MiB.
    pub requests_bytes_max: usize,
    /// Maximum size of all client state between requests, in bytes: registrations, sessions, stored replies,
    /// opens and locks ([`crate::memory`]). Default 256 MiB.
    pub state_bytes_max: usize,
    /// Maximum number of slots of a session. Default 256.
    pub slots_max: u32,
    /// Maximum number of operations of a COMPOUND. Default 64.
    pub operations_max: u32,
    /// Maximum number of sessions of a client. Default 64.
    pub sessions_per_client_max: usize,
    /// Maximum number of clients, if the memory is enough for them. Default 4096.
    pub clients_max: usize,
    /// Maximum number of opens of a client. Default 1,000,000.
    pub opens_per_client_max: usize,
    /// Maximum number of byte-range locks of a client. Default 1,000,000.
    pub locks_per_client_max: usize,
    /// Seconds without data after which an idle connection that carries no session is closed. Default 60.
    pub idle_seconds_max: u32,
    /// Whether connections end with a reset, so that nothing of them stays in the kernel (SO_LINGER with 0 s). Otherwise a node that gives its address
    /// to another one, and gets it back within minutes, still has them, and answers clients on them.
    pub resets_connections: bool,
    /// When answers may be sent. Default: always.
    pub answers: forebay_net::Answers,
    /// Whether another server can take the pool when it has stopped after a failure. Requests then get no answer: clients repeat them there.
    /// Otherwise they get errors. Default: no.
    pub gives_way: bool,
    /// Certificates for TLS. Default: none, TLS is not offered.
    pub tls: Option<TlsFiles>,
    /// Trace one in this many COMPOUNDs; 0 means none. Default 0.
    pub trace_one_in: u64,
    /// The domain of owner and group names that clients may use; `None` means numbers only. Default: none.
    pub id_domain: Option<String>,
    /// Whether owners and groups are reported as names of that domain, where they have one, instead of
    /// numbers. Default: no.
    pub owner_names: bool,
    /// Paths of the tree whose file systems are on other servers. Default: none.
    pub referrals: Vec<Referral>,
    /// The source of users and groups. Default: the system's.
    pub directory: Directory,
    /// The clock for leases. Default: the system's.
    pub clock: Clock,
    /// The resolver for host names of export policies. Default: the system's.
    pub resolver: Resolver,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            lease_seconds: 30,
            courtesy_seconds: 24 * 60 * 60,
            courtesy_states_max: 100_000,
            grace_seconds: 45,
            grace_hold_seconds: 5,
            connections_max: 16_384,
            connections_per_client_max: 16_384,
            record_bytes_max: (1 << 20) + (64 << 10),
            requests_per_connection_max: 256,
            requests_bytes_max: 256 << 20,
            state_bytes_max: 256 << 20,
            slots_max: 256,
            operations_max: 64,
            sessions_per_client_max: 64,
            clients_max: 4096,
            opens_per_client_max: 1_000_000,
            locks_per_client_max: 1_000_000,
            idle_seconds_max: 60,
            resets_connections: false,
            answers: forebay_net::Answers::default(),
            gives_way: false,
            tls: None,
            trace_one_in: 0,
            id_domain: None,
            owner_names: false,
            referrals: Vec::new(),
            directory: Directory::system(),
            clock: Clock::system(),
            resolver: Resolver::system(),
        }
    }
}

impl Config {
    /// What [`Service::open`](forebay_service::Service::open) needs to know about an NFS server with this configuration.
    pub fn service_options(&self) -> ServiceOptions {
        ServiceOptions {
            clock: self.clock.clone(),
            request_bytes_max: u64::from(self.io_bytes_max()),
            requests_bytes_max: self.requests_bytes_max,
            ..ServiceOptions::default()
        }
    }

    /// Maximum payload of a READ or WRITE, in bytes.
    pub fn io_bytes_max(&self) -> u32 {
        self.record_bytes_max.saturating_sub(64 << 10)
    }
}
