//! The intent log: answers small syncs before their bytes are cut.
//!
//! A caller that wants a file's bytes durable hands them over as a record. One thread, the logger, writes all records that wait as
//! one group, syncs it, and answers. The bytes stay dirty in memory until a flush *absorbs* them: it makes them durable elsewhere,
//! and its batch says up to which position. So the log never holds metadata, and whatever becomes of it, the pool is consistent.
//! docs/decisions/0039-data-only-intent-log.md has the rules, and what would go wrong without each.
//!
//! A lap of a file is *live* while records in it are not absorbed. [`crate::upkeep::log`] prepares files ahead of their use and
//! absorbs the oldest laps. If no file is ready, callers flush.

mod rules;

pub(crate) use self::rules::Rule;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use tokio::sync::{Notify, oneshot};

use crate::base::counters::Meters;
use crate::base::queue::{Queue, Waiting};
use crate::base::sources::{Clock, Entropy, seconds_of};
use crate::base::sync;
use crate::format::keys::InodeKey;
use crate::format::log::{self, BLOCK_BYTES, GROUP_BYTES_MAX, GroupHead, LogHeader, LogRecord};
use crate::parts::inode::Inode;
use crate::store::log::{LogFiles, LogStore};
use crate::store::meta::MetaStore;
use crate::store::witness::{Keeper, LogSpan};
use crate::{Error, Mismatch, PoolId, Result, VolumeId};

/// Positions of one start of the pool are above those of all starts before.
const POSITION_BOOT_BITS: u32 = 40;
/// How many laps are ready, at most: a stream fills a file faster than one can be created.
const READY_MAX: usize = 3;

/// What identifies this start of the pool in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) pool: PoolId,
    pub(crate) boot: u64,
    pub(crate) mark: u32,
}

/// What the log held when the pool was opened.
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) span: LogSpan,
    /// The records of each lap.
    pub(crate) laps: BTreeMap<u64, Vec<LogRecord>>,
    /// The number of the last group.
    pub(crate) number: u64,
    pub(crate) last: Option<LastGroup>,
    pub(crate) mends: Vec<Mend>,
}

/// The content of a file that one copy does not have as the other does.
pub(crate) struct Mend {
    pub(crate) copy: usize,
    pub(crate) file: u32,
    pub(crate) content: Vec<u8>,
}

/// The last group, as it was read.
pub(crate) struct LastGroup {
    pub(crate) lap: u64,
    pub(crate) file: u32,
    pub(crate) offset: u64,
    pub(crate) bytes: Vec<u8>,
}

/// The logger's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logged {
    /// The record, and all that were handed over before it, are durable in the log.
    Yes,
    /// They are not. The caller must flush.
    No,
}

/// A record for the logger. Without one, its answer only says that everything handed over before is durable.
struct Job {
    record: Option<(Arc<Inode>, LogRecord)>,
    answer: oneshot::Sender<Logged>,
}

/// The last position of each inode in a lap.
type Live = HashMap<InodeKey, u64>;

/// A lap that is being written.
struct Lap {
    lap: u64,
    salt: u64,
    /// Where the next group goes.
    at: u64,
    /// The second copy, if it has the lap whole.
    second: Option<Arc<dyn LogStore>>,
}

#[derive(Default)]
struct Ring {
    /// The number of files.
    files: u32,
    /// The last lap that was prepared.
    last: u64,
    current: Option<Lap>,
    /// Laps that are ready.
    next: VecDeque<Lap>,
    /// The number of the last group.
    number: u64,
    /// The laps that may be live.
    laps: BTreeMap<u64, Live>,
    /// When each of the last laps was prepared, in seconds since 1970.
    begun: BTreeMap<u64, u64>,
    /// See [`LogSpan::doubled`].
    doubled: u64,
}

impl Ring {
    fn span(&self) -> LogSpan {
        let from = self.laps.keys().next().copied().unwrap_or(self.last + 1);
        let since = self.begun.get(&from).copied().unwrap_or_default();
        LogSpan { from, last: self.last, files: self.files, doubled: self.doubled, since }
    }
}

/// The part of the log that the logger uses.
struct Shared {
    files: LogFiles,
    meta: Arc<dyn MetaStore>,
    keeper: Keeper,
    origin: Origin,
    ring: Mutex<Ring>,
    /// Held from the look at the ring until `STATE` says what it showed.
    naming: Mutex<()>,
    /// A write or sync failed: nothing more is logged.
    failed: AtomicBool,
    /// The log is being absorbed for good, because the pool is closing.
    closing: AtomicBool,
    /// Wakes the task that prepares files.
    wanted: Arc<Notify>,
    meters: Arc<Meters>,
    #[cfg(test)]
    broken: Option<Rule>,
}

