//! How a server is to behave.

use crate::identity::Directory;
use crate::policy::Resolver;
use forebay_net::tls::TlsFiles;
use forebay_service::{Clock, ServiceOptions};

/// How a server is to behave. The defaults suit production.
#[derive(Clone, Debug)]
pub struct Config {
    /// Seconds after which a client that is silent may lose its state. Default 30.
    pub lease_seconds: u32,
    /// Seconds that a client which is silent beyond its lease keeps its state as long as nobody else wants what
    /// it has open or locked, or the space of the files without a name that it has open. Default a day.
    pub courtesy_seconds: u32,
    /// Opens and locks that are kept for all such clients together; past that, those that are silent longest lose
    /// theirs. Default 100,000.
    pub courtesy_states_max: usize,
    /// Seconds after a start during which only state from before is given back. Default 45; it ends earlier
    /// when every client that had state has come back.
    pub grace_seconds: u32,
    /// TCP connections at a time. A further one takes the place of one that carries no session, or is closed. Default
    /// 16,384: 1,024 clients with 16 each.
    pub connections_max: usize,
    /// TCP connections from one address at a time. Default 16,384: several clients may have the same address.
    pub connections_per_client_max: usize,
    /// Bytes of one RPC record, and of one READ's or WRITE's payload plus 64 KiB. Default 1 MiB + 64 KiB.
    pub record_bytes_max: u32,
    /// Requests of one connection that may be in work at a time; the rest waits in the socket. Default 256.
    pub requests_per_connection_max: usize,
    /// Bytes of all requests in work, over all connections; beyond that, connections wait before their next
    /// request is taken up. Half as much again may be taken by large requests that are being received, a
    /// quarter is kept for the next ones, and as much as in work may be in replies that clients have still to take. The connections
    /// from one address have no more than half of each. Default 256 MiB.
    pub requests_bytes_max: usize,
    /// Bytes of all that is kept for clients from one request to the next: registrations, sessions, replies kept to be sent again, opens and
    /// locks ([`crate::memory`]). Default 256 MiB.
    pub state_bytes_max: usize,
    /// Slots of one session. Default 256.
    pub slots_max: u32,
    /// Operations of one COMPOUND. Default 64.
    pub operations_max: u32,
    /// Sessions of one client. Default 64.
    pub sessions_per_client_max: usize,
    /// Clients known at a time, if the memory suffices for so many. Default 4096.
    pub clients_max: usize,
    /// Opens of one client. Default 1,000,000.
    pub opens_per_client_max: usize,
    /// Byte-range locks of one client. Default 1,000,000.
    pub locks_per_client_max: usize,
    /// Seconds without a byte after which a connection is closed on which nothing is in work and that carries no
    /// session. Default 60.
    pub idle_seconds_max: u32,
    /// Certificates for TLS. Default: none, and TLS is not offered.
    pub tls: Option<TlsFiles>,
    /// Of so many COMPOUNDs one is traced; 0: none. Default 0.
    pub trace_one_in: u64,
    /// The domain of the names of owners and groups that clients may use; none: they use numbers only. Default: none.
    pub id_domain: Option<String>,
    /// Whether owners and groups are given as names of that domain, where they have names, and not as numbers. Default: no.
    pub owner_names: bool,
    /// Where users and groups are looked up. Default: the system's.
    pub directory: Directory,
    /// The time that leases are measured in. Default: the system's.
    pub clock: Clock,
    /// Where the host names of export policies are looked up. Default: the system's.
    pub resolver: Resolver,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            lease_seconds: 30,
            courtesy_seconds: 24 * 60 * 60,
            courtesy_states_max: 100_000,
            grace_seconds: 45,
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
            tls: None,
            trace_one_in: 0,
            id_domain: None,
            owner_names: false,
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
        }
    }

    /// Largest payload of a READ or WRITE, in bytes.
    pub fn io_bytes_max(&self) -> u32 {
        self.record_bytes_max.saturating_sub(64 << 10)
    }
}
