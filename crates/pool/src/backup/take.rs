//! Makes a backup while the pool serves.
//!
//! 1. Everything that was accepted is flushed, as for a snapshot of all volumes, and the metadata of that instant is kept. Segments that it
//!    needs are held: they are not deleted.
//! 2. The metadata is written to the directory.
//! 3. Segments are copied that are not there yet, or not as far as the metadata needs them.
//! 4. Each frame that the metadata names in a segment that no earlier backup has read back whole is read from the directory, and compared
//!    with its chunk's name.
//! 5. The manifest is written, which makes it a backup.
//!
//! An interruption before the last step leaves segments that the next backup need not copy, but reads, and nothing that looks like a backup.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::Advice;
use tokio::time::Instant;

use super::files::{self, failed};
use super::manifest::{Manifest, Taken};
use super::repository::{Repository, segment_in};
use super::stream::{Totals, Writer};
use super::verify::{self, Need, Needs};
use super::{BackupOptions, BackupReport, BackupWatch};
use crate::base::pace::pace;
use crate::base::sync;
use crate::engine::Engine;
use crate::format::frames::whole_content;
use crate::format::keys::{self, ChunkId, SegmentId};
use crate::format::records::{ChunkRecord, Record, StartRecord};
use crate::parts::held::Holding;
use crate::store::meta::MetaView;
use crate::store::segment::{FileSegments, SegmentStore, header_of};
use crate::{Error, Result};

/// The bytes that are copied at once.
const PART_BYTES: u64 = 1 << 20;

/// The pool at one instant.
struct Moment {
    meta: Arc<dyn MetaView>,
    /// The last batch that it has.
    batch: u64,
    volumes: Vec<String>,
    taken: SystemTime,
}

impl Engine {
    pub(crate) async fn backup(
        self: &Arc<Self>,
        directory: &Path,
        options: BackupOptions,
        watch: Arc<BackupWatch>,
    ) -> Result<BackupReport> {
        let holding = self.upkeep.held.begin()?;
        let (engine, directory) = (self.clone(), directory.to_path_buf());
        let known = options.repository.clone();
        let (repository, earlier) = sync::blocking(move || {
            let repository = Repository::open(&directory, engine.identity.id, known.as_deref())?;
            let (earlier, broken) = repository.list()?;
            if let Some(error) = broken.into_iter().next() {
                return Err(error);
            }
            engine.require_one_history(earlier.last(), &directory)?;
            Ok((repository, earlier))
        })
        .await?;
        let moment = self.moment().await?;
        let engine = self.clone();
        let work = Arc::new(Work { engine, repository, earlier, holding, options, watch, moment });
        let taken = work.clone().run().await;
        drop(work);
        // Segments that were held may be deleted now.
        self.orphans.wake();
        taken
    }

    /// Flushes everything, and returns the metadata as of one instant. Holds the segments that it needs.
    async fn moment(self: &Arc<Self>) -> Result<Moment> {
        self.flush_everything().await?;
        // The job takes the guard with it, and runs even if the caller is cancelled.
        let gate = self.writes.gate.clone().write_owned().await;
        self.flush_everything().await?;
        let taken = self.clock.now();
        self.transact(move |txn| {
            txn.then(move |_| drop(gate));
            let engine = txn.engine;
            let live = engine.segments.list().into_iter().filter(|(_, record)| record.bytes_live > 0);
            engine.upkeep.held.hold(live.map(|(id, _)| id).collect());
            let volumes = engine.volumes.list_with_buckets().into_iter().map(|volume| volume.spec.name);
            let batch = engine.stores.meta.position().written;
            Ok(Moment { meta: engine.stores.meta.snapshot()?, batch, volumes: volumes.collect(), taken })
        })
        .await
    }

    async fn flush_everything(self: &Arc<Self>) -> Result<()> {
        for volume in self.volumes.all_kept() {
            self.flush_volume(volume).await?;
        }
        Ok(())
    }

