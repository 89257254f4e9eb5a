//! CompleteMultipartUpload: the parts become an object, which shares their bytes.

use forebay_net::http::Secured;
use forebay_pool::{BucketChange, Handle};
use s3s::dto::{CompleteMultipartUploadInput, CompleteMultipartUploadOutput, CompletedPart, ETag};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::announced;
use super::answer::fill_checksum;
use super::multipart::checksums_of;
use super::request::header;
use crate::checksum::multipart::{PartSum, etag as multipart_etag};
use crate::checksum::{Algorithm, Checksum, refuse_several};
use crate::conditions::WriteConditions;
use crate::error_document::Detailed;
use crate::errors::{invalid_argument, malformed_xml};
use crate::facts::{ObjectFacts, PartFacts, PartRecord, Parts, UploadFacts};
use crate::pool_error::{OrS3, of_pool};
use crate::range::PART_NUMBER_MAX;
use crate::shared::{Shared, now_ms};
use crate::store::{
    Decided, NewVersion, PARTS, Published, UploadNumber, end_upload, part_key, parts_after, publish,
    upload_of,
};

/// The smallest part but the last.
const PART_BYTES_MIN: u64 = 5 << 20;
/// The largest object.
const OBJECT_BYTES_MAX: u64 = 50 << 40;
/// Parts that are read at once.
const PAGE_PARTS: usize = 1000;

/// A part that the request names, as it is stored.
struct Chosen {
    number: u32,
    facts: PartFacts,
    content: Handle,
    /// Where the bytes begin in the content.
    start: u64,
}

/// Makes an object of the parts of an upload.
pub async fn complete_multipart_upload(
    shared: &Shared,
    request: S3Request<CompleteMultipartUploadInput>,
) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
    let location = location(&request.headers, &request.extensions, request.uri.path());
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    let upload = UploadNumber::parse(&input.upload_id)?;
    let conditions = WriteConditions::from_headers(&request.headers)?;
    let facts = upload_of(&stored, &input.key, upload).or_s3()??;
    refuse_several(&request.headers)?;
    let named = input.multipart_upload.and_then(|named| named.parts).unwrap_or_default();
    let chosen = choose(shared, &stored, upload, &facts, named).await?;
    let size = chosen.iter().map(|part| part.facts.size).sum();
    if size > OBJECT_BYTES_MAX {
        let message = "Your proposed upload exceeds the maximum allowed object size.";
        return Err(S3Error::with_message(S3ErrorCode::EntityTooLarge, message));
    }
    let checksum = checksum_of(&facts, &chosen)?;
    checksums_of(&facts).check_completion(&request.headers, &checksum, size)?;
    let etag = multipart_etag(chosen.iter().map(|part| part.facts.etag.as_str()))
        .ok_or_else(|| of_pool(damaged("the ETag of a part is malformed")))?;
    let draft = shared.pool().draft_create(bucket.id).await.or_s3()?;
    let ranges = chosen.iter().map(|part| (part.content, part.start..part.start + part.facts.size)).collect();
    shared.pool().concatenate(&draft, ranges).await.map_err(|error| match error {
        // A part was replaced, or the upload ended, while it was read.
        forebay_pool::Error::Stale => invalid_part(),
        error => of_pool(error),
    })?;
    let (parts, part_list) =
        Parts::split(records(&facts, &chosen)).map_err(|error| of_pool(damaged(&error.to_string())))?;
    let object = ObjectFacts {
        size,
        modified_ms: now_ms(),
        etag: etag.clone(),
        checksum: Some(checksum.clone()),
        headers: facts.headers,
        storage_class: facts.storage_class,
        user_metadata: facts.user_metadata,
        tags: facts.tags,
        owner: facts.owner,
        lock: facts.lock,
        parts: Some(parts),
        ..ObjectFacts::default()
    };
    let expiration = announced::expiration(&stored, &input.key, &object)?;
    let new = NewVersion { key: input.key.clone(), facts: object, draft: Some(draft), part_list };
    let expected: Vec<(u32, Handle)> = chosen.iter().map(|part| (part.number, part.content)).collect();
    let published = shared
        .pool()
        .bucket_change(bucket.id, move |change| finish(change, new, &conditions, upload, &expected))
        .await
        .or_s3()??;
    shared.ended_uploads.notify_one();
    let mut output = CompleteMultipartUploadOutput {
        location: Some(location),
        bucket: Some(input.bucket),
        key: Some(input.key),
        e_tag: Some(ETag::Strong(etag)),
        expiration,
        version_id: published.answer(),
        ..CompleteMultipartUploadOutput::default()
    };
    fill_checksum!(output, Some(checksum));
    Ok(S3Response::new(output))
}

