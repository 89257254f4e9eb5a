//! One snapshot of what the server has counted, and of how it stands.

use std::collections::BTreeMap;
use std::time::SystemTime;

use forebay_pool::VolumeId;

use super::{EventCounts, OperationStatistics, VolumeTraffic};
use crate::shared::Shared;
use crate::state::{Census, MemoryView};
use forebay_net::tls::Tls;

/// What a server has counted since it started, and how it stands.
#[derive(Clone, Debug, Default)]
pub struct NfsCounters {
    /// The operations that were executed at all.
    pub operations: Vec<OperationStatistics>,
    /// The traffic of each volume that saw any.
    pub volumes: BTreeMap<VolumeId, VolumeTraffic>,
    /// The traffic of volumes beyond the four thousand that are told apart.
    pub volumes_rest: VolumeTraffic,
    /// What happened to connections and requests.
    pub events: EventCounts,
    /// Clients, and what they have.
    pub census: Census,
    /// Sessions.
    pub sessions: u64,
    /// The memory that is kept for clients.
    pub memory: MemoryView,
    /// Clients of before the restart are still taking back what they had.
    pub in_grace: bool,
    /// When the first of the server's certificates is not valid any more; `None` without TLS.
    pub certificate_expires: Option<SystemTime>,
}

impl Shared {
    /// What was counted since the server started, and how it stands. Cheap enough to be asked for every second.
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
            in_grace: self.state.in_grace(),
            certificate_expires: self.tls.as_ref().and_then(Tls::expires),
        }
    }
}
