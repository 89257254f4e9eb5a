//! Publishing a new version of a key.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use forebay_pool::{BucketChange, Draft, EntryContent, Result};

use super::remove::remove_version;
use super::settings::{Setting, versioning};
use super::tables::{Decided, NULL_VERSIONS, OBJECTS, PART_LISTS, refuse_if_err};
use super::version::{Version, damaged, newest, null_version};
use crate::conditions::WriteConditions;
use crate::configuration::{ObjectLock, Versioning};
use crate::facts::{ObjectFacts, VersionId};

/// A version to be published.
#[derive(Debug)]
pub struct NewVersion {
    /// The key.
    pub key: String,
    /// What is known of it. Publishing decides whether it is the null version.
    pub facts: ObjectFacts,
    /// The committed bytes, or none for a delete marker.
    pub draft: Option<Draft>,
    /// The chunks of a long list of parts.
    pub part_list: Vec<Vec<u8>>,
}

/// A version that was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Published {
    /// Its id.
    pub id: VersionId,
    /// The bucket's versioning at that moment.
    pub versioning: Versioning,
}

impl Published {
    /// The id as answers have it: a new null version is answered without one.
    pub fn answer(&self) -> Option<String> {
        (self.versioning == Versioning::Enabled).then(|| self.id.to_string())
    }
}

/// Stages a new version, if the conditions on the current one hold. With versioning it comes before the others. Otherwise it
/// replaces the null version.
pub fn publish(
    change: &mut BucketChange<'_, '_>,
    mut new: NewVersion,
    conditions: &WriteConditions,
) -> Decided<Published> {
    let newest = newest(change, new.key.as_bytes())?;
    let current = newest.as_ref().filter(|version| !version.facts.delete_marker);
    refuse_if_err!(conditions.check(current.map(|version| version.facts.etag.as_str())));
    let versioning = versioning(change)?;
    retain_by_default(change, &mut new.facts)?;
    let published = put(change, new, newest.as_ref(), versioning)?;
    Ok(Ok(published))
}

/// Gives a new object the default retention of its bucket, unless it has a retention of its own. An object that was uploaded in
/// parts is new when the upload is completed.
fn retain_by_default(change: &BucketChange<'_, '_>, facts: &mut ObjectFacts) -> Result<()> {
    if facts.lock.retention.is_none()
        && let Some(lock) = Setting::ObjectLock.get::<ObjectLock>(change)?
    {
        facts.lock.retention =
            lock.default_retention.map(|retention| retention.starting_at(facts.modified_ms));
    }
    Ok(())
}

/// Stages a new version of a key whose newest version is `newest`.
pub(super) fn put(
    change: &mut BucketChange<'_, '_>,
    mut new: NewVersion,
    newest: Option<&Version>,
    versioning: Versioning,
) -> Result<Published> {
    let key = new.key.as_bytes();
    new.facts.null_version = versioning != Versioning::Enabled;
    let number = newest.map_or(0, |version| version.number.saturating_add(1)).max(now_ns());
    if new.facts.null_version {
        if let Some(replaced) = null_version(change, key)? {
            remove_version(change, key, &replaced)?;
        }
    } else if let Some(newest) = newest.filter(|version| version.facts.null_version) {
        let note = Bytes::copy_from_slice(&newest.number.to_be_bytes());
        change.put(NULL_VERSIONS, key, 0, note, EntryContent::None)?;
    }
    if let Some(draft) = &new.draft {
        let of = draft.handle().inode.0.to_be_bytes();
        for (index, chunk) in (0u64..).zip(new.part_list) {
            change.put(PART_LISTS, &of, index, chunk.into(), EntryContent::None)?;
        }
    }
    let facts = new.facts.encode().map_err(damaged)?;
    let content = new.draft.map_or(EntryContent::None, EntryContent::Draft);
    change.put(OBJECTS, key, number, facts.into(), content)?;
    Ok(Published { id: VersionId::of(number, new.facts.null_version), versioning })
}

/// Stages other facts of a version, such as other tags. Its bytes stay.
pub fn replace_facts(
    change: &mut BucketChange<'_, '_>,
    key: &str,
    number: u64,
    facts: &ObjectFacts,
) -> Result<()> {
    let facts = facts.encode().map_err(damaged)?;
    change.put(OBJECTS, key.as_bytes(), number, facts.into(), EntryContent::Keep)
}

/// The time as versions are numbered: nanoseconds since 1970. A clock that goes back does no harm, because a new version's
/// number is also larger than that of the version before.
pub(super) fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
