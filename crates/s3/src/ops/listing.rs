//! ListObjects, ListObjectsV2, ListObjectVersions and ListMultipartUploads.

use forebay_pool::{BucketEntry, Result};
use s3s::dto::{
    CommonPrefix, DeleteMarkerEntry, ETag, ListMultipartUploadsInput, ListMultipartUploadsOutput,
    ListObjectVersionsInput, ListObjectVersionsOutput, ListObjectsInput, ListObjectsOutput,
    ListObjectsV2Input, ListObjectsV2Output, MultipartUpload, Object, ObjectStorageClass, ObjectVersion,
    ObjectVersionStorageClass,
};
use s3s::{S3Request, S3Response, S3Result};

use super::answer::{initiator, owner};
use crate::clock;
use crate::error_document::Detailed;
use crate::errors::invalid_argument;
use crate::facts::{ObjectFacts, UploadFacts, VersionId};
use crate::listing::{ContinuationToken, Encoding, Page, Query, Select, Start, page, page_size};
use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::{self, OBJECTS, Stored, TableSource, UPLOADS, UploadNumber, object_of};

fn upload(entry: BucketEntry) -> Result<((UploadNumber, UploadFacts), bool)> {
    let facts =
        UploadFacts::decode(&entry.facts).map_err(|error| forebay_pool::Error::Damaged(error.to_string()))?;
    Ok(((UploadNumber(entry.version), facts), false))
}

/// Reads a page of objects. A page without an item that ends early is followed by the next, unless its end can be told.
fn objects(stored: &Stored, query: &Query) -> S3Result<Page<store::Version>> {
    let mut source = TableSource { stored, table: OBJECTS, prefix: &query.prefix, decode: object_of };
    page(&mut source, query).or_s3()
}

fn prefixes<T>(page: &Page<T>, encoding: Encoding) -> Option<Vec<CommonPrefix>> {
    let prefixes: Vec<CommonPrefix> = page
        .common_prefixes
        .iter()
        .map(|prefix| CommonPrefix { prefix: Some(encoding.apply(prefix)) })
        .collect();
    (!prefixes.is_empty()).then_some(prefixes)
}

/// The delimiter as answers have it: not at all if it is empty.
fn delimiter(query: &Query, encoding: Encoding) -> Option<String> {
    (!query.delimiter.is_empty()).then(|| encoding.apply(&query.delimiter))
}

fn listed(page: &Page<store::Version>, encoding: Encoding, with_owner: bool) -> Vec<Object> {
    let object = |facts: &ObjectFacts, key: &str| Object {
        checksum_algorithm: facts.checksum.as_ref().map(|checksum| vec![checksum.algorithm.to_dto()]),
        checksum_type: facts.checksum.as_ref().map(|checksum| checksum.kind.to_dto()),
        e_tag: Some(ETag::Strong(facts.etag.clone())),
        key: Some(encoding.apply(key)),
        last_modified: Some(clock::timestamp(facts.modified_ms)),
        owner: with_owner.then(|| owner(&facts.owner)),
        size: i64::try_from(facts.size).ok(),
        storage_class: Some(ObjectStorageClass::from_static(facts.storage_class.name())),
        ..Object::default()
    };
    page.entries.iter().map(|listed| object(&listed.entry.item.facts, &listed.entry.key)).collect()
}

fn count(items: usize) -> Option<i32> {
    i32::try_from(items).ok()
}

/// Lists objects, the first way.
pub async fn list_objects(
    shared: &Shared,
    request: S3Request<ListObjectsInput>,
) -> S3Result<S3Response<ListObjectsOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    let encoding = Encoding::parse(input.encoding_type.as_ref().map(|encoding| encoding.as_str()))?;
    let max_items = page_size("max-keys", input.max_keys)?;
    let start = match input.marker.clone().filter(|marker| !marker.is_empty()) {
        Some(marker) => Start::AfterKey(marker),
        None => Start::Beginning,
    };
    let mut query = Query {
        prefix: input.prefix.clone().unwrap_or_default(),
        delimiter: input.delimiter.clone().unwrap_or_default(),
        start,
        max_items,
        select: Select::First,
    };
    let page = loop {
        let page = objects(&stored, &query)?;
        match &page.next {
            // A marker cannot name a place among hidden keys.
            Some(next) if page.last_item().is_none() => query.start = next.clone(),
            _ => break page,
        }
    };
    let next = page.next.is_some().then(|| page.last_item().map(|last| encoding.apply(last))).flatten();
    let output = ListObjectsOutput {
        name: Some(input.bucket),
        prefix: Some(encoding.apply(&query.prefix)),
        marker: Some(encoding.apply(&input.marker.unwrap_or_default())),
        max_keys: count(max_items),
        is_truncated: Some(page.next.is_some()),
        contents: Some(listed(&page, encoding, true)),
        common_prefixes: prefixes(&page, encoding),
        next_marker: next.filter(|_| !query.delimiter.is_empty()),
        delimiter: delimiter(&query, encoding),
        encoding_type: encoding.to_dto(),
        ..ListObjectsOutput::default()
    };
    Ok(S3Response::new(output))
}

