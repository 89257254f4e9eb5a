//! What is due for an object version or an upload at a given time.

use s3s::dto::TimestampFormat;

use super::{Expiration, Lifecycle, NoncurrentExpiration, Rule};
use crate::clock::{DAY_MS, midnight_at_or_after, timestamp};
use crate::facts::Tags;
use crate::percent;

/// An object version, as rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Version<'a> {
    /// The key.
    pub key: &'a str,
    /// The tags.
    pub tags: &'a Tags,
    /// The number of bytes.
    pub size: u64,
    /// When it was written, in milliseconds since 1970.
    pub modified_ms: u64,
    /// Whether it is a delete marker.
    pub is_delete_marker: bool,
    /// Its place among the versions of the key.
    pub place: Place,
}

/// The place of a version among the versions of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The newest.
    Current {
        /// Whether it is the only one.
        is_only_version: bool,
    },
    /// Any other.
    Noncurrent {
        /// When the next newer version was written, in milliseconds since 1970.
        since_ms: u64,
        /// How many noncurrent versions are newer.
        newer_noncurrent: u32,
    },
}

/// What to do with a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Delete the object as a request without a version would: on a bucket with versioning, add a delete marker.
    Expire,
    /// Remove this version for good.
    RemoveVersion,
}

/// Something that is due, or will be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due<'a> {
    /// What to do.
    pub action: Action,
    /// From when on, in milliseconds since 1970.
    pub at_ms: u64,
    /// The rule that says so.
    pub rule_id: &'a str,
}

impl Lifecycle {
    /// Decides what is due for a version now.
    pub fn due(&self, version: &Version<'_>, now_ms: u64) -> Option<Due<'_>> {
        self.schedule(version).filter(|due| due.at_ms <= now_ms)
    }

    /// Returns what happens to a version first, now or later. GET, HEAD and PUT announce it as x-amz-expiration.
    pub fn schedule(&self, version: &Version<'_>) -> Option<Due<'_>> {
        let applying = self
            .rules
            .iter()
            .filter(|rule| rule.enabled && rule.filter.matches(version.key, version.tags, version.size));
        applying.filter_map(|rule| rule.schedule(version)).min_by_key(|due| due.at_ms)
    }

    /// Returns the rule by which an upload is to be aborted now.
    pub fn upload_due(&self, key: &str, initiated_ms: u64, now_ms: u64) -> Option<&str> {
        self.upload_schedule(key, initiated_ms)
            .filter(|(at_ms, _)| *at_ms <= now_ms)
            .map(|(_, rule_id)| rule_id)
    }

    /// Returns when an upload will be aborted, and by which rule: x-amz-abort-date and x-amz-abort-rule-id.
    pub fn upload_schedule(&self, key: &str, initiated_ms: u64) -> Option<(u64, &str)> {
        let applying = self.rules.iter().filter(|rule| rule.enabled && rule.filter.matches_key(key));
        let scheduled = applying.filter_map(|rule| {
            rule.abort_upload_days.map(|days| (days_after(initiated_ms, days), rule.id.as_str()))
        });
        scheduled.min_by_key(|(at_ms, _)| *at_ms)
    }
}

impl Due<'_> {
    /// Returns the value of x-amz-expiration, if the object itself is to expire.
    pub fn expiration_header(&self) -> Option<String> {
        let mut date = Vec::new();
        let formatted = timestamp(self.at_ms).format(TimestampFormat::HttpDate, &mut date);
        let date = formatted.ok().and_then(|()| String::from_utf8(date).ok())?;
        let rule_id = percent::encode(self.rule_id);
        (self.action == Action::Expire).then(|| format!("expiry-date=\"{date}\", rule-id=\"{rule_id}\""))
    }
}

impl Rule {
    fn schedule(&self, version: &Version<'_>) -> Option<Due<'_>> {
        let (action, at_ms) = match version.place {
            Place::Current { is_only_version } if version.is_delete_marker => {
                let at_ms =
                    self.expiration.filter(|_| is_only_version)?.of_delete_marker(version.modified_ms)?;
                (Action::RemoveVersion, at_ms)
            }
            Place::Current { .. } => (Action::Expire, self.expiration?.of_object(version.modified_ms)?),
            Place::Noncurrent { since_ms, newer_noncurrent } => {
                (Action::RemoveVersion, self.noncurrent?.at(since_ms, newer_noncurrent)?)
            }
        };
        Some(Due { action, at_ms, rule_id: &self.id })
    }
}

impl Expiration {
    fn of_object(self, modified_ms: u64) -> Option<u64> {
        match self {
            Expiration::Days(days) => Some(days_after(modified_ms, days)),
            Expiration::DateMs(at_ms) => Some(at_ms),
            Expiration::DeleteMarker(_) => None,
        }
    }

    fn of_delete_marker(self, modified_ms: u64) -> Option<u64> {
        match self {
            Expiration::DeleteMarker(removed) => removed.then_some(modified_ms),
            days_or_date => days_or_date.of_object(modified_ms),
        }
    }
}

impl NoncurrentExpiration {
    fn at(self, since_ms: u64, newer_noncurrent: u32) -> Option<u64> {
        let is_kept = self.keep.is_some_and(|keep| newer_noncurrent < keep);
        (!is_kept).then(|| days_after(since_ms, self.days))
    }
}

/// Days count as AWS counts them: from the time to the first midnight, UTC, after it has passed.
fn days_after(ms: u64, days: u32) -> u64 {
    midnight_at_or_after(ms.saturating_add(u64::from(days).saturating_mul(DAY_MS)))
}

#[cfg(test)]
#[path = "due_tests.rs"]
mod tests;
