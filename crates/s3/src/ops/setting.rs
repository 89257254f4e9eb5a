//! Reading and changing one setting of a bucket.

use forebay_pool::BucketChange;
use s3s::{S3Error, S3Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::pool_error::OrS3;
use crate::shared::Shared;
use crate::store::Setting;

/// The setting of a bucket, or the error for a bucket that does not have it.
pub fn get<T: DeserializeOwned>(
    shared: &Shared,
    bucket: &str,
    setting: Setting,
    missing: impl FnOnce() -> S3Error,
) -> S3Result<T> {
    let bucket = shared.bucket(bucket)?;
    setting.get(&shared.stored(&bucket)).or_s3()?.ok_or_else(missing)
}

/// Gives a bucket a setting.
pub async fn put(
    shared: &Shared,
    bucket: &str,
    setting: Setting,
    value: impl Serialize + Send + 'static,
) -> S3Result {
    let bucket = shared.bucket(bucket)?;
    let change = move |change: &mut BucketChange<'_, '_>| setting.put(change, &value);
    shared.pool().bucket_change(bucket.id, change).await.or_s3()
}

/// Takes a setting from a bucket. A bucket that does not have it stays as it is.
pub async fn remove(shared: &Shared, bucket: &str, setting: Setting) -> S3Result {
    let bucket = shared.bucket(bucket)?;
    let change = move |change: &mut BucketChange<'_, '_>| setting.remove(change).map(drop);
    shared.pool().bucket_change(bucket.id, change).await.or_s3()
}
