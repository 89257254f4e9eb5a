//! The operations: one file for each, or for a few that belong together, named as S3 names them.
//!
//! An operation reads its request, asks [`crate::store`] and the pool, and fills its answer. The library has parsed the request and
//! checked its signature, and [`crate::auth`] has decided that the caller may do this.

mod body;
mod get_object;
mod put_object;
mod request;

use std::sync::Arc;

use s3s::dto::{
    GetObjectInput, GetObjectOutput, HeadObjectInput, HeadObjectOutput, PutObjectInput, PutObjectOutput,
};
use s3s::{S3, S3Request, S3Response, S3Result};

use crate::shared::Shared;

/// The operations, as the library calls them.
#[derive(Clone)]
pub struct Operations(pub Arc<Shared>);

#[async_trait::async_trait]
impl S3 for Operations {
    async fn get_object(&self, request: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        get_object::get_object(&self.0, request).await
    }
    async fn head_object(
        &self,
        request: S3Request<HeadObjectInput>,
    ) -> S3Result<S3Response<HeadObjectOutput>> {
        get_object::head_object(&self.0, request).await
    }
    async fn put_object(&self, request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        put_object::put_object(&self.0, request).await
    }
}
