//! The task that carries out lifecycle rules: it expires objects, removes noncurrent versions and delete markers that hide nothing,
//! and aborts uploads that nobody completes.
//!
//! A pass scans each bucket page by page, outside the committer. What seems due is decided again inside the change that removes it,
//! because the bucket may have changed meanwhile: another rule, a newer version, a retention.

mod uploads;
mod versions;

use std::sync::Arc;
use std::time::Duration;

use forebay_pool::{Bucket, Error, Result};

use crate::configuration::lifecycle::Lifecycle;
use crate::shared::{Shared, now_ms};
use crate::store::Setting;

/// How often all buckets are gone through.
pub const PERIOD: Duration = Duration::from_secs(60 * 60);
/// Entries that are read at once.
const PAGE_ENTRIES: usize = 256;
/// The pause after a change, in which other changes of the pool get their turn.
const PAUSE: Duration = Duration::from_millis(2);

/// What a pass did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Current objects that were deleted, or hidden behind a delete marker.
    pub objects_expired: u64,
    /// Versions and delete markers that were removed for good.
    pub versions_removed: u64,
    /// Uploads that were aborted.
    pub uploads_aborted: u64,
}

impl Done {
    fn add(&mut self, other: Done) {
        self.objects_expired += other.objects_expired;
        self.versions_removed += other.versions_removed;
        self.uploads_aborted += other.uploads_aborted;
    }
}

/// Goes through all buckets now, and again after each `period`. Runs until it is aborted.
pub async fn run(shared: Arc<Shared>, period: Duration) {
    loop {
        if let Err(error) = pass(&shared, now_ms()).await {
            tracing::warn!(%error, "s3: the buckets cannot be listed to carry out lifecycle rules; the next pass tries again");
        }
        tokio::time::sleep(period).await;
    }
}

/// Goes through all buckets once, as if it were `now_ms`.
pub async fn pass(shared: &Shared, now_ms: u64) -> Result<Done> {
    let mut done = Done::default();
    for bucket in shared.pool().buckets()? {
        match pass_bucket(shared, &bucket, now_ms).await {
            Ok(of_bucket) if of_bucket == Done::default() => {}
            Ok(of_bucket) => {
                let Done { objects_expired, versions_removed, uploads_aborted } = of_bucket;
                tracing::info!(
                    bucket = bucket.spec.name,
                    objects_expired,
                    versions_removed,
                    uploads_aborted,
                    "s3: carried out lifecycle rules"
                );
                shared.statistics.lifecycle.count(objects_expired, versions_removed, uploads_aborted);
                done.add(of_bucket);
            }
            // The bucket was deleted meanwhile.
            Err(Error::Stale) => {}
            Err(error) => {
                shared.statistics.lifecycle.count_failure();
                tracing::warn!(
                    bucket = bucket.spec.name,
                    %error,
                    "s3: the lifecycle rules of a bucket were not carried out; the next pass tries again"
                );
            }
        }
    }
    shared.statistics.lifecycle.finished();
    Ok(done)
}

async fn pass_bucket(shared: &Shared, bucket: &Bucket, now_ms: u64) -> Result<Done> {
    let stored = shared.stored(bucket);
    let lifecycle: Option<Lifecycle> = Setting::Lifecycle.get(&stored)?;
    let mut done = uploads::pass(shared, &stored, lifecycle.as_ref(), now_ms).await?;
    if let Some(lifecycle) = &lifecycle {
        done.add(versions::pass(&stored, lifecycle, now_ms).await?);
    }
    Ok(done)
}

#[cfg(test)]
mod tests;
