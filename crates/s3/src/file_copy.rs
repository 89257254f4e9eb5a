//! Copies a file of the pool into a draft, without moving its bytes, and verifies the copy.

use forebay_pool::{Attributes, Draft, Error, Handle, Kind, Pool, VolumeId};

use crate::checksum::{Algorithm, Checksum, Running};
use crate::pieces::each_piece;
use crate::records::{Offsets, Walk, Wrong};

/// How often a copy begins anew because the file was changed meanwhile.
const TRIES_MAX: usize = 3;
const ETAG_PURPOSE: &str = "forebay 2026-11-25 ETags of copied files";

/// What is known of a file before it is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its size in bytes.
    pub size: Option<u64>,
    /// That it is a log segment with offsets within these: each record batch is verified.
    pub offsets: Option<Offsets>,
}

/// The content of a file, in a draft.
#[derive(Debug)]
pub struct Copied {
    /// The draft.
    pub draft: Draft,
    /// The bytes that it has.
    pub size: u64,
    /// Their checksum.
    pub checksum: Checksum,
    /// An ETag without quotes. It is not the MD5 of the content, which would cost as much as all the rest. Like those of uploads in
    /// parts it has a number of parts, so no client takes it for one.
    pub etag: String,
}

/// Why a file is not copied.
#[derive(Debug)]
pub enum NotCopied {
    /// It is a directory, a link, or something else that is no file.
    NoFile,
    /// It has this size, and not the one that is known.
    OtherSize(u64),
    /// It is being changed.
    Changing,
    /// It is not the log segment that it should be.
    Damaged(Wrong),
    /// The pool cannot.
    Pool(Error),
}

impl From<Error> for NotCopied {
    fn from(error: Error) -> NotCopied {
        NotCopied::Pool(error)
    }
}

/// Copies a file that nobody changes meanwhile, and verifies the copy.
pub async fn copy(
    pool: &Pool,
    bucket: VolumeId,
    file: Handle,
    known: Known,
    algorithm: Algorithm,
) -> Result<Copied, NotCopied> {
    for _ in 0..TRIES_MAX {
        let attempt = attempt(pool, bucket, file, known, algorithm).await?;
        if let Some(copied) = unchanged(pool, attempt).await? {
            return Ok(copied);
        }
    }
    Err(NotCopied::Changing)
}

/// A copy of a file that may have been changed meanwhile.
struct Attempt {
    draft: Draft,
    attributes: Attributes,
    checked: Result<Checksum, NotCopied>,
}

async fn attempt(
    pool: &Pool,
    bucket: VolumeId,
    file: Handle,
    known: Known,
    algorithm: Algorithm,
) -> Result<Attempt, NotCopied> {
    let attributes = pool.getattr(file).await?;
    if attributes.kind != Kind::File {
        return Err(NotCopied::NoFile);
    }
    if known.size.is_some_and(|size| size != attributes.size) {
        return Err(NotCopied::OtherSize(attributes.size));
    }
    let draft = pool.draft_create(bucket).await?;
    // A file that was truncated meanwhile does not have the range: as good a reason to begin anew as any other change.
    let checked = match pool.draft_copy(&draft, file, 0..attributes.size).await {
        Ok(_) => verify(pool, &draft, attributes.size, known.offsets, algorithm).await,
        Err(error) => Err(error.into()),
    };
    Ok(Attempt { draft, attributes, checked })
}

/// The copy, unless the file was changed since the attempt began.
async fn unchanged(pool: &Pool, attempt: Attempt) -> Result<Option<Copied>, NotCopied> {
    let Attempt { draft, attributes, checked } = attempt;
    let now = pool.getattr(attributes.handle).await?;
    if (now.size, now.change) != (attributes.size, attributes.change) {
        return Ok(None);
    }
    let checksum = checked?;
    let etag = etag(&attributes, &checksum);
    Ok(Some(Copied { draft, size: attributes.size, checksum, etag }))
}

/// Reads the copy once. What is published is exactly what was verified: nobody else knows the draft.
async fn verify(
    pool: &Pool,
    draft: &Draft,
    size: u64,
    offsets: Option<Offsets>,
    algorithm: Algorithm,
) -> Result<Checksum, NotCopied> {
    let mut checksum = Running::new(algorithm);
    let mut walk = offsets.map(Walk::new);
    each_piece(pool, draft.handle(), 0..size, |piece| {
        checksum.update(piece);
        walk.as_mut().map_or(Ok(()), |walk| walk.update(piece))
    })
    .await?
    .map_err(NotCopied::Damaged)?;
    walk.map_or(Ok(0), Walk::finish).map_err(NotCopied::Damaged)?;
    Ok(checksum.finish())
}

fn etag(attributes: &Attributes, checksum: &Checksum) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(ETAG_PURPOSE);
    let handle = attributes.handle;
    for number in [
        u64::from(handle.volume.0),
        handle.inode.0,
        u64::from(handle.generation),
        attributes.change,
        attributes.size,
    ] {
        hasher.update(&number.to_be_bytes());
    }
    hasher.update(checksum.value.as_bytes());
    let hex = hasher.finalize().to_hex();
    format!("{}-1", hex.get(..32).unwrap_or(&hex))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use forebay_pool::{BucketSpec, NewInode, PoolOptions, Stability, VolumeSpec};

    use super::*;

    #[tokio::test]
    async fn a_copy_counts_only_if_the_file_stayed_as_it_was() {
        let pool = Pool::in_memory(PoolOptions::default()).await.unwrap();
        let root = pool.volume_create(VolumeSpec::new("kafka", "/kafka")).await.unwrap().root;
        let bucket = pool.bucket_create(BucketSpec::new("tier"), |_| Ok(())).await.unwrap().id;
        let file = pool.create(root, b"file", NewInode::new(Kind::File, 0o644)).await.unwrap();
        let file = file.attributes.handle;
        let write = |text: &'static str| pool.write(file, 0, Bytes::from(text), Stability::Unstable);
        write("before").await.unwrap();
        let known = Known { size: Some(6), offsets: None };
        let try_once = || attempt(&pool, bucket, file, known, Algorithm::Crc32c);

        let first = try_once().await.unwrap();
        write("after!").await.unwrap();
        assert!(unchanged(&pool, first).await.unwrap().is_none());

        let second = try_once().await.unwrap();
        let copied = unchanged(&pool, second).await.unwrap().unwrap();
        let read = pool.read(copied.draft.handle(), 0, 100).await.unwrap();
        assert_eq!(read.pieces.concat(), b"after!");

        let third = try_once().await.unwrap();
        write("after! and longer").await.unwrap();
        assert!(unchanged(&pool, third).await.unwrap().is_none());
        assert!(matches!(try_once().await.err().unwrap(), NotCopied::OtherSize(17)));
        let directory = attempt(&pool, bucket, root, Known::default(), Algorithm::Crc32c).await;
        assert!(matches!(directory.err().unwrap(), NotCopied::NoFile));
    }
}
