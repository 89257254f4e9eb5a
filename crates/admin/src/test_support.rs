//! What the tests of this crate share.

use std::sync::Arc;

use forebay_pool::{Pool, PoolOptions, VolumeSpec};

use crate::metrics::{Observation, Sources};

/// A server that is not on a network, on a pool in memory with a volume.
pub(crate) async fn sources() -> Sources {
    let pool = Pool::in_memory(PoolOptions::default()).await.expect("a pool");
    pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.expect("a volume");
    let nfs = forebay_nfs::Shared::open(pool, forebay_nfs::Config::default()).await.expect("a server");
    Sources { nfs: Arc::new(nfs) }
}

/// What is seen of it.
pub(crate) async fn observation() -> Observation {
    Observation::take(&sources().await)
}
