//! CreateMultipartUpload, UploadPart, UploadPartCopy, AbortMultipartUpload and ListParts. Completion has a file of its own.

use s3s::dto::{
    AbortMultipartUploadInput, AbortMultipartUploadOutput, CopyPartResult, CreateMultipartUploadInput,
    CreateMultipartUploadOutput, ETag, ListPartsInput, ListPartsOutput, Part, UploadPartCopyInput,
    UploadPartCopyOutput, UploadPartInput, UploadPartOutput,
};
use s3s::{S3Request, S3Response, S3Result};

use super::announced;
use super::answer::{fill_checksum_value, initiator, owner};
use super::body::{self, Arriving};
use super::copy_source;
use super::request::{NewFacts, header};
use crate::auth::access::Caller;
use crate::checksum::{Algorithm, Checksum, Digests, ExpectedChecksums, Sums, multipart::UploadChecksum};
use crate::clock;
use crate::error_document::Detailed;
use crate::errors::{invalid_argument, invalid_request, precondition_failed};
use crate::facts::{Format, PartFacts, UploadFacts};
use crate::names;
use crate::pool_error::OrS3;
use crate::range::{self, PART_NUMBER_MAX};
use crate::shared::{Shared, now_ms};
use crate::store::{self, UploadNumber, end_upload, new_upload, put_part, upload_of};

/// Parts in one page of ListParts.
const PAGE_PARTS_MAX: usize = 1000;
/// The largest part, and the largest range that one request copies.
const PART_BYTES_MAX: u64 = 5 << 30;
/// Where the bytes of a part but the first begin in its content. A hole before them makes the cutter look for record batches,
/// as it would in the middle of a file. Other bytes are cut in blocks of this size, in the part as in the object.
const LATER_PART_OFFSET: u64 = 128 << 10;

/// Begins an upload in parts.
pub async fn create_multipart_upload(
    shared: &Shared,
    request: S3Request<CreateMultipartUploadInput>,
) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
    let input = request.input;
    names::check_key(&input.key)?;
    let bucket = shared.bucket(&input.bucket)?;
    let new = NewFacts::from_request(&request.headers, input.metadata.as_ref())?;
    new.require_lockable(&shared.stored(&bucket))?;
    let checksum = UploadChecksum::choose(
        header(&request.headers, "x-amz-checksum-algorithm"),
        header(&request.headers, "x-amz-checksum-type"),
    )?;
    let facts = UploadFacts {
        format: Format,
        initiated_ms: now_ms(),
        owner: Caller::of(&request.extensions).user,
        algorithm: checksum.algorithm,
        kind: checksum.kind,
        algorithm_named: checksum.named,
        headers: new.headers,
        storage_class: new.storage_class,
        user_metadata: new.user_metadata,
        tags: new.tags,
        lock: new.lock,
    };
    let (abort_date, abort_rule_id) =
        announced::abortion(&shared.stored(&bucket), &input.key, facts.initiated_ms)?.unzip();
    let key = input.key.clone();
    let number = shared
        .pool()
        .bucket_change(bucket.id, move |change| new_upload(change, &key, &facts))
        .await
        .or_s3()?;
    let output = CreateMultipartUploadOutput {
        bucket: Some(input.bucket),
        key: Some(input.key),
        upload_id: Some(number.to_string()),
        abort_date,
        abort_rule_id,
        checksum_algorithm: checksum.named.then(|| checksum.algorithm.to_dto()),
        checksum_type: checksum.named.then(|| checksum.kind.to_dto()),
        ..CreateMultipartUploadOutput::default()
    };
    Ok(S3Response::new(output))
}

fn part_number(number: i32) -> S3Result<u32> {
    let legal = u32::try_from(number).ok().filter(|number| (1..=PART_NUMBER_MAX).contains(number));
    legal.ok_or_else(|| {
        invalid_argument(format!(
            "Part number must be an integer between 1 and {PART_NUMBER_MAX}, inclusive."
        ))
        .argument("partNumber", number)
    })
}

/// The checksums of an upload.
pub fn checksums_of(facts: &UploadFacts) -> UploadChecksum {
    UploadChecksum { algorithm: facts.algorithm, kind: facts.kind, named: facts.algorithm_named }
}

