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

use forebay_pool::{Attributes, Draft, Handle, Kind, VolumeId};
use hyper::StatusCode;
use hyper::header::HeaderMap;
use s3s::dto::{CopyObjectInput, CopyObjectOutput};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::body::{Reading, each_piece};
use super::copied::publish_copy;
use super::request::{NewFacts, header};
use crate::auth::access::Caller;
use crate::checksum::{Algorithm, Checksum, Running};
use crate::conditions::WriteConditions;
use crate::copy_source::CopySource;
use crate::errors::{invalid_argument, invalid_request, not_implemented, with_code};
use crate::facts::ObjectFacts;
use crate::pool_error::{OrS3, no_such_key};
use crate::records::{Offsets, Walk};
use crate::shared::{Shared, now_ms};

/// The bucket whose keys are tokens of files.
pub const SOURCE_BUCKET: &str = "forebay--source";

const SIZE: &str = "x-forebay-size";
const RECORDS: &str = "x-forebay-records";
/// Conditions on a source compare its ETag, and a file has none.
const SOURCE_CONDITIONS: &str = "x-amz-copy-source-if-";
/// How often a copy begins anew because the file was changed meanwhile.
const TRIES_MAX: usize = 3;
const ETAG_PURPOSE: &str = "forebay 2026-11-25 ETags of copied files";

/// What the request says about the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    size: Option<u64>,
    offsets: Option<Offsets>,
}

