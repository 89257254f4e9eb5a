//! GetObject and HeadObject.

use std::ops::Range;

use hyper::{HeaderMap, StatusCode};
use s3s::dto::{ETag, GetObjectInput, GetObjectOutput, HeadObjectInput, HeadObjectOutput};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::announced;
use super::answer::fill_checksum;
use super::body::Reading;
use super::named;
use super::request::header;
use crate::auth::access::Caller;
use crate::checksum::Checksum;
use crate::clock;
use crate::conditions::{ReadConditions, Validators};
use crate::error_document::Detailed;
use crate::errors::{invalid_request, with_code};
use crate::facts::{ObjectFacts, PartRecord, VersionId};
use crate::memory::Account;
use crate::names;
use crate::percent::{self, Plus};
use crate::pool_error::OrS3;
use crate::range;
use crate::shared::{Shared, now_ms};
use crate::store::{self, Stored, Version};

/// Parameters that replace headers of the answer.
const OVERRIDES: [&str; 6] = [
    "response-cache-control=",
    "response-content-disposition=",
    "response-content-encoding=",
    "response-content-language=",
    "response-content-type=",
    "response-expires=",
];
/// How often a read looks again because the object was replaced meanwhile.
const TRIES_MAX: usize = 64;

/// An object that is being read.
struct Found {
    version: Version,
    /// Holds the bytes; an object always has content.
    reading: Reading,
    /// The version id for the answer, if the bucket has versions.
    id: Option<String>,
    /// When the object expires, if it is the current version.
    expiration: Option<String>,
}

/// The part of an object that a request asks for.
struct Selected {
    range: Range<u64>,
    /// Whether it is a part: 206.
    is_partial: bool,
    /// The number of parts, if a part was asked for.
    parts_count: Option<i32>,
    /// The checksum of all of these bytes, if it is known.
    checksum: Option<Checksum>,
}

/// Finds the object, and holds its bytes.
fn find(shared: &Shared, bucket: &str, key: &str, version: Option<&str>) -> S3Result<Found> {
    names::check_key(key)?;
    let bucket = shared.bucket(bucket)?;
    let stored = shared.stored(&bucket);
    let id = VersionId::named(version)?;
    for _ in 0..TRIES_MAX {
        let Some(version) = store::find(&stored, key.as_bytes(), id).or_s3()? else {
            return Err(named::missing(id));
        };
        let answer = named::answer_id(&stored, &version).or_s3()?;
        let Some(content) = version.content else {
            return Err(named::is_marker(id.is_some(), &version, answer));
        };
        if let Some(reading) = Reading::hold(&shared.service, content)? {
            let is_current = id.is_none()
                || store::newest(&stored, key.as_bytes())
                    .or_s3()?
                    .is_some_and(|newest| newest.number == version.number);
            let expiration =
                if is_current { announced::expiration(&stored, key, &version.facts)? } else { None };
            return Ok(Found { version, reading, id: answer, expiration });
        }
    }
    Err(S3Error::with_message(S3ErrorCode::SlowDown, "The object is being replaced. Please retry."))
}

impl Found {
    fn check_conditions(&self, headers: &HeaderMap) -> S3Result {
        let facts = &self.version.facts;
        let object = Validators { etag: &facts.etag, modified_ms: facts.modified_ms };
        ReadConditions::of_object(headers, now_ms()).check(object).map_err(|unmet| {
            let mut more = HeaderMap::new();
            for (name, value) in [
                ("x-amz-version-id", self.id.clone()),
                ("cache-control", facts.headers.cache_control.clone()),
                ("expires", facts.headers.expires.clone()),
            ] {
                if let Some(value) = value.and_then(|value| value.parse().ok()) {
                    more.insert(name, value);
                }
            }
            unmet.into_error(object, more)
        })
    }

