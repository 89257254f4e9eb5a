//! CreateBucket, DeleteBucket, HeadBucket, ListBuckets, GetBucketLocation, and the versioning of a bucket.

use forebay_pool::{BucketSpec, Object, Seek};
use s3s::dto::{
    Bucket, BucketLocationConstraint, CreateBucketInput, CreateBucketOutput, DeleteBucketInput,
    DeleteBucketOutput, GetBucketLocationInput, GetBucketLocationOutput, GetBucketVersioningInput,
    GetBucketVersioningOutput, HeadBucketInput, HeadBucketOutput, ListBucketsInput, ListBucketsOutput,
    PutBucketVersioningInput, PutBucketVersioningOutput,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result, dto};

use super::acl;
use super::answer::owner;
use crate::auth::access::Caller;
use crate::clock;
use crate::configuration::{ObjectLock, ObjectOwnership, Versioning};
use crate::error_document::Detailed;
use crate::errors::invalid_argument;
use crate::names;
use crate::pool_error::{OrS3, of_pool};
use crate::shared::{Shared, now_ms};
use crate::store::refuse_if_err;
use crate::store::{BucketFacts, Entries, OBJECTS, Setting, versioning};

/// Buckets in one page.
const PAGE_BUCKETS_MAX: usize = 10_000;
/// The region whose name S3 leaves out.
const REGION_WITHOUT_NAME: &str = "us-east-1";

/// Creates a bucket that the caller owns.
pub async fn create_bucket(
    shared: &Shared,
    request: S3Request<CreateBucketInput>,
) -> S3Result<S3Response<CreateBucketOutput>> {
    let input = request.input;
    names::check_bucket(&input.bucket)?;
    check_location(shared, &input)?;
    acl::check_new_bucket(&request.headers)?;
    let ownership = ownership(input.object_ownership.as_ref())?;
    let caller = Caller::of(&request.extensions);
    let facts = BucketFacts { owner: caller.user.clone(), created_ms: now_ms() };
    let is_locked = input.object_lock_enabled_for_bucket.unwrap_or(false);
    let fill = move |change: &mut forebay_pool::BucketChange<'_, '_>| {
        Setting::Facts.put(change, &facts)?;
        Setting::Ownership.put(change, &ownership.unwrap_or_default())?;
        if is_locked {
            Setting::Versioning.put(change, &Versioning::Enabled)?;
            Setting::ObjectLock.put(change, &ObjectLock::default())?;
        }
        Ok(())
    };
    match shared.pool().bucket_create(BucketSpec::new(&input.bucket), fill).await {
        Ok(_) => {}
        Err(forebay_pool::Error::Exists(Object::Bucket(name))) => {
            return Err(exists(shared, &name, &caller.user));
        }
        Err(error) => return Err(of_pool(error)),
    }
    let output = CreateBucketOutput { location: Some(format!("/{}", input.bucket)) };
    Ok(S3Response::new(output))
}

fn exists(shared: &Shared, name: &str, caller: &str) -> S3Error {
    let facts = shared.bucket(name).ok().map(|bucket| shared.stored(&bucket));
    let facts = facts.and_then(|stored| Setting::Facts.get::<BucketFacts>(&stored).ok().flatten());
    match facts {
        Some(facts) if facts.owner == caller => S3Error::with_message(
            S3ErrorCode::BucketAlreadyOwnedByYou,
            "Your previous request to create the named bucket succeeded and you already own it.",
        ),
        _ => S3Error::with_message(
            S3ErrorCode::BucketAlreadyExists,
            "The requested bucket name is not available. Please select a different name and try again.",
        ),
    }
}

/// The header x-amz-object-ownership.
fn ownership(named: Option<&dto::ObjectOwnership>) -> S3Result<Option<ObjectOwnership>> {
    let Some(named) = named else { return Ok(None) };
    ObjectOwnership::parse(named.as_str())
        .ok_or_else(|| {
            let message = format!("Invalid x-amz-object-ownership header: {}", named.as_str());
            invalid_argument(message).with("ArgumentName", "x-amz-object-ownership")
        })?
        .map(Some)
}

fn check_location(shared: &Shared, input: &CreateBucketInput) -> S3Result {
    let named = input.create_bucket_configuration.as_ref().and_then(|it| it.location_constraint.as_ref());
    match named {
        None => Ok(()),
        Some(location) if location.as_str() == shared.region && shared.region != REGION_WITHOUT_NAME => {
            Ok(())
        }
        Some(location) => Err(S3Error::with_message(
            S3ErrorCode::InvalidLocationConstraint,
            "The specified location-constraint is not valid",
        )
        .with("LocationConstraint", location.as_str())),
    }
}

