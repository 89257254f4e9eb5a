//! Turns inline bytes into chunks.
//!
//! The bytes of adjacent extents become one or more chunks. Chunks that the pool does not have are appended and synced. Then
//! one batch makes each extent's record point to its part of a chunk, unless the record has changed since it was read.
//! Nothing else in the record changes, so every view still shows the same bytes, and the cutter continues there as before.
//! Therefore this is safe for all stored versions, whether a volume shows them or only a snapshot. A crash at any point
//! leaves each extent either inline or in a chunk.
//!
//! The file's `order` lock is held meanwhile, because a flush relies on the extents that it has read. A file whose lock
//! another task holds is left for later. Steps are small and paced, so that clients hardly notice them.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Duration, Instant};

use crate::base::pace::pace;
use crate::base::sync;
use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::cut::CHUNK_BYTES_MAX;
use crate::format::frames::{Packed, Packer, count_packed};
use crate::format::keys::{self, ChunkId, Epoch, InodeKey, Item, Key};
use crate::format::records::{ChunkRecord, Content, ExtentRecord, Record, is_tombstone, malformed};
use crate::parts::compared::Compared;
use crate::parts::inode::Inode;
use crate::store::meta::MetaView;
use crate::store::resilient::{ResilientView, unreadable};
use crate::store::segment::Appended;
use crate::{Compression, Error, Result};

/// The number of inline bytes that one step turns into chunks, and the number of files that they may come from.
const STEP_BYTES_MAX: u64 = 4 << 20;
const STEP_FILES_MAX: usize = 64;
/// The number of keys that are read without a pause.
const STEP_KEYS_MAX: u64 = if cfg!(test) { 20 } else { 64 << 10 };
/// An estimate of the bytes of a key with its record.
const KEY_BYTES: u64 = 100;
/// The speed limit while the pool is in use.
const BYTES_PER_SECOND: u64 = 64 << 20;
/// How long chunking waits for a file's lock.
const LOCK_WAIT_MAX: Duration = Duration::from_secs(1);
/// How long chunking may delay the closing of the pool.
const CLOSE_MAX: Duration = Duration::from_secs(10);

/// A stored version of an extent with inline bytes.
struct Version {
    key: Key,
    epoch: Epoch,
    offset: u64,
    bytes: Bytes,
}

/// The result of reading stored extents.
#[derive(Default)]
struct Found {
    versions: Vec<Version>,
    /// The total number of inline bytes.
    bytes: u64,
    /// The number of keys that were read.
    keys: u64,
    /// Records that cannot be read, one sentence for each.
    damaged: Vec<String>,
    /// The key to continue with.
    next: Option<Key>,
}

/// The work of one step.
#[derive(Default)]
struct Step {
    versions: Vec<(Compression, Vec<Version>)>,
    bytes: u64,
    keys: u64,
    /// Files that have been read completely.
    done: Vec<InodeKey>,
    /// The number of files whose lock another task held.
    left: usize,
    /// Records that cannot be read, one sentence for each.
    damaged: Vec<String>,
    orders: Vec<OwnedMutexGuard<()>>,
}

/// What chunking could not do.
#[derive(Default)]
struct Undone {
    files: usize,
    /// Records that cannot be read, one sentence for each.
    damaged: Vec<String>,
}

/// Adjacent extents, and the chunk that they will point to.
struct Group {
    id: ChunkId,
    versions: Vec<Version>,
}

impl Engine {
    /// Chunks the inline bytes of the files that are due.
    pub(crate) async fn chunk_round(self: &Arc<Self>) -> Result<()> {
        let due = self.writes.inline.due(self.options.inline_age);
        let undone = self.chunk_files(due, None).await?;
        for damage in undone.damaged {
            tracing::error!(damage, "inline bytes cannot be read, and stay in the metadata store");
        }
        Ok(())
    }

