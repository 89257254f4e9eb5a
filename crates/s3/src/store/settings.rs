//! Settings of a bucket. Each is an entry, so a change sees the settings as they are at that moment.

use bytes::Bytes;
use forebay_pool::{BucketChange, EntryContent, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::entries::Entries;
use super::tables::SETTINGS;
use super::version::damaged;
use crate::configuration::{self, Versioning};

/// A setting that a bucket can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// [`BucketFacts`].
    Facts,
    /// [`Versioning`].
    Versioning,
    /// The bucket's policy, as the document that was put.
    Policy,
    /// Rules of cross-origin requests.
    Cors,
    /// Lifecycle rules.
    Lifecycle,
    /// Object lock, and the default retention.
    ObjectLock,
    /// Tags.
    Tags,
    /// Public access block.
    PublicAccess,
    /// Ownership controls.
    Ownership,
}

impl Setting {
    /// The key of the setting's entry. It is a part of the format.
    fn key(self) -> &'static [u8] {
        match self {
            Setting::Facts => b"bucket",
            Setting::Versioning => b"versioning",
            Setting::Policy => b"policy",
            Setting::Cors => b"cors",
            Setting::Lifecycle => b"lifecycle",
            Setting::ObjectLock => b"object-lock",
            Setting::Tags => b"tags",
            Setting::PublicAccess => b"public-access",
            Setting::Ownership => b"ownership",
        }
    }

    /// The bytes of the setting.
    pub fn bytes(self, entries: &impl Entries) -> Result<Option<Bytes>> {
        Ok(entries.entry(SETTINGS, self.key(), 0)?.map(|entry| entry.facts))
    }

    /// The setting, decoded.
    pub fn get<T: DeserializeOwned>(self, entries: &impl Entries) -> Result<Option<T>> {
        let Some(bytes) = self.bytes(entries)? else { return Ok(None) };
        configuration::decode(&bytes).map(Some).map_err(damaged)
    }

    /// Stages bytes.
    pub fn put_bytes(self, change: &mut BucketChange<'_, '_>, bytes: Bytes) -> Result<()> {
        change.put(SETTINGS, self.key(), 0, bytes, EntryContent::None)
    }

    /// Stages a value.
    pub fn put(self, change: &mut BucketChange<'_, '_>, value: &impl Serialize) -> Result<()> {
        let bytes = configuration::encode(value).map_err(damaged)?;
        self.put_bytes(change, bytes.into())
    }

    /// Stages the removal. Returns whether there was one.
    pub fn remove(self, change: &mut BucketChange<'_, '_>) -> Result<bool> {
        change.remove(SETTINGS, self.key(), 0)
    }
}

/// What is known of a bucket from its creation on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketFacts {
    /// The user who created it, and owns everything in it.
    pub owner: String,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: u64,
}

/// The bucket's versioning.
pub fn versioning(entries: &impl Entries) -> Result<Versioning> {
    Ok(Setting::Versioning.get(entries)?.unwrap_or_default())
}
