//! Why the service refuses something. Every message names the object, the cause and the remedy.

use std::fmt::{self, Display, Formatter};

use forebay_pool::{Explain, NAME_RULE};

use crate::jobs::JOBS_KEPT;

/// An error of the service.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no user of that name.
    UserNotFound(String),
    /// There is no token of that id.
    TokenNotFound(String),
    /// There is no job of that id, or it ended long ago.
    JobNotFound(u64),
    /// The name is not one that a user can have.
    BadUserName(String),
    /// The expiry of a token is not a time to come.
    BadExpiry,
    /// No user with the role admin would be left. Holds the last one's name.
    LastAdmin(String),
    /// There are as many as there can be.
    TooMany {
        /// Of what, such as `users`.
        what: &'static str,
        /// How many there can be.
        max: usize,
    },
    /// A job of the same kind is running.
    JobRunning(u64),
    /// No directory for backups is named, neither by the request nor by the configuration.
    NoBackupDirectory,
    /// The directory for backups is not an absolute path.
    RelativeBackupDirectory(std::path::PathBuf),
    /// The job has ended.
    JobEnded(u64),
    /// A record of users or tokens in the pool cannot be read.
    Unreadable {
        /// What it describes: a user or a token.
        what: &'static str,
        /// Its key.
        key: String,
        /// Why.
        cause: String,
    },
    /// The system gives no random numbers.
    NoRandomness(String),
    /// The pool refused.
    Pool(forebay_pool::Error),
}

/// What the service's operations return.
pub type Result<T> = std::result::Result<T, Error>;

impl From<forebay_pool::Error> for Error {
    fn from(error: forebay_pool::Error) -> Error {
        Error::Pool(error)
    }
}

impl Explain for Error {
    fn object(&self) -> Option<String> {
        let object = match self {
            Error::UserNotFound(name) | Error::LastAdmin(name) => format!("user {name}"),
            Error::TokenNotFound(id) => format!("token {id}"),
            Error::JobNotFound(id) | Error::JobRunning(id) | Error::JobEnded(id) => format!("job {id}"),
            Error::BadUserName(name) => format!("user name {name:?}"),
            Error::BadExpiry => "expires".to_owned(),
            Error::NoBackupDirectory | Error::RelativeBackupDirectory(_) => "directory".to_owned(),
            Error::TooMany { what, .. } => (*what).to_owned(),
            Error::Unreadable { what, key, .. } => format!("{what} record {key}"),
            Error::NoRandomness(_) => "token".to_owned(),
            Error::Pool(error) => return error.object(),
        };
        Some(object)
    }

    fn cause(&self) -> String {
        match self {
            Error::UserNotFound(_) | Error::TokenNotFound(_) | Error::JobNotFound(_) => {
                "not found".to_owned()
            }
            Error::BadUserName(_) => format!("must be {NAME_RULE}"),
            Error::BadExpiry => {
                "must be a time in the future, in UTC, such as 2027-01-31T00:00:00Z".to_owned()
            }
            Error::LastAdmin(_) => "is the last user with the role admin".to_owned(),
            Error::TooMany { max, .. } => format!("there are {max} already, as many as there can be"),
            Error::JobRunning(_) => "is running already".to_owned(),
            Error::NoBackupDirectory => "is not named, and the configuration has none".to_owned(),
            Error::RelativeBackupDirectory(path) => {
                format!("{} is relative, and the daemon may run elsewhere", path.display())
            }
            Error::JobEnded(_) => "has already finished".to_owned(),
            Error::Unreadable { cause, .. } => format!("cannot be read ({cause})"),
            Error::NoRandomness(cause) => format!("the system gives no random numbers: {cause}"),
            Error::Pool(error) => error.cause(),
        }
    }

    fn remedy(&self) -> Option<String> {
        let remedy = match self {
            Error::UserNotFound(_) => "`forebay user list` shows all users",
            Error::TokenNotFound(_) => "`forebay token list` shows all tokens",
            Error::JobNotFound(_) => {
                return Some(format!("the last {JOBS_KEPT} jobs are kept until the daemon stops"));
            }
            Error::LastAdmin(_) => {
                "give the role to another user first (`forebay user set NAME --role admin`)"
            }
            Error::TooMany { .. } => "delete some first",
            Error::JobRunning(_) => "wait for it, or cancel it",
            Error::NoBackupDirectory => "name one, or set backup.directory",
            Error::RelativeBackupDirectory(_) => "name an absolute path",
            Error::JobEnded(_) => "there is nothing left to cancel",
            Error::Unreadable { .. } => {
                "use the newer release if one wrote it; else it is damaged, and letting users in without it could let in someone who \
                 was shut out"
            }
            Error::Pool(error) => return error.remedy(),
            Error::BadUserName(_) | Error::BadExpiry | Error::NoRandomness(_) => return None,
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
            _ => None,
        }
    }
}
