//! Lifecycle rules of buckets, and their rules for cross-origin requests.

use std::collections::BTreeMap;

use forebay_s3::manage::{CorsRule as StoredCorsRule, LifecycleRule as StoredRule};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Check;
use super::fields::present;
use crate::base::problem::Problem;

/// The lifecycle rules of a bucket.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LifecycleRules {
    /// The rules.
    #[schema(min_items = 1, max_items = 1000)]
    pub rules: Vec<LifecycleRule>,
}

/// A lifecycle rule: which objects, and what is done with them. At least one action must be given.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LifecycleRule {
    /// The rule's id; made from the rule if it is absent.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255, nullable = false)]
    pub id: Option<String>,
    /// Whether the rule is carried out; default true.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub enabled: Option<bool>,
    /// Only objects whose keys begin with this.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1024, nullable = false)]
    pub prefix: Option<String>,
    /// Only objects with all of these tags.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tags: BTreeMap<String, String>,
    /// Only objects of more bytes than this.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 9223372036854775807u64, nullable = false)]
    pub size_above: Option<u64>,
    /// Only objects of fewer bytes than this.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 9223372036854775807u64, nullable = false)]
    pub size_below: Option<u64>,
    /// Expire current versions this number of days after they were written.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 2147483647, nullable = false)]
    pub expire_days: Option<u32>,
    /// Expire current versions from this midnight on, UTC.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime, pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T00:00:00Z$", nullable = false)]
    pub expire_at: Option<String>,
    /// Remove delete markers that have no older versions.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expire_delete_markers: Option<bool>,
    /// Remove versions this number of days after they ceased to be current.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 2147483647, nullable = false)]
    pub noncurrent_days: Option<u32>,
    /// Keep this number of the newest versions that are not current, whatever their age.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100, nullable = false)]
    pub noncurrent_keep: Option<u32>,
    /// Abort uploads this number of days after they began.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 2147483647, nullable = false)]
    pub abort_uploads_days: Option<u32>,
}

impl Check for LifecycleRules {}

impl LifecycleRules {
    /// The rules that the S3 server is asked to set.
    pub fn read(&self) -> Result<Vec<StoredRule>, Problem> {
        self.rules.iter().enumerate().map(|(index, rule)| rule.read(index.saturating_add(1))).collect()
    }

    /// The rules as they are shown.
    pub fn of(rules: Vec<StoredRule>) -> LifecycleRules {
        LifecycleRules { rules: rules.into_iter().map(LifecycleRule::of).collect() }
    }
}

impl LifecycleRule {
    fn read(&self, number: usize) -> Result<StoredRule, Problem> {
        let expire_at_ms = self.expire_at.as_deref().map(|text| {
            // Without fractions of a second, as the API writes times.
            let text = Some(text).filter(|text| text.len() == "2027-01-31T00:00:00Z".len())?;
            let since = humantime::parse_rfc3339(text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            u64::try_from(since.as_millis()).ok()
        });
        if expire_at_ms == Some(None) {
            let cause = "must be a midnight in UTC, such as 2027-01-31T00:00:00Z";
            return Err(Problem::new(format!("lifecycle rule {number}, expire_at"), cause));
        }
        Ok(StoredRule {
            id: self.id.clone(),
            enabled: self.enabled.unwrap_or(true),
            prefix: self.prefix.clone(),
            tags: self.tags.clone(),
            size_above: self.size_above,
            size_below: self.size_below,
            expire_days: self.expire_days,
            expire_at_ms: expire_at_ms.flatten(),
            expire_delete_markers: self.expire_delete_markers,
            noncurrent_days: self.noncurrent_days,
            noncurrent_keep: self.noncurrent_keep,
            abort_uploads_days: self.abort_uploads_days,
        })
    }

    fn of(rule: StoredRule) -> LifecycleRule {
        LifecycleRule {
            id: rule.id,
            enabled: Some(rule.enabled),
            prefix: rule.prefix,
            tags: rule.tags,
            size_above: rule.size_above,
            size_below: rule.size_below,
            expire_days: rule.expire_days,
            expire_at: rule.expire_at_ms.map(super::fields::time_of_ms),
            expire_delete_markers: rule.expire_delete_markers,
            noncurrent_days: rule.noncurrent_days,
            noncurrent_keep: rule.noncurrent_keep,
            abort_uploads_days: rule.abort_uploads_days,
        }
    }
}

/// The rules for cross-origin requests of a bucket. The first that matches a request decides.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorsRules {
    /// The rules.
    #[schema(min_items = 1, max_items = 100)]
    pub rules: Vec<CorsRule>,
}

/// A rule for cross-origin requests.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CorsRule {
    /// The rule's id.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255, nullable = false)]
    pub id: Option<String>,
    /// Origins that may send requests, each with at most one `*`.
    #[schema(min_items = 1)]
    pub allowed_origins: Vec<String>,
    /// Methods that they may use: GET, PUT, HEAD, POST, DELETE.
    #[schema(min_items = 1)]
    pub allowed_methods: Vec<String>,
    /// Headers that they may send, each with at most one `*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed_headers: Vec<String>,
    /// Headers that they may read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expose_headers: Vec<String>,
    /// How long a browser may keep the answer, in seconds.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 2147483647, nullable = false)]
    pub max_age_seconds: Option<u32>,
}

impl Check for CorsRules {}

impl CorsRules {
    /// The rules that the S3 server is asked to set.
    pub fn read(self) -> Vec<StoredCorsRule> {
        let read = |rule: CorsRule| StoredCorsRule {
            id: rule.id,
            allowed_origins: rule.allowed_origins,
            allowed_methods: rule.allowed_methods,
            allowed_headers: rule.allowed_headers,
            expose_headers: rule.expose_headers,
            max_age_seconds: rule.max_age_seconds,
        };
        self.rules.into_iter().map(read).collect()
    }

    /// The rules as they are shown.
    pub fn of(rules: Vec<StoredCorsRule>) -> CorsRules {
        let view = |rule: StoredCorsRule| CorsRule {
            id: rule.id,
            allowed_origins: rule.allowed_origins,
            allowed_methods: rule.allowed_methods,
            allowed_headers: rule.allowed_headers,
            expose_headers: rule.expose_headers,
            max_age_seconds: rule.max_age_seconds,
        };
        CorsRules { rules: rules.into_iter().map(view).collect() }
    }
}