/// Where the object is, by the name under which the client knows this server.
fn location(headers: &hyper::HeaderMap, extensions: &hyper::http::Extensions, path: &str) -> String {
    let scheme = if extensions.get::<Secured>().is_some() { "https" } else { "http" };
    match header(headers, "host") {
        Some(host) => format!("{scheme}://{host}{path}"),
        None => path.to_owned(),
    }
}

/// Stages the object and the end of the upload, if its parts are still those that were read.
fn finish(
    change: &mut BucketChange<'_, '_>,
    new: NewVersion,
    conditions: &WriteConditions,
    upload: UploadNumber,
    expected: &[(u32, Handle)],
) -> Decided<Published> {
    for (number, content) in expected {
        let part = change.get(PARTS, &part_key(upload, *number), 0)?;
        if part.and_then(|part| part.content) != Some(*content) {
            return Ok(Err(invalid_part()));
        }
    }
    let key = new.key.clone();
    let published = crate::store::refuse_if_err!(publish(change, new, conditions)?);
    crate::store::refuse_if_err!(end_upload(change, &key, upload)?);
    Ok(Ok(published))
}

/// Finds the parts that the request names, and checks them.
async fn choose(
    shared: &Shared,
    stored: &crate::store::Stored,
    upload: UploadNumber,
    facts: &UploadFacts,
    named: Vec<CompletedPart>,
) -> S3Result<Vec<Chosen>> {
    if named.is_empty() || named.len() > PART_NUMBER_MAX as usize {
        return Err(malformed_xml());
    }
    let mut chosen: Vec<Chosen> = Vec::with_capacity(named.len());
    let mut known: std::vec::IntoIter<_> = Vec::new().into_iter();
    let mut after = 0;
    let count = named.len();
    for (index, part) in named.into_iter().enumerate() {
        let number = part.part_number.ok_or_else(malformed_xml)?;
        let number = u32::try_from(number)
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| invalid_argument("PartNumber must be >= 1").argument("PartNumber", number))?;
        if chosen.last().is_some_and(|last| last.number >= number) {
            let message =
                "The list of parts was not in ascending order. Parts must be ordered by part number.";
            return Err(S3Error::with_message(S3ErrorCode::InvalidPartOrder, message));
        }
        let (found, entry) = loop {
            let next = match known.next() {
                Some(next) => Some(next),
                None => {
                    known = parts_after(stored, upload, after, PAGE_PARTS).or_s3()?.into_iter();
                    known.next()
                }
            };
            let Some((at, part, entry)) = next else { return Err(invalid_part()) };
            after = at;
            match at.cmp(&number) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => break (part, entry),
                std::cmp::Ordering::Greater => return Err(invalid_part()),
            }
        };
        check_named(number, &part, &found, facts)?;
        if index + 1 < count && found.size < PART_BYTES_MIN {
            let message = "Your proposed upload is smaller than the minimum allowed size";
            return Err(S3Error::with_message(S3ErrorCode::EntityTooSmall, message));
        }
        let content = entry.content.ok_or_else(|| of_pool(damaged("a part has no content")))?;
        let bytes = shared.pool().getattr(content).await.map_err(|_| invalid_part())?.size;
        let start = bytes
            .checked_sub(found.size)
            .ok_or_else(|| of_pool(damaged("a part is shorter than its size")))?;
        chosen.push(Chosen { number, facts: found, content, start });
    }
    Ok(chosen)
}

