//! Why a change of users, groups or keys is refused. Every message names the object, the cause and the remedy.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use forebay_pool::{Explain, NAME_RULE};

use super::policy::MalformedPolicy;

/// An error of users, groups, keys and the file that seals secrets.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no user of that name.
    UserNotFound(String),
    /// There is no group of that name.
    GroupNotFound(String),
    /// There is no access key of that id.
    KeyNotFound(String),
    /// The group has no policy of that name.
    PolicyNotFound {
        /// The group.
        group: String,
        /// The policy.
        policy: String,
    },
    /// There is a user of that name.
    UserExists(String),
    /// There is a group of that name.
    GroupExists(String),
    /// The name is not one that a user, a group or a policy can have.
    BadName {
        /// Of what, such as `user`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The expiry of a key is not a time to come.
    BadExpiry,
    /// The group is built in: it is neither deleted nor given other policies.
    BuiltInGroup(String),
    /// There are as many as there can be.
    TooMany {
        /// Of what, such as `users`.
        what: &'static str,
        /// How many there can be.
        max: usize,
    },
    /// The user has as many keys as a user can have.
    TooManyKeys(String),
    /// The policy cannot be used.
    MalformedPolicy(MalformedPolicy),
    /// A record in the pool cannot be read.
    Unreadable {
        /// What it describes, such as `user`.
        what: &'static str,
        /// Its key.
        key: String,
        /// Why.
        cause: String,
    },
    /// The system gives no random numbers.
    NoRandomness(String),
    /// The file of the master key is gone, and the pool has secrets that were sealed with it.
    MasterKeyMissing(PathBuf),
    /// Others than its owner may use the file of the master key. Holds its mode.
    MasterKeyExposed(PathBuf, u32),
    /// The file of the master key does not hold a key.
    MasterKeyWrongLength(PathBuf),
    /// The file of the master key cannot be read or written.
    MasterKeyUnusable(PathBuf, String),
    /// A secret cannot be sealed.
    NotSealed,
    /// The daemon stops, and it is not known whether the change was made.
    Interrupted,
    /// The pool refused.
    Pool(forebay_pool::Error),
}

/// What the operations on users return.
pub type Result<T> = std::result::Result<T, Error>;

impl From<forebay_pool::Error> for Error {
    fn from(error: forebay_pool::Error) -> Error {
        Error::Pool(error)
    }
}

impl From<MalformedPolicy> for Error {
    fn from(error: MalformedPolicy) -> Error {
        Error::MalformedPolicy(error)
    }
}

impl Explain for Error {
    fn object(&self) -> Option<String> {
        let object = match self {
            Error::UserNotFound(name) | Error::UserExists(name) | Error::TooManyKeys(name) => {
                format!("S3 user {name}")
            }
            Error::GroupNotFound(name) | Error::GroupExists(name) | Error::BuiltInGroup(name) => {
                format!("S3 group {name}")
            }
            Error::KeyNotFound(id) => format!("access key {id}"),
            Error::PolicyNotFound { group, policy } => format!("policy {policy} of S3 group {group}"),
            Error::BadName { what, name } => format!("{what} name {name:?}"),
            Error::BadExpiry => "expires".to_owned(),
            Error::TooMany { what, .. } => (*what).to_owned(),
            Error::Unreadable { what, key, .. } => format!("S3 {what} record {key}"),
            Error::NoRandomness(_) | Error::NotSealed => "access key".to_owned(),
            Error::MasterKeyMissing(path)
            | Error::MasterKeyExposed(path, _)
            | Error::MasterKeyWrongLength(path)
            | Error::MasterKeyUnusable(path, _) => format!("S3 master key file {}", path.display()),
            Error::Interrupted => return None,
            Error::MalformedPolicy(error) => return error.object(),
            Error::Pool(error) => return error.object(),
        };
        Some(object)
    }

    fn cause(&self) -> String {
        match self {
            Error::UserNotFound(_)
            | Error::GroupNotFound(_)
            | Error::KeyNotFound(_)
            | Error::PolicyNotFound { .. } => "not found".to_owned(),
            Error::UserExists(_) | Error::GroupExists(_) => "already exists".to_owned(),
            Error::BadName { .. } => format!("must be {NAME_RULE}"),
            Error::BadExpiry => {
                "must be a time in the future, in UTC, such as 2027-01-31T00:00:00Z".to_owned()
            }
            Error::BuiltInGroup(_) => "is built in: it cannot be deleted, and has one policy".to_owned(),
            Error::TooMany { max, .. } => format!("there are {max} already, as many as there can be"),
            Error::TooManyKeys(_) => "has two access keys already, as many as a user can have".to_owned(),
            Error::Unreadable { cause, .. } => format!("cannot be read ({cause})"),
            Error::NoRandomness(cause) => format!("the system gives no random numbers: {cause}"),
            Error::MasterKeyMissing(_) => {
                "not found, and the pool has secrets of access keys that were sealed with it".to_owned()
            }
            Error::MasterKeyExposed(_, mode) => {
                format!("has the mode {mode:04o}, so others than its owner may use it")
            }
            Error::MasterKeyWrongLength(_) => "must be exactly 32 bytes long".to_owned(),
            Error::MasterKeyUnusable(_, cause) => cause.clone(),
            Error::NotSealed => "its secret cannot be encrypted".to_owned(),
            Error::Interrupted => {
                "the daemon is stopping, and the change may or may not have been made".to_owned()
            }
            Error::MalformedPolicy(error) => error.cause(),
            Error::Pool(error) => error.cause(),
        }
    }

    fn remedy(&self) -> Option<String> {
        let remedy = match self {
            Error::UserNotFound(_) => "`forebay s3 user list` shows all users",
            Error::GroupNotFound(_) | Error::PolicyNotFound { .. } => {
                "`forebay s3 group list` shows all groups"
            }
            Error::KeyNotFound(_) => "`forebay s3 user key list` shows all access keys",
            Error::BuiltInGroup(_) => "create a group of your own for other rights",
            Error::TooMany { .. } => "delete some first",
            Error::TooManyKeys(_) => "delete one that is no longer used first",
            Error::Unreadable { .. } => {
                "use the newer release if one wrote it; else it is damaged, and serving S3 without it could let in someone who was shut \
                 out"
            }
            Error::MasterKeyMissing(path) => {
                return Some(format!(
                    "restore {} from a backup; or create a new file with `head -c 32 /dev/urandom` and mode 0600, and then a new access \
                     key for each user",
                    path.display()
                ));
            }
            Error::MasterKeyExposed(path, _) => {
                return Some(format!("run `chmod 600 {}`", path.display()));
            }
            Error::MasterKeyWrongLength(_) => {
                "restore it from a backup; access keys that were sealed with it stay unusable otherwise"
            }
            Error::MasterKeyUnusable(..) => {
                "check that the daemon's user owns it, and that the disk is sound"
            }
            Error::Interrupted => "look again once the daemon runs",
            Error::MalformedPolicy(error) => return error.remedy(),
            Error::Pool(error) => return error.remedy(),
            Error::UserExists(_)
            | Error::GroupExists(_)
            | Error::BadName { .. }
            | Error::BadExpiry
            | Error::NoRandomness(_)
            | Error::NotSealed => return None,
        };
        Some(remedy.to_owned())
    }
}

impl Display for Error {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.explain(formatter)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Pool(error) => Some(error),
            Error::MalformedPolicy(error) => Some(error),
            _ => None,
        }
    }
}
