//! The user who sent a request, for the operations.

use std::sync::Arc;

use hyper::http::Extensions;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::Judge;
use crate::auth::policy::{Action, Resource};

/// The user who sent a request, as authorization has found out. Kept in the request's extensions.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The user's name; empty for an anonymous request.
    pub user: String,
    /// Whether the user may bypass retention in governance mode, and asked for that.
    pub bypasses_governance: bool,
    /// The bucket and the key of the request, if it is about an object.
    pub object: Option<(String, String)>,
    /// Decides what else the request may do, such as removing each of many keys.
    pub judge: Option<Arc<Judge>>,
}

impl Caller {
    /// The caller of a request.
    pub fn of(extensions: &Extensions) -> Caller {
        extensions.get::<Caller>().cloned().unwrap_or_default()
    }

    /// Returns AccessDenied unless the caller may do this to an object.
    pub fn require(&self, action: Action, bucket: &str, key: &str) -> S3Result {
        match &self.judge {
            Some(judge) => judge.require(action, Resource::Object { bucket, key }),
            None => Ok(()),
        }
    }

    /// The error that the caller gets for an object that cannot be read: whoever may not list the bucket gets AccessDenied instead of
    /// NoSuchKey, as at AWS, and so does not learn which keys exist.
    pub fn conceal(&self, error: S3Error) -> S3Error {
        match &self.object {
            Some((bucket, key)) => self.conceal_in(error, bucket, key),
            None => error,
        }
    }

    /// The same for an object that the request names besides its own, such as the source of a copy.
    pub fn conceal_in(&self, error: S3Error, bucket: &str, key: &str) -> S3Error {
        match &self.judge {
            Some(judge) if *error.code() == S3ErrorCode::NoSuchKey => {
                judge.require_listing(bucket, key).err().unwrap_or(error)
            }
            _ => error,
        }
    }
}
