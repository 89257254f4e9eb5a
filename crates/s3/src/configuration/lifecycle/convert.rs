//! Lifecycle rules as an answer has them.

use s3s::dto;

use super::{Expiration, Lifecycle, NoncurrentExpiration, Rule};
use crate::clock::timestamp;

impl Lifecycle {
    /// Returns the rules for an answer.
    pub fn to_dto(&self) -> dto::LifecycleRules {
        self.rules.iter().map(Rule::to_dto).collect()
    }
}

impl Rule {
    fn to_dto(&self) -> dto::LifecycleRule {
        let status = match self.enabled {
            true => dto::ExpirationStatus::ENABLED,
            false => dto::ExpirationStatus::DISABLED,
        };
        let (prefix, filter) = self.filter.to_dto();
        let abort = |days: u32| dto::AbortIncompleteMultipartUpload { days_after_initiation: count(days) };
        dto::LifecycleRule {
            abort_incomplete_multipart_upload: self.abort_upload_days.map(abort),
            expiration: self.expiration.map(Expiration::to_dto),
            filter,
            id: Some(self.id.clone()),
            noncurrent_version_expiration: self.noncurrent.map(NoncurrentExpiration::to_dto),
            noncurrent_version_transitions: None,
            prefix,
            status: dto::ExpirationStatus::from_static(status),
            transitions: None,
        }
    }
}

impl Expiration {
    fn to_dto(self) -> dto::LifecycleExpiration {
        let mut document = dto::LifecycleExpiration::default();
        match self {
            Expiration::Days(days) => document.days = count(days),
            Expiration::DateMs(ms) => document.date = Some(timestamp(ms)),
            Expiration::DeleteMarker(marker) => document.expired_object_delete_marker = Some(marker),
        }
        document
    }
}

impl NoncurrentExpiration {
    fn to_dto(self) -> dto::NoncurrentVersionExpiration {
        dto::NoncurrentVersionExpiration {
            newer_noncurrent_versions: self.keep.and_then(count),
            noncurrent_days: count(self.days),
        }
    }
}

fn count(count: u32) -> Option<i32> {
    i32::try_from(count).ok()
}
