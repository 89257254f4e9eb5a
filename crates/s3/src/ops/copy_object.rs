//! CopyObject: a new object that shares the bytes of its source.

use s3s::dto::{CopyObjectInput, CopyObjectOutput};
use s3s::{S3Request, S3Response, S3Result};

use super::copied::publish_copy;
use super::copy_file;
use super::copy_source::{self, Source};
use super::request::{NewFacts, header};
use crate::auth::access::Caller;
use crate::checksum::{Algorithm, Checksum, Digests};
use crate::conditions::WriteConditions;
use crate::errors::{invalid_argument, invalid_request};
use crate::facts::{Lock, ObjectFacts};
use crate::names;
use crate::pool_error::OrS3;
use crate::shared::{Shared, now_ms};

/// The largest object that one request copies.
const COPY_BYTES_MAX: u64 = 5 << 30;

/// Copies an object.
pub async fn copy_object(
    shared: &Shared,
    request: S3Request<CopyObjectInput>,
) -> S3Result<S3Response<CopyObjectOutput>> {
    names::check_key(&request.input.key)?;
    let named = copy_source::named(&request.headers)?;
    if copy_file::is_source(&named) {
        return copy_file::copy_file(shared, request, &named).await;
    }
    copy_file::refuse_headers(&request.headers)?;
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let caller = Caller::of(&request.extensions);
    let conditions = WriteConditions::from_headers(&request.headers)?;
    let replaces = replaces(&request.headers, "x-amz-metadata-directive")?;
    let replaces_tags = replaces_tags(&request.headers)?;
    let new = NewFacts::from_request(&request.headers, input.metadata.as_ref())?;
    new.require_lockable(&shared.stored(&bucket))?;
    let wanted = header(&request.headers, "x-amz-checksum-algorithm").map(Algorithm::parse).transpose()?;
    let source = copy_source::find(shared, named, &request.headers, &caller)?;
    let size = source.version.facts.size;
    if size > COPY_BYTES_MAX {
        return Err(invalid_request(format!(
            "The specified copy source is larger than the maximum allowable size for a copy source: {COPY_BYTES_MAX}"
        )));
    }
    check_purpose(&source, &input.bucket, &input.key, &new, replaces, &request.headers)?;
    let checksum = checksum(shared, &source, wanted).await?;
    let draft = shared.pool().draft_create(bucket.id).await.or_s3()?;
    shared.pool().draft_copy(&draft, source.reading.handle(), 0..size).await.or_s3()?;
    let from = source.version.facts.clone();
    let mut facts = ObjectFacts {
        size,
        modified_ms: now_ms(),
        etag: from.etag.clone(),
        checksum,
        owner: caller.user,
        ..new.object()
    };
    if !replaces {
        let redirect = facts.headers.website_redirect_location.take();
        facts.headers = from.headers.clone();
        facts.headers.website_redirect_location = redirect;
        facts.user_metadata = from.user_metadata.clone();
    }
    if !replaces_tags {
        facts.tags = from.tags.clone();
    }
    let mut output = publish_copy(shared, &bucket, input.key, facts, draft, conditions).await?;
    output.copy_source_version_id = source.id;
    Ok(S3Response::new(output))
}

fn replaces(headers: &hyper::HeaderMap, name: &str) -> S3Result<bool> {
    match header(headers, name) {
        None | Some("COPY") => Ok(false),
        Some("REPLACE") => Ok(true),
        Some(_) => Err(invalid_argument("Unknown metadata directive.")),
    }
}

fn replaces_tags(headers: &hyper::HeaderMap) -> S3Result<bool> {
    match header(headers, "x-amz-tagging-directive") {
        None | Some("COPY") => Ok(false),
        Some("REPLACE") => Ok(true),
        Some(_) => Err(invalid_argument("Unknown tagging directive.")),
    }
}

/// Refuses a copy of an object onto itself that changes nothing.
fn check_purpose(
    source: &Source,
    bucket: &str,
    key: &str,
    new: &NewFacts,
    replaces: bool,
    headers: &hyper::HeaderMap,
) -> S3Result {
    let is_same = source.named.bucket == bucket && source.named.key == key && source.named.version.is_none();
    let changes = replaces
        || headers.contains_key("x-amz-storage-class")
        || new.headers.website_redirect_location.is_some()
        || new.lock != Lock::default();
    if is_same && !changes {
        return Err(invalid_request(
            "This copy request is illegal because it is trying to copy an object to itself without changing the \
             object's metadata, storage class, website redirect location or encryption attributes.",
        ));
    }
    Ok(())
}

/// The checksum of the copy: the source's, unless the request wants another algorithm. Then the bytes are read.
async fn checksum(shared: &Shared, source: &Source, wanted: Option<Algorithm>) -> S3Result<Option<Checksum>> {
    let known = source.version.facts.checksum.clone();
    let Some(wanted) = wanted.filter(|wanted| known.as_ref().is_none_or(|known| known.algorithm != *wanted))
    else {
        return Ok(known);
    };
    let mut digests = Digests::new([wanted]);
    super::body::digest(shared.pool(), source.reading.handle(), 0..source.version.facts.size, &mut digests)
        .await?;
    Ok(digests.finish().checksum(wanted))
}
