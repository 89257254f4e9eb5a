//! What the tests of this crate share.

use std::sync::Arc;

use forebay_pool::{Pool, PoolOptions, VolumeSpec};
use forebay_service::{Service, ServiceOptions};

use crate::metrics::{Observation, Sources};

/// A service on a pool in memory with a volume.
pub(crate) async fn service() -> Arc<Service> {
    let pool = Pool::in_memory(PoolOptions::default()).await.expect("a pool");
    pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.expect("a volume");
    Arc::new(Service::open(pool, ServiceOptions::default()).expect("a service"))
}

/// The sources of a service with an NFS server that is not on a network.
pub(crate) async fn sources_of(service: &Arc<Service>) -> Sources {
    let nfs = forebay_nfs::Shared::open(service.clone(), forebay_nfs::Config::default()).await;
    let mut sources = Sources::new(service.clone());
    sources.add(Arc::new(nfs.expect("a server")));
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