/// Lists objects, the second way.
pub async fn list_objects_v2(
    shared: &Shared,
    request: S3Request<ListObjectsV2Input>,
) -> S3Result<S3Response<ListObjectsV2Output>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    let encoding = Encoding::parse(input.encoding_type.as_ref().map(|encoding| encoding.as_str()))?;
    let max_items = page_size("max-keys", input.max_keys)?;
    if input.continuation_token.as_deref() == Some("") {
        return Err(invalid_argument("The continuation token provided is incorrect"));
    }
    let query = Query {
        prefix: input.prefix.clone().unwrap_or_default(),
        delimiter: input.delimiter.clone().unwrap_or_default(),
        start: ContinuationToken::start(input.continuation_token.as_deref(), input.start_after.as_deref())?,
        max_items,
        select: Select::First,
    };
    let page = objects(&stored, &query)?;
    let with_owner = input.fetch_owner.unwrap_or(false);
    let contents = listed(&page, encoding, with_owner);
    let token = page.next.clone().and_then(ContinuationToken::new).map(|token| token.encode());
    let output = ListObjectsV2Output {
        name: Some(input.bucket),
        prefix: Some(encoding.apply(&query.prefix)),
        max_keys: count(max_items),
        key_count: count(contents.len() + page.common_prefixes.len()),
        continuation_token: input.continuation_token,
        is_truncated: Some(page.next.is_some()),
        next_continuation_token: token,
        contents: Some(contents),
        common_prefixes: prefixes(&page, encoding),
        delimiter: delimiter(&query, encoding),
        encoding_type: encoding.to_dto(),
        start_after: input.start_after.map(|key| encoding.apply(&key)),
        ..ListObjectsV2Output::default()
    };
    Ok(S3Response::new(output))
}

/// Lists versions and delete markers.
pub async fn list_object_versions(
    shared: &Shared,
    request: S3Request<ListObjectVersionsInput>,
) -> S3Result<S3Response<ListObjectVersionsOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    let encoding = Encoding::parse(input.encoding_type.as_ref().map(|encoding| encoding.as_str()))?;
    if let Some(negative) = input.max_keys.filter(|count| *count < 0) {
        return Err(invalid_argument("max-keys cannot be negative").argument("maxKeys", negative));
    }
    let max_items = page_size("max-keys", input.max_keys)?;
    let key_marker = input.key_marker.clone().filter(|marker| !marker.is_empty());
    let id_marker = input.version_id_marker.clone();
    let start = version_start(&stored, key_marker.as_deref(), id_marker.as_deref())?;
    let query = Query {
        prefix: input.prefix.clone().unwrap_or_default(),
        delimiter: input.delimiter.clone().unwrap_or_default(),
        start,
        max_items,
        select: Select::All,
    };
    let page = objects(&stored, &query)?;
    let (mut versions, mut markers) = (Vec::new(), Vec::new());
    for listed in &page.entries {
        let (version, key) = (&listed.entry.item, &listed.entry.key);
        let facts = &version.facts;
        if facts.delete_marker {
            markers.push(DeleteMarkerEntry {
                is_latest: Some(listed.first_of_key),
                key: Some(encoding.apply(key)),
                last_modified: Some(clock::timestamp(facts.modified_ms)),
                owner: Some(owner(&facts.owner)),
                version_id: Some(version.id().to_string()),
            });
        } else {
            versions.push(ObjectVersion {
                checksum_algorithm: facts.checksum.as_ref().map(|checksum| vec![checksum.algorithm.to_dto()]),
                checksum_type: facts.checksum.as_ref().map(|checksum| checksum.kind.to_dto()),
                e_tag: Some(ETag::Strong(facts.etag.clone())),
                is_latest: Some(listed.first_of_key),
                key: Some(encoding.apply(key)),
                last_modified: Some(clock::timestamp(facts.modified_ms)),
                owner: Some(owner(&facts.owner)),
                size: i64::try_from(facts.size).ok(),
                storage_class: Some(ObjectVersionStorageClass::from_static(facts.storage_class.name())),
                version_id: Some(version.id().to_string()),
                ..ObjectVersion::default()
            });
        }
    }
    let last =
        page.entries.last().map(|listed| (listed.entry.key.clone(), listed.entry.item.id().to_string()));
    let (next_key, next_id) = match &page.next {
        None => (None, None),
        Some(Start::AfterEntry(key, _)) => (Some(encoding.apply(key)), last.map(|(_, id)| id)),
        Some(Start::AfterKey(key) | Start::Within(key)) => (Some(encoding.apply(key)), None),
        Some(Start::Beginning) => (None, None),
    };
    let output = ListObjectVersionsOutput {
        common_prefixes: prefixes(&page, encoding),
        delete_markers: (!markers.is_empty()).then_some(markers),
        delimiter: delimiter(&query, encoding),
        encoding_type: encoding.to_dto(),
        is_truncated: Some(page.next.is_some()),
        key_marker: Some(encoding.apply(&input.key_marker.unwrap_or_default())),
        max_keys: count(max_items),
        name: Some(input.bucket),
        next_key_marker: next_key,
        next_version_id_marker: next_id,
        prefix: Some(encoding.apply(&query.prefix)),
        version_id_marker: Some(input.version_id_marker.unwrap_or_default()),
        versions: (!versions.is_empty()).then_some(versions),
        ..ListObjectVersionsOutput::default()
    };
    Ok(S3Response::new(output))
}

