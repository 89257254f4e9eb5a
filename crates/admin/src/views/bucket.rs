//! Buckets.

use std::collections::BTreeMap;

use forebay_pool::BucketUpdate;
use forebay_s3::configuration::{self, Period};
use forebay_s3::facts::Tags;
use forebay_s3::manage::{self, BucketChanges, ManagedBucket};
use forebay_service::throttle::Waits;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::{Check, check_bytes};
use super::fields::{changes_in_words, given, present, time};
use super::volume::{Compression, WaitsView};
use super::words::words;
use crate::base::problem::Problem;

words! {
    /// Whether a bucket keeps older versions of its objects.
    Versioning for forebay_s3::configuration::Versioning {
        /// A write replaces the object. A bucket that ever kept versions cannot return to this.
        Unversioned = "unversioned",
        /// Each write adds a version.
        Enabled = "enabled",
        /// A write adds no version. The versions that are there stay.
        Suspended = "suspended",
    }
}

words! {
    /// The mode of an object's retention.
    LockMode for forebay_s3::facts::RetentionMode {
        /// Users with the right to bypass it can remove the object.
        Governance = "governance",
        /// Nobody can remove the object.
        Compliance = "compliance",
    }
}

/// Blocks of public access to a bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PublicAccessBlock {
    /// Refuse ACLs that grant something to everyone.
    #[serde(default)]
    pub block_public_acls: bool,
    /// Disregard ACLs that grant something to everyone.
    #[serde(default)]
    pub ignore_public_acls: bool,
    /// Refuse a policy that is public.
    #[serde(default)]
    pub block_public_policy: bool,
    /// Give requests without a signature nothing by a policy that is public.
    #[serde(default)]
    pub restrict_public_buckets: bool,
}

impl From<PublicAccessBlock> for configuration::PublicAccessBlock {
    fn from(block: PublicAccessBlock) -> Self {
        configuration::PublicAccessBlock {
            block_public_acls: block.block_public_acls,
            ignore_public_acls: block.ignore_public_acls,
            block_public_policy: block.block_public_policy,
            restrict_public_buckets: block.restrict_public_buckets,
        }
    }
}

impl From<configuration::PublicAccessBlock> for PublicAccessBlock {
    fn from(block: configuration::PublicAccessBlock) -> Self {
        PublicAccessBlock {
            block_public_acls: block.block_public_acls,
            ignore_public_acls: block.ignore_public_acls,
            block_public_policy: block.block_public_policy,
            restrict_public_buckets: block.restrict_public_buckets,
        }
    }
}

/// A bucket to create. Fields that are absent, except the name, take their defaults.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewBucket {
    /// The bucket's name. It is not an IP address, and no name that S3 reserves.
    #[schema(pattern = "^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    pub name: String,
    /// The S3 user who owns it; default the first member of `administrators`, by name.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$", nullable = false)]
    pub owner: Option<String>,
    /// The versioning of objects; default unversioned.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub versioning: Option<Versioning>,
    /// Whether versions can be locked against removal; default false. Such a bucket keeps versions. It cannot be changed later.
    #[serde(default)]
    pub object_lock: bool,
    /// Maximum size in bytes, of all versions and uploaded parts; null means no limit but the pool's.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<u64>,
    /// Maximum bytes per second that clients may read and write; null means no limit.
    #[serde(default)]
    #[schema(minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<u64>,
    /// Compression of new objects; default lz4.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// Tags of the bucket.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

impl NewBucket {
    /// The bucket that the S3 server is asked to create.
    pub fn read(&self) -> Result<manage::NewBucket, Problem> {
        let usual = manage::NewBucket::new(&self.name);
        Ok(manage::NewBucket {
            owner: self.owner.clone(),
            versioning: self.versioning.map_or(usual.versioning, Into::into),
            object_lock: self.object_lock,
            size: self.size,
            max_bytes_per_second: self.max_bytes_per_second,
            compression: self.compression.map_or(usual.compression, Into::into),
            tags: tags(&self.tags)?,
            name: usual.name,
        })
    }
}

impl Check for NewBucket {
    fn check(&self) -> Result<(), Problem> {
        check_bytes("size", self.size)?;
        check_bytes("max_bytes_per_second", self.max_bytes_per_second)?;
        match self.versioning {
            Some(versioning) if self.object_lock && versioning != Versioning::Enabled => {
                Err(Problem::new("versioning", "must be enabled in a bucket with object lock"))
            }
            _ => Ok(()),
        }
    }
}

/// Changes to a bucket. Fields that are absent stay unchanged; null removes a limit or a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BucketEdit {
    /// The versioning of objects.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub versioning: Option<Versioning>,
    /// Maximum size in bytes, of all versions and uploaded parts; null means no limit but the pool's.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9223372036854775807u64)]
    pub size: Option<Option<u64>>,
    /// Maximum bytes per second that clients may read and write; null means no limit.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>, minimum = 1000000, maximum = 9223372036854775807u64)]
    pub max_bytes_per_second: Option<Option<u64>>,
    /// Compression of new objects.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compression: Option<Compression>,
    /// All tags of the bucket.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tags: Option<BTreeMap<String, String>>,
    /// Blocks of public access; null removes the setting, so nothing is blocked. Requires the role admin.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PublicAccessBlock>)]
    pub public_access_block: Option<Option<PublicAccessBlock>>,
}

impl BucketEdit {
    /// The changes that were made, for an event.
    pub fn in_words(&self, before: &BucketView, after: &BucketView) -> String {
        changes_in_words(self, before, after)
    }