    /// Refuses a directory whose newest backup is of a start that this pool never had. A pool that was restored, and the one that it was restored
    /// from, give the same numbers to different things.
    fn require_one_history(&self, newest: Option<&Manifest>, directory: &Path) -> Result<()> {
        let Some(newest) = newest else { return Ok(()) };
        let key = keys::start(newest.start);
        let value = self.stores.meta.get(&key)?;
        let mark = value.map(|value| StartRecord::decode(&key, &value)).transpose()?.map(|start| start.mark);
        if mark == Some(newest.mark) {
            return Ok(());
        }
        let cause = format!(
            "its newest backup, {}, was made by start {} of the pool, which this pool never had: one of the two was restored from an \
             older backup, and they went different ways; choose another directory",
            newest.name, newest.start
        );
        Err(Error::Unusable { path: directory.to_path_buf(), cause })
    }
}

/// A segment in the directory.
#[derive(Clone, Copy)]
struct Copied {
    id: SegmentId,
    bytes: u64,
    /// The bytes that were copied now.
    new: u64,
    /// No earlier backup has read it back whole, as far as it is needed.
    is_unread: bool,
}

/// A segment that the backup needs.
#[derive(Clone, Copy)]
struct Wanted {
    id: SegmentId,
    need: Need,
    /// The bytes that there are, or will be.
    bytes: u64,
    is_there: bool,
    /// See [`Copied::is_unread`].
    is_unread: bool,
}

/// The metadata that was written, and what is to be done with the segments.
struct Plan {
    name: String,
    number: u64,
    metadata: PathBuf,
    needs: Needs,
    totals: Totals,
    segments: Vec<Wanted>,
}

struct Work {
    engine: Arc<Engine>,
    repository: Repository,
    /// The backups that are there, the oldest first.
    earlier: Vec<Manifest>,
    holding: Holding,
    options: BackupOptions,
    watch: Arc<BackupWatch>,
    moment: Moment,
}

impl Work {
    async fn run(self: Arc<Self>) -> Result<BackupReport> {
        let (name, number) = self.new_name();
        let metadata = self.repository.metadata(&name);
        let done = self.clone().run_named(name, number, metadata.clone()).await;
        if done.is_err() {
            // Makes room if the disk is full. If it stays, the next removal of a backup finds it.
            let _ = sync::blocking(move || files::remove(&metadata)).await;
        }
        done
    }

    async fn run_named(
        self: Arc<Self>,
        name: String,
        number: u64,
        metadata: PathBuf,
    ) -> Result<BackupReport> {
        let work = self.clone();
        let plan = sync::blocking(move || work.plan(name, number, metadata)).await?;
        let (mut copied, mut lost) = (Vec::with_capacity(plan.segments.len()), 0);
        for wanted in plan.segments.iter().copied() {
            let Wanted { id, need, bytes, is_there, is_unread } = wanted;
            if is_there {
                copied.push(Copied { id, bytes, new: 0, is_unread });
            } else {
                let (work, began) = (self.clone(), Instant::now());
                if sync::blocking(move || work.copy(id, bytes)).await? {
                    copied.push(Copied { id, bytes, new: bytes, is_unread });
                } else {
                    tracing::error!(segment = %id, "a segment with data is lost or cut short in the pool; the backup lacks it, too");
                    lost += need.chunks;
                }
                if let Some(rate) = self.options.bytes_per_second {
                    self.engine.pause_until(began + pace(bytes, rate)).await;
                }
            }
            self.holding.release(id);
        }
        sync::blocking(move || self.finish(plan, copied, lost)).await
    }

    fn plan(&self, name: String, number: u64, metadata: PathBuf) -> Result<Plan> {
        let (needs, totals) = self.write_metadata(&metadata)?;
        let segments = self.wanted(&needs)?;
        Ok(Plan { name, number, metadata, needs, totals, segments })
    }