/// Deletes an empty bucket. Uploads in progress end with it.
pub async fn delete_bucket(
    shared: &Shared,
    request: S3Request<DeleteBucketInput>,
) -> S3Result<S3Response<DeleteBucketOutput>> {
    let bucket = shared.bucket(&request.input.bucket)?;
    let check = |change: &mut forebay_pool::BucketChange<'_, '_>| {
        let any = change.entries(OBJECTS, &[], &Seek::Start, 1)?;
        if any.is_empty() {
            return Ok(Ok(()));
        }
        let message = match versioning(change)? {
            Versioning::Unversioned => "The bucket you tried to delete is not empty.",
            _ => "The bucket you tried to delete is not empty. You must delete all versions in the bucket.",
        };
        Ok(Err(S3Error::with_message(S3ErrorCode::BucketNotEmpty, message)))
    };
    shared.pool().bucket_delete(bucket.id, check).await.or_s3()??;
    Ok(S3Response::with_status(DeleteBucketOutput::default(), hyper::StatusCode::NO_CONTENT))
}

/// Says that a bucket is there.
pub async fn head_bucket(
    shared: &Shared,
    request: S3Request<HeadBucketInput>,
) -> S3Result<S3Response<HeadBucketOutput>> {
    shared.bucket(&request.input.bucket)?;
    let output =
        HeadBucketOutput { bucket_region: Some(shared.region.clone()), ..HeadBucketOutput::default() };
    Ok(S3Response::new(output))
}

/// Says where a bucket is.
pub async fn get_bucket_location(
    shared: &Shared,
    request: S3Request<GetBucketLocationInput>,
) -> S3Result<S3Response<GetBucketLocationOutput>> {
    shared.bucket(&request.input.bucket)?;
    let named =
        (shared.region != REGION_WITHOUT_NAME).then(|| BucketLocationConstraint::from(shared.region.clone()));
    Ok(S3Response::new(GetBucketLocationOutput { location_constraint: named }))
}

/// Lists all buckets. As in AWS, whoever may list an account's buckets sees all of them.
pub async fn list_buckets(
    shared: &Shared,
    request: S3Request<ListBucketsInput>,
) -> S3Result<S3Response<ListBucketsOutput>> {
    let input = request.input;
    let caller = Caller::of(&request.extensions);
    let prefix = input.prefix.clone().unwrap_or_default();
    let after = input.continuation_token.unwrap_or_default();
    let wanted = match input.max_buckets {
        None => PAGE_BUCKETS_MAX,
        Some(count) => usize::try_from(count)
            .ok()
            .filter(|count| (1..=PAGE_BUCKETS_MAX).contains(count))
            .ok_or_else(|| {
                invalid_argument("Argument max-buckets must be an integer between 1 and 10000.")
                    .argument("max-buckets", count)
            })?,
    };
    let mut listed = Vec::new();
    let mut next = None;
    for bucket in shared.pool().buckets().or_s3()? {
        let name = bucket.spec.name.clone();
        if !name.starts_with(&prefix) || name <= after {
            continue;
        }
        let facts: Option<BucketFacts> = Setting::Facts.get(&shared.stored(&bucket)).or_s3()?;
        let Some(facts) = facts else { continue };
        if listed.len() == wanted {
            next = listed.last().and_then(|last: &Bucket| last.name.clone());
            break;
        }
        listed.push(Bucket {
            bucket_region: Some(shared.region.clone()),
            creation_date: Some(clock::timestamp(facts.created_ms)),
            name: Some(name),
        });
    }
    let output = ListBucketsOutput {
        buckets: Some(listed),
        continuation_token: next,
        owner: Some(owner(&caller.user)),
        prefix: input.prefix,
    };
    Ok(S3Response::new(output))
}

/// Says whether a bucket keeps versions.
pub async fn get_bucket_versioning(
    shared: &Shared,
    request: S3Request<GetBucketVersioningInput>,
) -> S3Result<S3Response<GetBucketVersioningOutput>> {
    let bucket = shared.bucket(&request.input.bucket)?;
    let status = versioning(&shared.stored(&bucket)).or_s3()?.to_dto();
    Ok(S3Response::new(GetBucketVersioningOutput { status, ..GetBucketVersioningOutput::default() }))
}

/// Turns versions on, or suspends them.
pub async fn put_bucket_versioning(
    shared: &Shared,
    request: S3Request<PutBucketVersioningInput>,
) -> S3Result<S3Response<PutBucketVersioningOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let wanted = Versioning::from_dto(&input.versioning_configuration)?;
    let change = move |change: &mut forebay_pool::BucketChange<'_, '_>| {
        let has_lock = Setting::ObjectLock.bytes(change)?.is_some();
        refuse_if_err!(Versioning::check_change(wanted, has_lock));
        Setting::Versioning.put(change, &wanted)?;
        Ok(Ok(()))
    };
    shared.pool().bucket_change(bucket.id, change).await.or_s3()??;
    Ok(S3Response::new(PutBucketVersioningOutput::default()))
}
