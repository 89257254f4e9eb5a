//! Retention and legal hold of an object: GetObjectRetention, PutObjectRetention, GetObjectLegalHold and PutObjectLegalHold.

use s3s::dto::{
    GetObjectLegalHoldInput, GetObjectLegalHoldOutput, GetObjectRetentionInput, GetObjectRetentionOutput,
    ObjectLockLegalHold, ObjectLockLegalHoldStatus, PutObjectLegalHoldInput, PutObjectLegalHoldOutput,
    PutObjectRetentionInput, PutObjectRetentionOutput,
};
use s3s::{S3Error, S3ErrorCode, S3Request, S3Response, S3Result};

use super::named::{Named, WhenHidden};
use super::request::require_object_lock;
use crate::auth::access::Caller;
use crate::errors::{malformed_xml, object_locked};
use crate::facts::{Lock, ObjectFacts, Retention};
use crate::pool_error::OrS3;
use crate::shared::{Shared, now_ms};
use crate::store::{Decided, refuse_if_err};

/// Returns the retention of an object.
pub async fn get_object_retention(
    shared: &Shared,
    request: S3Request<GetObjectRetentionInput>,
) -> S3Result<S3Response<GetObjectRetentionOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let retention = lock_of(shared, &input.bucket, &named)?.retention.ok_or_else(not_locked)?;
    Ok(S3Response::new(GetObjectRetentionOutput { retention: Some(retention.to_dto()) }))
}

/// Replaces the retention of an object, if the one that it has allows that.
pub async fn put_object_retention(
    shared: &Shared,
    request: S3Request<PutObjectRetentionInput>,
) -> S3Result<S3Response<PutObjectRetentionOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let bypass = Caller::of(&request.extensions).bypasses_governance;
    let now = now_ms();
    shared.bucket(&input.bucket)?;
    let retention = Retention::from_dto(&input.retention.ok_or_else(malformed_xml)?, now)?;
    let edit = move |facts: &mut ObjectFacts| {
        if facts.lock.retention.is_some_and(|held| !held.may_become(retention, now, bypass)) {
            return Err(object_locked());
        }
        facts.lock.retention = retention;
        Ok(())
    };
    edit_lock(shared, &input.bucket, named, edit).await?;
    Ok(S3Response::new(PutObjectRetentionOutput::default()))
}

/// Returns whether a legal hold is on an object.
pub async fn get_object_legal_hold(
    shared: &Shared,
    request: S3Request<GetObjectLegalHoldInput>,
) -> S3Result<S3Response<GetObjectLegalHoldOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    let is_on = lock_of(shared, &input.bucket, &named)?.legal_hold.ok_or_else(not_locked)?;
    let status = if is_on { ObjectLockLegalHoldStatus::ON } else { ObjectLockLegalHoldStatus::OFF };
    let hold = ObjectLockLegalHold { status: Some(ObjectLockLegalHoldStatus::from_static(status)) };
    Ok(S3Response::new(GetObjectLegalHoldOutput { legal_hold: Some(hold) }))
}

/// Puts a legal hold on an object, or takes it off.
pub async fn put_object_legal_hold(
    shared: &Shared,
    request: S3Request<PutObjectLegalHoldInput>,
) -> S3Result<S3Response<PutObjectLegalHoldOutput>> {
    let input = request.input;
    let named = Named::new(input.key, input.version_id.as_deref())?;
    shared.bucket(&input.bucket)?;
    let status = input.legal_hold.and_then(|hold| hold.status).ok_or_else(malformed_xml)?;
    let is_on = match status.as_str() {
        ObjectLockLegalHoldStatus::ON => true,
        ObjectLockLegalHoldStatus::OFF => false,
        _ => return Err(malformed_xml()),
    };
    let edit = move |facts: &mut ObjectFacts| {
        facts.lock.legal_hold = Some(is_on);
        Ok(())
    };
    edit_lock(shared, &input.bucket, named, edit).await?;
    Ok(S3Response::new(PutObjectLegalHoldOutput::default()))
}

fn lock_of(shared: &Shared, bucket: &str, named: &Named) -> S3Result<Lock> {
    let bucket = shared.bucket(bucket)?;
    let stored = shared.stored(&bucket);
    let found = named.find(&stored, WhenHidden::MethodNotAllowed).or_s3()??;
    require_object_lock(&stored).or_s3()??;
    Ok(found.version.facts.lock)
}

async fn edit_lock(
    shared: &Shared,
    bucket: &str,
    named: Named,
    edit: impl FnOnce(&mut ObjectFacts) -> S3Result + Send + 'static,
) -> S3Result {
    let bucket = shared.bucket(bucket)?;
    // Object lock cannot be turned off, so this need not be asked again in the change.
    require_object_lock(&shared.stored(&bucket)).or_s3()??;
    let edit = move |_: &mut forebay_pool::BucketChange<'_, '_>, facts: &mut ObjectFacts| -> Decided<()> {
        refuse_if_err!(edit(facts));
        Ok(Ok(()))
    };
    named.edit(shared, bucket.id, edit).await.map(drop)
}

fn not_locked() -> S3Error {
    let message = "The specified object does not have a ObjectLock configuration.";
    S3Error::with_message(S3ErrorCode::NoSuchObjectLockConfiguration, message)
}