    fn finish(&self, plan: Plan, copied: Vec<Copied>, lost: u64) -> Result<BackupReport> {
        let moment = &self.moment;
        let unread: BTreeSet<SegmentId> =
            copied.iter().filter(|one| one.is_unread).map(|one| one.id).collect();
        let unread = plan.needs.0.into_iter().filter(|(id, _)| unread.contains(id)).collect();
        let (damaged, damaged_segments) = self.read_back(&plan.metadata, &Needs(unread))?;
        let damaged = lost + damaged;
        let start = self.engine.identity.boot;
        let key = keys::start(start);
        let value = moment.meta.get(&key)?;
        let mark = value.map(|value| StartRecord::decode(&key, &value)).transpose()?;
        let manifest = Manifest::new(Taken {
            name: plan.name,
            number: plan.number,
            pool: self.engine.identity.id,
            format: self.engine.identity.format(),
            start,
            mark: mark.map_or(0, |start| start.mark),
            batch: moment.batch,
            taken: moment.taken,
            finished: self.engine.clock.now(),
            volumes: moment.volumes.clone(),
            totals: plan.totals,
            bytes_copied: copied.iter().map(|one| one.new).sum(),
            segments: copied.into_iter().map(|one| (one.id, one.bytes)).collect(),
            damaged_segments,
            damaged,
        });
        self.repository.add(&manifest)?;
        let removed = self.options.keep.map_or(Ok(0), |keep| self.repository.prune(keep))?;
        let (backup, repository) = (manifest.described(), self.repository.id().to_owned());
        let (bytes, copied, name) = (backup.bytes, backup.bytes_copied, &backup.name);
        tracing::info!(name, bytes, copied, damaged, removed, "backup finished");
        Ok(BackupReport { backup, repository, removed })
    }

    /// A name that no backup has, and the number after the last one.
    fn new_name(&self) -> (String, u64) {
        let number = self.earlier.last().map_or(1, |last| last.number.saturating_add(1));
        let time = humantime::format_rfc3339_seconds(self.moment.taken).to_string().replace([':', '-'], "");
        let is_taken = |name: &str| self.earlier.iter().any(|backup| backup.name == name);
        let name = if is_taken(&time) { format!("{time}-{number}") } else { time };
        (name, number)
    }

    fn write_metadata(&self, path: &Path) -> Result<(Needs, Totals)> {
        let (mut writer, mut needs) = (Writer::create(path)?, Needs::default());
        let mut count = 0_u64;
        // Below are numbers of this store: those of its batches, and of its pair.
        self.moment.meta.scan(vec![1]..keys::end(), &mut |key, value| {
            count += 1;
            if count.is_multiple_of(4096) {
                self.go_on()?;
            }
            needs.count(key, value)?;
            writer.record(key, value)?;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((needs, writer.finish()?))
    }

    /// The segments that the metadata needs, and which of them are there already.
    fn wanted(&self, needs: &Needs) -> Result<Vec<Wanted>> {
        let stores = &self.engine.stores;
        let settled: BTreeSet<SegmentId> =
            needs.0.keys().copied().filter(|id| stores.writer.is_settled(*id)).collect();
        // Read after: the length of a settled segment is final.
        let lengths: BTreeMap<SegmentId, u64> = stores.segments.list()?.into_iter().collect();
        let copies = FileSegments::open_to_read(&self.repository.segments());
        let known: BTreeMap<SegmentId, u64> = copies.list()?.into_iter().collect();
        // What a backup has left that was interrupted may never have been read.
        let mut read = BTreeMap::<SegmentId, u64>::new();
        for backup in &self.earlier {
            for (id, bytes) in backup.verified()? {
                let longest = read.entry(id).or_default();
                *longest = bytes.max(*longest);
            }
        }
        let mut all = Vec::with_capacity(needs.0.len());
        for (id, need) in &needs.0 {
            let known = known.get(id).copied().unwrap_or_default();
            let is_there = known >= need.end && self.is_same(&copies, *id)?;
            let length = lengths.get(id).copied().filter(|_| settled.contains(id)).unwrap_or_default();
            let bytes = if is_there { known } else { length.max(need.end) };
            let is_unread = !is_there || read.get(id).is_none_or(|read| *read < need.end);
            all.push(Wanted { id: *id, need: *need, bytes, is_there, is_unread });
        }
        let work = |wanted: &Wanted| {
            let copied = if wanted.is_there { 0 } else { wanted.bytes };
            copied + if wanted.is_unread { wanted.need.bytes } else { 0 }
        };
        self.watch.expect(all.iter().map(work).sum());
        Ok(all)
    }

    fn go_on(&self) -> Result<()> {
        self.engine.require_open()?;
        self.watch.go_on()
    }

    /// Whether the copy of a segment is of the same segment. A number is given once in one history of a pool.
    fn is_same(&self, copies: &FileSegments, id: SegmentId) -> Result<bool> {
        let ours = header_of(&*self.engine.stores.segments, id)?;
        let theirs = header_of(copies, id)?;
        // A damaged header of the pool's is rewritten by a scrub, with a part of what it said.
        Ok(match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                ours.origin.map(|origin| (origin.pool, origin.mark))
                    == theirs.origin.map(|origin| (origin.pool, origin.mark))
            }
            (None, Some(_)) => true,
            (_, None) => false,
        })
    }