fn facts_of(upload: &UploadFacts, sums: &Sums, given: Option<Algorithm>) -> S3Result<PartFacts> {
    let checksum =
        sums.checksum(upload.algorithm).ok_or_else(|| invalid_request("The checksum was not computed"))?;
    let given = given.filter(|given| *given != upload.algorithm).and_then(|given| sums.checksum(given));
    Ok(PartFacts {
        format: Format,
        size: sums.size,
        etag: sums.etag(),
        modified_ms: now_ms(),
        checksum,
        given,
    })
}

/// Stores a part of an upload.
pub async fn upload_part(
    shared: &Shared,
    request: S3Request<UploadPartInput>,
) -> S3Result<S3Response<UploadPartOutput>> {
    let input = request.input;
    let number = part_number(input.part_number)?;
    let bucket = shared.bucket(&input.bucket)?;
    let upload = UploadNumber::parse(&input.upload_id)?;
    let facts = upload_of(&shared.stored(&bucket), &input.key, upload).or_s3()??;
    let mut expected = ExpectedChecksums::from_headers(&request.headers)?.without_payload_hash();
    checksums_of(&facts).check_part(expected.algorithm())?;
    let offset = if number == 1 { 0 } else { LATER_PART_OFFSET };
    let (draft, sums) = body::receive(
        &shared.service,
        bucket.id,
        offset,
        Arriving::of(input.body, request.trailing_headers, &request.headers, &request.extensions),
        &mut expected,
        [facts.algorithm],
    )
    .await?;
    let given = expected.algorithm();
    let part = facts_of(&facts, &sums, given)?;
    let said: Option<Checksum> = sums.checksum(given.unwrap_or(facts.algorithm));
    let etag = part.etag.clone();
    let key = input.key;
    shared
        .pool()
        .bucket_change(bucket.id, move |change| put_part(change, &key, (upload, number), &part, draft))
        .await
        .or_s3()??;
    let mut output = UploadPartOutput { e_tag: Some(ETag::Strong(etag)), ..UploadPartOutput::default() };
    if let Some(Checksum { algorithm, value, .. }) = said {
        fill_checksum_value!(output, algorithm, value);
    }
    Ok(S3Response::new(output))
}

/// Stores a part that shares the bytes of an object. They are read to compute the part's sums.
pub async fn upload_part_copy(
    shared: &Shared,
    request: S3Request<UploadPartCopyInput>,
) -> S3Result<S3Response<UploadPartCopyOutput>> {
    let input = request.input;
    let number = part_number(input.part_number)?;
    let bucket = shared.bucket(&input.bucket)?;
    let upload = UploadNumber::parse(&input.upload_id)?;
    let facts = upload_of(&shared.stored(&bucket), &input.key, upload).or_s3()??;
    let source = copy_source::find(
        shared,
        copy_source::named(&request.headers)?,
        &request.headers,
        &Caller::of(&request.extensions),
    )?;
    let size = source.version.facts.size;
    let range = match header(&request.headers, "x-amz-copy-source-range") {
        Some(text) => range::resolve_copy_source(text, size)?,
        None => 0..size,
    };
    let length = range.end - range.start;
    if length > PART_BYTES_MAX {
        return Err(invalid_request(format!(
            "The specified copy source is larger than the maximum allowable size for a copy source: {PART_BYTES_MAX}"
        )));
    }
    let mut digests = Digests::new([facts.algorithm]);
    body::digest(shared.pool(), source.reading.handle(), range.clone(), &mut digests).await?;
    let draft = shared.pool().draft_create(bucket.id).await.or_s3()?;
    shared.pool().draft_copy(&draft, source.reading.handle(), range).await.or_s3()?;
    let part = facts_of(&facts, &digests.finish(), None)?;
    let mut result = CopyPartResult {
        e_tag: Some(ETag::Strong(part.etag.clone())),
        last_modified: Some(clock::timestamp(part.modified_ms)),
        ..CopyPartResult::default()
    };
    let said = part.checksum.clone();
    // S3 says nothing of a checksum that nobody asked for.
    if facts.algorithm_named {
        fill_checksum_value!(result, said.algorithm, said.value);
    }
    let key = input.key;
    shared
        .pool()
        .bucket_change(bucket.id, move |change| put_part(change, &key, (upload, number), &part, draft))
        .await
        .or_s3()??;
    let output = UploadPartCopyOutput {
        copy_part_result: Some(result),
        copy_source_version_id: source.id,
        ..UploadPartCopyOutput::default()
    };
    Ok(S3Response::new(output))
}

