//! Why a change of a bucket is refused. Every message names the object, the cause and the remedy.

use std::fmt::{self, Display, Formatter};

use forebay_pool::Explain;

use crate::auth;
use crate::auth::policy::MalformedPolicy;
use crate::file_copy::NotCopied;

/// An error of managing buckets.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The name is not one that a bucket can have.
    BadName(String),
    /// The bucket has objects or versions. Holds its name.
    NotEmpty(String),
    /// The bucket has object lock and holds versions, so it cannot be deleted with them.
    Locked(String),
    /// The bucket has object lock, so it keeps versions.
    VersioningLocked(String),
    /// The bucket has or had versions, which can only be suspended.
    VersioningPermanent(String),
    /// The bucket holds more than its new size.
    SizeBelowUsed {
        /// The bucket's name.
        bucket: String,
        /// The size that was asked for, in bytes.
        size: u64,
        /// What it holds, in bytes.
        used: u64,
    },
    /// There is no user that could own the bucket.
    NoOwner,
    /// The bucket does not have such a document.
    NotSet {
        /// The bucket's name.
        bucket: String,
        /// What it does not have, such as `policy`.
        what: &'static str,
    },
    /// The policy is public, and the bucket refuses that.
    PublicPolicyBlocked(String),
    /// The policy cannot be used.
    MalformedPolicy(MalformedPolicy),
    /// A document cannot be used.
    Malformed {
        /// The place, such as `lifecycle rule 2`.
        place: String,
        /// Why.
        cause: String,
    },
    /// The bucket has an object with that key.
    KeyExists {
        /// The bucket's name.
        bucket: String,
        /// The key.
        key: String,
    },
    /// A file cannot be reached.
    File {
        /// The file, such as `file kafka:/a`.
        file: String,
        /// Why.
        cause: Box<forebay_pool::Error>,
    },
    /// A file was not copied.
    NotCopied {
        /// The file, such as `file kafka:/a`.
        file: String,
        /// Why.
        reason: Box<NotCopied>,
    },
    /// Users, groups or keys refused.
    Users(auth::Error),
    /// The pool refused.
    Pool(forebay_pool::Error),
}

/// What managing buckets returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The error of looking for a file.
    pub(super) fn of_file(file: String, cause: forebay_pool::Error) -> Error {
        Error::File { file, cause: Box::new(cause) }
    }
}

impl From<forebay_pool::Error> for Error {
    fn from(error: forebay_pool::Error) -> Error {
        match error {
            forebay_pool::Error::SizeBelowUsed { volume, size, used } => {
                Error::SizeBelowUsed { bucket: volume, size, used }
            }
            error => Error::Pool(error),
        }
    }
}

impl From<auth::Error> for Error {
    fn from(error: auth::Error) -> Error {
        Error::Users(error)
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
            Error::BadName(name) => format!("bucket name {name:?}"),
            Error::NotEmpty(bucket)
            | Error::Locked(bucket)
            | Error::VersioningLocked(bucket)
            | Error::VersioningPermanent(bucket)
            | Error::SizeBelowUsed { bucket, .. }
            | Error::PublicPolicyBlocked(bucket) => format!("bucket {bucket}"),
            Error::NotSet { bucket, what } => format!("{what} of bucket {bucket}"),
            Error::NoOwner => "owner".to_owned(),
            Error::Malformed { place, .. } => place.clone(),
            Error::KeyExists { bucket, key } => format!("key {key:?} of bucket {bucket}"),
            Error::File { file, .. } | Error::NotCopied { file, .. } => file.clone(),
            Error::MalformedPolicy(error) => return error.object(),
            Error::Users(error) => return error.object(),
            Error::Pool(error) => return error.object(),
        };
        Some(object)
    }

    fn cause(&self) -> String {
        match self {
            Error::BadName(_) => {
                "must be 3 to 63 characters of a-z 0-9 - . that start and end with a letter or digit, no IP address, and no name that \
                 S3 reserves"
                    .to_owned()
            }
            Error::NotEmpty(_) => "has objects or older versions".to_owned(),
            Error::Locked(_) => "has object lock, so its versions cannot be deleted with it".to_owned(),
            Error::VersioningLocked(_) => "has object lock, so it keeps versions".to_owned(),
            Error::VersioningPermanent(_) => "keeps versions, which can only be suspended".to_owned(),
            Error::SizeBelowUsed { size, used, .. } => {
                format!("cannot have a size of {size} bytes, because it holds {used}")
            }
            Error::NoOwner => "there is no administrator who could own the bucket".to_owned(),
            Error::NotSet { .. } => "not found".to_owned(),
            Error::PublicPolicyBlocked(_) => {
                "its public access block refuses a policy that is public".to_owned()
            }
            Error::Malformed { cause, .. } => cause.clone(),
            Error::KeyExists { .. } => "there is an object with this key".to_owned(),
            Error::File { cause, .. } => match &**cause {
                forebay_pool::Error::NotFound(_) | forebay_pool::Error::Stale => "not found".to_owned(),
                cause => cause.cause(),
            },
            Error::NotCopied { reason, .. } => match &**reason {
                NotCopied::NoFile => "is no regular file".to_owned(),
                NotCopied::OtherSize(size) => format!("has {size} bytes now"),
                NotCopied::Changing => "is being changed".to_owned(),
                NotCopied::Damaged(wrong) => format!("is not the log segment that was described: {wrong}"),
                NotCopied::Pool(error) => error.cause(),
            },
            Error::MalformedPolicy(error) => error.cause(),
            Error::Users(error) => error.cause(),
            Error::Pool(error) => error.cause(),
        }
    }

    fn remedy(&self) -> Option<String> {
        let remedy = match self {
            Error::NotEmpty(_) => "delete them first, or force the deletion, which needs the role admin",
            Error::Locked(_) => {
                "delete its versions over S3 once their retention has ended, and the empty bucket then"
            }
            Error::VersioningPermanent(_) => "set versioning to suspended",
            Error::SizeBelowUsed { .. } => "delete objects first",
            Error::NoOwner => "name a user, or add one to the group administrators",
            Error::PublicPolicyBlocked(_) => {
                "name principals in the policy, or change the public access block"
            }
            Error::MalformedPolicy(error) => return error.remedy(),
            Error::Users(error) => return error.remedy(),
            Error::Pool(error) => return error.remedy(),
            Error::KeyExists { .. } => "choose another key, or let the copy replace the object",
            Error::NotCopied { reason, .. } => match &**reason {
                NotCopied::Changing | NotCopied::OtherSize(_) => "copy it once nobody writes to it",
                NotCopied::Damaged(_) => "check the offsets; if they are right, the file is damaged",
                NotCopied::NoFile => return None,
                NotCopied::Pool(error) => return error.remedy(),
            },
            Error::File { cause, .. } => return cause.remedy(),
            Error::BadName(_)
            | Error::VersioningLocked(_)
            | Error::NotSet { .. }
            | Error::Malformed { .. } => return None,
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
            Error::MalformedPolicy(error) => Some(error),
            Error::Users(error) => Some(error),
            Error::Pool(error) => Some(error),
            _ => None,
        }
    }
}
