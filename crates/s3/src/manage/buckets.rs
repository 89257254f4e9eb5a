//! The life cycle of buckets: create, list, change, delete.

use forebay_pool::{
    Bucket, BucketChange, BucketSpec, BucketUpdate, Compression, Error as PoolError, Object, Pool, Seek,
};

use super::error::{Error, Result};
use crate::auth::policy::Policy;
use crate::auth::users::{ADMINISTRATORS, Users};
use crate::configuration::cors::Cors;
use crate::configuration::lifecycle::Lifecycle;
use crate::configuration::{ObjectLock, PublicAccessBlock, Versioning};
use crate::facts::Tags;
use crate::names;
use crate::shared::now_ms;
use crate::store::{BucketFacts, Entries, OBJECTS, Setting, Stored, versioning};

/// A bucket to create.
#[derive(Debug, Clone)]
pub struct NewBucket {
    /// Its name, as S3 allows it.
    pub name: String,
    /// The user who owns it; `None`: the first administrator by name.
    pub owner: Option<String>,
    /// Whether it keeps versions.
    pub versioning: Versioning,
    /// Whether versions can be locked. Such a bucket keeps versions.
    pub object_lock: bool,
    /// The most bytes that it may hold.
    pub size: Option<u64>,
    /// Bytes that clients may read and write per second.
    pub max_bytes_per_second: Option<u64>,
    /// The compression of new objects.
    pub compression: Compression,
    /// Its tags.
    pub tags: Tags,
}

impl NewBucket {
    /// A bucket with this name and the defaults for the rest.
    pub fn new(name: &str) -> NewBucket {
        NewBucket {
            name: name.to_owned(),
            owner: None,
            versioning: Versioning::default(),
            object_lock: false,
            size: None,
            max_bytes_per_second: None,
            compression: Compression::default(),
            tags: Tags::default(),
        }
    }
}

/// Changes of a bucket; `None` leaves a property unchanged.
#[derive(Debug, Clone, Default)]
pub struct BucketChanges {
    /// Size, throughput and compression.
    pub update: BucketUpdate,
    /// Whether it keeps versions.
    pub versioning: Option<Versioning>,
    /// Blocks of public access. `Some(None)` removes the setting, so nothing is blocked.
    pub public_access_block: Option<Option<PublicAccessBlock>>,
    /// All tags.
    pub tags: Option<Tags>,
}

/// A bucket, and what it is set to.
#[derive(Debug, Clone)]
pub struct ManagedBucket {
    /// The bucket.
    pub bucket: Bucket,
    /// Its owner and its age.
    pub facts: BucketFacts,
    /// Whether it keeps versions.
    pub versioning: Versioning,
    /// Object lock, if it has it.
    pub object_lock: Option<ObjectLock>,
    /// Its tags.
    pub tags: Tags,
    /// Blocks of public access, if they were set.
    pub public_access_block: Option<PublicAccessBlock>,
    /// Whether it has a policy.
    pub has_policy: bool,
    /// Whether its policy is public.
    pub is_public: bool,
    /// Whether it has lifecycle rules.
    pub has_lifecycle: bool,
    /// Whether it has rules for cross-origin requests.
    pub has_cors: bool,
}

/// A page of buckets.
#[derive(Debug, Clone)]
pub struct BucketPage {
    /// The buckets, by name.
    pub buckets: Vec<ManagedBucket>,
    /// How many there are with the prefix, on all pages.
    pub total: usize,
}

/// Creates a bucket.
pub async fn create(pool: &Pool, users: &Users, new: NewBucket) -> Result<ManagedBucket> {
    let NewBucket { name, owner, versioning, object_lock, size, max_bytes_per_second, compression, tags } =
        new;
    names::check_bucket(&name).map_err(|_| Error::BadName(name.clone()))?;
    let owner = match owner {
        Some(owner) => users.user(&owner)?.name,
        None => users.group(ADMINISTRATORS)?.members.into_iter().next().ok_or(Error::NoOwner)?,
    };
    let facts = BucketFacts { owner, created_ms: now_ms() };
    let versioning = if object_lock { Versioning::Enabled } else { versioning };
    let fill = move |change: &mut BucketChange<'_, '_>| {
        Setting::Facts.put(change, &facts)?;
        if versioning != Versioning::Unversioned {
            Setting::Versioning.put(change, &versioning)?;
        }
        if object_lock {
            Setting::ObjectLock.put(change, &ObjectLock::default())?;
        }
        if !tags.is_empty() {
            Setting::Tags.put(change, &tags)?;
        }
        Ok(())
    };
    let spec = BucketSpec { name, size, max_bytes_per_second, compression };
    let created = pool.bucket_create(spec, fill).await?;
    managed(pool, created)
}

