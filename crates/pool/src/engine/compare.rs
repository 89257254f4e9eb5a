//! Compares the bytes before a chunk is shared, if the pool's options say so.
//!
//! A name is trusted: two contents with one name are one chunk (docs/decisions/0036-keyed-chunk-names.md). With
//! [`crate::PoolOptions::dedup_verify`] nothing is shared by its name alone. A plan compares what it names with the pool's bytes. What the
//! pool got under that name since, and what the cleaner moved, the committer compares. If the bytes differ, the flush fails.

use bytes::Bytes;

use crate::Result;
use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::ChunkId;
use crate::format::records::ChunkRecord;
use crate::parts::compared::{Compared, Place, name_is_taken, place_of};

/// How often a chunk is looked up again because it was moved during the read.
const TRIES_MAX: usize = 8;

impl Engine {
    /// Whether a plan or the pool has this very content under this name; `compared` is what the plan names so far. With `share`, looks
    /// in the pool. What the pool cannot read, it does not have. Blocks on the disk.
    pub(crate) fn has_same(
        &self,
        id: ChunkId,
        content: &Bytes,
        compared: &mut Compared,
        share: bool,
    ) -> Result<bool> {
        if compared.has(id, content)? {
            return Ok(true);
        }
        let place = if share { self.place_of_same(id, content)? } else { None };
        compared.add(id, content.clone(), place);
        // The cache may still have a chunk that was freed.
        self.caches.chunks.forget_other(id, content);
        Ok(place.is_some())
    }

    fn place_of_same(&self, id: ChunkId, content: &Bytes) -> Result<Option<Place>> {
        let mut record = self.chunk_record(id)?;
        for _ in 0..TRIES_MAX {
            let Some(known) = record.filter(|known| self.segments.holds(known)) else { return Ok(None) };
            if self.is_same(id, &known, content)? {
                return Ok(Some(place_of(&known)));
            }
            record = self.chunk_record_stored(id)?;
            if record.is_some_and(|now| place_of(&now) == place_of(&known)) {
                break;
            }
        }
        Ok(None)
    }

    /// Compares with the disk, because the cache may have a chunk that was freed. False if nothing intact is there.
    fn is_same(&self, id: ChunkId, known: &ChunkRecord, content: &Bytes) -> Result<bool> {
        let Ok(Some(stored)) = self.read_frame(id, known) else { return Ok(false) };
        self.meters.bytes_compared.add(stored.len() as u64);
        if stored == content { Ok(true) } else { Err(name_is_taken()) }
    }
}

impl Txn<'_> {
    /// Compares a content with the chunk that the pool has under its name by now, unless the plan has done so. Returns false if that
    /// chunk is not intact. Blocks on the disk, but only if another flush or the cleaner came in between.
    pub(crate) fn is_shareable(
        &mut self,
        id: ChunkId,
        placed: Option<&ChunkRecord>,
        compared: &Compared,
    ) -> Result<bool> {
        let Some((content, seen)) = compared.get(id) else { return Ok(true) };
        let Some(known) = self.chunk(id)? else { return Ok(true) };
        let here = Some(place_of(&known));
        if seen == here || placed.map(place_of) == here {
            return Ok(true);
        }
        self.engine.is_same(id, &known, content)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use crate::format::frames::ALIKE;
    use crate::sim::faulty::{FaultyDisk, options};
    use crate::{Handle, Kind, NewInode, Pool, PoolOptions, Result, Stability, VolumeSpec};

    /// Longer than a chunk, so that the first chunk is stored as one.
    const BYTES: usize = 200_000;

    fn verifying() -> PoolOptions {
        PoolOptions { dedup_verify: true, ..options() }
    }

    /// A content whose first chunk has the name of every other one, and that cannot be compressed.
    fn alike(seed: u8) -> Bytes {
        let mut content = vec![0; BYTES];
        blake3::Hasher::new().update(&[seed]).finalize_xof().fill(&mut content);
        content[..ALIKE.len()].copy_from_slice(ALIKE);
        content.into()
    }

    async fn write(pool: &Pool, name: &str, content: Bytes) -> (Handle, Result<()>) {
        let root = match pool.volumes().unwrap().first() {
            Some(volume) => volume.root,
            None => pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap().root,
        };
        let made = pool.create(root, name.as_bytes(), NewInode::new(Kind::File, 0o600)).await.unwrap();
        let file = made.attributes.handle;
        pool.write(file, 0, content, Stability::Unstable).await.unwrap();
        (file, pool.commit(file, 0, 0).await.map(drop))
    }

    async fn read(pool: &Pool, file: Handle) -> Vec<u8> {
        pool.read(file, 0, u32::MAX).await.unwrap().pieces.concat()
    }

    #[tokio::test]
    async fn without_a_comparison_a_name_is_trusted() {
        let pool = Arc::<FaultyDisk>::default().open(options()).unwrap();
        write(&pool, "one", alike(1)).await.1.unwrap();
        let (other, written) = write(&pool, "other", alike(2)).await;
        written.unwrap();
        assert_ne!(read(&pool, other).await, alike(2));
    }

    #[tokio::test]
    async fn a_content_whose_name_is_taken_is_refused_and_harms_nothing() {
        let disk = Arc::<FaultyDisk>::default();
        let pool = disk.open(verifying()).unwrap();
        let (one, written) = write(&pool, "one", alike(1)).await;
        written.unwrap();
        let (other, refused) = write(&pool, "other", alike(2)).await;
        assert!(refused.unwrap_err().to_string().contains("same name"));
        assert_eq!(read(&pool, one).await, alike(1));
        // The bytes that were refused are still in memory.
        assert_eq!(read(&pool, other).await, alike(2));
        let (third, written) = write(&pool, "third", alike(1)).await;
        written.unwrap();
        let counters = pool.counters().unwrap();
        assert!(counters.bytes_compared > 100_000, "{counters:?}");
        assert!(pool.stored().unwrap().bytes_live < 300_000, "stored once");
        drop(pool);
        disk.crash(1);
        let pool = disk.open(verifying()).unwrap();
        for file in [one, third] {
            assert_eq!(read(&pool, file).await, alike(1));
        }
        assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn two_chunks_of_one_file_are_compared_too() {
        let pool = Arc::<FaultyDisk>::default().open(verifying()).unwrap();
        let block = |seed: u8| alike(seed).slice(..128 << 10);
        let (_, refused) = write(&pool, "one", [block(1), block(2)].concat().into()).await;
        assert!(refused.unwrap_err().to_string().contains("same name"));
        let same = Bytes::from([block(1), block(1)].concat());
        let (file, written) = write(&pool, "other", same.clone()).await;
        written.unwrap();
        assert_eq!(read(&pool, file).await, same);
    }

    #[tokio::test]
    async fn a_chunk_that_cannot_be_read_is_stored_anew() {
        let disk = Arc::<FaultyDisk>::default();
        // With its real name, so that a read finds the damage.
        let content = alike(1).slice(1..);
        let pool = disk.open(verifying()).unwrap();
        let (one, written) = write(&pool, "one", content.clone()).await;
        written.unwrap();
        drop(pool);
        disk.crash(1);
        disk.flip_in_segments(50_000, 3).unwrap();
        let pool = disk.open(verifying()).unwrap();
        assert!(pool.read(one, 0, u32::MAX).await.is_err());
        let (other, written) = write(&pool, "other", content.clone()).await;
        written.unwrap();
        for file in [one, other] {
            assert_eq!(read(&pool, file).await, content.clone());
        }
        assert_eq!(pool.check(true).await.unwrap(), Vec::<String>::new());
    }
}
