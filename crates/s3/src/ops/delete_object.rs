//! DeleteObject and DeleteObjects.

use s3s::dto::{
    DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput, DeletedObject, Error,
    ObjectIdentifier,
};
use s3s::{S3Error, S3Request, S3Response, S3Result};

use crate::auth::access::Caller;
use crate::auth::policy::Action;
use crate::conditions::DeleteConditions;
use crate::errors::malformed_xml;
use crate::facts::VersionId;
use crate::names;
use crate::pool_error::OrS3;
use crate::shared::{Shared, now_ms};
use crate::store::{Removal, Removed, remove};

/// Objects in one request.
const OBJECTS_MAX: usize = 1000;
/// Objects that one change removes. S3 does not promise that all of a request go at once.
const REMOVED_AT_ONCE: usize = 64;

/// Removes an object, or hides it behind a delete marker.
pub async fn delete_object(
    shared: &Shared,
    request: S3Request<DeleteObjectInput>,
) -> S3Result<S3Response<DeleteObjectOutput>> {
    let input = request.input;
    names::check_key(&input.key)?;
    let bucket = shared.bucket(&input.bucket)?;
    let caller = Caller::of(&request.extensions);
    let named = input.version_id.clone().filter(|id| !id.is_empty());
    let removal = Removal {
        key: input.key,
        id: VersionId::named(input.version_id.as_deref())?,
        conditions: DeleteConditions::from_headers(&request.headers)?,
        bypass: caller.bypasses_governance,
        caller: caller.user,
        now_ms: now_ms(),
    };
    let removed =
        shared.pool().bucket_change(bucket.id, move |change| remove(change, removal)).await.or_s3()??;
    let output = DeleteObjectOutput {
        delete_marker: removed.is_delete_marker.then_some(true),
        version_id: named.or(removed.id.map(|id| id.to_string())),
        ..DeleteObjectOutput::default()
    };
    Ok(S3Response::new(output))
}

/// Removes up to a thousand objects, and says for each whether that succeeded.
pub async fn delete_objects(
    shared: &Shared,
    request: S3Request<DeleteObjectsInput>,
) -> S3Result<S3Response<DeleteObjectsOutput>> {
    let input = request.input;
    let bucket = shared.bucket(&input.bucket)?;
    let caller = Caller::of(&request.extensions);
    let objects = input.delete.objects;
    if objects.is_empty() || objects.len() > OBJECTS_MAX {
        return Err(malformed_xml());
    }
    let is_quiet = input.delete.quiet.unwrap_or(false);
    let (mut deleted, mut errors) = (Vec::new(), Vec::new());
    for some in objects.chunks(REMOVED_AT_ONCE) {
        let wanted: Vec<(ObjectIdentifier, S3Result<Removal>)> =
            some.iter().map(|object| (object.clone(), removal(object, &input.bucket, &caller))).collect();
        let change = move |change: &mut forebay_pool::BucketChange<'_, '_>| {
            let mut outcomes = Vec::with_capacity(wanted.len());
            for (object, removal) in wanted {
                let outcome = match removal {
                    Ok(removal) => remove(change, removal)?,
                    Err(error) => Err(error),
                };
                outcomes.push((object, outcome));
            }
            Ok(outcomes)
        };
        for (object, outcome) in shared.pool().bucket_change(bucket.id, change).await.or_s3()? {
            match outcome {
                Ok(removed) if !is_quiet => deleted.push(said_deleted(object, removed)),
                Ok(_) => {}
                Err(error) => errors.push(said_refused(object, &error)),
            }
        }
    }
    let output = DeleteObjectsOutput {
        deleted: (!deleted.is_empty()).then_some(deleted),
        errors: (!errors.is_empty()).then_some(errors),
        ..DeleteObjectsOutput::default()
    };
    Ok(S3Response::new(output))
}

fn removal(object: &ObjectIdentifier, bucket: &str, caller: &Caller) -> S3Result<Removal> {
    names::check_key(&object.key)?;
    let action = match object.version_id {
        None => Action::DeleteObject,
        Some(_) => Action::DeleteObjectVersion,
    };
    caller.require(action, bucket, &object.key)?;
    Ok(Removal {
        key: object.key.clone(),
        id: VersionId::named(object.version_id.as_deref())?,
        conditions: DeleteConditions::of_identifier(object),
        bypass: caller.bypasses_governance,
        caller: caller.user.clone(),
        now_ms: now_ms(),
    })
}

fn said_deleted(object: ObjectIdentifier, removed: Removed) -> DeletedObject {
    let id = removed.id.map(|id| id.to_string());
    DeletedObject {
        delete_marker: removed.is_delete_marker.then_some(true),
        delete_marker_version_id: id.filter(|_| removed.is_delete_marker),
        key: Some(object.key),
        version_id: object.version_id,
    }
}

fn said_refused(object: ObjectIdentifier, error: &S3Error) -> Error {
    Error {
        code: Some(error.code().as_str().to_owned()),
        key: Some(object.key),
        message: error.message().map(str::to_owned),
        version_id: object.version_id,
    }
}
