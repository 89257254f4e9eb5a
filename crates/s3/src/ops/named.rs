//! The version of an object that a request names by its key and perhaps a version id.

use forebay_pool::{BucketChange, VolumeId};
use hyper::HeaderMap;
use hyper::header::{ALLOW, HeaderValue, LAST_MODIFIED};
use s3s::{S3Error, S3ErrorCode, S3Result};

use crate::clock;
use crate::configuration::Versioning;
use crate::facts::{ObjectFacts, VersionId};
use crate::names;
use crate::pool_error::{OrS3, no_such_key};
use crate::shared::Shared;
use crate::store::{self, Decided, Entries, Version, refuse_if_err, replace_facts};

/// A key, and the version id that the request has.
#[derive(Debug, Clone)]
pub struct Named {
    /// The key.
    pub key: String,
    /// The version id.
    pub id: Option<VersionId>,
}

/// A version that is not a delete marker.
#[derive(Debug)]
pub struct Found {
    /// The version.
    pub version: Version,
    /// The version id for the answer, if the bucket has versions.
    pub id: Option<String>,
}

/// The answer if no version is named and the newest is a delete marker. S3 is not consistent here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenHidden {
    /// As if there were no object.
    NoSuchKey,
    /// As if the delete marker had been named.
    MethodNotAllowed,
}

impl Named {
    /// Reads a key and a version id.
    pub fn new(key: String, version: Option<&str>) -> S3Result<Named> {
        names::check_key(&key)?;
        Ok(Named { key, id: VersionId::named(version)? })
    }

    /// Finds the version.
    pub fn find(&self, entries: &impl Entries, when_hidden: WhenHidden) -> Decided<Found> {
        let Some(version) = store::find(entries, self.key.as_bytes(), self.id)? else {
            return Ok(Err(missing(self.id)));
        };
        let id = answer_id(entries, &version)?;
        if version.facts.delete_marker {
            let is_named = self.id.is_some() || when_hidden == WhenHidden::MethodNotAllowed;
            return Ok(Err(is_marker(is_named, &version, id)));
        }
        Ok(Ok(Found { version, id }))
    }

    /// Replaces the version's facts by what `edit` makes of them. Returns the version id for the answer.
    pub async fn edit(
        self,
        shared: &Shared,
        bucket: VolumeId,
        edit: impl FnOnce(&mut BucketChange<'_, '_>, &mut ObjectFacts) -> Decided<()> + Send + 'static,
    ) -> S3Result<Option<String>> {
        let change = move |change: &mut BucketChange<'_, '_>| {
            let mut found = refuse_if_err!(self.find(change, WhenHidden::MethodNotAllowed)?);
            let before = found.version.facts.clone();
            refuse_if_err!(edit(change, &mut found.version.facts)?);
            if found.version.facts != before {
                replace_facts(change, &self.key, found.version.number, &found.version.facts)?;
            }
            Ok(Ok(found.id))
        };
        shared.pool().bucket_change(bucket, change).await.or_s3()?
    }
}

/// The version id for an answer: none if the bucket never had versions.
pub fn answer_id(entries: &impl Entries, version: &Version) -> forebay_pool::Result<Option<String>> {
    let versioning = store::versioning(entries)?;
    Ok((versioning != Versioning::Unversioned).then(|| version.id().to_string()))
}

/// The error for an object, or a version, that does not exist.
pub fn missing(id: Option<VersionId>) -> S3Error {
    match id {
        None => no_such_key(),
        Some(_) => S3Error::with_message(S3ErrorCode::NoSuchVersion, "The specified version does not exist."),
    }
}

/// The error for a delete marker: MethodNotAllowed if it was named, and otherwise NoSuchKey.
pub fn is_marker(is_named: bool, version: &Version, answer: Option<String>) -> S3Error {
    let mut headers = HeaderMap::new();
    headers.insert("x-amz-delete-marker", HeaderValue::from_static("true"));
    if let Some(value) = answer.and_then(|id| id.parse().ok()) {
        headers.insert("x-amz-version-id", value);
    }
    let mut error = match is_named {
        false => no_such_key(),
        true => {
            if let Ok(value) = http_date(version.facts.modified_ms).parse() {
                headers.insert(LAST_MODIFIED, value);
            }
            headers.insert(ALLOW, HeaderValue::from_static("DELETE"));
            let message = "The specified method is not allowed against this resource.";
            S3Error::with_message(S3ErrorCode::MethodNotAllowed, message)
        }
    };
    error.set_headers(headers);
    error
}

fn http_date(ms: u64) -> String {
    let mut text = Vec::new();
    let formatted = clock::timestamp(ms).format(s3s::dto::TimestampFormat::HttpDate, &mut text);
    formatted.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default()
}
