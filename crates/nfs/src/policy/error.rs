//! Errors of changes to policies.

use std::fmt::{self, Display, Formatter};

use forebay_pool::{Explain, NAME_RULE};

use super::clients::Clients;

/// Why a policy, or a volume's policy, cannot be read or changed.
#[derive(Debug)]
pub enum PolicyError {
    /// There is no policy of that name.
    NotFound(String),
    /// The name is already in use.
    Exists(String),
    /// The name is not one that a policy can have.
    BadName(String),
    /// Volumes use the policy.
    InUse {
        /// The policy.
        name: String,
        /// The volumes, separated by commas.
        volumes: String,
    },
    /// The policy `default` cannot be deleted.
    Permanent,
    /// The policy has a rule for these clients: a second one would never apply.
    DuplicateRule {
        /// The policy.
        name: String,
        /// The clients.
        clients: Clients,
    },
    /// The policy has no rule for exactly these clients.
    NoSuchRule {
        /// The policy.
        name: String,
        /// The clients.
        clients: Clients,
    },
    /// A new rule cannot have that position.
    BadPosition {
        /// The policy.
        name: String,
        /// Number of rules.
        rules: usize,
        /// The last valid position for a new rule.
        last: usize,
    },
    /// The anonymous user or group of a rule is 4294967295.
    BadAnonymous {
        /// The policy.
        name: String,
        /// The clients of the rule.
        clients: Clients,
    },
    /// There are as many as there can be.
    TooMany {
        /// The policy.
        name: String,
        /// What is limited.
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// This release cannot read the policy's record in the pool.
    Unreadable {
        /// The record's key.
        key: String,
    },
    /// The pool failed or refused the change.
    Pool(forebay_pool::Error),
}

impl From<forebay_pool::Error> for PolicyError {
    fn from(error: forebay_pool::Error) -> PolicyError {
        PolicyError::Pool(error)
    }
}

impl Explain for PolicyError {
    fn object(&self) -> Option<String> {
        let object = match self {
            PolicyError::NotFound(name)
            | PolicyError::Exists(name)
            | PolicyError::InUse { name, .. }
            | PolicyError::DuplicateRule { name, .. }
            | PolicyError::NoSuchRule { name, .. }
            | PolicyError::BadPosition { name, .. }
            | PolicyError::BadAnonymous { name, .. }
            | PolicyError::TooMany { name, .. } => format!("export policy {name}"),
            PolicyError::BadName(name) => format!("export policy name {name:?}"),
            PolicyError::Permanent => "export policy default".to_owned(),
            PolicyError::Unreadable { key } => format!("export policy record {key}"),
            PolicyError::Pool(error) => return error.object(),
        };
        Some(object)
    }

    fn cause(&self) -> String {
        match self {
            PolicyError::NotFound(_) => "not found".to_owned(),
            PolicyError::Exists(_) => "already exists".to_owned(),
            PolicyError::BadName(_) => format!("must be {NAME_RULE}"),
            PolicyError::InUse { volumes, .. } => format!("in use by volume {volumes}"),
            PolicyError::Permanent => "cannot be deleted or renamed".to_owned(),
            PolicyError::DuplicateRule { clients, .. } => format!("already has a rule for {clients}"),
            PolicyError::NoSuchRule { clients, .. } => format!("no rule for {clients}"),
            PolicyError::BadPosition { rules, last, .. } => {
                format!("has {rules} rules, so a new one can have the positions 1 to {last}")
            }
            PolicyError::BadAnonymous { clients, .. } => format!(
                "the rule for {clients} has the anonymous user or group 4294967295, which stands for no one"
            ),
            PolicyError::TooMany { what, max, .. } => format!("at most {max} {what}"),
            PolicyError::Unreadable { .. } => {
                "cannot be read: it was written by a newer release or is damaged, and serving without it could let in clients that it \
                 keeps out"
                    .to_owned()
            }
            PolicyError::Pool(error) => error.cause(),
        }
    }

    fn remedy(&self) -> Option<String> {
        let remedy = match self {
            PolicyError::NotFound(_) => "`forebay export list` shows all policies",
            PolicyError::InUse { .. } => {
                "give the volume another with `forebay volume modify NAME --export POLICY`"
            }
            PolicyError::Permanent => "change its rules instead",
            PolicyError::DuplicateRule { .. } => "change it with `forebay export rule modify`",
            PolicyError::NoSuchRule { name, .. } => {
                return Some(format!("`forebay export show {name}` lists its rules"));
            }
            PolicyError::BadAnonymous { .. } => "choose another, such as 65534",
            PolicyError::TooMany { .. } => "combine hosts into networks",
            PolicyError::Unreadable { .. } => "use the newer release",
            PolicyError::Pool(error) => return error.remedy(),
            PolicyError::Exists(_) | PolicyError::BadName(_) | PolicyError::BadPosition { .. } => {
                return None;
            }
        };
        Some(remedy.to_owned())
    }
}

impl Display for PolicyError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.explain(formatter)
    }
}

impl std::error::Error for PolicyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PolicyError::Pool(error) => Some(error),
            _ => None,
        }
    }
}
