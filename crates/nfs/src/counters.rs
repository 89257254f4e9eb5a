//! One snapshot of the server's counters and state.

use std::collections::BTreeMap;
use std::time::SystemTime;

use forebay_pool::VolumeId;

use crate::shared::Shared;
use crate::state::{Census, ClientTraffic, GraceView, MemoryView};
use crate::statistics::{EventCounts, FailureCounts, OperationStatistics, VolumeTraffic};
use forebay_net::tls::Tls;

/// The number of clients whose traffic is in a snapshot.
const CLIENTS_MAX: usize = 4096;

/// The server's counters since its start, and its current state.
#[derive(Clone, Debug, Default)]
pub struct NfsCounters {
    /// Operations that were executed at least once.
    pub operations: Vec<OperationStatistics>,
    /// The traffic of each volume that had any.
    pub volumes: BTreeMap<VolumeId, VolumeTraffic>,
    /// The traffic of volumes beyond the four thousand that have their own counters.
    pub volumes_rest: VolumeTraffic,
    /// Counters of connections and requests.
    pub events: EventCounts,
    /// Clients and their state.
    pub census: Census,
    /// Number of sessions.
    pub sessions: u64,
    /// The memory used for client state.
    pub memory: MemoryView,
    /// The grace period, while clients from before the restart are still reclaiming their state.
    pub grace: Option<GraceView>,
    /// Clients with sessions, and their traffic; at most 4096.
    pub clients: Vec<ClientTraffic>,
    /// Failures that stop brokers, by volume and client.
    pub failures: Vec<FailureCounts>,
    /// When the first of the server's certificates expires; `None` without TLS.
    pub certificate_expires: Option<SystemTime>,
}

impl Shared {
    /// Takes a snapshot of the counters and the state. Cheap enough to call every second.
    pub fn counters(&self) -> NfsCounters {
        let mut alive: Vec<VolumeId> = self.pool.volumes().iter().flatten().map(|volume| volume.id).collect();
        alive.extend(self.pool.snapshots(None).iter().flatten().map(|snapshot| snapshot.id));
        alive.sort_unstable();
        let is_alive = |id: VolumeId| alive.binary_search(&id).is_ok();
        let (volumes, volumes_rest) = self.statistics.traffic.snapshot(is_alive);
        NfsCounters {
            operations: self.statistics.snapshot(),
            volumes,
            volumes_rest,
            events: self.statistics.events.counts(),
            census: self.state.census(),
            sessions: self.sessions.count() as u64,
            memory: self.state.memory(),
            grace: self.state.grace(),
            clients: self.state.traffic(CLIENTS_MAX),
            failures: self.statistics.failures.snapshot(),
            certificate_expires: self.tls.as_ref().and_then(Tls::expires),
        }
    }
}
