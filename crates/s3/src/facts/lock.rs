//! Object lock of one object version: retention and legal hold.

use s3s::{S3Result, dto};
use serde::{Deserialize, Serialize};

use super::defaults::is_default;
use crate::clock;
use crate::errors::{invalid_argument, malformed_xml};

/// The mode of a retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RetentionMode {
    /// May be shortened by callers with the right to bypass it.
    Governance,
    /// May only be extended.
    Compliance,
}

/// A version may not be removed until a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    /// The mode.
    #[serde(rename = "m")]
    pub mode: RetentionMode,
    /// The end, in milliseconds since 1970.
    #[serde(rename = "u")]
    pub until_ms: u64,
}

/// What keeps a version from being removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The retention.
    #[serde(rename = "r", default, skip_serializing_if = "is_default")]
    pub retention: Option<Retention>,
    /// The legal hold, which has no end. `None` means that it was never set.
    #[serde(rename = "h", default, skip_serializing_if = "is_default")]
    pub legal_hold: Option<bool>,
}

impl RetentionMode {
    /// Returns the name as headers and documents have it.
    pub fn name(self) -> &'static str {
        match self {
            RetentionMode::Governance => "GOVERNANCE",
            RetentionMode::Compliance => "COMPLIANCE",
        }
    }

    /// Parses a name. Returns `None` for an unknown one.
    pub fn parse(name: &str) -> Option<RetentionMode> {
        [RetentionMode::Governance, RetentionMode::Compliance].into_iter().find(|mode| mode.name() == name)
    }
}

impl Retention {
    /// Takes the body of PutObjectRetention. Returns `None` if it is empty, which removes the retention.
    pub fn from_dto(retention: &dto::ObjectLockRetention, now_ms: u64) -> S3Result<Option<Retention>> {
        let (mode, until) = match (&retention.mode, &retention.retain_until_date) {
            (None, None) => return Ok(None),
            (Some(mode), Some(until)) => (mode, until),
            _ => return Err(malformed_xml()),
        };
        let mode = RetentionMode::parse(mode.as_str()).ok_or_else(malformed_xml)?;
        Ok(Some(Retention { mode, until_ms: future(clock::millis(until), now_ms)? }))
    }

    /// Returns the retention for an answer.
    pub fn to_dto(self) -> dto::ObjectLockRetention {
        dto::ObjectLockRetention {
            mode: Some(dto::ObjectLockRetentionMode::from_static(self.mode.name())),
            retain_until_date: Some(clock::timestamp(self.until_ms)),
        }
    }

    /// Returns whether the retention may be replaced. `bypass` says that the caller asked to bypass governance
    /// and may do so. Extending is always allowed, and so is anything once the retention has ended. As in AWS, only a
    /// caller who bypasses governance may make compliance of it.
    pub fn may_become(self, new: Option<Retention>, now_ms: u64, bypass: bool) -> bool {
        let stronger = new.is_some_and(|new| new.until_ms >= self.until_ms && new.mode == self.mode);
        stronger || self.until_ms <= now_ms || (self.mode == RetentionMode::Governance && bypass)
    }
}

impl Lock {
    /// Takes the headers x-amz-object-lock-* of a request that writes an object.
    pub fn from_headers(
        mode: Option<&str>,
        until_ms: Option<u64>,
        legal_hold: Option<&str>,
        now_ms: u64,
    ) -> S3Result<Lock> {
        let retention = match (mode, until_ms) {
            (None, None) => None,
            (Some(mode), Some(until)) => {
                let mode = RetentionMode::parse(mode)
                    .ok_or_else(|| invalid_argument("Unknown wormMode directive."))?;
                Some(Retention { mode, until_ms: future(until, now_ms)? })
            }
            _ => {
                return Err(invalid_argument(
                    "x-amz-object-lock-retain-until-date and x-amz-object-lock-mode must both be supplied.",
                ));
            }
        };
        let legal_hold = match legal_hold {
            None => None,
            Some("ON") => Some(true),
            Some("OFF") => Some(false),
            Some(_) => return Err(invalid_argument("Legal Hold must be either of 'ON' or 'OFF'")),
        };
        Ok(Lock { retention, legal_hold })
    }

    /// Returns whether the version may be removed. `bypass` as in [`Retention::may_become`].
    pub fn permits_removal(self, now_ms: u64, bypass: bool) -> bool {
        let retained = self.retention.is_some_and(|retention| !retention.may_become(None, now_ms, bypass));
        self.legal_hold != Some(true) && !retained
    }
}

fn future(until_ms: u64, now_ms: u64) -> S3Result<u64> {
    if until_ms > now_ms {
        return Ok(until_ms);
    }
    Err(invalid_argument("The retain until date must be in the future!"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use RetentionMode::{Compliance, Governance};

    fn until(mode: RetentionMode, until_ms: u64) -> Retention {
        Retention { mode, until_ms }
    }

    #[test]
    fn mode_and_date_come_together_or_not_at_all() {
        assert_eq!(Lock::from_headers(None, None, None, 5).unwrap(), Lock::default());
        let lock = Lock::from_headers(Some("COMPLIANCE"), Some(6), Some("ON"), 5).unwrap();
        assert_eq!(lock, Lock { retention: Some(until(Compliance, 6)), legal_hold: Some(true) });
        assert!(Lock::from_headers(Some("COMPLIANCE"), None, None, 5).is_err());
        assert!(Lock::from_headers(None, Some(6), None, 5).is_err());
        assert!(Lock::from_headers(Some("compliance"), Some(6), None, 5).is_err());
        assert!(Lock::from_headers(Some("COMPLIANCE"), Some(5), None, 5).is_err());
        assert!(Lock::from_headers(None, None, Some("on"), 5).is_err());
    }

    #[test]
    fn compliance_may_only_be_extended() {
        let held = until(Compliance, 100);
        assert!(held.may_become(Some(until(Compliance, 101)), 5, false));
        assert!(!held.may_become(Some(until(Compliance, 99)), 5, true));
        assert!(!held.may_become(Some(until(Governance, 200)), 5, true));
        assert!(!held.may_become(None, 99, true));
        assert!(held.may_become(None, 100, false));
    }

    #[test]
    fn governance_yields_to_a_bypass() {
        let held = until(Governance, 100);
        assert!(held.may_become(Some(until(Governance, 100)), 5, false));
        assert!(!held.may_become(Some(until(Compliance, 100)), 5, false));
        assert!(!held.may_become(Some(until(Compliance, 50)), 5, false));
        assert!(held.may_become(Some(until(Compliance, 50)), 5, true));
        assert!(!held.may_become(None, 5, false));
        assert!(held.may_become(None, 5, true));
    }

    #[test]
    fn a_legal_hold_has_no_end_and_no_bypass() {
        let held = Lock { retention: None, legal_hold: Some(true) };
        assert!(!held.permits_removal(u64::MAX, true));
        let free = Lock { retention: Some(until(Governance, 100)), legal_hold: Some(false) };
        assert!(!free.permits_removal(99, false));
        assert!(free.permits_removal(99, true));
        assert!(free.permits_removal(100, false));
    }

    #[test]
    fn an_empty_document_removes_the_retention() {
        let empty = dto::ObjectLockRetention::default();
        assert_eq!(Retention::from_dto(&empty, 5).unwrap(), None);
        let held = until(Governance, 100_000);
        assert_eq!(Retention::from_dto(&held.to_dto(), 5).unwrap(), Some(held));
        assert!(Retention::from_dto(&held.to_dto(), 100_000).is_err());
    }
}
