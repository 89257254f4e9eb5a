//! The segments of a pool as objects.
//!
//! ```text
//!   segments/BBBBBBBBBB/IIIIIIIIIIIIIIII.seg   a segment: the start of the pool that wrote it, and its number
//!   lost+found/IIIIIIIIIIIIIIII.seg            a segment that the metadata does not name
//!   notes/START.NUMBER                         how far the metadata of a start reached
//!   forebay-pool                               says that a pool has its segments here
//! ```
//! Lists are in the order of names, so the segments of the last starts are found without a list of all.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use forebay_pool::store::{Connections, ObjectCounts, Room, SegmentId, SegmentStore, wait_in_place};
use forebay_pool::{Error, Result};
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectStore;

use crate::address::Address;
use crate::cache::{BLOCK_BYTES, Cache, CacheOptions};
use crate::client::{Client, Part};
use crate::gather::Gathered;
use crate::notes::BucketNotes;

/// The objects that are stored at the same time.
const PUTS_MAX: usize = 8;
/// The most blocks that one request reads.
const RUN_BLOCKS_MAX: u64 = 16;
/// The blocks that are read at the beginning of a segment: whoever reads there mostly goes on. A segment that has no more is read whole.
const RUN_BLOCKS_FIRST: u64 = 8;
/// Reads of different places of the same segments that may be under way.
const STRIPES: usize = 64;
/// The object that marks a place as taken.
const MARK: &str = "forebay-pool";

/// The settings of the store.
#[derive(Clone, Debug)]
pub struct BucketOptions {
    /// How long a request is repeated while the bucket does not answer, before it counts as failed and the pool stops. Default 120 s.
    pub outage_max: Duration,
    /// What is kept of objects that were read or stored.
    pub cache: CacheOptions,
}

impl Default for BucketOptions {
    fn default() -> Self {
        BucketOptions { outage_max: Duration::from_secs(120), cache: CacheOptions::default() }
    }
}

/// The segments of one pool in a bucket. See the crate's documentation.
pub struct BucketSegments {
    shared: Arc<Shared>,
    connections: Arc<Connections>,
}

struct Shared {
    client: Arc<Client>,
    cache: Cache,
    /// Segments that are not stored yet.
    gathered: Mutex<HashMap<SegmentId, Gathered>>,
    /// The lengths of objects, as far as they are known.
    lengths: Mutex<HashMap<SegmentId, u64>>,
    /// Held while blocks are read from the bucket, so that several readers do not ask for the same ones.
    stripes: Vec<Mutex<()>>,
    hits: Mutex<(u64, u64)>,
    /// What was last read past the cache, for the scrub, which goes through a segment frame by frame.
    fresh: Mutex<Option<Fresh>>,
}

/// Blocks that came from the bucket. What was asked for already is not taken from them again, because it may be wrong.
struct Fresh {
    id: SegmentId,
    first: u64,
    blocks: Vec<Bytes>,
    /// The end of what was asked for.
    served: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until no other reader holds the stripe, which may take as long as the bucket does not answer.
fn lock_stripe(stripe: &Mutex<()>) -> MutexGuard<'_, ()> {
    match stripe.try_lock() {
        Ok(free) => free,
        Err(_) => wait_in_place(|| lock(stripe)),
    }
}

fn folder_of(boot: u64) -> String {
    format!("segments/{boot:010x}")
}

fn object_of(id: SegmentId) -> String {
    format!("{}/{:016x}.seg", folder_of(id.boot()), id.number())
}

fn aside_of(id: SegmentId) -> String {
    format!("lost+found/{:016x}.seg", id.number())
}

/// The segment whose object has this name. The whole name counts, because another pool may have a prefix below the same folder.
fn id_of(object: &str, name_of: impl Fn(SegmentId) -> String) -> Option<SegmentId> {
    let number = object.rsplit('/').next()?.strip_suffix(".seg")?;
    let id = u64::from_str_radix(number, 16).ok().map(SegmentId::of)?;
    (name_of(id) == object).then_some(id)
}

impl BucketSegments {
    /// Opens the segments at this address. Sends no request. Must not be called by a thread that runs tasks.
    pub fn open(address: Address, options: BucketOptions) -> Result<BucketSegments> {
        let store = address.open()?;
        BucketSegments::on(address, store, options)
    }