/// See the module.
pub(crate) struct Log {
    shared: Arc<Shared>,
    logger: Queue<Job>,
    /// The last position that was drawn.
    position: AtomicU64,
    /// The volumes whose log is closed. Held shared while a position is drawn.
    closed: RwLock<BTreeSet<VolumeId>>,
}

/// What a log is built on.
pub(crate) struct LogBase {
    pub(crate) files: LogFiles,
    pub(crate) meta: Arc<dyn MetaStore>,
    pub(crate) keeper: Keeper,
    pub(crate) origin: Origin,
    pub(crate) meters: Arc<Meters>,
    #[cfg(test)]
    pub(crate) broken: Option<Rule>,
}

impl Log {
    /// Continues the log behind what it held.
    pub(crate) fn start(base: LogBase, held: &Held) -> Result<Log> {
        let LogBase { files, meta, keeper, origin, meters, .. } = base;
        let live = |records: &[LogRecord]| {
            let mut live = Live::new();
            records.iter().for_each(|record| note(&mut live, record));
            live
        };
        let store_files = files.first.files();
        let ring = Ring {
            files: if held.span.is_empty() { store_files } else { held.span.files },
            last: held.span.last,
            number: held.number,
            laps: held.laps.iter().map(|(lap, records)| (*lap, live(records))).collect(),
            begun: held.laps.keys().map(|lap| (*lap, held.span.since)).collect(),
            doubled: held.span.doubled,
            ..Ring::default()
        };
        let shared = Arc::new(Shared {
            files,
            meta,
            keeper,
            origin,
            ring: Mutex::new(ring),
            naming: Mutex::default(),
            failed: AtomicBool::new(store_files == 0),
            closing: AtomicBool::new(false),
            wanted: Arc::default(),
            meters,
            #[cfg(test)]
            broken: base.broken,
        });
        let of_logger = shared.clone();
        Ok(Log {
            shared,
            logger: Queue::start("pool-log", move |first, waiting| of_logger.run(first, waiting))?,
            position: AtomicU64::new(origin.boot << POSITION_BOOT_BITS),
            closed: RwLock::default(),
        })
    }

    /// Makes the last group durable that the log held when it was read: after a kill it may be in the page cache alone, and a sync
    /// that failed before may have left its pages clean there, so it is written again. What one copy lacks is put back. A ring in
    /// which nothing is needed, and which has another size than wanted, is removed.
    pub(crate) fn make_durable(&self, held: &Held) -> Result<()> {
        let (span, shared) = (held.span, &self.shared);
        let second = shared.second();
        if span.is_empty() && span.files > 0 && span.files != shared.files.first.files() {
            // Files of another pool stay.
            let own = (0..span.files).filter(|file| self.require_own(*file).is_ok());
            let remove = |file| shared.files.both(second.as_deref(), |store| store.remove(file)).map(drop);
            return own.into_iter().try_for_each(remove);
        }
        let mends: &[Mend] = if self.keeps(Rule::MendCopies) { &held.mends } else { &[] };
        let mut lost = (span.doubled > 0 && second.is_none()).then_some(Error::Closed);
        for Mend { copy, file, content } in mends {
            tracing::warn!(file, copy, "a file of the intent log is written again from the other copy");
            let mend = |store: &dyn LogStore| {
                store.prepare(*file)?;
                store.write(*file, 0, content)?;
                store.sync(*file)
            };
            match (copy, &second) {
                (0, _) => mend(&*shared.files.first)?,
                (_, Some(second)) => lost = lost.or(mend(&**second).err()),
                (_, None) => {}
            }
        }
        if let Some(LastGroup { lap, file, offset, bytes }) = &held.last
            && self.keeps(Rule::SyncBeforeShow)
        {
            let again = |store: &dyn LogStore| {
                store.write(*file, *offset, bytes)?;
                store.sync(*file)
            };
            let second = second.filter(|_| span.is_doubled(*lap));
            lost = shared.files.both(second.as_deref(), again)?.or(lost);
        }
        lost.map_or(Ok(()), |error| shared.lose_second(&error))
    }

    /// Whether the rule holds. Always, except in tests that switch it off.
    pub(crate) fn keeps(&self, rule: Rule) -> bool {
        self.shared.keeps(rule)
    }

