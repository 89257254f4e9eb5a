//! What a lifecycle document must be.

use std::collections::BTreeSet;

use s3s::{S3Result, dto};

use super::{Expiration, Filter, Lifecycle, NoncurrentExpiration, Rule};
use crate::clock::{DAY_MS, millis};
use crate::errors::{invalid_argument, invalid_request, malformed_xml, not_implemented};

const RULES_MAX: usize = 1000;
const ID_CHARS_MAX: usize = 255;
const KEEP_MAX: u32 = 100;

impl Lifecycle {
    /// Takes the body of PutBucketLifecycleConfiguration. Rules without an ID get one that follows from their place and
    /// content.
    pub fn from_dto(document: &dto::BucketLifecycleConfiguration) -> S3Result<Lifecycle> {
        if document.rules.is_empty() || document.rules.len() > RULES_MAX {
            return Err(malformed_xml());
        }
        let mut rules = document.rules.iter().map(rule).collect::<S3Result<Vec<_>>>()?;
        check_ids(&rules)?;
        for (index, rule) in rules.iter_mut().enumerate() {
            if rule.id.is_empty() {
                let content = serde_json::to_vec(&(index, &*rule)).unwrap_or_default();
                rule.id = format!("{:016x}", crc_fast::crc64_nvme(&content));
            }
        }
        Ok(Lifecycle { rules })
    }
}

fn check_ids(rules: &[Rule]) -> S3Result {
    let mut known = BTreeSet::new();
    for id in rules.iter().map(|rule| rule.id.as_str()).filter(|id| !id.is_empty()) {
        if id.chars().count() > ID_CHARS_MAX {
            return Err(invalid_argument("ID length should not exceed allowed limit of 255"));
        }
        if !known.insert(id) {
            return Err(invalid_argument("Rule ID must be unique. Found same ID for more than one rule"));
        }
    }
    Ok(())
}

fn rule(document: &dto::LifecycleRule) -> S3Result<Rule> {
    let enabled = match document.status.as_str() {
        dto::ExpirationStatus::ENABLED => true,
        dto::ExpirationStatus::DISABLED => false,
        _ => return Err(malformed_xml()),
    };
    let transitions = document.transitions.as_ref().map_or(0, Vec::len)
        + document.noncurrent_version_transitions.as_ref().map_or(0, Vec::len);
    if transitions > 0 {
        return Err(not_implemented("Transitions between storage classes are not supported."));
    }
    let rule = Rule {
        id: document.id.clone().unwrap_or_default(),
        enabled,
        filter: Filter::from_dto(document)?,
        expiration: document.expiration.as_ref().map(expiration).transpose()?,
        noncurrent: document.noncurrent_version_expiration.as_ref().map(noncurrent).transpose()?,
        abort_upload_days: document.abort_incomplete_multipart_upload.as_ref().map(abort_days).transpose()?,
    };
    check_actions(&rule)?;
    Ok(rule)
}

fn check_actions(rule: &Rule) -> S3Result {
    if rule.expiration.is_none() && rule.noncurrent.is_none() && rule.abort_upload_days.is_none() {
        return Err(invalid_request("At least one action needs to be specified in a rule"));
    }
    if rule.expiration == Some(Expiration::DeleteMarker(true)) && rule.filter.has_tags() {
        return Err(invalid_request("ExpiredObjectDeleteMarker cannot be specified with tags filter"));
    }
    if rule.abort_upload_days.is_some() && rule.filter.has_tags() {
        return Err(invalid_request("AbortIncompleteMultipartUpload cannot be specified with Tags."));
    }
    if rule.abort_upload_days.is_some() && rule.filter.has_sizes() {
        return Err(invalid_request("AbortIncompleteMultipartUpload cannot be specified with Object Size"));
    }
    Ok(())
}

fn expiration(document: &dto::LifecycleExpiration) -> S3Result<Expiration> {
    match (document.days, &document.date, document.expired_object_delete_marker) {
        (Some(days), None, None | Some(false)) => {
            Ok(Expiration::Days(positive(days, "'Days' for Expiration action")?))
        }
        (None, Some(date), None | Some(false)) => {
            let ms = millis(date);
            if !ms.is_multiple_of(DAY_MS) {
                return Err(invalid_argument("'Date' must be at midnight GMT"));
            }
            Ok(Expiration::DateMs(ms))
        }
        (None, None, Some(marker)) => Ok(Expiration::DeleteMarker(marker)),
        _ => Err(malformed_xml()),
    }
}

fn noncurrent(document: &dto::NoncurrentVersionExpiration) -> S3Result<NoncurrentExpiration> {
    let days = document.noncurrent_days.ok_or_else(malformed_xml)?;
    let days = positive(days, "'NoncurrentDays' for NoncurrentVersionExpiration action")?;
    let name = "'NewerNoncurrentVersions' for NoncurrentVersionExpiration action";
    let keep = document.newer_noncurrent_versions.map(|keep| positive(keep, name)).transpose()?;
    if keep.is_some_and(|keep| keep > KEEP_MAX) {
        return Err(invalid_argument(format!("{name} must not exceed {KEEP_MAX}")));
    }
    Ok(NoncurrentExpiration { days, keep })
}

fn abort_days(document: &dto::AbortIncompleteMultipartUpload) -> S3Result<u32> {
    let days = document.days_after_initiation.ok_or_else(malformed_xml)?;
    positive(days, "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action")
}

fn positive(count: i32, name: &str) -> S3Result<u32> {
    let count = u32::try_from(count).ok().filter(|count| *count > 0);
    count.ok_or_else(|| invalid_argument(format!("{name} must be a positive integer")))
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
