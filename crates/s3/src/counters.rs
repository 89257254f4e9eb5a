//! One snapshot of the server's counters and buckets.

use std::collections::BTreeMap;
use std::time::SystemTime;

use forebay_net::http::ConnectionCounts;
use forebay_net::tls::Tls;
use forebay_pool::VolumeId;

use crate::shared::Shared;
use crate::statistics::{BucketTraffic, LifecycleCounts, OperationCounts, Refused};

/// The server's counters since its start, and its current state.
#[derive(Clone, Debug, Default)]
pub struct S3Counters {
    /// Operations that were requested at least once.
    pub operations: Vec<OperationCounts>,
    /// Requests that were refused, in the order of [`Refused::ALL`].
    pub refused: [u64; Refused::ALL.len()],
    /// How often each limit on clients was reached, with its name.
    pub limits: Vec<(&'static str, u64)>,
    /// Requests in progress.
    pub in_progress: u64,
    /// Connections.
    pub connections: ConnectionCounts,
    /// What the lifecycle worker did.
    pub lifecycle: LifecycleCounts,
    /// All buckets, the oldest first.
    pub buckets: Vec<BucketCounts>,
    /// The traffic of buckets beyond those that have their own counters.
    pub buckets_rest: BucketTraffic,
    /// When the first of the server's certificates expires; `None` without TLS.
    pub certificate_expires: Option<SystemTime>,
}

/// A bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BucketCounts {
    /// Its name.
    pub name: String,
    /// Objects, versions and parts of uploads.
    pub objects: u64,
    /// Bytes of their content.
    pub bytes: u64,
    /// The most bytes that it may hold, if limited.
    pub size: Option<u64>,
    /// Requests and bytes.
    pub traffic: BucketTraffic,
}

impl Shared {
    /// Takes a snapshot of the counters and the buckets. Cheap enough to call every second.
    pub fn counters(&self) -> S3Counters {
        let mut buckets = self.pool().buckets().unwrap_or_default();
        buckets.sort_by_key(|bucket| bucket.id);
        let is_alive = |id: VolumeId| buckets.binary_search_by_key(&id, |bucket| bucket.id).is_ok();
        let mut traffic: BTreeMap<VolumeId, BucketTraffic> = BTreeMap::new();
        let counted = &self.statistics.buckets;
        counted.each(is_alive, |id, counters| traffic.entry(id).or_default().add(&counters.traffic()));
        S3Counters {
            operations: self.statistics.operations(),
            refused: self.statistics.refused(),
            limits: self.statistics.limits.counts().into(),
            in_progress: self.statistics.in_progress(),
            connections: self.statistics.connections.counts(),
            lifecycle: self.statistics.lifecycle.counts(),
            buckets_rest: counted.rest().traffic(),
            certificate_expires: self.tls.as_deref().and_then(Tls::expires),
            buckets: buckets
                .into_iter()
                .map(|bucket| BucketCounts {
                    traffic: traffic.remove(&bucket.id).unwrap_or_default(),
                    name: bucket.spec.name,
                    objects: bucket.objects,
                    bytes: bucket.bytes_logical,
                    size: bucket.spec.size,
                })
                .collect(),
        }
    }
}
