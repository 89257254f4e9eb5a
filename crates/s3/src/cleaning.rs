//! The task that removes the parts of uploads that have ended.

use std::sync::Arc;
use std::time::Duration;

use crate::shared::Shared;
use crate::store::remove_ended_parts;

/// How often all buckets are looked at even if nobody has asked.
const PERIOD: Duration = Duration::from_secs(600);
/// The pause between two changes, in which other changes of the pool get their turn.
const PAUSE: Duration = Duration::from_millis(2);

/// Removes parts of ended uploads, at once and whenever an upload ends. Runs until it is aborted.
pub async fn run(shared: Arc<Shared>) {
    loop {
        if let Err(error) = remove_all(&shared).await {
            tracing::warn!(%error, "s3: removing the parts of ended uploads failed; the next end of an upload tries again");
        }
        let _ = tokio::time::timeout(PERIOD, shared.ended_uploads.notified()).await;
    }
}

async fn remove_all(shared: &Shared) -> forebay_pool::Result<()> {
    for bucket in shared.pool().buckets()? {
        loop {
            match shared.pool().bucket_change(bucket.id, remove_ended_parts).await {
                Ok(true) => tokio::time::sleep(PAUSE).await,
                // The bucket was deleted meanwhile.
                Ok(false) | Err(forebay_pool::Error::Stale) => break,
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}
