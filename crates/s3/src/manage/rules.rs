//! Lifecycle rules and rules for cross-origin requests, without the nesting of S3's documents. They become S3's documents, so that
//! the same code checks them.

use std::collections::BTreeMap;

use s3s::dto;

use crate::clock::{millis, timestamp};

/// A lifecycle rule: which objects, and what is done with them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LifecycleRule {
    /// Its id; made from the rule if there is none.
    pub id: Option<String>,
    /// Whether it is carried out.
    pub enabled: bool,
    /// Only keys with this prefix.
    pub prefix: Option<String>,
    /// Only objects with all of these tags.
    pub tags: BTreeMap<String, String>,
    /// Only objects of more bytes.
    pub size_above: Option<u64>,
    /// Only objects of fewer bytes.
    pub size_below: Option<u64>,
    /// Days after which a current version expires.
    pub expire_days: Option<u32>,
    /// The midnight from which on current versions expire, in milliseconds since 1970.
    pub expire_at_ms: Option<u64>,
    /// Whether delete markers without older versions are removed.
    pub expire_delete_markers: Option<bool>,
    /// Days after which a version that is not current is removed.
    pub noncurrent_days: Option<u32>,
    /// How many of the newest versions that are not current are kept.
    pub noncurrent_keep: Option<u32>,
    /// Days after which an upload is aborted.
    pub abort_uploads_days: Option<u32>,
}

/// A rule for cross-origin requests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CorsRule {
    /// Its id.
    pub id: Option<String>,
    /// Origins that may send requests.
    pub allowed_origins: Vec<String>,
    /// Methods that they may use.
    pub allowed_methods: Vec<String>,
    /// Headers that they may send.
    pub allowed_headers: Vec<String>,
    /// Headers that they may read.
    pub expose_headers: Vec<String>,
    /// How long a browser may keep the answer.
    pub max_age_seconds: Option<u32>,
}

impl LifecycleRule {
    /// The rule as a document of S3.
    pub(super) fn to_dto(&self) -> dto::LifecycleRule {
        let status =
            if self.enabled { dto::ExpirationStatus::ENABLED } else { dto::ExpirationStatus::DISABLED };
        let has_expiration =
            self.expire_days.is_some() || self.expire_at_ms.is_some() || self.expire_delete_markers.is_some();
        let expiration = has_expiration.then(|| dto::LifecycleExpiration {
            days: self.expire_days.map(count),
            date: self.expire_at_ms.map(timestamp),
            expired_object_delete_marker: self.expire_delete_markers,
        });
        let has_noncurrent = self.noncurrent_days.is_some() || self.noncurrent_keep.is_some();
        let noncurrent = has_noncurrent.then(|| dto::NoncurrentVersionExpiration {
            noncurrent_days: self.noncurrent_days.map(count),
            newer_noncurrent_versions: self.noncurrent_keep.map(count),
        });
        let abort = |days| dto::AbortIncompleteMultipartUpload { days_after_initiation: Some(count(days)) };
        dto::LifecycleRule {
            abort_incomplete_multipart_upload: self.abort_uploads_days.map(abort),
            expiration,
            filter: Some(self.filter()),
            id: self.id.clone(),
            noncurrent_version_expiration: noncurrent,
            noncurrent_version_transitions: None,
            prefix: None,
            status: dto::ExpirationStatus::from_static(status),
            transitions: None,
        }
    }

    /// An `And` may hold any number of conditions, and must not be empty.
    fn filter(&self) -> dto::LifecycleRuleFilter {
        let tags: Vec<dto::Tag> = self
            .tags
            .iter()
            .map(|(key, value)| dto::Tag { key: Some(key.clone()), value: Some(value.clone()) })
            .collect();
        let is_empty = tags.is_empty()
            && self.prefix.is_none()
            && self.size_above.is_none()
            && self.size_below.is_none();
        let and = dto::LifecycleRuleAndOperator {
            object_size_greater_than: self.size_above.map(size),
            object_size_less_than: self.size_below.map(size),
            prefix: self.prefix.clone(),
            tags: (!tags.is_empty()).then_some(tags),
        };
        dto::LifecycleRuleFilter { and: (!is_empty).then_some(and), ..dto::LifecycleRuleFilter::default() }
    }

