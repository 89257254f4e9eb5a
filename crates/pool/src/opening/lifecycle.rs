//! Builds an engine when a pool is opened, and closes it.

use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex};

use crate::base::counters::Meters;
use crate::base::signals::Signals;
use crate::base::sources::{Clock, Entropy, SystemClock, SystemEntropy};
use crate::base::sync;
use crate::engine::{Caches, Committing, Engine, Identity, Stores, Upkeep, Writes};
use crate::format::frames::{Names, Naming};
use crate::format::keys;
use crate::format::records::{Counters, PoolRecord, Record, StartRecord};
use crate::format::{ERAS_GIVEN_UP, FORMAT};
use crate::opening::examine::{self, Wanted};
use crate::parts::chunk_cache::ChunkCache;
use crate::parts::cleaner::Cleaner;
use crate::parts::committer::{self, Group, Stopped, Written};
use crate::parts::dirty::Dirty;
use crate::parts::early;
use crate::parts::fingerprints::Fingerprints;
use crate::parts::inline_files::InlineFiles;
use crate::parts::inode::InodeCache;
use crate::parts::loads::Loads;
#[cfg(test)]
use crate::parts::log::Rule;
use crate::parts::log::{Log, LogBase, Origin};
use crate::parts::orphan_queue::Orphans;
use crate::parts::own_actions::OwnActions;
use crate::parts::readers::ReadAhead;
use crate::parts::registry::Volumes;
use crate::parts::scrub::Scrub;
use crate::parts::segment_table::SegmentTable;
use crate::parts::storer;
use crate::parts::tails::Tails;
use crate::parts::xattr_presence::Presence;
use crate::store::confirmed;
use crate::store::home::Home;
use crate::store::log::LogFiles;
use crate::store::meta::{Batch, MetaFiles, MetaStore};
use crate::store::room::{Room, UnlimitedRoom};
use crate::store::segment::{MemorySegments, SegmentFiles, SegmentWriter, Stamp};
use crate::store::witness::{Keeper, LogSpan, MemoryWitness, Phase, State, Witness};
use crate::upkeep::background;
use crate::{PoolId, PoolOptions, Result};

/// The number of inodes that the cache keeps beyond those that must stay in memory.
const INODES_CACHED_MAX: usize = 64 << 10;

/// The stores and settings that an engine is built on.
pub(crate) struct Foundation {
    pub(crate) meta: MetaFiles,
    pub(crate) segments: SegmentFiles,
    /// The files of the intent log. `None` if the pool cannot have one.
    pub(crate) log: Option<LogFiles>,
    pub(crate) room: Box<dyn Room>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) witness: Arc<dyn Witness>,
    pub(crate) wanted: Wanted,
    /// The kind of names that new chunks get.
    pub(crate) naming: Naming,
    /// A rule of the log that does not hold.
    #[cfg(test)]
    pub(crate) broken: Option<Rule>,
    /// The pool's directory, if it has one; unlocked last.
    pub(crate) home: Option<Home>,
}

impl Foundation {
    /// A new pool in memory.
    pub(crate) fn in_memory(meta: Arc<dyn MetaStore>, segments: Arc<MemorySegments>) -> Result<Foundation> {
        Ok(Foundation {
            meta: MetaFiles::single(meta),
            segments: SegmentFiles::single(segments),
            log: None,
            room: Box::new(UnlimitedRoom),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy::new()?),
            witness: Arc::new(MemoryWitness::default()),
            wanted: Wanted { is_new: true, has_state: true, ..Wanted::default() },
            naming: Naming::Keyed,
            #[cfg(test)]
            broken: None,
            home: None,
        })
    }
}

