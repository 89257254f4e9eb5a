//! The parts of the daemon that are measured, and how an observation of them is taken.

use std::sync::Arc;
use std::time::SystemTime;

use forebay_nfs::NfsCounters;
use forebay_nfs::statistics::{StatusClass, VolumeTraffic};
use forebay_pool::VolumeUsage;
use forebay_service::Service;

use super::observation::{
    BackupsSeen, KafkaSeen, Observation, VOLUMES_MAX, VolumeSeen, bound, bound_buckets,
};
use super::process::Process;
use super::run::RunSeen;
use crate::efficiency::Efficiencies;
use crate::kafka::Kafka;
use crate::object_store::ObjectStore;

/// A part of the daemon that is measured.
pub trait Source: Send + Sync {
    /// Adds its counts to a snapshot of all counts.
    fn observe(&self, observation: &mut Observation);
}

/// What is measured: the service first, then each protocol.
#[derive(Clone)]
pub struct Sources(Vec<Arc<dyn Source>>);

impl Sources {
    /// The service, and no protocol yet.
    pub fn new(service: Arc<Service>) -> Sources {
        Sources(vec![service])
    }

    /// Adds a protocol.
    pub fn add(&mut self, source: Arc<dyn Source>) {
        self.0.push(source);
    }
}

impl Observation {
    /// Takes a snapshot of all sources.
    pub fn take(sources: &Sources) -> Observation {
        let mut observation = Observation {
            pool: None,
            nfs: NfsCounters::default(),
            s3: None,
            volumes: Vec::new(),
            node: None,
            object_cost: None,
            cluster: None,
            kafka: None,
            efficiency: None,
            format: None,
            backups: BackupsSeen::default(),
            run: RunSeen::default(),
            alerts: Vec::new(),
            alert_targets_failing: Vec::new(),
            evaluated: None,
            process: Process::observe(),
        };
        for source in &sources.0 {
            source.observe(&mut observation);
        }
        let rest = std::mem::take(&mut observation.nfs.volumes_rest);
        observation.volumes = bound(observation.volumes, &rest);
        if let Some(s3) = &mut observation.s3 {
            bound_buckets(s3);
        }
        observation
    }
}

impl Source for Service {
    fn observe(&self, observation: &mut Observation) {
        observation.pool = self.pool.counters().ok();
        observation.format = self.pool.format().ok();
        observation.backups = BackupsSeen {
            last: self.backups.last().map(|(_, last)| last.taken),
            error: self.backups.scheduled().failed.map(|(_, why)| why),
            every: self.backups.settings.every.filter(|_| self.backups.settings.directory.is_some()),
            overdue: self.backups.overdue(SystemTime::now()),
        };
        let usages = observation.pool.iter().flat_map(|pool| &pool.volumes).filter(|usage| !usage.is_bucket);
        let seen = |usage: &VolumeUsage| {
            let waits = usage.id.and_then(|id| self.throttle.waits(id)).unwrap_or_default();
            VolumeSeen {
                usage: usage.clone(),
                traffic: VolumeTraffic::default(),
                waits: waits.requests,
                waited: waits.time,
                turned_away: waits.turned_away,
                efficiency: None,
                failed: [0; 2],
            }
        };
        observation.volumes = usages.map(seen).collect();
    }
}

impl Source for forebay_nfs::Shared {
    fn observe(&self, observation: &mut Observation) {
        let counters = self.counters();
        for volume in &mut observation.volumes {
            if let Some(traffic) = volume.usage.id.and_then(|id| counters.volumes.get(&id)) {
                volume.traffic.add(traffic);
            }
            for failures in counters.failures.iter().filter(|one| one.key.volume == volume.usage.id) {
                let [space, io] = &mut volume.failed;
                let count = if failures.key.class == StatusClass::Space { space } else { io };
                *count = count.saturating_add(failures.count);
            }
        }
        observation.nfs = counters;
    }
}

impl Source for Efficiencies {
    fn observe(&self, observation: &mut Observation) {
        observation.efficiency = self.of(None);
        for volume in &mut observation.volumes {
            volume.efficiency = volume.usage.id.and_then(|id| self.of(Some(id)));
        }
    }
}

impl Source for ObjectStore {
    fn observe(&self, observation: &mut Observation) {
        observation.object_cost = observation.pool.as_ref().and_then(|pool| {
            let bytes = pool.stored.bytes_live.saturating_add(pool.stored.bytes_dead);
            self.cost(pool.objects.as_ref()?, bytes)
        });
    }
}

impl Source for Kafka {
    fn observe(&self, observation: &mut Observation) {
        if !self.settings.is_on {
            return;
        }
        let made = self.made();
        let mut brokers = made.report.as_ref().map(|report| self.brokers(report)).unwrap_or_default();
        brokers.truncate(VOLUMES_MAX);
        observation.kafka = Some(KafkaSeen { digest: made.digest, brokers });
    }
}

impl Source for forebay_s3::shared::Shared {
    fn observe(&self, observation: &mut Observation) {
        observation.s3 = Some(self.counters());
    }
}