/// Compares what the request says of a part with what is stored.
fn check_named(number: u32, named: &CompletedPart, stored: &PartFacts, upload: &UploadFacts) -> S3Result {
    let etag = named.e_tag.as_ref().ok_or_else(malformed_xml)?;
    if etag.value() != stored.etag {
        return Err(invalid_part());
    }
    let said = [
        (Algorithm::Crc32, &named.checksum_crc32),
        (Algorithm::Crc32c, &named.checksum_crc32c),
        (Algorithm::Crc64Nvme, &named.checksum_crc64nvme),
        (Algorithm::Sha1, &named.checksum_sha1),
        (Algorithm::Sha256, &named.checksum_sha256),
    ];
    let said: Vec<(Algorithm, &String)> =
        said.into_iter().filter_map(|(algorithm, value)| Some((algorithm, value.as_ref()?))).collect();
    check_form(&said)?;
    for (algorithm, value) in &said {
        let known = [Some(&stored.checksum), stored.given.as_ref()];
        let known = known.into_iter().flatten().find(|known| known.algorithm == *algorithm);
        match known {
            Some(known) if known.value == **value => {}
            Some(_) => return Err(invalid_part()),
            None => {
                let name = algorithm.name().to_lowercase();
                let message =
                    format!("The {name} you specified for part {number} did not match what we received.");
                return Err(S3Error::with_message(S3ErrorCode::BadDigest, message));
            }
        }
    }
    let is_said = !said.is_empty();
    let is_composite = upload.kind == crate::checksum::ChecksumType::Composite;
    if upload.algorithm_named && is_composite && !is_said {
        let name = upload.algorithm.name().to_lowercase();
        return Err(S3Error::with_message(
            S3ErrorCode::InvalidRequest,
            format!(
                "The upload was created using a {name} checksum. The complete request must include the checksum for each \
                 part. It was missing for part {number} in the request."
            ),
        ));
    }
    Ok(())
}

/// Refuses several checksums of a part, and one that has not the length of its algorithm.
fn check_form(said: &[(Algorithm, &String)]) -> S3Result {
    let is_checksum = |(algorithm, value): &(Algorithm, &String)| {
        let bytes = base64_simd::STANDARD.decode_to_vec(value.as_bytes());
        bytes.is_ok_and(|bytes| bytes.len() == algorithm.value_bytes())
    };
    let value = match said {
        [] => return Ok(()),
        [only] if is_checksum(only) => return Ok(()),
        [(_, value)] => (*value).clone(),
        several => {
            several.iter().map(|(algorithm, value)| format!("{}:{value};", algorithm.name())).collect()
        }
    };
    Err(invalid_argument("Invalid Base64 or multiple checksums present in request")
        .argument("Checksum", value))
}

fn checksum_of(facts: &UploadFacts, chosen: &[Chosen]) -> S3Result<Checksum> {
    let sums: Option<Vec<PartSum>> = chosen
        .iter()
        .map(|part| Some(PartSum { size: part.facts.size, value: part.facts.checksum.bytes()? }))
        .collect();
    let checksum = sums.and_then(|sums| checksums_of(facts).of_object(&sums));
    checksum.ok_or_else(|| of_pool(damaged("the checksum of a part is malformed")))
}

fn records(facts: &UploadFacts, chosen: &[Chosen]) -> Vec<PartRecord> {
    let record = |part: &Chosen| PartRecord {
        number: part.number,
        size: part.facts.size,
        checksum: facts.algorithm_named.then(|| part.facts.checksum.value.clone()),
    };
    chosen.iter().map(record).collect()
}

fn damaged(what: &str) -> forebay_pool::Error {
    forebay_pool::Error::Damaged(what.to_owned())
}

fn invalid_part() -> S3Error {
    S3Error::with_message(
        S3ErrorCode::InvalidPart,
        "One or more of the specified parts could not be found.  The part may not have been uploaded, or the specified entity tag may not match the part's entity tag.",
    )
}
