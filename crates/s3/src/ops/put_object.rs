//! PutObject.

use s3s::dto::{PutObjectInput, PutObjectOutput};
use s3s::{S3Request, S3Response, S3Result};

use super::announced;
use super::answer::fill_checksum;
use super::body::{self, Arriving};
use super::request::NewFacts;
use crate::auth::access::Caller;
use crate::checksum::{Algorithm, ExpectedChecksums};
use crate::conditions::WriteConditions;
use crate::facts::ObjectFacts;
use crate::names;
use crate::pool_error::OrS3;
use crate::shared::{Shared, now_ms};
use crate::store::{NewVersion, publish};

/// Stores an object.
pub async fn put_object(
    shared: &Shared,
    request: S3Request<PutObjectInput>,
) -> S3Result<S3Response<PutObjectOutput>> {
    let input = request.input;
    names::check_key(&input.key)?;
    let bucket = shared.bucket(&input.bucket)?;
    let caller = Caller::of(&request.extensions);
    let conditions = WriteConditions::from_headers(&request.headers)?;
    let mut expected = ExpectedChecksums::from_headers(&request.headers)?.without_payload_hash();
    let new = NewFacts::from_request(&request.headers, input.metadata.as_ref())?;
    new.require_lockable(&shared.stored(&bucket))?;
    let algorithm = expected.algorithm().unwrap_or(Algorithm::Crc64Nvme);
    let (draft, sums) = body::receive(
        &shared.service,
        bucket.id,
        0,
        Arriving::of(input.body, request.trailing_headers, &request.headers, &request.extensions),
        &mut expected,
        [algorithm],
    )
    .await?;
    let etag = sums.etag();
    let checksum = sums.checksum(algorithm);
    let size = sums.size;
    let facts = ObjectFacts {
        size,
        modified_ms: now_ms(),
        etag: etag.clone(),
        checksum: checksum.clone(),
        owner: caller.user,
        ..new.object()
    };
    let expiration = announced::expiration(&shared.stored(&bucket), &input.key, &facts)?;
    let new = NewVersion { key: input.key, facts, draft: Some(draft), part_list: Vec::new() };
    let published = shared
        .pool()
        .bucket_change(bucket.id, move |change| publish(change, new, &conditions))
        .await
        .or_s3()??;
    let mut output = PutObjectOutput {
        e_tag: Some(s3s::dto::ETag::Strong(etag)),
        expiration,
        size: i64::try_from(size).ok(),
        version_id: published.answer(),
        ..PutObjectOutput::default()
    };
    fill_checksum!(output, checksum);
    Ok(S3Response::new(output))
}