    /// The change that the S3 server is asked to make.
    pub fn read(&self) -> Result<BucketChanges, Problem> {
        Ok(BucketChanges {
            update: BucketUpdate {
                size: self.size,
                max_bytes_per_second: self.max_bytes_per_second,
                compression: self.compression.map(Into::into),
            },
            versioning: self.versioning.map(Into::into),
            public_access_block: self.public_access_block.map(|block| block.map(Into::into)),
            tags: self.tags.as_ref().map(tags).transpose()?,
        })
    }
}

impl Check for BucketEdit {
    fn check(&self) -> Result<(), Problem> {
        check_bytes("size", self.size.flatten())?;
        check_bytes("max_bytes_per_second", self.max_bytes_per_second.flatten())
    }
}

fn tags(tags: &BTreeMap<String, String>) -> Result<Tags, Problem> {
    Tags::of_bucket_pairs(tags).map_err(|error| {
        Problem::new("tags", error.message().unwrap_or("cannot be used").to_owned())
            .with_remedy("a bucket has at most 50 tags, with keys of up to 128 and values of up to 256 letters, digits, spaces and + - = . _ : / @")
    })
}

/// The retention that new objects of a bucket get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DefaultRetentionView {
    /// The mode.
    pub mode: LockMode,
    /// Duration in days, if it is set in days.
    pub days: Option<u32>,
    /// Duration in years, if it is set in years.
    pub years: Option<u32>,
}

impl From<configuration::DefaultRetention> for DefaultRetentionView {
    fn from(retention: configuration::DefaultRetention) -> Self {
        let (days, years) = match retention.period {
            Period::Days(days) => (Some(days), None),
            Period::Years(years) => (None, Some(years)),
        };
        DefaultRetentionView { mode: retention.mode.into(), days, years }
    }
}

/// A bucket.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct BucketView {
    /// The bucket's name.
    pub name: String,
    /// The bucket's id, in hexadecimal. It is never reused.
    pub id: String,
    /// The S3 user who owns it.
    pub owner: String,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// The versioning of objects.
    pub versioning: Versioning,
    /// Whether versions can be locked against removal.
    pub object_lock: bool,
    /// The retention that new objects get, if any.
    pub default_retention: Option<DefaultRetentionView>,
    /// Maximum size in bytes, if limited.
    pub size: Option<u64>,
    /// Maximum bytes per second that clients may read and write, if limited.
    pub max_bytes_per_second: Option<u64>,
    /// Requests delayed by that limit since it was set or the daemon started.
    pub waits: Option<WaitsView>,
    /// Compression of new objects.
    pub compression: Compression,
    /// Bytes of objects, older versions and uploaded parts. The limit of the size counts them.
    pub bytes_logical: u64,
    /// Number of objects, older versions and uploaded parts that have content.
    pub objects: u64,
    /// Tags of the bucket.
    pub tags: BTreeMap<String, String>,
    /// Blocks of public access, if they were set.
    pub public_access_block: Option<PublicAccessBlock>,
    /// Whether it has a policy.
    pub has_policy: bool,
    /// Whether its policy grants access to everyone.
    pub public: bool,
    /// Whether it has lifecycle rules.
    pub has_lifecycle: bool,
    /// Whether it has rules for cross-origin requests.
    pub has_cors: bool,
}

impl BucketView {
    /// A bucket as it is shown.
    pub fn of(shown: ManagedBucket, waits: Option<Waits>) -> BucketView {
        let ManagedBucket { bucket, facts, versioning, object_lock, tags, public_access_block, .. } = &shown;
        let spec = &bucket.spec;
        BucketView {
            name: spec.name.clone(),
            id: format!("{:08x}", bucket.id.0),
            owner: facts.owner.clone(),
            created: time(bucket.created),
            versioning: (*versioning).into(),
            object_lock: object_lock.is_some(),
            default_retention: object_lock.and_then(|lock| lock.default_retention).map(Into::into),
            size: spec.size,
            max_bytes_per_second: spec.max_bytes_per_second,
            waits: waits.map(WaitsView::from),
            compression: spec.compression.into(),
            bytes_logical: bucket.bytes_logical,
            objects: bucket.objects,
            tags: tags.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            public_access_block: public_access_block.map(Into::into),
            has_policy: shown.has_policy,
            public: shown.is_public,
            has_lifecycle: shown.has_lifecycle,
            has_cors: shown.has_cors,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_schema_forbids_is_refused() {
        for wrong in [r#"{"size":0}"#, r#"{"max_bytes_per_second":0}"#] {
            assert!(serde_json::from_str::<BucketEdit>(wrong).unwrap().check().is_err(), "{wrong}");
        }
        for wrong in [r#"{"colour":1}"#, r#"{"versioning":"on"}"#, r#"{"tags":null}"#, r#"{"name":"b"}"#] {
            assert!(serde_json::from_str::<BucketEdit>(wrong).is_err(), "{wrong}");
        }
        let locked = r#"{"name":"b","object_lock":true,"versioning":"suspended"}"#;
        assert!(serde_json::from_str::<NewBucket>(locked).unwrap().check().is_err());
    }

    #[test]
    fn null_takes_a_setting_away_and_absence_leaves_it() {
        let edit = |text: &str| serde_json::from_str::<BucketEdit>(text).unwrap();
        assert_eq!((edit("{}").size, edit("{}").public_access_block), (None, None));
        let edited = edit(r#"{"size":null,"public_access_block":null}"#);
        assert_eq!((edited.size, edited.public_access_block), (Some(None), Some(None)));
        assert_eq!(edit(&serde_json::to_string(&edited).unwrap()), edited);
    }
}
