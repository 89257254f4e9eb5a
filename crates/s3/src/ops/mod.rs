//! The operations: one file for each, or for a few that belong together, named as S3 names them.
//!
//! An operation reads its request, asks [`crate::store`] and the pool, and fills its answer. The library has parsed the request and
//! checked its signature, and [`crate::auth`] has decided that the caller may do this.

mod acl;
mod announced;
mod answer;
mod body;
mod bucket;
mod bucket_cors;
mod bucket_lifecycle;
mod bucket_policy;
mod bucket_tagging;
mod complete_multipart_upload;
mod copied;
mod copy_file;
mod copy_object;
mod copy_source;
mod delete_object;
mod get_object;
mod get_object_attributes;
mod listing;
mod multipart;
mod named;
mod never_set;
mod object_lock;
mod object_lock_configuration;
mod object_tagging;
mod outgoing;
mod ownership_controls;
mod public_access_block;
mod put_object;
mod request;
mod setting;

use std::sync::Arc;

use s3s::dto::*;
use s3s::{S3, S3Request, S3Response, S3Result};

use crate::auth::access::Caller;
use crate::lenient;
use crate::not_built;
use crate::shared::Shared;

pub use get_object_attributes::without_quotes;

/// The operations, as the library calls them.
#[derive(Clone)]
pub struct Operations(pub Arc<Shared>);

/// The status of an answer. The library disregards the one that an operation gives to it.
#[derive(Clone, Copy, Debug)]
pub struct Answered(pub hyper::StatusCode);

/// Whether an operation only reads.
fn reads(operation: &str) -> bool {
    operation.starts_with("get_") || operation.starts_with("head_")
}

/// Passes each operation on to the function of the same name.
macro_rules! operations {
    ($($module:ident :: $name:ident ($input:ident) -> $output:ident;)*) => {
        /// The names of the operations.
        pub const BUILT: &[&str] = &[$(stringify!($name)),*];

        #[async_trait::async_trait]
        impl S3 for Operations {
            $(async fn $name(&self, mut request: S3Request<$input>) -> S3Result<S3Response<$output>> {
                lenient::restore(&mut request.headers, &request.extensions);
                lenient::restore_trailers(&mut request.trailing_headers, &request.extensions);
                not_built::check(stringify!($name), &request.uri, &request.headers)?;
                let caller = Caller::of(&request.extensions);
                let mut response = match $module::$name(&self.0, request).await {
                    Err(error) if reads(stringify!($name)) => return Err(caller.conceal(error)),
                    answered => answered?,
                };
                if let Some(status) = response.status {
                    response.extensions.insert(Answered(status));
                }
                Ok(response)
            })*
        }
    };
}