    fn select(
        &self,
        shared: &Shared,
        stored: &Stored,
        headers: &HeaderMap,
        part: Option<i32>,
    ) -> S3Result<Selected> {
        let _ = shared;
        let facts = &self.version.facts;
        let size = facts.size;
        let range = header(headers, "range");
        if let Some(number) = part {
            let list = store::part_list(stored, &self.version).or_s3()?;
            let range = range::resolve_part(number, list.as_deref(), size)?;
            let checksum = match &list {
                Some(list) => facts.checksum.as_ref().and_then(|whole| checksum_of_part(whole, list, number)),
                None => facts.checksum.clone(),
            };
            let parts_count = list.and_then(|list| i32::try_from(list.len()).ok());
            return Ok(match range {
                Some(range) => Selected { is_partial: true, range, parts_count, checksum },
                None => Selected { is_partial: false, range: 0..size, parts_count, checksum },
            });
        }
        let resolved = range.map_or(Ok(None), |range| range::resolve(range, size));
        Ok(match resolved.map_err(invalid_range)? {
            Some(range) => Selected { is_partial: true, range, parts_count: None, checksum: None },
            None => {
                let checksum = facts.checksum.clone();
                Selected { is_partial: false, range: 0..size, parts_count: None, checksum }
            }
        })
    }
}

/// The checksum of a part of an object with the checksum `whole`. Its type says how the parts' checksums make the object's.
fn checksum_of_part(whole: &Checksum, list: &[PartRecord], number: i32) -> Option<Checksum> {
    let part = list.iter().find(|part| i32::try_from(part.number) == Ok(number))?;
    part.checksum.clone().map(|value| Checksum { value, ..whole.clone() })
}

fn invalid_range(invalid: range::InvalidRange) -> S3Error {
    let mut error = with_code(
        "InvalidRange",
        StatusCode::RANGE_NOT_SATISFIABLE,
        "The requested range is not satisfiable",
    );
    let mut headers = HeaderMap::new();
    if let Ok(value) = format!("bytes */{}", invalid.actual_object_size).parse() {
        headers.insert(hyper::header::CONTENT_RANGE, value);
    }
    error.set_headers(headers);
    error.with("RangeRequested", invalid.requested).with("ActualObjectSize", invalid.actual_object_size)
}

/// Refuses what is wrong with a request whatever the object is.
fn check_request(
    extensions: &hyper::http::Extensions,
    uri: &hyper::Uri,
    headers: &HeaderMap,
    part: Option<i32>,
) -> S3Result {
    range::check_not_both(header(headers, "range").is_some(), part.is_some())?;
    part.map_or(Ok(()), range::check_part_number)?;
    let overrides = uri
        .query()
        .unwrap_or_default()
        .split('&')
        .any(|pair| OVERRIDES.iter().any(|name| pair.starts_with(name)));
    if overrides && Caller::of(extensions).user.is_empty() {
        let message = "Request specific response headers cannot be used for anonymous GET requests.";
        return Err(invalid_request(message));
    }
    Ok(())
}

/// Whether the request asks for checksums.
fn wants_checksum(headers: &HeaderMap) -> bool {
    header(headers, "x-amz-checksum-mode").is_some_and(|mode| mode.eq_ignore_ascii_case("ENABLED"))
}

macro_rules! describe {
    ($output:ident, $found:ident, $selected:ident, $headers:expr) => {{
        let facts: &ObjectFacts = &$found.version.facts;
        let length = $selected.range.end - $selected.range.start;
        $output.accept_ranges = Some("bytes".to_owned());
        $output.cache_control = facts.headers.cache_control.clone();
        $output.content_disposition = facts.headers.content_disposition.clone();
        $output.content_encoding = facts.headers.content_encoding.clone();
        $output.content_language = facts.headers.content_language.clone();
        $output.content_length = i64::try_from(length).ok();
        $output.content_type = Some(facts.headers.content_type().to_owned());
        $output.e_tag = Some(ETag::Strong(facts.etag.clone()));
        $output.expiration = $found.expiration.clone();
        $output.last_modified = Some(clock::timestamp(facts.modified_ms));
        $output.metadata = facts.user_metadata.to_dto();
        $output.parts_count = $selected.parts_count;
        $output.version_id = $found.id.clone();
        $output.website_redirect_location = facts.headers.website_redirect_location.clone();
        $output.object_lock_mode = facts
            .lock
            .retention
            .map(|retention| s3s::dto::ObjectLockMode::from_static(retention.mode.name()));
        $output.object_lock_retain_until_date =
            facts.lock.retention.map(|retention| clock::timestamp(retention.until_ms));
        $output.object_lock_legal_hold_status = facts
            .lock
            .legal_hold
            .map(|is_on| s3s::dto::ObjectLockLegalHoldStatus::from_static(if is_on { "ON" } else { "OFF" }));
        if facts.storage_class != crate::facts::StorageClass::default() {
            $output.storage_class = Some(facts.storage_class.to_dto());
        }
        if wants_checksum($headers) {
            fill_checksum!($output, $selected.checksum.clone());
        }
    }};
}

