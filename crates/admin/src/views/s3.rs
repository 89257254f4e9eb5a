//! S3 users, their access keys, and groups.

use forebay_s3::auth::users::{ADMINISTRATORS, AccessKey, CreatedKey, Group, User};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::account::{EXPIRES_IN_MAX, expiry};
use super::check::Check;
use super::fields::{present, time};
use crate::base::problem::Problem;

/// An S3 user to create. The user has no access key and belongs to no group.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewS3User {
    /// The user's name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
}

impl Check for NewS3User {}

/// Changes to an S3 user. Fields that are absent stay unchanged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct S3UserEdit {
    /// Whether all requests of the user are refused.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub disabled: Option<bool>,
}

impl Check for S3UserEdit {}

/// An S3 user.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct S3UserView {
    /// The user's name.
    pub name: String,
    /// The user's id, which policies know as `aws:userid`. A new user of the same name has another one.
    pub id: String,
    /// When the user was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// Whether all requests of the user are refused.
    pub disabled: bool,
    /// The user's groups.
    pub groups: Vec<String>,
    /// The user's access keys, without their secrets.
    pub keys: Vec<S3KeyView>,
}

impl S3UserView {
    /// A user with its keys.
    pub fn of(user: User, keys: Vec<AccessKey>) -> S3UserView {
        S3UserView {
            name: user.name,
            id: user.id,
            created: time(user.created),
            disabled: user.disabled,
            groups: user.groups.into_iter().collect(),
            keys: keys.into_iter().map(S3KeyView::from).collect(),
        }
    }
}

/// An access key to create. Without `expires_in` and `expires` it does not expire.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewS3Key {
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
}

impl NewS3Key {
    /// The time at which the key expires.
    pub fn read(&self) -> Result<Option<std::time::SystemTime>, Problem> {
        expiry(self.expires_in, self.expires.as_deref())
    }
}

impl Check for NewS3Key {
    fn check(&self) -> Result<(), Problem> {
        match (self.expires_in, &self.expires) {
            (Some(_), Some(_)) => Err(Problem::new("expires_in, expires", "give one of them, not both")),
            (Some(seconds), None) if !(1..=EXPIRES_IN_MAX).contains(&seconds) => {
                Err(Problem::new("expires_in", format!("must be from 1 to {EXPIRES_IN_MAX} seconds")))
            }
            _ => Ok(()),
        }
    }
}

/// Changes to an access key. Fields that are absent stay unchanged.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct S3KeyEdit {
    /// Whether requests with the key are refused.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub disabled: Option<bool>,
}

impl Check for S3KeyEdit {}

/// An access key, without its secret.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct S3KeyView {
    /// The access key id, which is no secret.
    pub id: String,
    /// The user that the key belongs to.
    pub user: String,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// When it expires; null means never.
    #[schema(format = DateTime)]
    pub expires: Option<String>,
    /// Whether requests with the key are refused.
    pub disabled: bool,
    /// When it was last used; may be a minute old after a crash.
    #[schema(format = DateTime)]
    pub last_used: Option<String>,
    /// Whether its secret can be decrypted. If not, the key file has changed, and the user needs a new key.
    pub usable: bool,
}

impl From<AccessKey> for S3KeyView {
    fn from(key: AccessKey) -> Self {
        S3KeyView {
            id: key.id,
            user: key.user,
            created: time(key.created),
            expires: key.expires.map(time),
            disabled: key.disabled,
            last_used: key.last_used.map(time),
            usable: key.is_readable,
        }
    }
}

/// A newly created access key.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct S3KeyCreated {
    /// The secret access key. It cannot be retrieved again.
    pub secret: String,
    /// The key's properties.
    pub key: S3KeyView,
}

impl From<CreatedKey> for S3KeyCreated {
    fn from(created: CreatedKey) -> Self {
        S3KeyCreated { secret: created.secret.expose().to_owned(), key: created.key.into() }
    }
}

/// An S3 group to create. It has no members and no policies.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewS3Group {
    /// The group's name.
    #[schema(pattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$")]
    pub name: String,
}

impl Check for NewS3Group {}

/// An S3 group. Its policies give its members their rights.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct S3GroupView {
    /// The group's name.
    pub name: String,
    /// When the group was created.
    #[schema(format = DateTime)]
    pub created: String,
    /// Whether it is built in: only its members can be changed.
    pub built_in: bool,
    /// The names of its users.
    pub members: Vec<String>,
    /// The names of its policies.
    pub policies: Vec<String>,
}

impl From<Group> for S3GroupView {
    fn from(group: Group) -> Self {
        S3GroupView {
            built_in: group.name == ADMINISTRATORS,
            name: group.name,
            created: time(group.created),
            members: group.members.into_iter().collect(),
            policies: group.policies.into_keys().collect(),
        }
    }
}

/// A policy in the policy language of AWS, as it was put.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct S3PolicyDocument {
    /// A statement, or a list of statements.
    #[serde(rename = "Statement")]
    pub statement: serde_json::Value,
}
