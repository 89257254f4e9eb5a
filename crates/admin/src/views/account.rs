//! Users and tokens.

use crate::base::problem::Problem;
use std::time::{Duration, SystemTime};

use forebay_pool::is_printable;
use forebay_service::accounts::{self, CreatedToken, Token, User};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::check::Check;
use super::fields::{present, time};
use super::words::words;

words! {
    /// The rights of a user. Each role includes the rights of the roles before it.
    Role for forebay_service::accounts::Role {
        /// Can view everything except users, tokens, and S3 users and groups.
        ReadOnly = "read-only",
        /// Can also change volumes, buckets, snapshots and export policies, revoke clients, and check and scrub
        /// the pool, but not destroy data.
        Operator = "operator",
        /// Full access, including users, tokens, S3 users and policies, rollbacks and forced operations.
        Admin = "admin",
    }
}

/// The settings of a user.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SetUser {
    /// The user's role.
    pub role: Role,
}

impl Check for SetUser {}

/// A user.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct UserView {
    /// The user's name.
    pub name: String,
    /// The user's role.
    pub role: Role,
    /// When the user was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// Number of tokens the user has.
    pub tokens: u64,
}

impl From<User> for UserView {
    fn from(user: User) -> Self {
        UserView { name: user.name, role: user.role.into(), created: time(user.created), tokens: user.tokens }
    }
}

/// The caller.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct WhoView {
    /// The user's name; `local` for callers on the admin socket.
    pub user: String,
    /// The user's role.
    pub role: Role,
}

/// A token to create. Without `expires_in` and `expires` it does not expire.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// The user that the token belongs to.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub user: String,
    /// Lifetime in seconds.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 3155760000u64, nullable = false)]
    pub expires_in: Option<u64>,
    /// When it expires, in UTC. Cannot be combined with `expires_in`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(
        format = DateTime,
        pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$",
        nullable = false
    )]
    pub expires: Option<String>,
    /// The purpose of the token.
    #[serde(default)]
    #[schema(
        max_length = 200,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f]*$"
    )]
    pub description: String,
}

/// A hundred years.
pub(super) const EXPIRES_IN_MAX: u64 = 3_155_760_000;

/// The time at which a token or an access key expires: this number of seconds from now, or the time in `at`.
pub(super) fn expiry(seconds: Option<u64>, at: Option<&str>) -> Result<Option<SystemTime>, Problem> {
    match (seconds, at) {
        (Some(seconds), _) => Ok(SystemTime::now().checked_add(Duration::from_secs(seconds))),
        (None, Some(text)) => humantime::parse_rfc3339(text)
            .map(Some)
            .map_err(|_| Problem::new("expires", "must be a time in UTC, such as 2027-01-31T00:00:00Z")),
        (None, None) => Ok(None),
    }
}

impl NewToken {
    /// The token that the service is asked to create.
    pub fn read(&self) -> Result<accounts::NewToken, Problem> {
        let expires = expiry(self.expires_in, self.expires.as_deref())?;
        Ok(accounts::NewToken { user: self.user.clone(), description: self.description.clone(), expires })
    }
}

impl Check for NewToken {
    fn check(&self) -> Result<(), Problem> {
        match (self.expires_in, &self.expires) {
            (Some(_), Some(_)) => {
                return Err(Problem::new("expires_in, expires", "give one of them, not both"));
            }
            (Some(seconds), None) if !(1..=EXPIRES_IN_MAX).contains(&seconds) => {
                return Err(Problem::new(
                    "expires_in",
                    format!("must be from 1 to {EXPIRES_IN_MAX} seconds"),
                ));
            }
            _ => {}
        }
        if self.description.chars().count() > 200 {
            return Err(Problem::new("description", "must have at most 200 characters"));
        }
        if !self.description.chars().all(is_printable) {
            let cause = format!(
                "{:?} has control characters or characters that change the direction of text",
                self.description
            );
            return Err(Problem::new("description", cause).with_remedy("leave them out"));
        }
        Ok(())
    }
}

/// A token, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TokenView {
    /// The token's id.
    pub id: String,
    /// The user that the token belongs to.
    pub user: String,
    /// The purpose of the token.
    pub description: String,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// When it expires; null means never.
    #[schema(format = DateTime)]
    pub expires: Option<String>,
    /// When it was last used since the daemon started.
    #[schema(format = DateTime)]
    pub last_used: Option<String>,
}

impl From<Token> for TokenView {
    fn from(token: Token) -> Self {
        TokenView {
            id: token.id,
            user: token.user,
            description: token.description,
            created: time(token.created),
            expires: token.expires.map(time),
            last_used: token.last_used.map(time),
        }
    }
}

impl From<CreatedToken> for TokenCreated {
    fn from(created: CreatedToken) -> Self {
        TokenCreated { secret: created.secret, token: created.token.into() }
    }
}

/// A newly created token.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct TokenCreated {
    /// The value for the header `Authorization: Bearer …`. It cannot be retrieved again.
    pub secret: String,
    /// The token's properties.
    pub token: TokenView,
}
