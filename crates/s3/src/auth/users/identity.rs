//! A user as requests see it, and why an access key is refused.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use s3s::auth::SecretKey;

use super::ADMINISTRATORS;
use crate::auth::policy::{Policy, Principal};

/// The user of an access key, with all rights from groups, at the time of the lookup.
#[derive(Clone, Debug)]
pub struct Identity {
    pub(super) principal: Principal,
    pub(super) key_id: String,
    pub(super) groups: BTreeSet<String>,
    pub(super) policies: Vec<Arc<Policy>>,
}

/// An access key that can be used.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its user.
    pub identity: Identity,
    /// The secret, to check the signature with.
    pub secret: SecretKey,
}

/// Why an access key is refused. S3 answers `InvalidAccessKeyId` for all of these; the reason is for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such key.
    UnknownKey,
    /// The key is disabled.
    KeyDisabled,
    /// The key has expired.
    KeyExpired,
    /// Its secret was sealed with another master key, or is damaged.
    SecretUnreadable,
    /// The user is gone.
    UserGone,
    /// The user is disabled.
    UserDisabled,
}

impl Identity {
    /// The user as policies see it.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The id of the access key.
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// The names of the user's groups.
    pub fn groups(&self) -> &BTreeSet<String> {
        &self.groups
    }

    /// The policies of the user's groups.
    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        self.policies.iter().map(Arc::as_ref)
    }

    /// Whether the user is in the group `administrators`.
    pub fn is_administrator(&self) -> bool {
        self.groups.contains(ADMINISTRATORS)
    }

    #[cfg(test)]
    pub(in crate::auth) fn for_tests(name: &str, groups: &[&str], policies: &[&str]) -> Identity {
        let parse = |text: &&str| Arc::new(Policy::parse_group(text.as_bytes()).unwrap());
        Identity {
            principal: Principal::User { name: name.to_owned(), id: format!("AIDA{name}") },
            key_id: "AKIA".to_owned(),
            groups: groups.iter().map(|group| (*group).to_owned()).collect(),
            policies: policies.iter().map(parse).collect(),
        }
    }
}

impl Refusal {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Refusal::UnknownKey => "unknown access key",
            Refusal::KeyDisabled => "the access key is disabled",
            Refusal::KeyExpired => "the access key has expired",
            Refusal::SecretUnreadable => "the access key's secret cannot be decrypted with the master key",
            Refusal::UserGone => "the access key's user is gone",
            Refusal::UserDisabled => "the user is disabled",
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.words())
    }
}

impl std::error::Error for Refusal {}