    /// The last position that was drawn.
    pub(crate) fn position(&self) -> u64 {
        self.position.load(Ordering::SeqCst)
    }

    /// Whether nothing is logged any more.
    pub(crate) fn is_off(&self) -> bool {
        self.shared.failed.load(Ordering::SeqCst) || self.shared.closing.load(Ordering::SeqCst)
    }

    /// Hands a record to the logger. `make` gets its position, and must take its bytes under the inode's state lock, which the
    /// caller holds until this returns. Returns `None` if the volume's log is closed.
    pub(crate) fn hand_over(
        &self,
        inode: &Arc<Inode>,
        make: impl FnOnce(u64) -> LogRecord,
    ) -> Option<oneshot::Receiver<Logged>> {
        let closed = sync::read(&self.closed);
        if closed.contains(&inode.handle.volume) {
            return None;
        }
        let record = make(self.position.fetch_add(1, Ordering::SeqCst) + 1);
        self.submit(Some((inode.clone(), record)))
    }

    /// Asks the logger to answer when everything that was handed over so far is durable.
    pub(crate) fn after_all(&self) -> Option<oneshot::Receiver<Logged>> {
        self.submit(None)
    }

    fn submit(&self, record: Option<(Arc<Inode>, LogRecord)>) -> Option<oneshot::Receiver<Logged>> {
        let (answer, receiver) = oneshot::channel();
        self.logger.submit(Job { record, answer }).ok()?;
        Some(receiver)
    }

    /// Lets nothing be logged of the volume until the result is dropped. All positions that were drawn for it are at or below the
    /// log's position.
    pub(crate) fn close_volume(self: &Arc<Self>, volume: VolumeId) -> ClosedVolume {
        sync::write(&self.closed).insert(volume);
        ClosedVolume { log: self.clone(), volume }
    }

    /// Wakes the task that prepares files.
    pub(crate) fn want_file(&self) {
        self.shared.wanted.notify_one();
    }

    /// Notified when a file should be prepared.
    pub(crate) fn wanted(&self) -> Arc<Notify> {
        self.shared.wanted.clone()
    }

    /// Whether the next group has a place.
    pub(crate) fn is_ready(&self) -> bool {
        let ring = sync::lock(&self.shared.ring);
        let longest = GROUP_BYTES_MAX as u64;
        let fits =
            ring.current.as_ref().is_some_and(|lap| lap.at + longest <= self.shared.files.first.file_bytes());
        fits || !ring.next.is_empty()
    }

    /// Prepares laps until enough are ready, or until the next file is live. Blocks on the disk.
    pub(crate) fn prepare(&self, entropy: &dyn Entropy, clock: &dyn Clock) -> Result<()> {
        while self.prepare_one(entropy, clock)? {}
        Ok(())
    }

    /// Returns false if there was nothing to do.
    fn prepare_one(&self, entropy: &dyn Entropy, clock: &dyn Clock) -> Result<bool> {
        let (lap, file) = {
            let mut ring = sync::lock(&self.shared.ring);
            let lap = ring.last + 1;
            let from = ring.laps.keys().next().copied().unwrap_or(lap);
            let is_live = from + u64::from(ring.files) <= lap;
            let ready_max = (ring.files as usize / 8).clamp(1, READY_MAX);
            if self.is_off() || ring.next.len() >= ready_max || is_live {
                return Ok(false);
            }
            let files = u64::from(ring.files);
            ring.begun = ring.begun.split_off(&lap.saturating_sub(files));
            ring.begun.insert(lap, seconds_of(clock.now()));
            (lap, (lap % files) as u32)
        };
        let prepared = self.prepare_lap(lap, file, entropy);
        prepared.and_then(|prepared| self.shared.add(prepared)).inspect_err(|error| {
            // Without room there is no file for now.
            if !matches!(error, Error::NoSpace) {
                self.shared.fail(error);
            }
        })?;
        Ok(true)
    }

    fn prepare_lap(&self, lap: u64, file: u32, entropy: &dyn Entropy) -> Result<Lap> {
        // Before the old lap is overwritten, it must not be needed.
        self.shared.establish()?;
        let mut salt = [0; 8];
        entropy.fill(&mut salt)?;
        let salt = u64::from_le_bytes(salt);
        self.require_own(file)?;
        let header = LogHeader { pool: self.shared.origin.pool, lap, salt }.encode();
        let second = self.shared.second();
        let lost = self.shared.files.both(second.as_deref(), |store| {
            store.prepare(file)?;
            store.write(file, 0, &header)?;
            store.sync(file)
        })?;
        if let Some(error) = &lost {
            tracing::warn!(%error, "the second copy of the intent log has no room, or cannot be written");
        }
        let second = second.filter(|_| lost.is_none());
        Ok(Lap { lap, salt, at: BLOCK_BYTES as u64, second })
    }