    /// The rule of a document of S3.
    pub(super) fn of_dto(rule: dto::LifecycleRule) -> LifecycleRule {
        let filter = rule.filter.unwrap_or_default();
        let and = filter.and.unwrap_or_default();
        let tags = filter.tag.into_iter().chain(and.tags.unwrap_or_default());
        let expiration = rule.expiration.unwrap_or_default();
        let noncurrent = rule.noncurrent_version_expiration.unwrap_or_default();
        LifecycleRule {
            id: rule.id,
            enabled: rule.status.as_str() == dto::ExpirationStatus::ENABLED,
            prefix: rule.prefix.or(filter.prefix).or(and.prefix),
            tags: tags.map(|tag| (tag.key.unwrap_or_default(), tag.value.unwrap_or_default())).collect(),
            size_above: filter.object_size_greater_than.or(and.object_size_greater_than).and_then(from_size),
            size_below: filter.object_size_less_than.or(and.object_size_less_than).and_then(from_size),
            expire_days: expiration.days.and_then(from_count),
            expire_at_ms: expiration.date.as_ref().map(millis),
            expire_delete_markers: expiration.expired_object_delete_marker,
            noncurrent_days: noncurrent.noncurrent_days.and_then(from_count),
            noncurrent_keep: noncurrent.newer_noncurrent_versions.and_then(from_count),
            abort_uploads_days: rule
                .abort_incomplete_multipart_upload
                .and_then(|abort| abort.days_after_initiation)
                .and_then(from_count),
        }
    }
}

impl CorsRule {
    /// The rule as a document of S3.
    pub(super) fn to_dto(&self) -> dto::CORSRule {
        let list = |texts: &Vec<String>| (!texts.is_empty()).then(|| texts.clone());
        dto::CORSRule {
            allowed_headers: list(&self.allowed_headers),
            allowed_methods: self.allowed_methods.clone(),
            allowed_origins: self.allowed_origins.clone(),
            expose_headers: list(&self.expose_headers),
            id: self.id.clone(),
            max_age_seconds: self.max_age_seconds.map(count),
        }
    }

    /// The rule of a document of S3.
    pub(super) fn of_dto(rule: dto::CORSRule) -> CorsRule {
        CorsRule {
            id: rule.id,
            allowed_origins: rule.allowed_origins,
            allowed_methods: rule.allowed_methods,
            allowed_headers: rule.allowed_headers.unwrap_or_default(),
            expose_headers: rule.expose_headers.unwrap_or_default(),
            max_age_seconds: rule.max_age_seconds.and_then(from_count),
        }
    }
}

/// A count that the document cannot express becomes one that S3 refuses.
fn count(count: u32) -> i32 {
    i32::try_from(count).unwrap_or(-1)
}

fn from_count(count: i32) -> Option<u32> {
    u32::try_from(count).ok()
}

fn size(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(-1)
}

fn from_size(size: i64) -> Option<u64> {
    u64::try_from(size).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::DAY_MS;
    use crate::configuration::lifecycle::Lifecycle;

    #[test]
    fn rules_survive_the_way_to_what_is_stored_and_back() {
        let bare = LifecycleRule {
            id: Some("bare".to_owned()),
            enabled: true,
            expire_days: Some(30),
            ..LifecycleRule::default()
        };
        let full = LifecycleRule {
            id: Some("full".to_owned()),
            enabled: false,
            prefix: Some("logs/".to_owned()),
            tags: BTreeMap::from([("team".to_owned(), "kafka".to_owned())]),
            size_above: Some(1),
            size_below: Some(1 << 40),
            expire_days: None,
            expire_at_ms: Some(20_000 * DAY_MS),
            noncurrent_days: Some(3),
            noncurrent_keep: Some(2),
            ..LifecycleRule::default()
        };
        let markers = LifecycleRule {
            id: Some("markers".to_owned()),
            enabled: true,
            prefix: Some("a".to_owned()),
            expire_delete_markers: Some(true),
            abort_uploads_days: Some(7),
            ..LifecycleRule::default()
        };
        let rules = vec![bare, full, markers];
        let rules_dto = rules.iter().map(LifecycleRule::to_dto).collect();
        let document = dto::BucketLifecycleConfiguration { rules: rules_dto };
        let stored = Lifecycle::from_dto(&document).unwrap();
        let read: Vec<_> = stored.to_dto().into_iter().map(LifecycleRule::of_dto).collect();
        assert_eq!(read, rules);
    }
}