impl Known {
    fn from_headers(headers: &HeaderMap) -> S3Result<Known> {
        let illegible = |name, form| invalid_argument(format!("The header {name} must be {form}."));
        let size = header(headers, SIZE).map(str::parse).transpose();
        let offsets = header(headers, RECORDS).map(|text| {
            Offsets::parse(text).ok_or_else(|| illegible(RECORDS, "FIRST-LAST, two offsets of records"))
        });
        Ok(Known {
            size: size.map_err(|_| illegible(SIZE, "a number of bytes"))?,
            offsets: offsets.transpose()?,
        })
    }
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
    let known = Known::from_headers(&request.headers)?;
    if request.headers.keys().any(|name| name.as_str().starts_with(SOURCE_CONDITIONS)) {
        return Err(not_implemented("The source is a file, which has no ETag to compare."));
    }
    let new = NewFacts::from_request(&request.headers, input.metadata.as_ref())?;
    new.require_lockable(&shared.stored(&bucket))?;
    let wanted = header(&request.headers, "x-amz-checksum-algorithm").map(Algorithm::parse).transpose()?;
    let file = file(shared, &source.key)?;
    let reading = Reading::hold(&shared.service, file)?.ok_or_else(no_such_key)?;
    let copied =
        copy(shared, bucket.id, reading.handle(), known, wanted.unwrap_or(Algorithm::Crc64Nvme)).await?;
    let facts = ObjectFacts {
        size: copied.attributes.size,
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

/// The content of a file, in a draft.
struct Copied {
    draft: Draft,
    attributes: Attributes,
    checksum: Checksum,
    etag: String,
}

/// A copy of a file that may have been changed meanwhile.
struct Attempt {
    draft: Draft,
    attributes: Attributes,
    checked: S3Result<Checksum>,
}

/// Copies a file that nobody changes meanwhile, and verifies the copy.
async fn copy(
    shared: &Shared,
    bucket: VolumeId,
    file: Handle,
    known: Known,
    algorithm: Algorithm,
) -> S3Result<Copied> {
    for _ in 0..TRIES_MAX {
        let attempt = attempt(shared, bucket, file, known, algorithm).await?;
        if let Some(copied) = unchanged(shared, attempt).await? {
            return Ok(copied);
        }
    }
    Err(conflict("The file is being changed. Copy it once it is complete."))
}

async fn attempt(
    shared: &Shared,
    bucket: VolumeId,
    file: Handle,
    known: Known,
    algorithm: Algorithm,
) -> S3Result<Attempt> {
    let pool = shared.pool();
    let attributes = pool.getattr(file).await.or_s3()?;
    if attributes.kind != Kind::File {
        return Err(no_such_key());
    }
    if known.size.is_some_and(|size| size != attributes.size) {
        return Err(conflict(format!(
            "The file has {} bytes, not as many as the header {SIZE} says.",
            attributes.size
        )));
    }
    let draft = pool.draft_create(bucket).await.or_s3()?;
    pool.draft_copy(&draft, file, 0..attributes.size).await.or_s3()?;
    let checked = verify(shared, &draft, attributes.size, known.offsets, algorithm).await;
    Ok(Attempt { draft, attributes, checked })
}

/// The copy, unless the file was changed since the attempt began.
async fn unchanged(shared: &Shared, attempt: Attempt) -> S3Result<Option<Copied>> {
    let Attempt { draft, attributes, checked } = attempt;
    let now = shared.pool().getattr(attributes.handle).await.or_s3()?;
    if (now.size, now.change) != (attributes.size, attributes.change) {
        return Ok(None);
    }
    let checksum = checked?;
    let etag = etag(&attributes, &checksum);
    Ok(Some(Copied { draft, attributes, checksum, etag }))
}

fn conflict(message: impl Into<String>) -> S3Error {
    with_code("OperationAborted", StatusCode::CONFLICT, message)
}

/// Reads the copy once. What is published is exactly what was verified: nobody else knows the draft.
async fn verify(
    shared: &Shared,
    draft: &Draft,
    size: u64,
    offsets: Option<Offsets>,
    algorithm: Algorithm,
) -> S3Result<Checksum> {
    let mut checksum = Running::new(algorithm);
    let mut walk = offsets.map(Walk::new);
    let wrong = |wrong| {
        not_as_said(format!("The file is not the log segment that the header {RECORDS} describes: {wrong}."))
    };
    each_piece(shared.pool(), draft.handle(), 0..size, |piece| {
        checksum.update(piece);
        walk.as_mut().map_or(Ok(()), |walk| walk.update(piece)).map_err(wrong)
    })
    .await?;
    walk.map_or(Ok(0), Walk::finish).map_err(wrong)?;
    Ok(checksum.finish())
}

fn not_as_said(message: String) -> S3Error {
    S3Error::with_message(S3ErrorCode::PreconditionFailed, message)
}

/// The ETag is not the MD5 of the content, which would cost as much as all the rest. Like those of uploads in parts it has a number of parts,
/// so no client takes it for one.
fn etag(attributes: &Attributes, checksum: &Checksum) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(ETAG_PURPOSE);
    let handle = attributes.handle;
    for number in [
        u64::from(handle.volume.0),
        handle.inode.0,
        u64::from(handle.generation),
        attributes.change,
        attributes.size,
    ] {
        hasher.update(&number.to_be_bytes());
    }
    hasher.update(checksum.value.as_bytes());
    let hex = hasher.finalize().to_hex();
    format!("{}-1", hex.get(..32).unwrap_or(&hex))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;
    use forebay_pool::{BucketSpec, NewInode, Pool, PoolOptions, Stability, VolumeSpec};
    use forebay_service::{Service, ServiceOptions};

    use super::*;

    #[tokio::test]
    async fn a_copy_counts_only_if_the_file_stayed_as_it_was() {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
        let bucket = pool.bucket_create(BucketSpec::new("tier"), |_| Ok(())).await.unwrap().id;
        let file = pool.create(root, b"file", NewInode::new(Kind::File, 0o644)).await.unwrap();
        let file = file.attributes.handle;
        let write = |text: &'static str| pool.write(file, 0, Bytes::from(text), Stability::Unstable);
        write("before").await.unwrap();
        let service = Arc::new(Service::open(pool.clone(), ServiceOptions::default()).unwrap());
        let shared = Shared::new(service, "us-east-1");
        let known = Known { size: Some(6), offsets: None };
        let try_once = || attempt(&shared, bucket, file, known, Algorithm::Crc32c);

        let first = try_once().await.unwrap();
        write("after!").await.unwrap();
        assert!(unchanged(&shared, first).await.unwrap().is_none());

        let second = try_once().await.unwrap();
        let copied = unchanged(&shared, second).await.unwrap().unwrap();
        let read = pool.read(copied.draft.handle(), 0, 100).await.unwrap();
        assert_eq!(read.pieces.concat(), b"after!");

        let third = try_once().await.unwrap();
        write("after! and longer").await.unwrap();
        assert!(unchanged(&shared, third).await.unwrap().is_none());
        assert_eq!(try_once().await.err().unwrap().status_code(), Some(StatusCode::CONFLICT));
    }
}
