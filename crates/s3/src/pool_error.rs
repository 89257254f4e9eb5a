//! Errors of the pool as S3 errors. Nobody decides anything from a text.

use forebay_pool::{Error, Object};
use hyper::StatusCode;
use s3s::{S3Error, S3ErrorCode, S3Result};

use crate::errors::with_code;

/// Turns results of the pool into results of S3.
pub trait OrS3<T> {
    /// The same result with an S3 error.
    fn or_s3(self) -> S3Result<T>;
}

impl<T> OrS3<T> for forebay_pool::Result<T> {
    fn or_s3(self) -> S3Result<T> {
        self.map_err(of_pool)
    }
}

/// The S3 error for an error of the pool.
pub fn of_pool(error: Error) -> S3Error {
    let with = |code, message: &str| S3Error::with_message(code, message.to_owned());
    match &error {
        Error::NotFound(Object::Bucket(_)) => no_such_bucket(),
        // The bucket went while the request was under way.
        Error::Stale => no_such_bucket(),
        Error::Exists(_) => {
            with(S3ErrorCode::BucketAlreadyExists, "The requested bucket name is not available.")
        }
        Error::NoSpace => with_code(
            "QuotaExceeded",
            StatusCode::INSUFFICIENT_STORAGE,
            "The bucket has reached its size, or the pool is full.",
        ),
        Error::FileTooLarge => {
            with(S3ErrorCode::EntityTooLarge, "Your proposed upload exceeds the maximum allowed object size.")
        }
        Error::Closed | Error::Failed(_) | Error::NotPermitted(_) => {
            tracing::warn!(%error, "a request of S3 failed, because the pool is closing or has stopped");
            with(S3ErrorCode::ServiceUnavailable, "The service is stopping. Please retry.")
        }
        Error::Contended(_) => with(S3ErrorCode::SlowDown, "Please reduce your request rate."),
        _ => {
            tracing::error!(%error, "a request of S3 failed");
            with(S3ErrorCode::InternalError, "We encountered an internal error. Please try again.")
        }
    }
}

/// NoSuchBucket.
pub fn no_such_bucket() -> S3Error {
    S3Error::with_message(S3ErrorCode::NoSuchBucket, "The specified bucket does not exist.")
}

/// NoSuchKey.
pub fn no_such_key() -> S3Error {
    S3Error::with_message(S3ErrorCode::NoSuchKey, "The specified key does not exist.")
}
