//! Lifecycle rules of a bucket: what expires, and when.
//!
//! [`Lifecycle::from_dto`] validates a document. [`Lifecycle::due`] and [`Lifecycle::upload_due`] decide about one object
//! version or one upload at a given time; the caller walks the bucket and acts.

mod convert;
mod due;
mod filter;
mod validate;

use serde::{Deserialize, Serialize};

pub use due::{Action, Due, Place, Version};
pub use filter::Filter;

/// The lifecycle rules of a bucket.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lifecycle {
    #[serde(rename = "r")]
    rules: Vec<Rule>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(rename = "i")]
    id: String,
    #[serde(rename = "on")]
    enabled: bool,
    #[serde(rename = "w")]
    filter: Filter,
    #[serde(rename = "e", default, skip_serializing_if = "Option::is_none")]
    expiration: Option<Expiration>,
    #[serde(rename = "n", default, skip_serializing_if = "Option::is_none")]
    noncurrent: Option<NoncurrentExpiration>,
    /// Days after which an upload that was not completed is aborted.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    abort_upload_days: Option<u32>,
}

/// When the current version expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Expiration {
    /// Days after it was written. A delete marker without other versions is removed after as many.
    #[serde(rename = "d")]
    Days(u32),
    /// From a midnight on, in milliseconds since 1970.
    #[serde(rename = "t")]
    DateMs(u64),
    /// Only delete markers without other versions, at once; or nothing at all.
    #[serde(rename = "m")]
    DeleteMarker(bool),
}

/// When other versions expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NoncurrentExpiration {
    /// Days after the version ceased to be the current one.
    #[serde(rename = "d")]
    days: u32,
    /// So many of the newest noncurrent versions are kept whatever their age.
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    keep: Option<u32>,
}
