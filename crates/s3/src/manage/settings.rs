//! The documents of a bucket: its policy, lifecycle rules, and rules for cross-origin requests.

use bytes::Bytes;
use forebay_pool::{BucketChange, Error as PoolError, Pool};
use s3s::{S3Error, S3ErrorCode, S3Result, dto};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{Error, Result};
use super::rules::{CorsRule, LifecycleRule};
use crate::auth::policy::Policy;
use crate::configuration::PublicAccessBlock;
use crate::configuration::cors::Cors;
use crate::configuration::lifecycle::Lifecycle;
use crate::store::{Setting, Stored};

/// The policy of a bucket, as it was put.
pub fn policy(pool: &Pool, bucket: &str) -> Result<String> {
    let text = Setting::Policy.bytes(&stored(pool, bucket)?)?.ok_or_else(|| not_set(bucket, "policy"))?;
    String::from_utf8(text.into())
        .map_err(|_| PoolError::Damaged("the stored policy of a bucket is not UTF-8".into()).into())
}

/// Replaces the policy of a bucket, unless it is public and the bucket refuses that.
pub async fn put_policy(pool: &Pool, bucket: &str, text: String) -> Result<()> {
    let found = pool.bucket(bucket)?;
    let policy = Policy::parse_bucket(text.as_bytes(), bucket)?;
    let (is_public, named) = (policy.is_public(), bucket.to_owned());
    let change = move |change: &mut BucketChange<'_, '_>| {
        let block: PublicAccessBlock = Setting::PublicAccess.get(change)?.unwrap_or_default();
        if is_public && block.block_public_policy {
            return Ok(Err(Error::PublicPolicyBlocked(named)));
        }
        Setting::Policy.put_bytes(change, Bytes::from(text))?;
        Ok(Ok(()))
    };
    pool.bucket_change(found.id, change).await?
}

/// Removes the policy of a bucket.
pub async fn delete_policy(pool: &Pool, bucket: &str) -> Result<()> {
    remove(pool, bucket, Setting::Policy, "policy").await
}

/// The lifecycle rules of a bucket.
pub fn lifecycle(pool: &Pool, bucket: &str) -> Result<Vec<LifecycleRule>> {
    let rules: Lifecycle = get(pool, bucket, Setting::Lifecycle, "lifecycle rules")?;
    Ok(rules.to_dto().into_iter().map(LifecycleRule::of_dto).collect())
}

/// Replaces the lifecycle rules of a bucket.
pub async fn put_lifecycle(pool: &Pool, bucket: &str, rules: Vec<LifecycleRule>) -> Result<()> {
    let rules = rules.iter().map(LifecycleRule::to_dto).collect();
    let read = |rules| Lifecycle::from_dto(&dto::BucketLifecycleConfiguration { rules });
    let lifecycle = checked("lifecycle", rules, read)?;
    put(pool, bucket, Setting::Lifecycle, lifecycle).await
}

/// Removes the lifecycle rules of a bucket.
pub async fn delete_lifecycle(pool: &Pool, bucket: &str) -> Result<()> {
    remove(pool, bucket, Setting::Lifecycle, "lifecycle rules").await
}

/// The rules for cross-origin requests of a bucket.
pub fn cors(pool: &Pool, bucket: &str) -> Result<Vec<CorsRule>> {
    let rules: Cors = get(pool, bucket, Setting::Cors, "CORS rules")?;
    Ok(rules.to_dto().into_iter().map(CorsRule::of_dto).collect())
}

/// Replaces the rules for cross-origin requests of a bucket.
pub async fn put_cors(pool: &Pool, bucket: &str, rules: Vec<CorsRule>) -> Result<()> {
    let rules = rules.iter().map(CorsRule::to_dto).collect();
    let cors = checked("CORS", rules, |cors_rules| Cors::from_dto(&dto::CORSConfiguration { cors_rules }))?;
    put(pool, bucket, Setting::Cors, cors).await
}

/// Removes the rules for cross-origin requests of a bucket.
pub async fn delete_cors(pool: &Pool, bucket: &str) -> Result<()> {
    remove(pool, bucket, Setting::Cors, "CORS rules").await
}

/// Reads rules as a whole. If they are refused, names the first rule that is refused by itself.
fn checked<R: Clone, T>(what: &str, rules: Vec<R>, read: impl Fn(Vec<R>) -> S3Result<T>) -> Result<T> {
    let error = match read(rules.clone()) {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    for (rule, number) in rules.into_iter().zip(1u32..) {
        if let Err(error) = read(vec![rule]) {
            return Err(malformed(&format!("{what} rule {number}"), &error));
        }
    }
    Err(malformed(&format!("{what} rules"), &error))
}

fn malformed(place: &str, error: &S3Error) -> Error {
    let cause = match (error.code(), error.message()) {
        // S3's own message is about XML.
        (S3ErrorCode::MalformedXML, _) | (_, None) => "breaks a rule of S3".to_owned(),
        (_, Some(message)) => message.to_owned(),
    };
    Error::Malformed { place: place.to_owned(), cause }
}

fn stored(pool: &Pool, bucket: &str) -> Result<Stored> {
    Ok(Stored { pool: pool.clone(), bucket: pool.bucket(bucket)?.id })
}

fn get<T: DeserializeOwned>(pool: &Pool, bucket: &str, setting: Setting, what: &'static str) -> Result<T> {
    setting.get(&stored(pool, bucket)?)?.ok_or_else(|| not_set(bucket, what))
}

async fn put(
    pool: &Pool,
    bucket: &str,
    setting: Setting,
    value: impl Serialize + Send + 'static,
) -> Result<()> {
    let id = pool.bucket(bucket)?.id;
    let change = move |change: &mut BucketChange<'_, '_>| setting.put(change, &value);
    Ok(pool.bucket_change(id, change).await?)
}

async fn remove(pool: &Pool, bucket: &str, setting: Setting, what: &'static str) -> Result<()> {
    let id = pool.bucket(bucket)?.id;
    let was_there =
        pool.bucket_change(id, move |change: &mut BucketChange<'_, '_>| setting.remove(change)).await?;
    if was_there { Ok(()) } else { Err(not_set(bucket, what)) }
}

fn not_set(bucket: &str, what: &'static str) -> Error {
    Error::NotSet { bucket: bucket.to_owned(), what }
}
