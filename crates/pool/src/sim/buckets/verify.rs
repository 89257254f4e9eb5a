//! After an opening: compares all buckets with the model. At the end: deletes them.

use super::super::client::{Client, Shared};
use super::model::Buckets;
use super::ops::BucketOp;
use super::readers::all_buckets;
use crate::*;

type Found<T> = std::result::Result<T, String>;

/// Compares the tables of all buckets and the bytes of all contents.
pub(in crate::sim) async fn verify_buckets(pool: &Pool, shared: &Shared) -> Found<()> {
    let found = all_buckets(pool).map_err(|error| format!("buckets: {error}"))?;
    shared.world.borrow_mut().buckets.settle_on(found.clone())?;
    for content in found.values().flat_map(|bucket| bucket.contents()) {
        let expected = shared.world.borrow().buckets.contents.get(&content).cloned();
        let read = pool.read(content, 0, u32::MAX).await.map_err(|error| format!("{content:?}: {error}"))?;
        if expected.as_deref() != Some(&read.pieces.concat()[..]) {
            return Err(format!("{content:?} has not the bytes that were acknowledged"));
        }
    }
    // In other lives the clients begin while the pool still frees what nobody owns.
    if pool.boot().is_multiple_of(2) {
        return Ok(());
    }
    pool.settle().await.map_err(|error| format!("settle: {error}"))?;
    let unowned = shared.world.borrow().buckets.unowned();
    for content in unowned {
        if !matches!(pool.getattr(content).await, Err(Error::Stale)) {
            return Err(format!("nobody owns {content:?}, and it is still there"));
        }
    }
    verify_usage(pool, shared, &found)
}

/// Checks what the pool counts for each bucket, when everything that nobody owns was freed.
fn verify_usage(pool: &Pool, shared: &Shared, known: &Buckets) -> Found<()> {
    let mut world = shared.world.borrow_mut();
    world.buckets.unowned().iter().for_each(|content| drop(world.buckets.contents.remove(content)));
    for bucket in pool.buckets().map_err(|error| format!("buckets: {error}"))? {
        let objects = known.get(&bucket.id).map_or(0, |known| known.entries.objects());
        if bucket.objects != objects {
            return Err(format!("{bucket:?} has {objects} objects"));
        }
        let is_above = bucket.spec.size.is_some_and(|size| size < bucket.bytes_logical);
        if is_above && !world.buckets.joined.contains(&bucket.id) {
            return Err(format!("{bucket:?} is above its size"));
        }
        let usage = pool.engine().map(|engine| engine.volumes.usage(bucket.id));
        match usage {
            Ok(usage) if usage.orphans == 0 => {}
            usage => return Err(format!("bucket {} has orphans: {usage:?}", bucket.spec.name)),
        }
    }
    Ok(())
}

/// After damage: checks that all contents that can be read are right. Returns the number of those that cannot.
pub(in crate::sim) async fn verify_damaged_buckets(pool: &Pool, shared: &Shared) -> Found<u64> {
    let known = shared.world.borrow().buckets.now();
    let found = all_buckets(pool).map_err(|error| format!("buckets: {error}"))?;
    if found.len() != known.len()
        || known.iter().any(|(id, known)| found.get(id).is_none_or(|found| found.entries != known.entries))
    {
        return Err("the entries of the buckets are others".into());
    }
    let mut errors = 0;
    for content in found.values().flat_map(|bucket| bucket.contents()) {
        let expected = shared.world.borrow().buckets.contents.get(&content).cloned();
        match pool.read(content, 0, u32::MAX).await {
            Ok(read) if expected.as_deref() == Some(&read.pieces.concat()[..]) => {}
            Ok(_) => return Err(format!("{content:?} has wrong bytes")),
            Err(Error::Damaged(_)) => errors += 1,
            Err(error) => return Err(format!("{content:?}: {error}")),
        }
    }
    Ok(errors)
}

/// Deletes all buckets. `one_by_one`: first their entries, after which nothing may be left in them.
pub(in crate::sim) async fn delete_buckets(client: &mut Client, one_by_one: bool) -> Found<()> {
    let buckets = client.shared.world.borrow().buckets.now();
    for (id, bucket) in buckets {
        if one_by_one {
            let remove = move |change: &mut BucketChange<'_, '_>| {
                bucket.entries.0.keys().try_for_each(|(table, key, version)| {
                    change.remove(Table(*table), key, version.0).map(drop)
                })
            };
            client.pool.bucket_change(id, remove).await.map_err(|error| format!("removal: {error}"))?;
            client.pool.settle().await.map_err(|error| format!("settle: {error}"))?;
            for bucket in client.pool.buckets().map_err(|error| format!("buckets: {error}"))? {
                if bucket.id == id && (bucket.objects > 0 || bucket.bytes_logical > 0) {
                    return Err(format!("everything was removed, and left is {bucket:?}"));
                }
            }
        }
        client.perform_on_bucket(BucketOp::Delete { id, force: true }).await;
        if client.shared.has_failed() {
            break;
        }
    }
    Ok(())
}
