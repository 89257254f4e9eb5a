//! What the tests of this crate share.

use std::sync::Arc;
use std::time::Duration;

use forebay_nfs::state::{ActivityView, ClientTraffic, Condition};
use forebay_nfs_proto::xdr::nfs4::ClientId;
use forebay_ownership::{Beats, Node, Owner, Phase, Takeover};
use forebay_pool::{BucketSpec, Pool, PoolOptions, VolumeSpec};
use forebay_s3::statistics::{Class, Operation};
use forebay_service::{Service, ServiceOptions};

use crate::metrics::{ClusterSeen, Observation, Sources};
use crate::views::{ClusterPoolState, ClusterPoolView, ClusterView, SynchronousState};

/// A service on a pool in memory with a volume and a bucket.
pub(crate) async fn service() -> Arc<Service> {
    let pool = Pool::in_memory(PoolOptions::default()).await.expect("a pool");
    pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.expect("a volume");
    pool.bucket_create(BucketSpec::new("tiered"), |_| Ok(())).await.expect("a bucket");
    Arc::new(Service::open(pool, ServiceOptions::default()).expect("a service"))
}

/// The sources of a service with servers of NFS and S3 that are not on a network.
pub(crate) async fn sources_of(service: &Arc<Service>) -> Sources {
    let nfs = forebay_nfs::Shared::open(service.clone(), forebay_nfs::Config::default()).await;
    let mut sources = Sources::new(service.clone());
    sources.add(Arc::new(nfs.expect("a server")));
    let s3 = forebay_s3::shared::Shared::new(service.clone(), "us-east-1");
    s3.statistics.count(Operation::named("GetObject"), Class::Success, Duration::from_millis(1));
    sources.add(Arc::new(s3));
    sources
}

/// The same of a new service.
pub(crate) async fn sources() -> Sources {
    sources_of(&service().await).await
}

/// What is seen of it.
pub(crate) async fn observation() -> Observation {
    Observation::take(&sources().await)
}

/// Node `b`, which has fenced node `a`, and is about to get the addresses.
pub(crate) fn beats() -> Beats {
    let owner = Owner {
        node: Node { name: "b".to_owned(), boot: "boot".to_owned() },
        instance: "0".to_owned(),
        phase: Phase::Opening,
        address: None,
        beat: 7,
        since: 1_700_000_000,
        takeover: Takeover {
            from: Some("a".to_owned()),
            silent_ms: 3500,
            fence_ms: Some(5),
            open_ms: Some(103),
            address_ms: None,
        },
        moves: false,
    };
    Beats { owner, age: Duration::from_millis(250), failures: 2 }
}

/// A client that has done nothing yet.
pub(crate) fn client_traffic(id: u64) -> ClientTraffic {
    ClientTraffic {
        id: ClientId(id),
        owner: axum::body::Bytes::from_static(b"Linux NFSv4.2 broker-3"),
        address: ([10, 1, 0, 13], 800).into(),
        condition: Condition::Confirmed,
        silence: Duration::ZERO,
        activity: ActivityView::default(),
    }
}

/// The database of a pool that nobody waits for.
pub(crate) fn cluster(synchronous: SynchronousState, had_candidates: bool) -> ClusterSeen {
    let pool = ClusterPoolView {
        name: "kafka".to_owned(),
        state: ClusterPoolState::Serving,
        node: Some("a".to_owned()),
        since: None,
        silent_ms: None,
        lease_age_ms: Some(200),
        epoch: Some(1),
        batch: Some(1),
        bytes: Some(8192),
        candidates: Some(Vec::new()),
        takeover: None,
        problem: None,
    };
    let view = ClusterView {
        database: "database forebay on db".to_owned(),
        pool: Some("kafka".to_owned()),
        synchronous,
        standbys: Vec::new(),
        total: 1,
        items: vec![pool],
    };
    ClusterSeen { view, had_candidates }
}
