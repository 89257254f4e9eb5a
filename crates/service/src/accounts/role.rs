//! What a user may do.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// The rights of a user. Each role includes the rights of the roles before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Look at everything but users and tokens.
    ReadOnly,
    /// Change volumes, snapshots and export policies, revoke clients, check and scrub the pool; nothing that destroys data.
    Operator,
    /// Everything: users, tokens, rollbacks, and what is forced.
    Admin,
}

impl Display for Role {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Role::ReadOnly => "read-only",
            Role::Operator => "operator",
            Role::Admin => "admin",
        })
    }
}
