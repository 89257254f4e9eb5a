//! CopyObject with a file as its source: an object that shares the bytes of a file of the same pool.
//!
//! The source is `forebay--source/TOKEN`. Whoever may read a file over NFS gets its token as the value of the extended attribute
//! `user.forebay.source`, so the token proves that the file may be read. No other S3 server has a bucket of that name: it answers
//! NoSuchBucket, and stores nothing.
//!
//! Two headers say what the caller knows of the file, and must be signed like those of S3. `x-forebay-size` is its size in bytes. If
//! it has another one, it has been changed, which is a conflict. `x-forebay-records` is `FIRST-LAST`: the file is a Kafka log segment with
//! offsets within these, and each record batch is verified. If it is not so, the answer is 412 PreconditionFailed. Nothing is stored in
//! either case.

use forebay_pool::Handle;
use hyper::StatusCode;
use hyper::header::HeaderMap;
use s3s::dto::{CopyObjectInput, CopyObjectOutput};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::body::Reading;
use super::copied::publish_copy;
use super::request::{NewFacts, header};
use crate::auth::access::Caller;
use crate::checksum::Algorithm;
use crate::conditions::WriteConditions;
use crate::copy_source::CopySource;
use crate::errors::{invalid_argument, invalid_request, not_implemented, with_code};
use crate::facts::ObjectFacts;
use crate::file_copy::{self, Known, NotCopied};
use crate::pool_error::{no_such_key, of_pool};
use crate::records::Offsets;
use crate::shared::{Shared, now_ms};

/// The bucket whose keys are tokens of files.
pub const SOURCE_BUCKET: &str = "forebay--source";

const SIZE: &str = "x-forebay-size";
const RECORDS: &str = "x-forebay-records";
/// Conditions on a source compare its ETag, and a file has none.
const SOURCE_CONDITIONS: &str = "x-amz-copy-source-if-";

/// What the request says about the file.
fn known(headers: &HeaderMap) -> S3Result<Known> {
    let illegible = |name, form| invalid_argument(format!("The header {name} must be {form}."));
    let size = header(headers, SIZE).map(str::parse).transpose();
    let offsets = header(headers, RECORDS).map(|text| {
        Offsets::parse(text).ok_or_else(|| illegible(RECORDS, "FIRST-LAST, two offsets of records"))
    });
    Ok(Known { size: size.map_err(|_| illegible(SIZE, "a number of bytes"))?, offsets: offsets.transpose()? })
}

/// Refuses the headers about a file in a request that copies none: whoever sent them relies on them.
pub fn refuse_headers(headers: &HeaderMap) -> S3Result {
    match [SIZE, RECORDS].into_iter().find(|name| headers.contains_key(*name)) {
        Some(name) => Err(invalid_request(format!(
            "The header {name} needs a copy source of the form {SOURCE_BUCKET}/TOKEN."
        ))),
        None => Ok(()),
    }
}

/// Whether a request copies a file.
pub fn is_source(source: &CopySource) -> bool {
    source.bucket == SOURCE_BUCKET
}

/// Copies a file.
pub async fn copy_file(
    shared: &Shared,
    request: S3Request<CopyObjectInput>,
    source: &CopySource,
) -> S3Result<S3Response<CopyObjectOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let caller = Caller::of(&request.extensions);
    let conditions = WriteConditions::from_headers(&request.headers)?;
    let known = known(&request.headers)?;
    if request.headers.keys().any(|name| name.as_str().starts_with(SOURCE_CONDITIONS)) {
        return Err(not_implemented("The source is a file, which has no ETag to compare."));
    }
    let new = NewFacts::from_request(&request.headers, input.metadata.as_ref())?;
    new.require_lockable(&shared.stored(&bucket))?;
    let wanted = header(&request.headers, "x-amz-checksum-algorithm").map(Algorithm::parse).transpose()?;
    let file = file(shared, &source.key)?;
    let reading = Reading::hold(&shared.service, file)?.ok_or_else(no_such_key)?;
    let algorithm = wanted.unwrap_or(Algorithm::Crc64Nvme);
    let copied = file_copy::copy(shared.pool(), bucket.id, reading.handle(), known, algorithm)
        .await
        .map_err(not_copied)?;
    let facts = ObjectFacts {
        size: copied.size,
        modified_ms: now_ms(),
        etag: copied.etag,
        checksum: Some(copied.checksum),
        owner: caller.user,
        ..new.object()
    };
    let output = publish_copy(shared, &bucket, input.key, facts, copied.draft, conditions).await?;
    Ok(S3Response::new(output))
}

/// The file that a token names. Whatever is wrong with the token, the answer is the same, so nobody learns anything by trying.
fn file(shared: &Shared, token: &str) -> S3Result<Handle> {
    shared.service.file_tokens.file(token).map_err(|reason| {
        tracing::debug!(?reason, "s3: the source of a copy is no token of a file of this pool");
        no_such_key()
    })
}

fn not_copied(reason: NotCopied) -> S3Error {
    match reason {
        NotCopied::NoFile => no_such_key(),
        NotCopied::OtherSize(size) => {
            conflict(format!("The file has {size} bytes, not as many as the header {SIZE} says."))
        }
        NotCopied::Changing => conflict("The file is being changed. Copy it once it is complete.".to_owned()),
        NotCopied::Damaged(wrong) => S3Error::with_message(
            S3ErrorCode::PreconditionFailed,
            format!("The file is not the log segment that the header {RECORDS} describes: {wrong}."),
        ),
        NotCopied::Pool(error) => of_pool(error),
    }
}

fn conflict(message: String) -> S3Error {
    with_code("OperationAborted", StatusCode::CONFLICT, message)
}