    /// Chunks all inline bytes before the pool is closed, so that they have a second copy. A failure must not keep the pool
    /// open.
    pub(crate) async fn chunk_before_close(self: &Arc<Self>) {
        let due = self.writes.inline.due(Duration::ZERO);
        if due.is_empty() || self.stopped.check().is_err() {
            return;
        }
        match self.chunk_files(due, Some(Instant::now() + CLOSE_MAX)).await {
            Ok(Undone { files: 0, damaged }) if damaged.is_empty() => {}
            Ok(Undone { files, damaged }) => tracing::warn!(
                files,
                damaged = ?damaged,
                "closing: inline bytes of some files stay in the metadata store; a scrub chunks them"
            ),
            Err(error) => {
                tracing::warn!(%error, "closing: inline bytes stay in the metadata store; a scrub chunks them")
            }
        }
    }

    /// Chunks the inline bytes of every file that no client is writing to, as long as `goes_on` returns true. Returns the
    /// damage that it finds, except for gaps in the metadata, which [`Engine::scrub_metadata`] counts.
    pub(crate) async fn chunk_all(self: &Arc<Self>, goes_on: impl Fn() -> bool) -> Result<Vec<String>> {
        let Range { start, end } = keys::items_of_all(keys::EXTENT);
        let view = Arc::new(ResilientView::new(self.stores.meta.clone()));
        let (mut at, mut damaged) = (Some(start), Vec::new());
        while let Some(start) = at.filter(|_| goes_on()) {
            self.require_open()?;
            let began = Instant::now();
            let (view, range) = (view.clone(), start..end.clone());
            let mut found = sync::blocking(move || find_inline(&*view, range, STEP_BYTES_MAX)).await?;
            damaged.append(&mut found.damaged);
            at = found.next;
            let mut files: Vec<InodeKey> =
                found.versions.iter().filter_map(|version| keys::inode_in(&version.key)).collect();
            files.dedup();
            files.retain(|key| !self.writes.inline.is_young(*key, self.options.inline_age));
            let undone = self.chunk_files(files, None).await?;
            damaged.extend(undone.damaged);
            let bytes = found.keys * KEY_BYTES;
            self.pause_until(began + pace(bytes, self.options.scrub_bytes_per_second)).await;
        }
        damaged.sort_unstable();
        damaged.dedup();
        Ok(damaged)
    }

    /// Chunks all readable inline bytes of the files. With a deadline, which a pool that is closing sets, it does not pause,
    /// and stops at the deadline.
    async fn chunk_files(
        self: &Arc<Self>,
        files: Vec<InodeKey>,
        deadline: Option<Instant>,
    ) -> Result<Undone> {
        let start = |key: InodeKey| (key, keys::extents(key, 0..u64::MAX));
        let mut waiting: VecDeque<(InodeKey, Range<Key>)> = files.into_iter().map(start).collect();
        let mut undone = Undone::default();
        while !waiting.is_empty() {
            let began = Instant::now();
            match deadline {
                Some(deadline) if began >= deadline => break,
                Some(_) => {}
                None => self.require_open()?,
            }
            let mut step = self.next_step(&mut waiting).await?;
            undone.files += step.left;
            undone.damaged.append(&mut step.damaged);
            let (bytes, done) = (step.bytes + step.keys * KEY_BYTES, std::mem::take(&mut step.done));
            match self.chunk_step(step).await {
                Ok(()) => {}
                // A chunk's record cannot be read. Trying again would not help. The next scrub tries again.
                Err(error) if unreadable(&error).is_some() => {
                    self.stopped.check()?;
                    undone.damaged.push(error.to_string());
                }
                Err(error) => return Err(error),
            }
            done.into_iter().for_each(|key| self.writes.inline.forget(key));
            if deadline.is_none() {
                self.pause_until(began + pace(bytes, BYTES_PER_SECOND)).await;
            }
        }
        undone.files += waiting.len();
        Ok(undone)
    }