    /// Like [`BucketSegments::open`], with any store of objects. For tests.
    pub fn on(
        address: Address,
        store: Arc<dyn ObjectStore>,
        options: BucketOptions,
    ) -> Result<BucketSegments> {
        let connections = Arc::new(Connections::start("pool-bucket", 2)?);
        let place = format!("{} {address}", address.endpoint.as_deref().unwrap_or_default());
        let shared = Shared {
            client: Arc::new(Client::new(address, store, options.outage_max)),
            cache: Cache::open(options.cache, &place),
            gathered: Mutex::default(),
            lengths: Mutex::default(),
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            hits: Mutex::default(),
            fresh: Mutex::default(),
        };
        Ok(BucketSegments { shared: Arc::new(shared), connections })
    }

    /// Fails if a pool has this place already, or if objects are there. Blocks.
    pub fn require_free(&self) -> Result<()> {
        self.run(|shared| async move {
            let client = &shared.client;
            if !client.list("segments", None).await?.is_empty() || client.get(MARK, None).await?.is_some() {
                let cause =
                    "a pool has its segments there; choose another prefix, which is to be the pool's alone";
                return Err(Error::invalid_arguments(format!("{}: {cause}", client.address)));
            }
            Ok(())
        })
    }

    /// Marks the place as that of the new pool `name`. Fails if another pool has it already. Blocks.
    pub fn claim(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.run(|shared| async move {
            let client = &shared.client;
            let text = format!("The objects below this name belong to the Forebay pool {name}.\n");
            client.create(MARK, vec![Bytes::from(text)]).await
        })
    }

    /// Small texts beside the segments.
    pub fn notes(&self) -> BucketNotes {
        BucketNotes::new(self.shared.client.clone(), self.connections.clone())
    }

    /// What the store has done since it was opened.
    pub fn counts(&self) -> ObjectCounts {
        let used = self.shared.cache.used();
        let (cache_hits, cache_misses) = *lock(&self.shared.hits);
        ObjectCounts {
            cache_hits,
            cache_misses,
            cache_memory_bytes: used.memory_bytes,
            cache_disk_bytes: used.disk_bytes,
            ..self.shared.client.counts()
        }
    }

    fn run<T: Send + 'static, F>(&self, work: impl FnOnce(Arc<Shared>) -> F) -> Result<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        self.connections.run(work(self.shared.clone()))
    }
}

impl Shared {
    /// Stores a segment that is gathered. It can be read all the time.
    async fn put(self: Arc<Self>, id: SegmentId) -> Result<()> {
        let Some((bytes, length)) =
            lock(&self.gathered).get(&id).map(|segment| (segment.all(), segment.length()))
        else {
            return Ok(());
        };
        self.client.create(&object_of(id), bytes.clone()).await?;
        lock(&self.lengths).insert(id, length);
        let stored = lock(&self.gathered).remove(&id);
        if let Some(stored) = stored {
            for number in 0..length.div_ceil(BLOCK_BYTES) {
                let at = number * BLOCK_BYTES;
                let count = (length - at).min(BLOCK_BYTES) as usize;
                if let Some(block) = stored.read(at, count) {
                    self.cache.put((id, number), block);
                }
            }
        }
        Ok(())
    }

    fn known_length(&self, id: SegmentId) -> Option<u64> {
        lock(&self.lengths).get(&id).copied()
    }