/// Where a listing of versions begins.
fn version_start(stored: &Stored, key: Option<&str>, id: Option<&str>) -> S3Result<Start> {
    let id = id.filter(|id| !id.is_empty());
    let Some(key) = key else {
        return match id {
            Some(_) => Err(invalid_argument("A version-id marker cannot be specified without a key marker.")),
            None => Ok(Start::Beginning),
        };
    };
    let Some(id) = id else { return Ok(Start::AfterKey(key.to_owned())) };
    let number = match VersionId::parse(id)? {
        VersionId::Number(number) => Some(number),
        VersionId::Null => {
            let found = store::find(stored, key.as_bytes(), Some(VersionId::Null)).or_s3()?;
            found.map(|version| version.number)
        }
    };
    Ok(match number {
        Some(number) => Start::AfterEntry(key.to_owned(), u64::MAX - number),
        None => Start::AfterKey(key.to_owned()),
    })
}

/// Lists uploads in progress.
pub async fn list_multipart_uploads(
    shared: &Shared,
    request: S3Request<ListMultipartUploadsInput>,
) -> S3Result<S3Response<ListMultipartUploadsOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    let encoding = Encoding::parse(input.encoding_type.as_ref().map(|encoding| encoding.as_str()))?;
    let max_items = page_size("max-uploads", input.max_uploads)?;
    let key_marker = input.key_marker.clone().filter(|marker| !marker.is_empty());
    let id_marker = input.upload_id_marker.clone().filter(|id| !id.is_empty());
    let start = match (&key_marker, &id_marker) {
        (None, _) => Start::Beginning,
        (Some(key), None) => Start::AfterKey(key.clone()),
        (Some(key), Some(id)) => {
            let number = UploadNumber::parse(id)
                .map_err(|_| invalid_argument("Invalid uploadId marker").argument("upload-id-marker", id))?;
            Start::AfterEntry(key.clone(), u64::MAX - number.0)
        }
    };
    let query = Query {
        prefix: input.prefix.clone().unwrap_or_default(),
        delimiter: input.delimiter.clone().unwrap_or_default(),
        start,
        max_items,
        select: Select::All,
    };
    let mut source = TableSource { stored: &stored, table: UPLOADS, prefix: &query.prefix, decode: upload };
    let page = page(&mut source, &query).or_s3()?;
    let uploads: Vec<MultipartUpload> = page
        .entries
        .iter()
        .map(|listed| {
            let (number, facts) = &listed.entry.item;
            MultipartUpload {
                checksum_algorithm: facts.algorithm_named.then(|| facts.algorithm.to_dto()),
                checksum_type: facts.algorithm_named.then(|| facts.kind.to_dto()),
                initiated: Some(clock::timestamp(facts.initiated_ms)),
                initiator: Some(initiator(&facts.owner)),
                key: Some(encoding.apply(&listed.entry.key)),
                owner: Some(owner(&facts.owner)),
                storage_class: Some(facts.storage_class.to_dto()),
                upload_id: Some(number.to_string()),
            }
        })
        .collect();
    let (next_key, next_id) = match &page.next {
        Some(Start::AfterEntry(key, rank)) => {
            (Some(encoding.apply(key)), Some(UploadNumber(u64::MAX - rank).to_string()))
        }
        Some(Start::AfterKey(key) | Start::Within(key)) => (Some(encoding.apply(key)), None),
        Some(Start::Beginning) | None => (None, None),
    };
    let output = ListMultipartUploadsOutput {
        bucket: Some(input.bucket),
        common_prefixes: prefixes(&page, encoding),
        delimiter: delimiter(&query, encoding),
        encoding_type: encoding.to_dto(),
        is_truncated: Some(page.next.is_some()),
        key_marker: Some(encoding.apply(&input.key_marker.unwrap_or_default())),
        max_uploads: count(max_items),
        next_key_marker: next_key,
        next_upload_id_marker: next_id,
        prefix: Some(encoding.apply(&query.prefix)),
        upload_id_marker: Some(input.upload_id_marker.unwrap_or_default()),
        uploads: Some(uploads),
        ..ListMultipartUploadsOutput::default()
    };
    Ok(S3Response::new(output))
}