    async fn next_step(self: &Arc<Self>, waiting: &mut VecDeque<(InodeKey, Range<Key>)>) -> Result<Step> {
        let mut step = Step::default();
        while step.bytes < STEP_BYTES_MAX && step.orders.len() < STEP_FILES_MAX {
            let Some((key, range)) = waiting.pop_front() else { break };
            let inode = match self.inode_by_key(key) {
                Ok(inode) => inode,
                // The volume is gone.
                Err(Error::Stale) => {
                    self.writes.inline.forget(key);
                    continue;
                }
                Err(error) if unreadable(&error).is_some() => {
                    step.damaged.push(error.to_string());
                    self.writes.inline.forget(key);
                    continue;
                }
                Err(error) => return Err(error),
            };
            // Without an inode nobody can change the extents: only snapshots show them.
            if let Some(inode) = inode {
                match order_of(&inode, step.orders.is_empty()).await {
                    Some(order) => step.orders.push(order),
                    None if step.orders.is_empty() => {
                        step.left += 1;
                        continue;
                    }
                    // Waiting for this lock is safe while no other file is locked.
                    None => {
                        waiting.push_front((key, range));
                        break;
                    }
                }
                self.caches.tails.forget(key);
            }
            let view = ResilientView::new(self.stores.meta.clone());
            let (budget, from) = (STEP_BYTES_MAX - step.bytes, range.clone());
            let found = sync::blocking(move || find_inline(&view, from, budget)).await?;
            step.damaged.extend(found.damaged);
            step.bytes += found.bytes;
            step.keys += found.keys;
            let compression =
                self.volumes.get(key.volume).map_or(Compression::None, |it| it.spec.compression);
            step.versions.push((compression, found.versions));
            let Some(next) = found.next else {
                step.done.push(key);
                continue;
            };
            // This file's lock is taken already.
            waiting.push_front((key, next..range.end));
            break;
        }
        Ok(step)
    }

    async fn chunk_step(self: &Arc<Self>, step: Step) -> Result<()> {
        let Step { versions, orders, .. } = step;
        let engine = self.clone();
        let (groups, compared, appended) = sync::blocking(move || engine.store_inline(versions)).await?;
        if !groups.is_empty() {
            self.transact(move |txn| {
                // Release the locks when the batch is applied, or when it is dropped.
                txn.then(move |_| drop(orders));
                let placed = appended.iter().flat_map(|appended| &appended.placed);
                let placed = placed.map(|placed| (placed.id, placed.record)).collect();
                for group in &groups {
                    stage(txn, group, &placed, &compared)?;
                }
                appended.into_iter().for_each(Appended::named);
                Ok(())
            })
            .await?;
        }
        Ok(())
    }

    /// Cuts the versions into groups, and appends and syncs the chunks that the pool does not have.
    fn store_inline(
        &self,
        versions: Vec<(Compression, Vec<Version>)>,
    ) -> Result<(Vec<Group>, Compared, Option<Appended>)> {
        let names = &self.identity.names;
        let mut named = Vec::new();
        for (compression, versions) in versions {
            for versions in group(versions) {
                let content: Vec<u8> =
                    versions.iter().flat_map(|version| &version.bytes[..]).copied().collect();
                let content = Bytes::from(content);
                named.push((compression, content.clone(), Group { id: names.name(&content), versions }));
            }
        }
        self.warm_chunks(named.iter().map(|(_, _, group)| group.id))?;
        let (mut groups, mut fresh, mut known) = (Vec::new(), Vec::<Packed>::new(), HashSet::new());
        let (mut packer, mut compared) = (Packer::default(), Compared::default());
        for (compression, content, group) in named {
            let is_new = known.insert(group.id);
            let is_known = if self.options.dedup_verify {
                match self.has_same(group.id, &content, &mut compared, true) {
                    // These bytes stay inline, and must not keep others from being chunked.
                    Err(Error::Damaged(damage)) => {
                        tracing::error!(damage, "inline bytes stay in the metadata store");
                        continue;
                    }
                    is_same => is_same?,
                }
            } else {
                !is_new || self.chunk_record(group.id)?.is_some_and(|known| self.segments.holds(&known))
            };
            if !is_known {
                fresh.push(packer.pack(names.naming(), group.id, &content, compression));
            }
            groups.push(group);
        }
        if fresh.is_empty() {
            return Ok((groups, compared, None));
        }
        count_packed(&fresh, &self.meters);
        let appended = self.stores.writer.append(&fresh)?;
        self.stores.writer.sync(appended.ticket).inspect_err(|error| self.stopped.stop(error))?;
        Ok((groups, compared, Some(appended)))
    }
}