    /// The length of a stored segment.
    async fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        if let Some(length) = self.known_length(id) {
            return Ok(Some(length));
        }
        let length = self.client.length(&object_of(id)).await?;
        if let Some(length) = length {
            lock(&self.lengths).insert(id, length);
        }
        Ok(length)
    }

    /// Reads blocks from the bucket. Returns the first of them; none if the object does not exist or ends before.
    async fn fetch(&self, id: SegmentId, first: u64, count: u64) -> Result<Option<Vec<Bytes>>> {
        let from = first * BLOCK_BYTES;
        // The answer says how long the object is. But only at its beginning it certainly has bytes.
        let known = if first == 0 { self.known_length(id) } else { self.length(id).await? };
        if known.is_some_and(|length| from >= length) || (known.is_none() && first > 0) {
            return Ok(None);
        }
        let end = |length: u64| ((first + count) * BLOCK_BYTES).min(length);
        let part = self.client.get(&object_of(id), Some(from..end(known.unwrap_or(u64::MAX)))).await?;
        let is_whole = |part: &Part| {
            known.is_none_or(|length| length == part.length)
                && part.bytes.len() as u64 == end(part.length) - from
        };
        let Some(part) = part.filter(is_whole) else {
            // It was deleted, or it is not what it was. What the cache has of it may be all that is left.
            lock(&self.lengths).remove(&id);
            return Ok(None);
        };
        lock(&self.lengths).insert(id, part.length);
        let blocks = part.bytes.len().div_ceil(BLOCK_BYTES as usize);
        let block = |number: usize| {
            let at = number * BLOCK_BYTES as usize;
            part.bytes.slice(at..part.bytes.len().min(at + BLOCK_BYTES as usize))
        };
        Ok(Some((0..blocks).map(block).collect()))
    }

    /// Reads blocks from the bucket into the cache.
    async fn load(&self, id: SegmentId, first: u64, count: u64) -> Result<Option<Vec<Bytes>>> {
        let Some(blocks) = self.fetch(id, first, count).await? else { return Ok(None) };
        for (number, block) in blocks.iter().enumerate() {
            // A copy of its own: a block must not keep the whole answer in memory.
            self.cache.put((id, first + number as u64), Bytes::copy_from_slice(block));
        }
        Ok(Some(blocks))
    }

    /// Which blocks to read if `wanted` from `first` on are missing. Of a segment that may be small, all that are missing around them, since a
    /// stream's parts are scattered over it, and one request costs as much as several blocks. Otherwise those ahead: the more, the more of those
    /// before were read.
    fn run_of(&self, id: SegmentId, first: u64, wanted: u64) -> Range<u64> {
        let is_missing = |number: &u64| !self.cache.has((id, *number));
        let known = self.known_length(id);
        let is_small = first + wanted <= RUN_BLOCKS_FIRST
            && known.is_none_or(|length| length <= RUN_BLOCKS_FIRST * BLOCK_BYTES);
        let start = match known {
            _ if !is_small => first,
            // The answer tells the length. From any other block on, that would be asked for first.
            None => 0,
            Some(_) => first - (0..first).rev().take_while(is_missing).count() as u64,
        };
        let ahead = if is_small || first == 0 {
            RUN_BLOCKS_FIRST - first
        } else {
            2 * (first.saturating_sub(RUN_BLOCKS_MAX)..first).rev().take_while(|it| !is_missing(it)).count()
                as u64
        };
        let ahead = ahead.clamp(wanted, RUN_BLOCKS_MAX.max(wanted));
        start..first + wanted + (first + wanted..first + ahead).take_while(is_missing).count() as u64
    }

    fn forget(&self, id: SegmentId) {
        lock(&self.lengths).remove(&id);
        self.cache.forget(id);
    }
}

/// The room of a bucket, which has no end: as much as a file system can report.
pub struct BucketRoom;

impl Room for BucketRoom {
    fn bytes(&self) -> Result<(u64, u64)> {
        Ok((1 << 50, 1 << 50))
    }
}

/// Exactly these bytes of adjacent blocks, of which the first one begins at `from`. They are copied: a small chunk must not keep a whole block, or the
/// whole answer that the block came with, in memory.
fn assemble(blocks: &[Bytes], from: u64, offset: u64, length: usize) -> Option<Bytes> {
    let at = usize::try_from(offset.checked_sub(from)?).ok()?;
    if let [only] = blocks {
        return only.get(at..at.checked_add(length)?).map(Bytes::copy_from_slice);
    }
    let mut bytes = BytesMut::with_capacity(length);
    let mut skip = at;
    for block in blocks {
        let part = block.get(skip.min(block.len())..).unwrap_or_default();
        skip = skip.saturating_sub(block.len());
        bytes.extend_from_slice(part.get(..part.len().min(length - bytes.len())).unwrap_or_default());
    }
    (bytes.len() == length).then(|| bytes.freeze())
}

impl SegmentStore for BucketSegments {
    fn keeps_objects(&self) -> bool {
        true
    }

    fn object_counts(&self) -> Option<ObjectCounts> {
        Some(self.counts())
    }

    /// Stores an object, reads it and deletes it, so that a bucket that cannot be used is found before anything depends on it.
    fn prepare(&self) -> Result<()> {
        self.run(|shared| async move {
            let client = &shared.client;
            let mut random = [0; 16];
            getrandom::fill(&mut random)
                .map_err(|error| Error::Failed(format!("no random numbers: {error}")))?;
            let name = format!("probe/{}", hex_simd::encode_to_string(random, hex_simd::AsciiCase::Lower));
            client.create(&name, vec![Bytes::copy_from_slice(&random)]).await?;
            let read = client.get(&name, None).await?;
            client.delete(&name).await?;
            if read.is_none_or(|part| part.bytes != random[..]) {
                let cause = "an object that was just stored reads differently; the pool needs a bucket that shows what was stored at once";
                return Err(Error::invalid_arguments(format!("{}: {cause}", client.address)));
            }
            Ok(())
        })
    }

