//! Finding and holding the source of a copy.

use hyper::HeaderMap;
use s3s::{S3Error, S3ErrorCode, S3Result};

use super::body::Reading;
use super::request::header;
use crate::auth::access::{Caller, expected_owner};
use crate::auth::policy::Action;
use crate::conditions::{ReadConditions, Validators};
use crate::configuration::Versioning;
use crate::copy_source::CopySource;
use crate::errors::{invalid_argument, invalid_request};
use crate::pool_error::{OrS3, no_such_key};
use crate::shared::{Shared, now_ms};
use crate::store::{self, Version};

/// How often a copy looks again because the source was replaced meanwhile.
const TRIES_MAX: usize = 64;

/// The source of a copy, held.
pub struct Source {
    /// What the request named.
    pub named: CopySource,
    /// The version.
    pub version: Version,
    /// The held bytes.
    pub reading: Reading,
    /// The version id for the answer, if the source's bucket has versions.
    pub id: Option<String>,
}

/// The source that the header x-amz-copy-source names.
pub fn named(headers: &HeaderMap) -> S3Result<CopySource> {
    let text = header(headers, "x-amz-copy-source").ok_or_else(|| {
        invalid_argument("Copy Source must mention the source bucket and key: sourcebucket/sourcekey")
    })?;
    CopySource::parse(text)
}

/// Finds an object that a copy reads, and checks the conditions on it.
pub fn find(shared: &Shared, named: CopySource, headers: &HeaderMap, caller: &Caller) -> S3Result<Source> {
    let action = match named.version {
        None => Action::GetObject,
        Some(_) => Action::GetObjectVersion,
    };
    expected_owner::check(shared, headers, "x-amz-source-expected-bucket-owner", &named.bucket)?;
    caller.require(action, &named.bucket, &named.key)?;
    let bucket = shared.bucket(&named.bucket)?;
    let stored = shared.stored(&bucket);
    for _ in 0..TRIES_MAX {
        let found = store::find(&stored, named.key.as_bytes(), named.version).or_s3()?;
        let version = found.ok_or_else(|| match named.version {
            None => caller.conceal_in(no_such_key(), &named.bucket, &named.key),
            Some(_) => {
                S3Error::with_message(S3ErrorCode::NoSuchVersion, "The specified version does not exist.")
            }
        })?;
        let Some(content) = version.content else {
            return Err(match named.version {
                None => caller.conceal_in(no_such_key(), &named.bucket, &named.key),
                Some(_) => invalid_request(
                    "The source of a copy request may not specifically refer to a delete marker by version id.",
                ),
            });
        };
        let Some(reading) = Reading::hold(&shared.service, content)? else { continue };
        let object = Validators { etag: &version.facts.etag, modified_ms: version.facts.modified_ms };
        ReadConditions::of_copy_source(headers, now_ms()).check_copy_source(object)?;
        let versioning = store::versioning(&stored).or_s3()?;
        let id = (versioning != Versioning::Unversioned).then(|| version.id().to_string());
        return Ok(Source { named, version, reading, id });
    }
    Err(S3Error::with_message(S3ErrorCode::SlowDown, "The object is being replaced. Please retry."))
}