/// Finds inline versions in the range, up to a number of bytes and of keys. Blocks on the disk.
fn find_inline(view: &dyn MetaView, range: Range<Key>, bytes_max: u64) -> Result<Found> {
    let mut found = Found::default();
    view.scan(range, &mut |key, value| {
        if found.bytes >= bytes_max || found.keys >= STEP_KEYS_MAX {
            found.next = Some(key.to_vec());
            return Ok(ControlFlow::Break(()));
        }
        found.keys += 1;
        let content = if is_tombstone(value) { None } else { Some(ExtentRecord::decode(key, value)) };
        match content.map(|record| record.map(|record| record.content)) {
            Some(Ok(Content::Inline(inline))) => {
                let (_, epoch) = Item::of(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
                let offset = keys::offset_in(key).ok_or_else(|| malformed(ExtentRecord::NAME, key))?;
                found.bytes += inline.len() as u64;
                found.versions.push(Version { key: key.to_vec(), epoch, offset, bytes: inline });
            }
            Some(Err(Error::Damaged(what))) => found.damaged.push(what),
            Some(Err(error)) => return Err(error),
            Some(Ok(Content::Chunk { .. })) | None => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(found)
}

/// Takes the file's `order` lock. With `wait`, waits for it for a limited time.
async fn order_of(inode: &Inode, wait: bool) -> Option<OwnedMutexGuard<()>> {
    match inode.order.clone().try_lock_owned() {
        Ok(order) => Some(order),
        Err(_) if wait => tokio::time::timeout(LOCK_WAIT_MAX, inode.order.clone().lock_owned()).await.ok(),
        Err(_) => None,
    }
}

/// Groups adjacent versions of the same epoch, each group as long as one chunk allows.
fn group(mut versions: Vec<Version>) -> Vec<Vec<Version>> {
    versions.sort_by_key(|version| (version.epoch, version.offset));
    let mut groups: Vec<Vec<Version>> = Vec::new();
    let mut length = 0;
    for version in versions {
        length += version.bytes.len();
        let follows = |before: &Version| {
            before.epoch == version.epoch && before.offset + before.bytes.len() as u64 == version.offset
        };
        match groups.last_mut() {
            Some(group) if length <= CHUNK_BYTES_MAX && group.last().is_some_and(follows) => {
                group.push(version)
            }
            _ => {
                length = version.bytes.len();
                groups.push(vec![version]);
            }
        }
    }
    groups
}

/// Makes the extents of a group point to its chunk. An extent that has changed stays as it is, and all stay inline if the
/// chunk is gone.
fn stage(
    txn: &mut Txn<'_>,
    group: &Group,
    placed: &BTreeMap<ChunkId, ChunkRecord>,
    compared: &Compared,
) -> Result<()> {
    let mut at = 0;
    for version in &group.versions {
        let length = u32::try_from(version.bytes.len()).unwrap_or(u32::MAX);
        let offset = at;
        at += length;
        let Some(volume) = keys::volume_in(&version.key) else { continue };
        // The purge of a deleted volume relies on the records that it has read.
        if !txn.engine.volumes.is_live(volume) && !txn.engine.volumes.is_shelved(volume) {
            continue;
        }
        let before = ExtentRecord { length, content: Content::Inline(version.bytes.clone()) };
        let is_same = txn.get(&version.key)?.is_some_and(|now| now == before.encode());
        if !is_same || !txn.chunk_refer(group.id, placed.get(&group.id).copied(), compared)? {
            continue;
        }
        let content = Content::Chunk { id: group.id, offset, end: None };
        txn.put(version.key.clone(), &ExtentRecord { length, content });
        let usage = txn.usage(volume)?;
        usage.bytes_inline = usage.bytes_inline.saturating_sub(u64::from(length));
        txn.engine.meters.bytes_chunked.add(u64::from(length));
    }
    Ok(())
}