    fn create(&self, id: SegmentId, _bytes: u64) -> Result<()> {
        lock(&self.shared.gathered).insert(id, Gathered::default());
        Ok(())
    }

    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        let mut gathered = lock(&self.shared.gathered);
        let segment = gathered
            .get_mut(&id)
            .ok_or_else(|| Error::Failed(format!("segment {id} is stored already, or was never created")))?;
        let mut at = offset;
        for part in parts {
            segment.write(at, part);
            at = at.saturating_add(part.len() as u64);
        }
        Ok(())
    }

    fn sync(&self, id: SegmentId) -> Result<()> {
        self.sync_all(&[id])
    }

    fn sync_all(&self, ids: &[SegmentId]) -> Result<()> {
        let ids = ids.to_vec();
        self.run(|shared| async move {
            let puts = ids.into_iter().map(|id| shared.clone().put(id));
            futures::stream::iter(puts).buffer_unordered(PUTS_MAX).try_collect::<Vec<()>>().await.map(drop)
        })
    }

    /// A stored object has its length.
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        if let Some(segment) = lock(&self.shared.gathered).get_mut(&id) {
            segment.truncate(bytes);
        }
        Ok(())
    }

    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        if let Some(segment) = lock(&self.shared.gathered).get(&id) {
            return Ok(segment.read(offset, length));
        }
        let Some(end) = offset.checked_add(length as u64) else { return Ok(None) };
        if self.shared.known_length(id).is_some_and(|known| end > known) {
            return Ok(None);
        }
        let (first, last) = (offset / BLOCK_BYTES, end.saturating_sub(1).max(offset) / BLOCK_BYTES);
        let mut blocks = Vec::new();
        let mut number = first;
        while number <= last {
            if let Some(block) = self.shared.cache.get((id, number)) {
                lock(&self.shared.hits).0 += 1;
                blocks.push(block);
                number += 1;
                continue;
            }
            let stripe = (id.number() ^ (number / RUN_BLOCKS_MAX).wrapping_mul(7)) as usize % STRIPES;
            let _reading = self.shared.stripes.get(stripe).map(lock_stripe);
            // Another reader may have read it meanwhile.
            if self.shared.cache.has((id, number))
                && let Some(block) = self.shared.cache.get((id, number))
            {
                blocks.push(block);
                number += 1;
                continue;
            }
            let Range { start, end } = self.shared.run_of(id, number, last - number + 1);
            let Some(fetched) =
                self.run(|shared| async move { shared.load(id, start, end - start).await })?
            else {
                return Ok(None);
            };
            lock(&self.shared.hits).1 += fetched.len() as u64;
            let read = start + fetched.len() as u64;
            let wanted = (last - number + 1) as usize;
            blocks.extend(fetched.into_iter().skip((number - start) as usize).take(wanted));
            if read <= last {
                break;
            }
            number = last + 1;
        }
        Ok(assemble(&blocks, first * BLOCK_BYTES, offset, length))
    }

    fn read_stored(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        if lock(&self.shared.gathered).contains_key(&id) {
            return self.read(id, offset, length);
        }
        let Some(end) = offset.checked_add(length as u64) else { return Ok(None) };
        let (first, last) = (offset / BLOCK_BYTES, end.saturating_sub(1).max(offset) / BLOCK_BYTES);
        let mut count = last - first + 1;
        // Not locked while the bucket is asked: others must not wait for its answer.
        let known = lock(&self.shared.fresh).take();
        if let Some(mut known) = known.filter(|known| known.id == id && known.served <= offset) {
            if let Some(bytes) = assemble(&known.blocks, known.first * BLOCK_BYTES, offset, length) {
                known.served = end;
                *lock(&self.shared.fresh) = Some(known);
                return Ok(Some(bytes));
            }
            // It goes through the segment.
            count = count.max(RUN_BLOCKS_MAX);
        }
        lock(&self.shared.lengths).remove(&id);
        let Some(blocks) = self.run(|shared| async move { shared.fetch(id, first, count).await })? else {
            return Ok(None);
        };
        let bytes = assemble(&blocks, first * BLOCK_BYTES, offset, length);
        *lock(&self.shared.fresh) = Some(Fresh { id, first, blocks, served: end });
        Ok(bytes)
    }

    fn forget_cached(&self, id: SegmentId, offset: u64, length: usize) {
        let last = offset.saturating_add(length as u64).saturating_sub(1).max(offset) / BLOCK_BYTES;
        (offset / BLOCK_BYTES..=last).for_each(|number| self.shared.cache.remove((id, number)));
    }

    fn delete(&self, id: SegmentId) -> Result<bool> {
        lock(&self.shared.gathered).remove(&id);
        self.run(|shared| async move {
            shared.client.delete(&object_of(id)).await?;
            shared.forget(id);
            Ok(true)
        })
    }

    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        if let Some(segment) = lock(&self.shared.gathered).get(&id) {
            return Ok(Some(segment.length()));
        }
        self.run(|shared| async move { shared.client.length(&object_of(id)).await })
    }

    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.list_since(SegmentId::of(0))
    }

    fn list_since(&self, first: SegmentId) -> Result<Vec<(SegmentId, u64)>> {
        let gathered: HashMap<SegmentId, u64> =
            lock(&self.shared.gathered).iter().map(|(id, segment)| (*id, segment.length())).collect();
        let listed = self.run(|shared| async move {
            // The list begins after this name.
            let from = first.number().checked_sub(1).map(|before| object_of(SegmentId::of(before)));
            let listed = shared.client.list("segments", from.as_deref()).await?;
            Ok(listed
                .into_iter()
                .filter_map(|(name, bytes)| Some((id_of(&name, object_of)?, bytes)))
                .collect::<Vec<_>>())
        })?;
        let mut all: HashMap<SegmentId, u64> = gathered;
        all.extend(listed);
        Ok(all.into_iter().filter(|(id, _)| *id >= first).collect())
    }

    /// A deletion that was answered is durable.
    fn sync_deletions(&self) -> Result<bool> {
        Ok(true)
    }

    fn set_aside(&self, id: SegmentId) -> Result<()> {
        // What was never stored is in no bucket.
        let gathered = lock(&self.shared.gathered).contains_key(&id);
        if gathered {
            self.sync(id)?;
        }
        self.run(|shared| async move {
            shared.client.rename(&object_of(id), &aside_of(id)).await?;
            shared.forget(id);
            Ok(())
        })
    }

    fn set_aside_all(&self, ids: &[SegmentId]) -> Result<()> {
        let is_gathered = |id: &SegmentId| lock(&self.shared.gathered).contains_key(id);
        if ids.iter().any(is_gathered) {
            return ids.iter().try_for_each(|id| self.set_aside(*id));
        }
        let ids = ids.to_vec();
        self.run(|shared| async move {
            let moves = ids.into_iter().map(|id| {
                let shared = shared.clone();
                async move {
                    let moved = shared.client.rename(&object_of(id), &aside_of(id)).await;
                    shared.forget(id);
                    moved
                }
            });
            futures::stream::iter(moves).buffer_unordered(PUTS_MAX).try_collect::<Vec<()>>().await.map(drop)
        })
    }

    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.run(|shared| async move {
            let listed = shared.client.list("lost+found", None).await?;
            let named = |(name, bytes): (String, u64)| Some((id_of(&name, aside_of)?, bytes));
            Ok(listed.into_iter().filter_map(named).collect())
        })
    }

    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        self.run(|shared| async move { shared.client.delete(&aside_of(id)).await })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_name_of_an_object_names_a_segment() {
        for number in [0, 7, 5 << 24, 1 << 62 | 3 << 36 | 9, u64::MAX] {
            let id = SegmentId::of(number);
            assert_eq!(id_of(&object_of(id), object_of), Some(id));
            assert_eq!(id_of(&aside_of(id), aside_of), Some(id));
            // An object of a pool whose prefix ends with `segments` or `lost+found`.
            for other in [object_of(id), aside_of(id)] {
                assert_eq!(id_of(&format!("segments/{other}"), object_of), None);
                assert_eq!(id_of(&format!("lost+found/{other}"), aside_of), None);
            }
            assert_eq!(id_of(&aside_of(id), object_of), None);
        }
        for other in
            ["segments/0000000000/7.seg", "segments/0000000001/0000000000000007.seg", "segments/x", ""]
        {
            assert_eq!(id_of(other, object_of), None, "{other}");
        }
    }

    #[test]
    fn what_was_read_does_not_keep_the_answer_in_memory() {
        let answer = Bytes::from(vec![7_u8; 3000]);
        let blocks = [answer.slice(1000..2000)];
        drop(answer);
        for length in [50, 1000] {
            let read = assemble(&blocks, 1000, 1000, length).unwrap();
            assert_eq!(read.len(), length);
            assert!(blocks[0].is_unique(), "{length} bytes share the memory of the answer");
        }
        assert_eq!(assemble(&blocks, 1000, 1000, 1001), None);
    }
}
