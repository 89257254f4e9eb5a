//! Object lock of a bucket, and the retention that new objects get by default.

use s3s::{S3Result, dto};
use serde::{Deserialize, Serialize};

use crate::clock::{DAY_MS, add_years};
use crate::errors::{invalid_argument, malformed_xml};
use crate::facts::{Retention, RetentionMode};

const DAYS_MAX: u32 = 36_500;
const YEARS_MAX: u32 = 100;

/// Object lock of a bucket. A bucket that has it is versioned and stays so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectLock {
    /// The retention of objects that are written without one.
    #[serde(rename = "r", default, skip_serializing_if = "Option::is_none")]
    pub default_retention: Option<DefaultRetention>,
}

/// The retention of objects that are written without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultRetention {
    /// The mode.
    #[serde(rename = "m")]
    pub mode: RetentionMode,
    /// How long it lasts.
    #[serde(rename = "p")]
    pub period: Period,
}

/// How long a retention lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Period {
    /// Days of 24 hours.
    #[serde(rename = "d")]
    Days(u32),
    /// Calendar years.
    #[serde(rename = "y")]
    Years(u32),
}

impl ObjectLock {
    /// Takes the body of PutObjectLockConfiguration.
    pub fn from_dto(lock: &dto::ObjectLockConfiguration) -> S3Result<ObjectLock> {
        let enabled = lock.object_lock_enabled.as_ref().map(dto::ObjectLockEnabled::as_str);
        if enabled != Some(dto::ObjectLockEnabled::ENABLED) {
            return Err(malformed_xml());
        }
        let Some(rule) = &lock.rule else { return Ok(ObjectLock::default()) };
        let retention = rule.default_retention.as_ref().ok_or_else(malformed_xml)?;
        let mode = retention.mode.as_ref().and_then(|mode| RetentionMode::parse(mode.as_str()));
        let period = match (retention.days, retention.years) {
            (Some(days), None) => Period::Days(checked(days, DAYS_MAX)?),
            (None, Some(years)) => Period::Years(checked(years, YEARS_MAX)?),
            _ => return Err(malformed_xml()),
        };
        let mode = mode.ok_or_else(malformed_xml)?;
        Ok(ObjectLock { default_retention: Some(DefaultRetention { mode, period }) })
    }

    /// Returns the setting for an answer.
    pub fn to_dto(self) -> dto::ObjectLockConfiguration {
        let count = |count: u32| i32::try_from(count).ok();
        let rule = self.default_retention.map(|retention| {
            let (days, years) = match retention.period {
                Period::Days(days) => (count(days), None),
                Period::Years(years) => (None, count(years)),
            };
            let mode = Some(dto::ObjectLockRetentionMode::from_static(retention.mode.name()));
            dto::ObjectLockRule { default_retention: Some(dto::DefaultRetention { days, mode, years }) }
        });
        let enabled = dto::ObjectLockEnabled::from_static(dto::ObjectLockEnabled::ENABLED);
        dto::ObjectLockConfiguration { object_lock_enabled: Some(enabled), rule }
    }
}

impl DefaultRetention {
    /// Returns the retention of an object that is written now.
    pub fn starting_at(self, now_ms: u64) -> Retention {
        let until_ms = match self.period {
            Period::Days(days) => now_ms.saturating_add(u64::from(days).saturating_mul(DAY_MS)),
            Period::Years(years) => add_years(now_ms, years),
        };
        Retention { mode: self.mode, until_ms }
    }
}

fn checked(count: i32, max: u32) -> S3Result<u32> {
    match u32::try_from(count) {
        Ok(count) if count > max => Err(invalid_argument("Default retention period too large.")),
        Ok(count) if count > 0 => Ok(count),
        _ => Err(invalid_argument("Default retention period must be a positive integer value.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(days: Option<i32>, mode: &'static str, years: Option<i32>) -> dto::ObjectLockConfiguration {
        let mode = Some(dto::ObjectLockRetentionMode::from_static(mode));
        dto::ObjectLockConfiguration {
            object_lock_enabled: Some(dto::ObjectLockEnabled::from_static("Enabled")),
            rule: Some(dto::ObjectLockRule {
                default_retention: Some(dto::DefaultRetention { days, mode, years }),
            }),
        }
    }

    fn code(document: &dto::ObjectLockConfiguration) -> String {
        ObjectLock::from_dto(document).unwrap_err().code().as_str().to_owned()
    }

    #[test]
    fn settings_survive_the_way_to_the_protocol_and_back() {
        let compliance = document(None, "COMPLIANCE", Some(100));
        for document in [document(Some(1), "GOVERNANCE", None), compliance, ObjectLock::default().to_dto()] {
            let lock = ObjectLock::from_dto(&document).unwrap();
            assert!(lock.to_dto() == document);
            let stored = serde_json::to_vec(&lock).unwrap();
            assert_eq!(serde_json::from_slice::<ObjectLock>(&stored).unwrap(), lock);
        }
    }

    #[test]
    fn periods_have_limits() {
        for (days, years) in
            [(Some(0), None), (Some(-1), None), (Some(36_501), None), (None, Some(0)), (None, Some(101))]
        {
            assert_eq!(code(&document(days, "GOVERNANCE", years)), "InvalidArgument");
        }
    }

    #[test]
    fn documents_that_say_too_much_or_too_little_are_refused() {
        assert_eq!(code(&document(Some(1), "GOVERNANCE", Some(1))), "MalformedXML");
        assert_eq!(code(&document(None, "GOVERNANCE", None)), "MalformedXML");
        assert_eq!(code(&document(Some(1), "governance", None)), "MalformedXML");
        assert_eq!(code(&dto::ObjectLockConfiguration::default()), "MalformedXML");
    }

    #[test]
    fn a_retention_starts_when_the_object_is_written() {
        let days = DefaultRetention { mode: RetentionMode::Governance, period: Period::Days(2) };
        assert_eq!(days.starting_at(1000).until_ms, 1000 + 2 * DAY_MS);
        let years = DefaultRetention { mode: RetentionMode::Governance, period: Period::Years(1) };
        assert_eq!(years.starting_at(0).until_ms, 365 * DAY_MS);
    }
}
