//! What the lifecycle worker did since the server started.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The counters of the lifecycle worker.
#[derive(Debug, Default)]
pub struct LifecycleCounters {
    objects_expired: AtomicU64,
    versions_removed: AtomicU64,
    uploads_aborted: AtomicU64,
    failures: AtomicU64,
    /// Seconds since 1970; 0: no pass has finished yet.
    finished: AtomicU64,
}

/// The counts so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifecycleCounts {
    /// Current objects that were deleted, or hidden behind a delete marker.
    pub objects_expired: u64,
    /// Versions and delete markers that were removed for good.
    pub versions_removed: u64,
    /// Uploads that were aborted.
    pub uploads_aborted: u64,
    /// Passes over a bucket that failed.
    pub failures: u64,
    /// When the last pass over all buckets finished.
    pub finished: Option<SystemTime>,
}

impl LifecycleCounters {
    /// Counts what a pass over a bucket did.
    pub fn count(&self, objects_expired: u64, versions_removed: u64, uploads_aborted: u64) {
        self.objects_expired.fetch_add(objects_expired, Ordering::Relaxed);
        self.versions_removed.fetch_add(versions_removed, Ordering::Relaxed);
        self.uploads_aborted.fetch_add(uploads_aborted, Ordering::Relaxed);
    }

    /// Counts a pass over a bucket that failed.
    pub fn count_failure(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    /// A pass over all buckets has finished.
    pub fn finished(&self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.finished.store(now.as_secs(), Ordering::Relaxed);
    }

    /// The counts so far.
    pub fn counts(&self) -> LifecycleCounts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let finished = Some(of(&self.finished)).filter(|seconds| *seconds > 0);
        LifecycleCounts {
            objects_expired: of(&self.objects_expired),
            versions_removed: of(&self.versions_removed),
            uploads_aborted: of(&self.uploads_aborted),
            failures: of(&self.failures),
            finished: finished.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds)),
        }
    }
}
