//! What answers announce of a bucket's lifecycle rules: when an object expires, and when an upload is aborted.

use s3s::S3Result;
use s3s::dto::Timestamp;

use crate::clock;
use crate::configuration::lifecycle::{Lifecycle, Place, Version};
use crate::facts::ObjectFacts;
use crate::pool_error::OrS3;
use crate::store::{Entries, Setting};

/// The value of x-amz-expiration for the current version of a key.
pub fn expiration(entries: &impl Entries, key: &str, facts: &ObjectFacts) -> S3Result<Option<String>> {
    let Some(lifecycle) = Setting::Lifecycle.get::<Lifecycle>(entries).or_s3()? else { return Ok(None) };
    let version = Version {
        key,
        tags: &facts.tags,
        size: facts.size,
        modified_ms: facts.modified_ms,
        is_delete_marker: facts.delete_marker,
        // Matters to delete markers only.
        place: Place::Current { is_only_version: false },
    };
    Ok(lifecycle.schedule(&version).and_then(|due| due.expiration_header()))
}

/// The values of x-amz-abort-date and x-amz-abort-rule-id for an upload.
pub fn abortion(
    entries: &impl Entries,
    key: &str,
    initiated_ms: u64,
) -> S3Result<Option<(Timestamp, String)>> {
    let Some(lifecycle) = Setting::Lifecycle.get::<Lifecycle>(entries).or_s3()? else { return Ok(None) };
    let scheduled = lifecycle.upload_schedule(key, initiated_ms);
    Ok(scheduled.map(|(at_ms, rule_id)| (clock::timestamp(at_ms), rule_id.to_owned())))
}
