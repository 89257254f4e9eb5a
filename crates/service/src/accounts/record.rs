//! Users and tokens as they are stored in the pool: JSON, by name and by id.
//!
//! Unknown fields are an error: a newer release may have written them to restrict a token.

use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{NewToken, Role};
use crate::error::{Error, Result};

/// The namespace of users, by name.
pub const USERS: &str = "api-users";
/// The namespace of tokens, by id.
pub const TOKENS: &str = "api-tokens";

/// A user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserRecord {
    /// What the user may do.
    pub role: Role,
    /// Seconds since 1970.
    pub created: u64,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// The user it belongs to.
    pub user: String,
    /// What it is for.
    pub description: String,
    /// BLAKE3 of the secret.
    hash: [u8; 32],
    /// Seconds since 1970.
    created: u64,
    /// Seconds since 1970, if it expires.
    expires: Option<u64>,
}

impl UserRecord {
    /// A record that is created now.
    pub fn new(role: Role) -> UserRecord {
        UserRecord { role, created: seconds(SystemTime::now()) }
    }

    /// When the user was created.
    pub fn made(&self) -> SystemTime {
        at(self.created)
    }
}

impl TokenRecord {
    /// A record that is created now.
    pub fn new(new: &NewToken, hash: blake3::Hash) -> TokenRecord {
        TokenRecord {
            user: new.user.clone(),
            description: new.description.clone(),
            hash: *hash.as_bytes(),
            created: seconds(SystemTime::now()),
            expires: new.expires.map(seconds),
        }
    }

    /// The hash of its secret.
    pub fn hash(&self) -> blake3::Hash {
        blake3::Hash::from_bytes(self.hash)
    }

    /// When it was created.
    pub fn created(&self) -> SystemTime {
        at(self.created)
    }

    /// When it expires.
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires.map(at)
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A time that the system cannot express counts as past: a token that expires then is worthless.
fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// A record's value.
pub fn encode(record: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(record).map_err(|error| unreadable("account", &[], &error.to_string()))
}

/// A record from its value.
pub fn decode<T: DeserializeOwned>(what: &'static str, key: &[u8], value: &[u8]) -> Result<T> {
    serde_json::from_slice(value).map_err(|error| unreadable(what, key, &error.to_string()))
}

/// A record's name from its key.
pub fn key(key: &[u8]) -> Result<String> {
    String::from_utf8(key.to_vec()).map_err(|error| unreadable("account", key, &error.to_string()))
}

fn unreadable(what: &'static str, key: &[u8], cause: &str) -> Error {
    Error::Unreadable { what, key: key.escape_ascii().to_string(), cause: cause.to_owned() }
}
