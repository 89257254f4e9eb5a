//! Why an operator's change of policies is refused.

use forebay_pool::NAME_RULE;

use super::clients::Clients;

/// Why a policy, or a volume's choice of one, cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// There is no policy of that name.
    #[error("export policy {0}: not found; `forebay export list` shows which there are")]
    NotFound(String),
    /// The name is taken.
    #[error("export policy {0}: already exists")]
    Exists(String),
    /// The name is none that a policy can have.
    #[error("export policy name {0:?}: must be {NAME_RULE}")]
    BadName(String),
    /// Volumes name the policy.
    #[error(
        "export policy {name}: in use by volume {volumes}; give it another with `forebay volume modify NAME --export POLICY`"
    )]
    InUse {
        /// The policy.
        name: String,
        /// The volumes, with commas between.
        volumes: String,
    },
    /// The policy of volumes that name none is always there.
    #[error("export policy default: cannot be deleted; change its rules instead")]
    Permanent,
    /// The policy has a rule for these clients: the second would never decide.
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
    /// A rule cannot be put there.
    #[error("export policy {name}: has {rules} rules, so a new one can have the positions 1 to {last}")]
    BadPosition {
        /// The policy.
        name: String,
        /// How many rules it has.
        rules: usize,
        /// The last position for a new one.
        last: usize,
    },
    /// The anonymous user or group of a rule is none that there can be.
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
    /// More than anyone needs, and less than slows the server down.
    #[error("export policy {name}: at most {max} {what}; combine hosts into networks")]
    TooMany {
        /// The policy.
        name: String,
        /// Of what.
        what: &'static str,
        /// How many there can be.
        max: usize,
    },
    /// What the pool has under a policy's name is none that this release can read.
    #[error(
        "export policy record {key}: cannot be read; it was written by a newer release or is damaged, and serving \
         without it could let clients in that it keeps out; use the newer release"
    )]
    Unreadable {
        /// The record's key.
        key: String,
    },
    /// The pool refused.
    #[error("{0}")]
    Pool(#[from] forebay_pool::Error),
}
