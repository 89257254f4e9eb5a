//! Removing versions, and hiding them behind delete markers.

use forebay_pool::{BucketChange, Result, Seek};

use super::entries::Entries;
use super::publish::{NewVersion, put};
use super::settings::versioning;
use super::tables::{Decided, NULL_VERSIONS, OBJECTS, PART_LISTS, refuse_if_err};
use super::version::{Version, find, newest, null_version};
use crate::conditions::DeleteConditions;
use crate::configuration::Versioning;
use crate::errors::object_locked;
use crate::facts::{ObjectFacts, VersionId};

/// A request to remove an object or one of its versions.
#[derive(Debug, Clone, Default)]
pub struct Removal {
    /// The key.
    pub key: String,
    /// The version. Without one the current object is removed, or hidden.
    pub id: Option<VersionId>,
    /// Conditions on what is removed.
    pub conditions: DeleteConditions,
    /// Whether the caller may remove a version whose retention allows that in governance mode.
    pub bypass: bool,
    /// The caller, who owns a delete marker.
    pub caller: String,
    /// The time in milliseconds since 1970.
    pub now_ms: u64,
}

/// What a removal did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Removed {
    /// The version that was removed, or the delete marker that was put.
    pub id: Option<VersionId>,
    /// Whether that is a delete marker.
    pub is_delete_marker: bool,
}

/// Stages a removal. What is not there is removed already.
pub fn remove(change: &mut BucketChange<'_, '_>, removal: Removal) -> Decided<Removed> {
    let key = removal.key.as_bytes();
    match removal.id {
        Some(id) => {
            let version = find(change, key, Some(id))?;
            refuse_if_err!(removal.conditions.check(version.as_ref().map(|version| &version.facts)));
            let Some(version) = version else {
                return Ok(Ok(Removed { id: Some(id), is_delete_marker: false }));
            };
            if !version.facts.lock.permits_removal(removal.now_ms, removal.bypass) {
                return Ok(Err(object_locked()));
            }
            remove_version(change, key, &version)?;
            Ok(Ok(Removed { id: Some(id), is_delete_marker: version.facts.delete_marker }))
        }
        None => hide(change, removal),
    }
}

/// Stages the removal of the current object: a delete marker hides it if the bucket has versions.
fn hide(change: &mut BucketChange<'_, '_>, removal: Removal) -> Decided<Removed> {
    let key = removal.key.as_bytes();
    let newest = newest(change, key)?;
    let current = newest.as_ref().filter(|version| !version.facts.delete_marker);
    refuse_if_err!(removal.conditions.check(current.map(|version| &version.facts)));
    let versioning = versioning(change)?;
    if versioning == Versioning::Unversioned {
        if let Some(version) = null_version(change, key)? {
            remove_version(change, key, &version)?;
        }
        return Ok(Ok(Removed::default()));
    }
    let facts = ObjectFacts {
        delete_marker: true,
        modified_ms: removal.now_ms,
        owner: removal.caller.clone(),
        ..ObjectFacts::default()
    };
    let marker = NewVersion { key: removal.key.clone(), facts, draft: None, part_list: Vec::new() };
    let published = put(change, marker, newest.as_ref(), versioning)?;
    Ok(Ok(Removed { id: Some(published.id), is_delete_marker: true }))
}

/// Stages the removal of a version with its bytes, its list of parts, and the note that it is the null version.
pub(super) fn remove_version(change: &mut BucketChange<'_, '_>, key: &[u8], version: &Version) -> Result<()> {
    if let Some(content) = version.content
        && let Some(parts) = version.facts.parts.as_ref().filter(|parts| parts.is_chunked())
    {
        let of = content.inode.0.to_be_bytes();
        for chunk in change.entries(PART_LISTS, &of, &Seek::Key(&of), parts.chunk_count())? {
            change.remove(PART_LISTS, &of, chunk.version)?;
        }
    }
    if version.facts.null_version {
        change.remove(NULL_VERSIONS, key, 0)?;
    }
    change.remove(OBJECTS, key, version.number)?;
    Ok(())
}