/// Ends an upload without an object.
pub async fn abort_multipart_upload(
    shared: &Shared,
    request: S3Request<AbortMultipartUploadInput>,
) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let upload = UploadNumber::parse(&input.upload_id)?;
    let key = input.key;
    if let Some(expected) = input.if_match_initiated_time.as_ref().map(clock::millis) {
        let facts = upload_of(&shared.stored(&bucket), &key, upload).or_s3()??;
        if facts.initiated_ms / 1000 != expected / 1000 {
            return Err(precondition_failed().with("Condition", "If-Match-Initiated-Time"));
        }
    }
    shared
        .pool()
        .bucket_change(bucket.id, move |change| end_upload(change, &key, upload))
        .await
        .or_s3()??;
    shared.ended_uploads.notify_one();
    Ok(S3Response::with_status(AbortMultipartUploadOutput::default(), hyper::StatusCode::NO_CONTENT))
}

/// Lists the parts of an upload.
pub async fn list_parts(
    shared: &Shared,
    request: S3Request<ListPartsInput>,
) -> S3Result<S3Response<ListPartsOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let stored = shared.stored(&bucket);
    let upload = UploadNumber::parse(&input.upload_id)?;
    let facts = upload_of(&stored, &input.key, upload).or_s3()??;
    let marker = input.part_number_marker.unwrap_or(0);
    let outside = |name: &'static str, number: i32| {
        let message = format!("Argument {number} must be an integer between 0 and 2147483647");
        invalid_argument(message).argument(name, number)
    };
    let after = u32::try_from(marker).map_err(|_| outside("part-number-marker", marker))?;
    let wanted = match input.max_parts {
        None => PAGE_PARTS_MAX,
        Some(count) => usize::try_from(count).map_err(|_| outside("max-parts", count))?.min(PAGE_PARTS_MAX),
    };
    let mut found = store::parts_after(&stored, upload, after, wanted + 1).or_s3()?;
    let is_truncated = found.len() > wanted;
    found.truncate(wanted);
    let next = found.last().map(|(number, ..)| *number);
    let parts: Vec<Part> = found
        .into_iter()
        .map(|(number, facts, _)| {
            let mut part = Part {
                e_tag: Some(ETag::Strong(facts.etag)),
                last_modified: Some(clock::timestamp(facts.modified_ms)),
                part_number: i32::try_from(number).ok(),
                size: i64::try_from(facts.size).ok(),
                ..Part::default()
            };
            let said = facts.given.unwrap_or(facts.checksum);
            fill_checksum_value!(part, said.algorithm, said.value);
            part
        })
        .collect();
    let (abort_date, abort_rule_id) = announced::abortion(&stored, &input.key, facts.initiated_ms)?.unzip();
    let output = ListPartsOutput {
        abort_date,
        abort_rule_id,
        bucket: Some(input.bucket),
        key: Some(input.key),
        upload_id: Some(input.upload_id),
        checksum_algorithm: facts.algorithm_named.then(|| facts.algorithm.to_dto()),
        checksum_type: facts.algorithm_named.then(|| facts.kind.to_dto()),
        initiator: Some(initiator(&facts.owner)),
        owner: Some(owner(&facts.owner)),
        is_truncated: Some(is_truncated),
        max_parts: i32::try_from(wanted).ok(),
        next_part_number_marker: next.filter(|_| is_truncated).and_then(|next| i32::try_from(next).ok()),
        part_number_marker: Some(marker),
        parts: Some(parts),
        storage_class: Some(facts.storage_class.to_dto()),
        ..ListPartsOutput::default()
    };
    Ok(S3Response::new(output))
}
