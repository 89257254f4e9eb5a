//! Users, groups and access keys as they are stored in the pool: JSON, by name and by id.
//!
//! Unknown fields are an error: a newer release may have written them to restrict a user.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::auth::error::{Error, Result};

/// The namespace of users, by name.
pub(super) const USERS: &str = "s3-users";
/// The namespace of groups, by name.
pub(super) const GROUPS: &str = "s3-groups";
/// The namespace of access keys, by id.
pub(super) const KEYS: &str = "s3-keys";

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UserRecord {
    /// `aws:userid`. A new user of the same name has another one.
    pub(super) id: String,
    /// Seconds since 1970.
    pub(super) created: u64,
    pub(super) disabled: bool,
}

/// A group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroupRecord {
    /// Seconds since 1970.
    pub(super) created: u64,
    /// The names of its users.
    pub(super) members: BTreeSet<String>,
    /// The texts of its policies, by name.
    pub(super) policies: BTreeMap<String, String>,
}

/// An access key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyRecord {
    /// The user it belongs to.
    pub(super) user: String,
    /// The sealed secret, in hexadecimal. See `seal.rs`.
    pub(super) sealed: String,
    /// Seconds since 1970.
    pub(super) created: u64,
    /// Seconds since 1970, if it expires.
    pub(super) expires: Option<u64>,
    pub(super) disabled: bool,
    /// Seconds since 1970, if it was used. May be a minute old.
    pub(super) last_used: Option<u64>,
}

pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A time that the system cannot express counts as past: a key that expires then is worthless.
pub(super) fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// A record's value.
pub(super) fn encode(record: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(record).map_err(|error| unreadable("user", &[], &error.to_string()))
}

/// A record's name and contents.
pub(super) fn decode<T: DeserializeOwned>(
    what: &'static str,
    key: &[u8],
    value: &[u8],
) -> Result<(String, T)> {
    let name = String::from_utf8(key.to_vec()).map_err(|error| unreadable(what, key, &error.to_string()))?;
    let record = serde_json::from_slice(value).map_err(|error| unreadable(what, key, &error.to_string()))?;
    Ok((name, record))
}

pub(super) fn unreadable(what: &'static str, key: &[u8], cause: &str) -> Error {
    Error::Unreadable { what, key: key.escape_ascii().to_string(), cause: cause.to_owned() }
}