/// Replaces headers of an answer by what the request names.
macro_rules! replace_headers {
    ($output:ident, $input:ident) => {{
        $output.cache_control = $input.response_cache_control.or($output.cache_control);
        $output.content_disposition = $input.response_content_disposition.or($output.content_disposition);
        $output.content_encoding = $input.response_content_encoding.or($output.content_encoding);
        $output.content_language = $input.response_content_language.or($output.content_language);
        $output.content_type = $input.response_content_type.or($output.content_type);
    }};
}

/// Replaces Expires by what the request names, whether or not it is a date.
fn replace_expires(headers: &mut HeaderMap, uri: &hyper::Uri) {
    let query = uri.query().unwrap_or_default();
    let named = query.split('&').find_map(|pair| pair.strip_prefix("response-expires="));
    let named =
        named.and_then(|value| percent::decode(value, Plus::Space)).and_then(|value| value.parse().ok());
    if let Some(value) = named {
        headers.insert(hyper::header::EXPIRES, value);
    }
}

/// Headers that the library would parse and write anew, and that S3 returns as they were sent.
fn verbatim(facts: &ObjectFacts, tag_count: bool) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(value) = facts.headers.expires.as_ref().and_then(|value| value.parse().ok()) {
        headers.insert(hyper::header::EXPIRES, value);
    }
    if tag_count && !facts.tags.is_empty() {
        headers.insert("x-amz-tagging-count", hyper::header::HeaderValue::from(facts.tags.len()));
    }
    headers
}

fn respond<T>(output: T, selected: &Selected, mut headers: HeaderMap, size: u64) -> S3Response<T> {
    if selected.is_partial
        && let Ok(value) = range::content_range(&selected.range, size).parse()
    {
        headers.insert(hyper::header::CONTENT_RANGE, value);
    }
    let mut response = S3Response::with_headers(output, headers);
    response.status = selected.is_partial.then_some(StatusCode::PARTIAL_CONTENT);
    response
}

/// Returns an object, or a range of it.
pub async fn get_object(
    shared: &Shared,
    request: S3Request<GetObjectInput>,
) -> S3Result<S3Response<GetObjectOutput>> {
    check_request(&request.extensions, &request.uri, &request.headers, request.input.part_number)?;
    let input = request.input;
    let found = find(shared, &input.bucket, &input.key, input.version_id.as_deref())?;
    found.check_conditions(&request.headers)?;
    let stored = Stored { pool: shared.pool().clone(), bucket: found.reading.handle().volume };
    let selected = found.select(shared, &stored, &request.headers, input.part_number)?;
    let mut output = GetObjectOutput::default();
    describe!(output, found, selected, &request.headers);
    let mut headers = verbatim(&found.version.facts, true);
    replace_headers!(output, input);
    replace_expires(&mut headers, &request.uri);
    let size = found.version.facts.size;
    output.body = Some(found.reading.body(selected.range.clone(), &Account::of(&request.extensions)).await?);
    Ok(respond(output, &selected, headers, size))
}

/// Returns what GetObject would, without the bytes.
pub async fn head_object(
    shared: &Shared,
    request: S3Request<HeadObjectInput>,
) -> S3Result<S3Response<HeadObjectOutput>> {
    check_request(&request.extensions, &request.uri, &request.headers, request.input.part_number)?;
    let input = request.input;
    let found = find(shared, &input.bucket, &input.key, input.version_id.as_deref())?;
    found.check_conditions(&request.headers)?;
    let stored = Stored { pool: shared.pool().clone(), bucket: found.reading.handle().volume };
    let selected = found.select(shared, &stored, &request.headers, input.part_number)?;
    let mut output = HeadObjectOutput::default();
    describe!(output, found, selected, &request.headers);
    let mut headers = verbatim(&found.version.facts, true);
    replace_headers!(output, input);
    replace_expires(&mut headers, &request.uri);
    Ok(respond(output, &selected, headers, found.version.facts.size))
}