    /// Another pool may use the same directory by mistake.
    fn require_own(&self, file: u32) -> Result<()> {
        let Some(head) = self.shared.files.first.read(file, BLOCK_BYTES as u64)? else { return Ok(()) };
        match LogHeader::decode(&head) {
            Ok(header) if header.pool != self.shared.origin.pool => {
                Err(Error::refused(Mismatch::OtherPool {
                    part: format!("file {file:04}.log in the directory of the intent log"),
                    found: header.pool.to_string(),
                    known: self.shared.origin.pool.to_string(),
                }))
            }
            _ => Ok(()),
        }
    }

    /// The oldest laps that should be absorbed, with the inodes that have records there; with `all`, all laps. Not the lap that is
    /// being written, nor a later one.
    pub(crate) fn to_absorb(&self, all: bool) -> Vec<(u64, Live)> {
        let ring = sync::lock(&self.shared.ring);
        let free = u64::from((ring.files / 4).max(2));
        let until = match (&ring.current, all) {
            (_, true) => u64::MAX,
            (Some(current), false) => {
                current.lap.min((ring.last + free).saturating_sub(u64::from(ring.files)))
            }
            (None, false) => (ring.last + free).saturating_sub(u64::from(ring.files)),
        };
        ring.laps.range(..until).map(|(lap, live)| (*lap, live.clone())).collect()
    }

    /// Notes that the laps are absorbed, and that this is durable.
    pub(crate) fn absorbed(&self, laps: &[u64]) {
        let mut ring = sync::lock(&self.shared.ring);
        ring.laps.retain(|lap, _| !laps.contains(lap));
    }

    /// Logs nothing from now on. Callers flush.
    pub(crate) fn begin_close(&self) {
        self.shared.closing.store(true, Ordering::SeqCst);
    }

    /// Ends the logger.
    pub(crate) fn stop(&self) {
        self.logger.stop();
    }

    /// The span of a log in which nothing is needed.
    pub(crate) fn empty_span(&self) -> LogSpan {
        let ring = sync::lock(&self.shared.ring);
        LogSpan { from: ring.last + 1, last: ring.last, files: ring.files, ..LogSpan::default() }
    }

    /// The length of the live laps, in bytes.
    pub(crate) fn bytes_live(&self) -> u64 {
        sync::lock(&self.shared.ring).laps.len() as u64 * self.shared.files.first.file_bytes()
    }
}

/// While it lives, nothing is logged of the volume.
pub(crate) struct ClosedVolume {
    log: Arc<Log>,
    volume: VolumeId,
}

impl Drop for ClosedVolume {
    fn drop(&mut self) {
        sync::write(&self.log.closed).remove(&self.volume);
    }
}

fn note(live: &mut Live, record: &LogRecord) {
    let last = live.entry(record.key).or_default();
    *last = record.position.max(*last);
}

impl Shared {
    fn keeps(&self, rule: Rule) -> bool {
        #[cfg(test)]
        return self.broken != Some(rule);
        #[cfg(not(test))]
        {
            let _ = rule;
            true
        }
    }