operations! {
    multipart::abort_multipart_upload(AbortMultipartUploadInput) -> AbortMultipartUploadOutput;
    complete_multipart_upload::complete_multipart_upload(CompleteMultipartUploadInput) -> CompleteMultipartUploadOutput;
    copy_object::copy_object(CopyObjectInput) -> CopyObjectOutput;
    bucket::create_bucket(CreateBucketInput) -> CreateBucketOutput;
    multipart::create_multipart_upload(CreateMultipartUploadInput) -> CreateMultipartUploadOutput;
    bucket::delete_bucket(DeleteBucketInput) -> DeleteBucketOutput;
    bucket_cors::delete_bucket_cors(DeleteBucketCorsInput) -> DeleteBucketCorsOutput;
    bucket_lifecycle::delete_bucket_lifecycle(DeleteBucketLifecycleInput) -> DeleteBucketLifecycleOutput;
    ownership_controls::delete_bucket_ownership_controls(DeleteBucketOwnershipControlsInput) -> DeleteBucketOwnershipControlsOutput;
    bucket_policy::delete_bucket_policy(DeleteBucketPolicyInput) -> DeleteBucketPolicyOutput;
    bucket_tagging::delete_bucket_tagging(DeleteBucketTaggingInput) -> DeleteBucketTaggingOutput;
    delete_object::delete_object(DeleteObjectInput) -> DeleteObjectOutput;
    object_tagging::delete_object_tagging(DeleteObjectTaggingInput) -> DeleteObjectTaggingOutput;
    delete_object::delete_objects(DeleteObjectsInput) -> DeleteObjectsOutput;
    public_access_block::delete_public_access_block(DeletePublicAccessBlockInput) -> DeletePublicAccessBlockOutput;
    never_set::get_bucket_accelerate_configuration(GetBucketAccelerateConfigurationInput) -> GetBucketAccelerateConfigurationOutput;
    acl::get_bucket_acl(GetBucketAclInput) -> GetBucketAclOutput;
    bucket_cors::get_bucket_cors(GetBucketCorsInput) -> GetBucketCorsOutput;
    never_set::get_bucket_encryption(GetBucketEncryptionInput) -> GetBucketEncryptionOutput;
    bucket_lifecycle::get_bucket_lifecycle_configuration(GetBucketLifecycleConfigurationInput) -> GetBucketLifecycleConfigurationOutput;
    bucket::get_bucket_location(GetBucketLocationInput) -> GetBucketLocationOutput;
    never_set::get_bucket_logging(GetBucketLoggingInput) -> GetBucketLoggingOutput;
    never_set::get_bucket_notification_configuration(GetBucketNotificationConfigurationInput) -> GetBucketNotificationConfigurationOutput;
    ownership_controls::get_bucket_ownership_controls(GetBucketOwnershipControlsInput) -> GetBucketOwnershipControlsOutput;
    bucket_policy::get_bucket_policy(GetBucketPolicyInput) -> GetBucketPolicyOutput;
    bucket_policy::get_bucket_policy_status(GetBucketPolicyStatusInput) -> GetBucketPolicyStatusOutput;
    never_set::get_bucket_replication(GetBucketReplicationInput) -> GetBucketReplicationOutput;
    never_set::get_bucket_request_payment(GetBucketRequestPaymentInput) -> GetBucketRequestPaymentOutput;
    bucket_tagging::get_bucket_tagging(GetBucketTaggingInput) -> GetBucketTaggingOutput;
    bucket::get_bucket_versioning(GetBucketVersioningInput) -> GetBucketVersioningOutput;
    never_set::get_bucket_website(GetBucketWebsiteInput) -> GetBucketWebsiteOutput;
    get_object::get_object(GetObjectInput) -> GetObjectOutput;
    acl::get_object_acl(GetObjectAclInput) -> GetObjectAclOutput;
    get_object_attributes::get_object_attributes(GetObjectAttributesInput) -> GetObjectAttributesOutput;
    object_lock::get_object_legal_hold(GetObjectLegalHoldInput) -> GetObjectLegalHoldOutput;
    object_lock_configuration::get_object_lock_configuration(GetObjectLockConfigurationInput) -> GetObjectLockConfigurationOutput;
    object_lock::get_object_retention(GetObjectRetentionInput) -> GetObjectRetentionOutput;
    object_tagging::get_object_tagging(GetObjectTaggingInput) -> GetObjectTaggingOutput;
    public_access_block::get_public_access_block(GetPublicAccessBlockInput) -> GetPublicAccessBlockOutput;
    bucket::head_bucket(HeadBucketInput) -> HeadBucketOutput;
    get_object::head_object(HeadObjectInput) -> HeadObjectOutput;
    bucket::list_buckets(ListBucketsInput) -> ListBucketsOutput;
    listing::list_multipart_uploads(ListMultipartUploadsInput) -> ListMultipartUploadsOutput;
    listing::list_object_versions(ListObjectVersionsInput) -> ListObjectVersionsOutput;
    listing::list_objects(ListObjectsInput) -> ListObjectsOutput;
    listing::list_objects_v2(ListObjectsV2Input) -> ListObjectsV2Output;
    multipart::list_parts(ListPartsInput) -> ListPartsOutput;
    acl::put_bucket_acl(PutBucketAclInput) -> PutBucketAclOutput;
    bucket_cors::put_bucket_cors(PutBucketCorsInput) -> PutBucketCorsOutput;
    bucket_lifecycle::put_bucket_lifecycle_configuration(PutBucketLifecycleConfigurationInput) -> PutBucketLifecycleConfigurationOutput;
    ownership_controls::put_bucket_ownership_controls(PutBucketOwnershipControlsInput) -> PutBucketOwnershipControlsOutput;
    bucket_policy::put_bucket_policy(PutBucketPolicyInput) -> PutBucketPolicyOutput;
    bucket_tagging::put_bucket_tagging(PutBucketTaggingInput) -> PutBucketTaggingOutput;
    bucket::put_bucket_versioning(PutBucketVersioningInput) -> PutBucketVersioningOutput;
    put_object::put_object(PutObjectInput) -> PutObjectOutput;
    acl::put_object_acl(PutObjectAclInput) -> PutObjectAclOutput;
    object_lock::put_object_legal_hold(PutObjectLegalHoldInput) -> PutObjectLegalHoldOutput;
    object_lock_configuration::put_object_lock_configuration(PutObjectLockConfigurationInput) -> PutObjectLockConfigurationOutput;
    object_lock::put_object_retention(PutObjectRetentionInput) -> PutObjectRetentionOutput;
    object_tagging::put_object_tagging(PutObjectTaggingInput) -> PutObjectTaggingOutput;
    public_access_block::put_public_access_block(PutPublicAccessBlockInput) -> PutPublicAccessBlockOutput;
    multipart::upload_part(UploadPartInput) -> UploadPartOutput;
    multipart::upload_part_copy(UploadPartCopyInput) -> UploadPartCopyOutput;
}
