//! A file of a volume as a new object, without moving its bytes.

use forebay_pool::{Bucket, Error as PoolError, Handle, Pool, Volume};

use super::error::{Error, Result};
use crate::checksum::Algorithm;
use crate::conditions::WriteConditions;
use crate::facts::{ContentHeaders, ObjectFacts, VersionId};
use crate::file_copy::{self, Known};
use crate::names::check_key;
use crate::records::Offsets;
use crate::shared::now_ms;
use crate::store::{BucketFacts, NewVersion, Setting, Stored, publish};

/// A file that becomes an object.
#[derive(Debug, Clone)]
pub struct FileToCopy {
    /// The path of the file in its volume: names between slashes. Symbolic links are not followed.
    pub path: String,
    /// The key of the object.
    pub key: String,
    /// That the file is a log segment with offsets within these: each record batch is verified.
    pub offsets: Option<Offsets>,
    /// Whether it may replace an object with that key.
    pub replaces: bool,
    /// The media type of the object.
    pub content_type: Option<String>,
}

/// An object that was copied from a file.
#[derive(Debug)]
pub struct CopiedFile {
    /// Its version id.
    pub id: VersionId,
    /// What is known of it.
    pub facts: ObjectFacts,
}

/// Copies a file to a bucket of the same pool. The owner of the bucket owns the object.
pub async fn copy_file(pool: &Pool, volume: &Volume, bucket: &str, asked: FileToCopy) -> Result<CopiedFile> {
    let FileToCopy { path, key, offsets, replaces, content_type } = asked;
    check_key(&key).map_err(|error| Error::Malformed {
        place: format!("key {key:?}"),
        cause: error.message().unwrap_or("is missing").trim_end_matches('.').to_owned(),
    })?;
    let bucket = pool.bucket(bucket)?;
    let name = format!("file {}:/{}", volume.spec.name, path.trim_matches('/'));
    let file = find(pool, volume.root, &path).await.map_err(|error| Error::of_file(name.clone(), error))?;
    let known = Known { size: None, offsets };
    let copied = file_copy::copy(pool, bucket.id, file, known, Algorithm::Crc64Nvme)
        .await
        .map_err(|reason| Error::NotCopied { file: name, reason: Box::new(reason) })?;
    let facts = ObjectFacts {
        size: copied.size,
        modified_ms: now_ms(),
        etag: copied.etag,
        checksum: Some(copied.checksum),
        owner: owner(pool, &bucket)?,
        headers: ContentHeaders { content_type, ..ContentHeaders::default() },
        ..ObjectFacts::default()
    };
    let new = NewVersion {
        key: key.clone(),
        facts: facts.clone(),
        draft: Some(copied.draft),
        part_list: Vec::new(),
    };
    let conditions = if replaces { WriteConditions::default() } else { WriteConditions::absent() };
    let published = pool.bucket_change(bucket.id, move |change| publish(change, new, &conditions)).await?;
    // The only condition is that there is no such object.
    let published = published.map_err(|_| Error::KeyExists { bucket: bucket.spec.name, key })?;
    Ok(CopiedFile { id: published.id, facts })
}

/// Follows a path, name by name.
async fn find(pool: &Pool, root: Handle, path: &str) -> std::result::Result<Handle, PoolError> {
    let mut found = root;
    for name in path.split('/').filter(|name| !name.is_empty()) {
        found = pool.lookup(found, name.as_bytes()).await?.handle;
    }
    Ok(found)
}

fn owner(pool: &Pool, bucket: &Bucket) -> Result<String> {
    let stored = Stored { pool: pool.clone(), bucket: bucket.id };
    Ok(Setting::Facts.get::<BucketFacts>(&stored)?.map(|facts| facts.owner).unwrap_or_default())
}