    /// Writes the waiting records in groups, and answers them.
    fn run(&self, first: Job, waiting: &mut Waiting<Job>) {
        let mut next = Some(first);
        while let Some(first) = next.take() {
            let (mut inodes, mut records, mut answers, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
            let mut job = Some(first);
            while let Some(Job { record, answer }) = job.take() {
                let more = record.as_ref().map_or(0, |(_, record)| record.bytes());
                if !records.is_empty() && log::group_bytes(bytes + more) > GROUP_BYTES_MAX {
                    next = Some(Job { record, answer });
                    break;
                }
                bytes += more;
                if let Some((inode, record)) = record {
                    inodes.push(inode);
                    records.push(record);
                }
                answers.push(answer);
                job = waiting.try_recv().ok();
            }
            let logged = self.log(&records);
            // Also if nobody waits for the answer any more.
            inodes.iter().for_each(|inode| inode.state().decided(logged == Logged::Yes));
            for answer in answers {
                let _ = answer.send(logged);
            }
        }
    }

    fn log(&self, records: &[LogRecord]) -> Logged {
        if self.failed.load(Ordering::SeqCst) && self.keeps(Rule::FailedGroup) {
            return Logged::No;
        }
        if records.is_empty() {
            return Logged::Yes;
        }
        match self.write(records) {
            Ok(logged) => logged,
            Err(error) => {
                self.fail(&error);
                if self.keeps(Rule::FailedGroup) { Logged::No } else { Logged::Yes }
            }
        }
    }

    fn write(&self, records: &[LogRecord]) -> Result<Logged> {
        let bytes = log::group_bytes(records.iter().map(LogRecord::bytes).sum());
        let (lap, salt, at, number, file, second) = {
            let mut ring = sync::lock(&self.ring);
            let fits = |lap: &Lap| lap.at + bytes as u64 <= self.files.first.file_bytes();
            if !ring.current.as_ref().is_some_and(fits) {
                self.wanted.notify_one();
                let Some(next) = ring.next.pop_front() else { return Ok(Logged::No) };
                ring.current = Some(next);
            }
            let (files, number) = (u64::from(ring.files), ring.number + 1);
            let Some(current) = &ring.current else { return Ok(Logged::No) };
            let file = (current.lap % files) as u32;
            (current.lap, current.salt, current.at, number, file, current.second.clone())
        };
        let Origin { pool, boot, mark } = self.origin;
        let batch = self.meta.position().durable;
        let group = log::group(salt, &GroupHead { pool, lap, number, boot, mark, batch }, records);
        let began = tokio::time::Instant::now();
        let lost = self.files.both(second.as_deref(), |store| {
            store.write(file, at, &group)?;
            store.sync(file)
        })?;
        self.meters.log_syncs.record(began.elapsed());
        if let Some(error) = lost {
            self.lose_second(&error)?;
        }
        let mut ring = sync::lock(&self.ring);
        ring.number = number;
        if let Some(current) = &mut ring.current {
            current.at += group.len() as u64;
        }
        let live = ring.laps.entry(lap).or_default();
        records.iter().for_each(|record| note(live, record));
        self.meters.log_groups.add(1);
        self.meters.log_records.add(records.len() as u64);
        self.meters.log_bytes.add(group.len() as u64);
        Ok(Logged::Yes)
    }

    /// The second copy, if there is one that is available and belongs to this history.
    fn second(&self) -> Option<Arc<dyn LogStore>> {
        self.files.second().filter(|_| self.keeper.require_copy_fits().is_ok())
    }

    /// Lets `STATE` say which laps are needed.
    fn establish(&self) -> Result<()> {
        let _naming = sync::lock(&self.naming);
        let span = sync::lock(&self.ring).span();
        self.keeper.establish_log(span)
    }

    /// Adds a lap that was prepared. Before a group is answered, `STATE` must say that its lap is needed.
    fn add(&self, prepared: Lap) -> Result<()> {
        let _naming = sync::lock(&self.naming);
        let lap = prepared.lap;
        let span = {
            let ring = sync::lock(&self.ring);
            let doubled = match (&prepared.second, ring.doubled) {
                (None, _) => 0,
                (Some(_), 0) => lap,
                (Some(_), doubled) => doubled,
            };
            LogSpan { last: lap, doubled, ..ring.span() }
        };
        self.keeper.establish_log(span)?;
        let mut ring = sync::lock(&self.ring);
        (ring.last, ring.doubled) = (lap, span.doubled);
        ring.laps.entry(lap).or_default();
        ring.next.push_back(prepared);
        Ok(())
    }

    /// Writes no lap to the second copy any more that was prepared so far, and lets `STATE` say that the copy is not whole. The next lap
    /// tries the copy again.
    fn lose_second(&self, error: &Error) -> Result<()> {
        tracing::warn!(%error, "the second copy of the intent log is not written for now");
        let _naming = sync::lock(&self.naming);
        let span = {
            let mut ring = sync::lock(&self.ring);
            ring.doubled = 0;
            ring.current.iter_mut().for_each(|lap| lap.second = None);
            ring.next.iter_mut().for_each(|lap| lap.second = None);
            ring.span()
        };
        if self.keeps(Rule::TellLoss) { self.keeper.establish_log(span) } else { Ok(()) }
    }

    fn fail(&self, error: &Error) {
        if !self.failed.swap(true, Ordering::SeqCst) {
            tracing::error!(
                %error,
                "the intent log failed; until the next start, each sync makes its bytes durable in the segments and the metadata"
            );
        }
    }
}
