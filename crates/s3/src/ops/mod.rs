//! The operations: one file for each, or for a few that belong together, named as S3 names them.
//!
//! An operation reads its request, asks [`crate::store`] and the pool, and fills its answer. The library has parsed the request and
//! checked its signature, and [`crate::auth`] has decided that the caller may do this.

mod answer;
mod body;
mod bucket;
mod complete_multipart_upload;
mod copy_object;
mod copy_source;
mod delete_object;
mod get_object;
mod listing;
mod multipart;
mod put_object;
mod request;

use std::sync::Arc;

use s3s::dto::*;
use s3s::{S3, S3Request, S3Response, S3Result};

use crate::shared::Shared;

/// The operations, as the library calls them.
#[derive(Clone)]
pub struct Operations(pub Arc<Shared>);

/// Passes each operation on to the function of the same name.
macro_rules! operations {
    ($($module:ident :: $name:ident ($input:ident) -> $output:ident;)*) => {
        #[async_trait::async_trait]
        impl S3 for Operations {
            $(async fn $name(&self, request: S3Request<$input>) -> S3Result<S3Response<$output>> {
                $module::$name(&self.0, request).await
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
    delete_object::delete_object(DeleteObjectInput) -> DeleteObjectOutput;
    delete_object::delete_objects(DeleteObjectsInput) -> DeleteObjectsOutput;
    bucket::get_bucket_location(GetBucketLocationInput) -> GetBucketLocationOutput;
    bucket::get_bucket_versioning(GetBucketVersioningInput) -> GetBucketVersioningOutput;
    get_object::get_object(GetObjectInput) -> GetObjectOutput;
    bucket::head_bucket(HeadBucketInput) -> HeadBucketOutput;
    get_object::head_object(HeadObjectInput) -> HeadObjectOutput;
    bucket::list_buckets(ListBucketsInput) -> ListBucketsOutput;
    listing::list_multipart_uploads(ListMultipartUploadsInput) -> ListMultipartUploadsOutput;
    listing::list_object_versions(ListObjectVersionsInput) -> ListObjectVersionsOutput;
    listing::list_objects(ListObjectsInput) -> ListObjectsOutput;
    listing::list_objects_v2(ListObjectsV2Input) -> ListObjectsV2Output;
    multipart::list_parts(ListPartsInput) -> ListPartsOutput;
    bucket::put_bucket_versioning(PutBucketVersioningInput) -> PutBucketVersioningOutput;
    put_object::put_object(PutObjectInput) -> PutObjectOutput;
    multipart::upload_part(UploadPartInput) -> UploadPartOutput;
    multipart::upload_part_copy(UploadPartCopyInput) -> UploadPartCopyOutput;
}