    /// Copies a segment. Returns false if the pool does not have all of it.
    fn copy(&self, id: SegmentId, bytes: u64) -> Result<bool> {
        let incoming = segment_in(&self.repository.incoming(), id);
        let copied = self.copy_to(&incoming, id, bytes);
        if !matches!(copied, Ok(true)) {
            files::remove(&incoming)?;
        }
        copied
    }

    fn copy_to(&self, incoming: &Path, id: SegmentId, bytes: u64) -> Result<bool> {
        let write = "write a segment to the backup";
        let mut file = files::create_private(incoming).map_err(failed(incoming, write))?;
        let mut at = 0;
        while at < bytes {
            self.go_on()?;
            if !self.holding.has(id) {
                return Err(Error::Backup {
                    cause: "the pool's disk was nearly full, so segments that the backup still needed were deleted",
                    remedy: "free some space, and start it again",
                });
            }
            let length = PART_BYTES.min(bytes - at);
            let Ok(count) = usize::try_from(length) else { return Ok(false) };
            let Some(part) = self.engine.stores.segments.read(id, at, count)? else { return Ok(false) };
            file.write_all(&part).map_err(failed(incoming, write))?;
            at += length;
            self.watch.count(length);
        }
        let finish = || -> io::Result<()> {
            file.sync_all()?;
            // What is read back is to come from the disk.
            let _ = rustix::fs::fadvise(&file, 0, None, Advice::DontNeed);
            std::fs::rename(incoming, self.copy_of(id))
        };
        finish().map_err(failed(incoming, write))?;
        Ok(true)
    }

    fn copy_of(&self, id: SegmentId) -> PathBuf {
        segment_in(&self.repository.segments(), id)
    }

    /// Reads what was copied. Frames that are damaged are taken from another copy of the pool. Returns the number of those that every copy has
    /// damaged, and their segments.
    fn read_back(&self, metadata: &Path, unread: &Needs) -> Result<(u64, BTreeSet<SegmentId>)> {
        let (mut damaged, mut damaged_segments, mut mended) = (0, BTreeSet::new(), BTreeSet::new());
        let copies = FileSegments::open_to_read(&self.repository.segments());
        verify::frames(metadata, &copies, unread, &self.watch, &mut |id, record| {
            self.go_on()?;
            if self.mend(id, record)? {
                mended.insert(record.segment);
            } else {
                tracing::error!(
                    place = record.place(),
                    "a frame is damaged in every copy of the pool, and so in the backup"
                );
                damaged += 1;
                damaged_segments.insert(record.segment);
            }
            Ok(())
        })?;
        for id in mended {
            let path = self.copy_of(id);
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(failed(&path, "sync a segment of the backup"))?;
        }
        Ok((damaged, damaged_segments))
    }

    /// Writes a whole frame over one that is damaged. Returns false if no copy of the pool has it whole.
    fn mend(&self, id: ChunkId, record: &ChunkRecord) -> Result<bool> {
        let segments = &self.engine.stores.segments;
        for copy in 0..segments.copies() {
            let frame = segments.read_copy(copy, record.segment, record.offset, record.bytes_stored as usize);
            let Some(frame) = frame.ok().flatten() else { continue };
            if whole_content(&frame, id, &self.engine.identity.names).is_ok() {
                let path = self.copy_of(record.segment);
                let write = || File::options().write(true).open(&path)?.write_all_at(&frame, record.offset);
                write().map_err(failed(&path, "write a segment of the backup"))?;
                return Ok(true);
            }
        }
        Ok(false)
    }
}
