//! Objects and versions in a bucket.

use forebay_s3::facts::{ObjectFacts, VersionId};
use forebay_s3::manage::{CopiedFile, FileToCopy, ObjectPage, VersionPage};
use forebay_s3::records::Offsets;
use forebay_s3::store::Version;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bucket::LockMode;
use super::check::Check;
use super::fields::{present, time_of_ms};
use crate::base::problem::Problem;

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

/// A file of a volume that becomes an object of a bucket. No bytes are moved.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewObject {
    /// The key of the object, at most 1024 bytes.
    #[schema(min_length = 1, max_length = 1024)]
    pub key: String,
    /// The volume that has the file: its name, or `id:` and its id.
    #[schema(pattern = "^([A-Za-z0-9_][A-Za-z0-9_.-]{0,63}|id:[0-9a-f]{8})$")]
    pub volume: String,
    /// The path of the file in the volume. Symbolic links are not followed.
    #[schema(min_length = 1, max_length = 4096)]
    pub path: String,
    /// That the file is a Kafka log segment whose records have these offsets. The checksum of every record batch is then verified.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub records: Option<OffsetsView>,
    /// Whether an object with that key is replaced; default false. In a bucket with versions it becomes an older version.
    #[serde(default)]
    pub replace: bool,
    /// The media type of the object.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255, nullable = false)]
    pub content_type: Option<String>,
}

/// Offsets of records.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OffsetsView {
    /// The least offset that a record has.
    #[schema(minimum = 0)]
    pub first: i64,
    /// The greatest offset that a record has; not less than `first`.
    #[schema(minimum = 0)]
    pub last: i64,
}

impl NewObject {
    /// What the S3 server is asked to copy.
    pub fn file(&self) -> FileToCopy {
        FileToCopy {
            path: self.path.clone(),
            key: self.key.clone(),
            offsets: self.records.map(|records| Offsets { first: records.first, last: records.last }),
            replaces: self.replace,
            content_type: self.content_type.clone(),
        }
    }
}

impl Check for NewObject {
    fn check(&self) -> Result<(), Problem> {
        if self.path.trim_matches('/').is_empty() {
            return Err(Problem::new("path", "must name a file"));
        }
        if self
            .content_type
            .as_deref()
            .is_some_and(|text| text.is_empty() || !text.bytes().all(|byte| (b' '..=b'~').contains(&byte)))
        {
            return Err(Problem::new(
                "content_type",
                "must be a media type, such as application/octet-stream",
            ));
        }
        match self.records {
            Some(records) if !(0..=records.last).contains(&records.first) => Err(Problem::new(
                "records",
                "must have offsets from 0 on, and `first` must not be above `last`",
            )),
            _ => Ok(()),
        }
    }
}

impl ObjectView {
    /// An object that was copied from a file.
    pub fn of_copy(key: String, copied: &CopiedFile) -> ObjectView {
        ObjectView::with(key, copied.id, &copied.facts)
    }

    fn of(key: String, version: &Version) -> ObjectView {
        ObjectView::with(key, version.id(), &version.facts)
    }

    fn with(key: String, id: VersionId, facts: &ObjectFacts) -> ObjectView {
        ObjectView {
            key,
            version: id.to_string(),
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
