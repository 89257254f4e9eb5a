//! Errors of changes to policies.

use forebay_pool::NAME_RULE;

use super::clients::Clients;

/// Why a policy, or a volume's policy, cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// There is no policy of that name.
    #[error("export policy {0}: not found; `forebay export list` shows which there are")]
    NotFound(String),
    /// The name is already in use.
    #[error("export policy {0}: already exists")]
    Exists(String),
    /// The name is not valid for a policy.
    #[error("export policy name {0:?}: must be {NAME_RULE}")]
    BadName(String),
    /// Volumes use the policy.
    #[error(
        "export policy {name}: in use by volume {volumes}; give it another with `forebay volume modify NAME --export POLICY`"
    )]
    InUse {
        /// The policy.
        name: String,
        /// The volumes, separated by commas.
        volumes: String,
    },
    /// The default policy always exists.
    #[error("export policy default: cannot be deleted; change its rules instead")]
    Permanent,
    /// The policy already has a rule for these clients; a second one would never apply.
    #[error(
        "export policy {name}: already has a rule for {clients}; change it with `forebay export rule modify`"
    )]
    DuplicateRule {
        /// The policy.
        name: String,
        /// The clients.
        clients: Clients,
    },
    /// The policy has no rule for exactly these clients.
    #[error(
        "export policy {name}: no rule for {clients}; `forebay export show {name}` lists those there are"
    )]
    NoSuchRule {
        /// The policy.
        name: String,
        /// The clients.
        clients: Clients,
    },
    /// A rule cannot be inserted at this position.
    #[error("export policy {name}: has {rules} rules, so a new one can have the positions 1 to {last}")]
    BadPosition {
        /// The policy.
        name: String,
        /// Number of rules.
        rules: usize,
        /// The last valid position for a new rule.
        last: usize,
    },
    /// The anonymous user or group of a rule is not a valid id.
    #[error(
        "export policy {name}: the rule for {clients} has the anonymous user or group 4294967295, which stands for no one; choose \
         another, such as 65534"
    )]
    BadAnonymous {
        /// The policy.
        name: String,
        /// The clients of the rule.
        clients: Clients,
    },
    /// A limit that is higher than anyone needs, and low enough not to slow the server down.
    #[error("export policy {name}: at most {max} {what}; combine hosts into networks")]
    TooMany {
        /// The policy.
        name: String,
        /// What is limited.
        what: &'static str,
        /// The limit.
        max: usize,
    },
    /// The pool's record of a policy is not readable by this release.
    #[error(
        "export policy record {key}: cannot be read; it was written by a newer release or is damaged, and serving \
         without it could let clients in that it keeps out; use the newer release"
    )]
    Unreadable {
        /// The record's key.
        key: String,
    },
    /// The pool failed or refused the change.
    #[error("{0}")]
    Pool(#[from] forebay_pool::Error),
}