/// The buckets whose names begin with `prefix` and come behind `after`, at most `limit`.
pub fn buckets(pool: &Pool, prefix: &str, after: &str, limit: usize) -> Result<BucketPage> {
    let mut all = pool.buckets()?;
    all.retain(|bucket| bucket.spec.name.starts_with(prefix));
    let mut page = BucketPage { buckets: Vec::new(), total: all.len() };
    for bucket in all.into_iter().filter(|bucket| bucket.spec.name.as_str() > after).take(limit) {
        match managed(pool, bucket) {
            Ok(bucket) => page.buckets.push(bucket),
            // Deleted since the list was taken.
            Err(Error::Pool(PoolError::Stale | PoolError::NotFound(_))) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(page)
}

/// One bucket.
pub fn bucket(pool: &Pool, name: &str) -> Result<ManagedBucket> {
    managed(pool, pool.bucket(name)?)
}

/// Changes a bucket: all of `changes`, or nothing.
pub async fn modify(pool: &Pool, name: &str, changes: BucketChanges) -> Result<ManagedBucket> {
    let BucketChanges { update, versioning, public_access_block, tags } = changes;
    let named = name.to_owned();
    let change = move |change: &mut BucketChange<'_, '_>| {
        if let Some(wanted) = versioning
            && let Some(refusal) = check_versioning(change, &named, wanted)?
        {
            return Ok(Err(refusal));
        }
        if let Some(wanted) = versioning.filter(|wanted| *wanted != Versioning::Unversioned) {
            Setting::Versioning.put(change, &wanted)?;
        }
        match public_access_block {
            None => {}
            Some(Some(block)) => Setting::PublicAccess.put(change, &block)?,
            Some(None) => drop(Setting::PublicAccess.remove(change)?),
        }
        match tags {
            None => {}
            Some(tags) if tags.is_empty() => drop(Setting::Tags.remove(change)?),
            Some(tags) => Setting::Tags.put(change, &tags)?,
        }
        Ok(Ok(()))
    };
    let changed = pool.bucket_modify(name, update, change).await??;
    managed(pool, changed)
}

/// Why a bucket cannot have that versioning.
fn check_versioning(
    change: &BucketChange<'_, '_>,
    bucket: &str,
    wanted: Versioning,
) -> forebay_pool::Result<Option<Error>> {
    let has_lock = Setting::ObjectLock.bytes(change)?.is_some();
    if Versioning::check_change(wanted, has_lock).is_err() {
        return Ok(Some(Error::VersioningLocked(bucket.to_owned())));
    }
    let is_lost = wanted == Versioning::Unversioned && versioning(change)? != Versioning::Unversioned;
    Ok(is_lost.then(|| Error::VersioningPermanent(bucket.to_owned())))
}

/// Deletes a bucket. With `force` also one that has objects, unless it has object lock. Uploads in progress end with it.
pub async fn delete(pool: &Pool, name: &str, force: bool) -> Result<()> {
    let bucket = pool.bucket(name)?;
    let named = name.to_owned();
    let check = move |change: &mut BucketChange<'_, '_>| {
        if change.entries(OBJECTS, &[], &Seek::Start, 1)?.is_empty() {
            return Ok(Ok(()));
        }
        if !force {
            return Ok(Err(Error::NotEmpty(named)));
        }
        // To look at the lock of each version would take too long here.
        let has_lock = Setting::ObjectLock.bytes(change)?.is_some();
        Ok(if has_lock { Err(Error::Locked(named)) } else { Ok(()) })
    };
    pool.bucket_delete(bucket.id, check).await?
}

fn managed(pool: &Pool, bucket: Bucket) -> Result<ManagedBucket> {
    let stored = Stored { pool: pool.clone(), bucket: bucket.id };
    let facts: Option<BucketFacts> = Setting::Facts.get(&stored)?;
    // Another protocol's bucket is none of S3.
    let facts = facts.ok_or_else(|| PoolError::NotFound(Object::Bucket(bucket.spec.name.clone())))?;
    let policy = Setting::Policy.bytes(&stored)?;
    let is_public = policy.as_ref().is_some_and(|text| {
        // A policy that cannot be read allows nothing.
        Policy::parse_bucket(text, &bucket.spec.name).is_ok_and(|policy| policy.is_public())
    });
    Ok(ManagedBucket {
        facts,
        versioning: versioning(&stored)?,
        object_lock: Setting::ObjectLock.get(&stored)?,
        tags: Setting::Tags.get(&stored)?.unwrap_or_default(),
        public_access_block: Setting::PublicAccess.get(&stored)?,
        has_policy: policy.is_some(),
        is_public,
        has_lifecycle: Setting::Lifecycle.get::<Lifecycle>(&stored)?.is_some(),
        has_cors: Setting::Cors.get::<Cors>(&stored)?.is_some(),
        bucket,
    })
}