impl Engine {
    /// Opens or creates the pool on this foundation. Blocks on the disk. Must be called within a runtime.
    pub(crate) fn open(foundation: Foundation, options: PoolOptions) -> Result<Arc<Engine>> {
        #[cfg(test)]
        let broken = foundation.broken;
        let permit = &options.permit;
        let Foundation { room, clock, entropy, wanted, naming, home, .. } = foundation;
        // Below, nothing can change a file without asking.
        let boot_max = foundation.witness.own()?.state().map_or(0, |state| state.boot);
        let meta = confirmed::meta(permit, foundation.meta).store((!wanted.accept).then_some(boot_max))?;
        let forsaking = meta.clone();
        let forsake = Box::new(move |cause: &str| forsaking.drop_copy(cause));
        let store = confirmed::segments(permit, foundation.segments).store(forsake);
        let log = foundation.log.map(|files| confirmed::log(permit, files));
        let witness = confirmed::witness(permit, foundation.witness);
        let format = home.as_ref().map_or(FORMAT, Home::format_in_use);
        let finish = || match &home {
            Some(home) => permit.confirm().and_then(|()| home.finish()),
            None => Ok(()),
        };
        let mut verdict = examine::examine(&*meta, &*store, log.as_ref(), &*witness, wanted)?;
        let held = std::mem::take(&mut verdict.held);
        let read_only = wanted.read_only;
        if !read_only {
            store.prepare()?;
            // What the second copy missed in an earlier start, its metadata has missed too.
            let copies = meta.copies();
            if copies.whole < copies.wanted {
                store.declare_complete(wanted.is_new)?;
            }
            if !verdict.mismatches.is_empty() {
                // The segments that testify are moved away now.
                witness.give_up(verdict.boot_next)?;
            }
            examine::tidy(&*store, &verdict)?;
        }
        let started = begin_boot(
            &*meta,
            &*entropy,
            |start| {
                if read_only {
                    return Ok(());
                }
                // Must come before the metadata counts the start, so that metadata never belongs to a later start than the
                // state.
                witness.establish(&start.at(Phase::Opening, meta.position()))?;
                // A new pool is marked as a pool only when it is complete. A pool of an older format is one already, and has
                // its state now.
                if home.as_ref().is_some_and(Home::is_new) { Ok(()) } else { finish() }
            },
            verdict.boot_next,
            if verdict.mismatches.is_empty() { 1 } else { ERAS_GIVEN_UP },
            held.span,
        )?;
        let Started { pool, counters, state } = started;
        let keeper = Keeper::new(witness, meta.clone(), state);
        if !read_only {
            if !verdict.mismatches.is_empty() {
                keeper.take_copy();
            }
            keeper.establish(Phase::Running)?;
            if !verdict.mismatches.is_empty() {
                // Only now: this start's note is durable, and a crash before leaves the mismatches, not a pool whose notes say too little.
                keeper.forget_earlier()?;
            }
            finish()?;
        }
        let aside = store.list_aside()?.into_iter().collect();
        let segments = SegmentTable::load(&*meta, pool.boot)?;
        if !store.keeps_objects() {
            segments.found(&store.list()?);
            segments.report_lost();
        }
        let signals = Arc::<Signals>::default();
        let stopped = Stopped::default();
        let written: Written = Arc::new(AtomicBool::new(false));
        let meters = Arc::<Meters>::default();
        let stamp = Stamp {
            pool: pool.id,
            mark: state.mark,
            boot: pool.boot,
            meta: meta.clone(),
            clock: clock.clone(),
        };
        let writer =
            Arc::new(SegmentWriter::new(store.clone(), options.segment_bytes, stamp, meters.clone()));
        let committing =
            Group::new(meta.clone(), stopped.clone(), written.clone(), meters.clone(), keeper.clone());
        let names = Names::new(&pool.name_key, naming);
        let log = match log {
            Some(files) if !read_only => {
                let origin = Origin { pool: pool.id, boot: pool.boot, mark: state.mark };
                let base = LogBase {
                    files,
                    meta: meta.clone(),
                    keeper: keeper.clone(),
                    origin,
                    meters: meters.clone(),
                    #[cfg(test)]
                    broken,
                };
                Some(Arc::new(Log::start(base, &held)?))
            }
            _ => None,
        };
        let engine = Arc::new(Engine {
            identity: Identity {
                id: pool.id,
                boot: pool.boot,
                last_stop: verdict.last_stop,
                name_key: pool.name_key,
                names,
                format: AtomicU32::new(format),
            },
            committing: Committing {
                committer: committer::start(committing)?,
                storer: storer::start(writer.clone(), stopped.clone())?,
                early: early::start()?,
                written,
            },
            volumes: Volumes::load(&*meta, clock.clone())?,
            inodes: InodeCache::new(INODES_CACHED_MAX),
            segments,
            orphans: Orphans::new(signals.clone()),
            xattrs: Presence::load(&*meta)?,
            counters: Mutex::new(counters),
            writes: Writes {
                dirty: Dirty::new(options.dirty_bytes_max, signals.clone()),
                early: Arc::default(),
                inline: InlineFiles::default(),
                gate: Arc::default(),
            },
            caches: Caches {
                chunks: ChunkCache::new(options.cache_bytes),
                fingerprints: Fingerprints::new(options.fingerprint_bytes),
                loads: Loads::default(),
                tails: Tails::default(),
                ahead: ReadAhead::default(),
            },
            upkeep: Upkeep {
                scrub: Scrub::load(&*meta)?,
                cleaner: Cleaner::default(),
                aside: Mutex::new(aside),
                own_actions: OwnActions::default(),
                held: Arc::default(),
                spaces: Mutex::default(),
                tasks: Mutex::default(),
            },
            stores: Stores { meta, segments: store, writer, room, keeper },
            log,
            stopped,
            signals,
            meters,
            clock,
            entropy,
            options,
            read_only,
            accepted: verdict.mismatches,
            home,
        });
        if let Some(log) = &engine.log {
            log.make_durable(&held)?;
            engine.replay(held)?;
        }
        engine.resume_freeing()?;
        if !read_only {
            *sync::lock(&engine.upkeep.tasks) = background::start(&engine);
        }
        Ok(engine)
    }

