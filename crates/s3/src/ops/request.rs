//! What several operations read from a request.

use hyper::HeaderMap;
use s3s::S3Result;
use s3s::dto::{Metadata, Timestamp, TimestampFormat};

use super::acl;
use crate::clock;
use crate::errors::{invalid_argument, invalid_request};
use crate::facts::{ContentHeaders, Lock, ObjectFacts, StorageClass, Tags, UserMetadata};
use crate::pool_error::OrS3;
use crate::shared::now_ms;
use crate::store::{Decided, Entries, Setting};

/// A header's text.
pub fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What a request says of a new object.
#[derive(Debug, Clone, Default)]
pub struct NewFacts {
    /// The headers that describe the content.
    pub headers: ContentHeaders,
    /// The storage class.
    pub storage_class: StorageClass,
    /// The user metadata.
    pub user_metadata: UserMetadata,
    /// The tags.
    pub tags: Tags,
    /// Retention and legal hold.
    pub lock: Lock,
}

impl NewFacts {
    /// Reads a request that creates an object.
    pub fn from_request(headers: &HeaderMap, metadata: Option<&Metadata>) -> S3Result<NewFacts> {
        acl::check_new_object(headers)?;
        Ok(NewFacts {
            headers: ContentHeaders::from_headers(headers)?,
            storage_class: StorageClass::parse(header(headers, "x-amz-storage-class"))?,
            user_metadata: UserMetadata::from_dto(metadata)?,
            tags: tags(headers)?,
            lock: lock(headers)?,
        })
    }

    /// Returns an error if the request locks an object in a bucket without object lock.
    pub fn require_lockable(&self, entries: &impl Entries) -> S3Result {
        if self.lock == Lock::default() {
            return Ok(());
        }
        if Setting::ObjectLock.bytes(entries).or_s3()?.is_some() {
            return Ok(());
        }
        Err(invalid_request("Bucket is missing ObjectLockConfiguration"))
    }

    /// The facts of the object, as far as the request says them.
    pub fn object(self) -> ObjectFacts {
        ObjectFacts {
            headers: self.headers,
            storage_class: self.storage_class,
            user_metadata: self.user_metadata,
            tags: self.tags,
            lock: self.lock,
            ..ObjectFacts::default()
        }
    }
}

/// Refuses a request about object lock if the bucket does not have it.
pub fn require_object_lock(entries: &impl Entries) -> Decided<()> {
    if Setting::ObjectLock.bytes(entries)?.is_some() {
        return Ok(Ok(()));
    }
    Ok(Err(invalid_request("Bucket is missing Object Lock Configuration")))
}

/// The tags in the header x-amz-tagging.
pub fn tags(headers: &HeaderMap) -> S3Result<Tags> {
    header(headers, "x-amz-tagging").map_or(Ok(Tags::default()), Tags::parse_header)
}

/// The headers x-amz-object-lock-*.
pub fn lock(headers: &HeaderMap) -> S3Result<Lock> {
    let until = header(headers, "x-amz-object-lock-retain-until-date");
    let until = until.map(|text| {
        let date = Timestamp::parse(TimestampFormat::DateTime, text);
        date.map(|date| clock::millis(&date))
            .map_err(|_| invalid_argument("The retain until date must be provided in ISO 8601 format"))
    });
    Lock::from_headers(
        header(headers, "x-amz-object-lock-mode"),
        until.transpose()?,
        header(headers, "x-amz-object-lock-legal-hold"),
        now_ms(),
    )
}
