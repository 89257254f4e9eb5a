//! What all requests share.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use forebay_net::tls::Tls;
use forebay_pool::{Bucket, Pool};
use forebay_service::Service;
use s3s::S3Result;
use tokio::sync::Notify;

use crate::pool_error::OrS3;
use crate::statistics::Statistics;
use crate::store::Stored;

/// The S3 server's state.
pub struct Shared {
    /// The service with the pool.
    pub service: Arc<Service>,
    /// The region that clients sign for, and that GetBucketLocation returns.
    pub region: String,
    /// Wakes the task that removes the parts of ended uploads.
    pub ended_uploads: Notify,
    /// The counters.
    pub statistics: Statistics,
    /// The certificates, if TLS is used.
    pub tls: Option<Arc<Tls>>,
    /// Traces one in this many requests that have no `traceparent`; 0 traces none.
    pub trace_one_in: u64,
}

impl Shared {
    /// The state of a server that has served no request, without TLS and traces.
    pub fn new(service: Arc<Service>, region: impl Into<String>) -> Shared {
        Shared {
            service,
            region: region.into(),
            ended_uploads: Notify::new(),
            statistics: Statistics::default(),
            tls: None,
            trace_one_in: 0,
        }
    }

    /// The pool.
    pub fn pool(&self) -> &Pool {
        &self.service.pool
    }

    /// The bucket with this name, or NoSuchBucket.
    pub fn bucket(&self, name: &str) -> S3Result<Bucket> {
        self.pool().bucket(name).or_s3()
    }

    /// The entries of a bucket.
    pub fn stored(&self, bucket: &Bucket) -> Stored {
        Stored { pool: self.pool().clone(), bucket: bucket.id }
    }
}

/// The time in milliseconds since 1970.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