    /// Makes everything durable and ends the tasks. Operations that are still running fail.
    pub(crate) async fn close(self: &Arc<Self>) -> Result<()> {
        self.log.iter().for_each(|log| log.begin_close());
        let mut outcome = Ok(());
        for inode in self.writes.dirty.inodes() {
            outcome = outcome.and(self.flush_all(&inode).await);
        }
        if let Some(log) = &self.log {
            outcome = outcome.and(self.absorb_laps(log, true).await);
        }
        self.signals.close();
        self.reaper_end();
        let tasks = std::mem::take(&mut *sync::lock(&self.upkeep.tasks));
        for task in tasks {
            if task.await.is_err() {
                tracing::error!("a background task of the pool panicked");
            }
        }
        self.chunk_before_close().await;
        let engine = self.clone();
        let sealed = sync::blocking(move || {
            engine.committing.early.stop();
            let sealed = engine.stopped.check().and_then(|()| engine.stores.writer.close());
            engine.log.iter().for_each(|log| log.stop());
            engine.committing.storer.stop();
            engine.committing.committer.stop();
            sealed
        });
        outcome.and(sealed.await)?;
        let engine = self.clone();
        sync::blocking(move || engine.vouch()).await
    }

    /// Records that the pool was closed cleanly: everything that was written is durable, and nothing more will be written.
    fn vouch(&self) -> Result<()> {
        self.stopped.check()?;
        if !self.read_only {
            if let Some(log) = &self.log {
                self.stores.keeper.set_log(log.empty_span());
            }
            self.stores.keeper.establish(Phase::Closed)?;
        }
        Ok(())
    }
}

/// A start of the pool that the metadata has counted.
struct Started {
    pool: PoolRecord,
    counters: Counters,
    state: State,
}

/// Durably counts this opening before anything else happens, and draws the identity of a new pool. Calls `announce` before
/// it changes the metadata.
fn begin_boot(
    meta: &dyn MetaStore,
    entropy: &dyn Entropy,
    announce: impl FnOnce(State) -> Result<()>,
    boot: u64,
    eras: u64,
    log: LogSpan,
) -> Result<Started> {
    let key = keys::pool();
    let mut pool = match meta.get(&key)? {
        Some(value) => PoolRecord::decode(&key, &value)?,
        None => {
            let (mut id, mut name_key) = ([0; 16], [0; 32]);
            entropy.fill(&mut id)?;
            entropy.fill(&mut name_key)?;
            PoolRecord { id: PoolId(id), boot: 0, name_key }
        }
    };
    pool.boot = boot;
    let mut counters = load_counters(meta)?;
    counters.era = counters.era.saturating_add(eras);
    let mut mark = [0; 4];
    entropy.fill(&mut mark)?;
    // 0 stands for the mark of an unknown start.
    let mark = u32::from_le_bytes(mark).max(1);
    let state = State { pool: pool.id, boot, mark, phase: Phase::Opening, batch: 0, tables: [0; 2], log };
    announce(state)?;
    let changes = vec![
        (key, Some(pool.encode().into())),
        (keys::counters(), Some(counters.encode().into())),
        (keys::start(boot), Some(StartRecord { mark }.encode().into())),
    ];
    meta.write(Batch { changes })?;
    meta.make_durable()?;
    Ok(Started { pool, counters, state })
}

fn load_counters(meta: &dyn MetaStore) -> Result<Counters> {
    let key = keys::counters();
    match meta.get(&key)? {
        Some(value) => Counters::decode(&key, &value),
        // 0 is not a valid inode number. The first volume has number 1.
        None => Ok(Counters { inode_next: 1, volume_next: 1, era: 0 }),
    }
}
