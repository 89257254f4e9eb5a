//! Objects and versions in a bucket.

use forebay_s3::manage::{ObjectPage, VersionPage};
use forebay_s3::store::Version;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bucket::LockMode;
use super::fields::time_of_ms;

/// A page of a bucket's objects, by key.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ObjectsView {
    /// The objects.
    pub items: Vec<ObjectView>,
    /// Common prefixes of keys that have the delimiter behind the prefix.
    pub prefixes: Vec<String>,
    /// The `after` of the next page; null if there is none.
    pub next: Option<String>,
}

/// An object.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct ObjectView {
    /// The key.
    pub key: String,
    /// The id of the version: `null`, or 16 hexadecimal digits.
    pub version: String,
    /// Size in bytes.
    pub size: u64,
    /// When it was written.
    #[schema(format = DateTime)]
    pub modified: String,
    /// The ETag, without quotes.
    pub etag: String,
    /// The media type that was given.
    pub content_type: Option<String>,
    /// The S3 user who owns it.
    pub owner: String,
}

/// A page of a bucket's versions, by key, the newest first.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VersionsView {
    /// The versions and delete markers.
    pub items: Vec<VersionView>,
    /// Common prefixes of keys that have the delimiter behind the prefix.
    pub prefixes: Vec<String>,
    /// The `after` of the next page; null if there is none.
    pub next: Option<String>,
    /// The `after_version` of the next page; null if that begins with another key.
    pub next_version: Option<String>,
}

/// A version of an object, or a delete marker.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct VersionView {
    /// The version.
    #[serde(flatten)]
    pub object: ObjectView,
    /// Whether it is the latest version of its key.
    pub latest: bool,
    /// Whether it is a delete marker, which has no content.
    pub delete_marker: bool,
    /// The mode of its retention, if it has one.
    pub retention_mode: Option<LockMode>,
    /// Until when it is retained.
    #[schema(format = DateTime)]
    pub retain_until: Option<String>,
    /// Whether a legal hold keeps it from being removed.
    pub legal_hold: bool,
}

impl ObjectView {
    fn of(key: String, version: &Version) -> ObjectView {
        let facts = &version.facts;
        ObjectView {
            key,
            version: version.id().to_string(),
            size: facts.size,
            modified: time_of_ms(facts.modified_ms),
            etag: facts.etag.clone(),
            content_type: facts.headers.content_type.clone(),
            owner: facts.owner.clone(),
        }
    }
}

impl From<ObjectPage> for ObjectsView {
    fn from(page: ObjectPage) -> Self {
        let objects = page.objects.into_iter();
        ObjectsView {
            items: objects.map(|(key, version)| ObjectView::of(key, &version)).collect(),
            prefixes: page.prefixes,
            next: page.next,
        }
    }
}

impl From<VersionPage> for VersionsView {
    fn from(page: VersionPage) -> Self {
        let view = |(key, version, latest): (String, Version, bool)| {
            let lock = &version.facts.lock;
            VersionView {
                latest,
                delete_marker: version.facts.delete_marker,
                retention_mode: lock.retention.map(|retention| retention.mode.into()),
                retain_until: lock.retention.map(|retention| time_of_ms(retention.until_ms)),
                legal_hold: lock.legal_hold.unwrap_or(false),
                object: ObjectView::of(key, &version),
            }
        };
        let (next, next_version) = page.next.unzip();
        VersionsView {
            items: page.versions.into_iter().map(view).collect(),
            prefixes: page.prefixes,
            next,
            next_version: next_version.flatten(),
        }
    }
}
