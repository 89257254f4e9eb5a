//! Examines a pool at opening: proves that its parts belong together before anything is changed, and then deals with
//! segments that no record names. docs/decisions/0001-opening-proves-the-pool.md gives the reasons.
//!
//! The rules rest on two facts. First, batches of metadata are numbered without a gap, and every witness (the state files
//! and the headers of segments) names only batches that were durable. Second, the record of a segment is removed only after
//! its file is durably deleted, so a file without a record was never named by any batch that the metadata holds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::format::frames::SegmentHeader;
use crate::format::keys::{self, SegmentId};
use crate::format::records::{PoolRecord, Record, SegmentRecord, StartRecord, malformed};
use crate::opening::log::{self, Read};
use crate::parts::log::Held;
use crate::store::log::LogFiles;
use crate::store::meta::{MetaStore, Position};
use crate::store::segment::{Fate, SegmentStore, header_of, remove_unnamed};
use crate::store::witness::{Found, LogSpan, Phase, State, Witness};
use crate::{Error, LastStop, Mismatch, PoolId, Result};

/// How many of the segments that the metadata names have their headers read: the newest ones.
const NAMED_HEADERS: usize = 8;
/// How many of the segments with data are looked for, where it would take long to list all.
const NAMED_SOUGHT: usize = 8;
/// How many numbers before the newest segment of the last start that the metadata names its list begins. What lies before is named, or was synced
/// long before the last groups were, and is left to the sweep.
const LISTED_BEFORE: u64 = 1000;

/// The kind of pool that the caller expects, and how strict opening has to be.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// There is no pool yet.
    pub(crate) is_new: bool,
    /// Whether the pool records how far its metadata reached. A pool of format 2 does not.
    pub(crate) has_state: bool,
    /// Collect mismatches instead of refusing, and open the pool with the metadata that is there.
    pub(crate) accept: bool,
    /// Write to nothing but the metadata store, which is a view.
    pub(crate) read_only: bool,
    /// Metadata, segments and notes were named one by one, so one of them may be another pool's.
    pub(crate) apart: bool,
}

/// The result of the examination.
#[derive(Default)]
pub(crate) struct Verdict {
    /// The start before this one.
    pub(crate) boot: u64,
    /// The start that this one becomes.
    pub(crate) boot_next: u64,
    /// The last start closed the pool cleanly, and nothing has changed since.
    pub(crate) closed: bool,
    /// The same for operators.
    pub(crate) last_stop: LastStop,
    /// Mismatches that were accepted.
    pub(crate) mismatches: Vec<Mismatch>,
    /// All segments, with their length in bytes; see [`segments_to_judge`].
    pub(crate) there: Vec<(SegmentId, u64)>,
    /// Segments that no record names, with their length in bytes.
    pub(crate) unnamed: Vec<(SegmentId, u64)>,
    /// What the intent log holds.
    pub(crate) held: Held,
    /// [`Wanted::apart`].
    pub(crate) apart: bool,
}

/// All evidence for the verdict.
struct Evidence {
    wanted: Wanted,
    position: Position,
    pool: Option<PoolRecord>,
    /// The marks of all starts that the metadata knows.
    marks: BTreeMap<u64, u32>,
    own: Found,
    copy: Found,
    /// What earlier starts have noted.
    starts: Vec<(PathBuf, State)>,
    named: BTreeMap<SegmentId, SegmentRecord>,
    there: Vec<(SegmentId, u64)>,
    /// The headers of all unnamed segments that exist, and of some named ones.
    headers: Vec<(SegmentId, SegmentHeader)>,
    log: Read,
}

/// All segments, with their length in bytes. Where it would take long to list them ([`SegmentStore::keeps_objects`]), only the newest
/// ones of the last start, those of later ones, and the newest ones that hold data. What is left behind otherwise is found by the sweep
/// (`upkeep/sweep.rs`).
fn segments_to_judge(
    store: &dyn SegmentStore,
    pool: Option<&PoolRecord>,
    named: &BTreeMap<SegmentId, SegmentRecord>,
) -> Result<Vec<(SegmentId, u64)>> {
    if !store.keeps_objects() {
        return store.list();
    }
    let boot = pool.map_or(0, |pool| pool.boot);
    let begin = SegmentId::first_of(boot, true);
    let newest = named.range(begin..).next_back().map_or(0, |(id, _)| id.0);
    let first = begin.max(SegmentId(newest.saturating_sub(LISTED_BEFORE)));
    let mut there = store.list_since(first)?;
    let live = named.iter().rev().filter(|(id, record)| **id < first && record.bytes_live > 0);
    for (id, _) in live.take(NAMED_SOUGHT) {
        there.extend(store.length(*id)?.map(|bytes| (*id, bytes)));
    }
    Ok(there)
}

/// Gathers the evidence and judges it. Changes nothing.
pub(crate) fn examine(
    meta: &dyn MetaStore,
    store: &dyn SegmentStore,
    log: Option<&LogFiles>,
    witness: &dyn Witness,
    wanted: Wanted,
) -> Result<Verdict> {
    let evidence = Evidence::gather(meta, store, log, witness, wanted)?;
    let mut mismatches = Vec::new();
    evidence.judge(&mut |mismatch| {
        if !wanted.accept || evidence.is_elsewhere(&mismatch) {
            return Err(Error::refused(mismatch));
        }
        mismatches.push(mismatch);
        Ok(())
    })?;
    Ok(evidence.verdict(mismatches))
}

impl Evidence {
    fn gather(
        meta: &dyn MetaStore,
        store: &dyn SegmentStore,
        log: Option<&LogFiles>,
        witness: &dyn Witness,
        wanted: Wanted,
    ) -> Result<Evidence> {
        let key = keys::pool();
        let pool = meta.get(&key)?.map(|value| PoolRecord::decode(&key, &value)).transpose()?;
        let mut marks = BTreeMap::new();
        meta.scan(keys::starts(), &mut |key, value| {
            let boot = keys::start_in(key).ok_or_else(|| malformed(StartRecord::NAME, key))?;
            marks.insert(boot, StartRecord::decode(key, value)?.mark);
            Ok(ControlFlow::Continue(()))
        })?;
        let mut named = BTreeMap::new();
        meta.scan(keys::segments(), &mut |key, value| {
            let id = keys::segment_in(key).ok_or_else(|| malformed(SegmentRecord::NAME, key))?;
            named.insert(id, SegmentRecord::decode(key, value)?);
            Ok(ControlFlow::Continue(()))
        })?;
        let there = segments_to_judge(store, pool.as_ref(), &named)?;
        let mut look_at: Vec<SegmentId> = there.iter().map(|(id, _)| *id).collect();
        look_at.sort_unstable();
        let newest_named = look_at.iter().rev().filter(|id| named.contains_key(id)).take(NAMED_HEADERS);
        let newest_named: Vec<SegmentId> = newest_named.copied().collect();
        look_at.retain(|id| !named.contains_key(id) || newest_named.contains(id));
        let mut headers = Vec::new();
        for id in look_at {
            headers.extend(header_of(store, id)?.map(|header| (id, header)));
        }
        let (position, own, copy) = (meta.position(), witness.own()?, witness.copy()?);
        let starts = witness.starts()?;
        let span = match own {
            Found::There(state) if wanted.has_state => state.log,
            _ => LogSpan::default(),
        };
        let log = log.map_or_else(|| Ok(Read::default()), |log| log::read(log, span))?;
        Ok(Evidence { wanted, position, pool, marks, own, copy, starts, named, there, headers, log })
    }

    /// Whether the pool's segments are somewhere else, so that nothing may be moved or removed where they were looked for.
    fn is_elsewhere(&self, mismatch: &Mismatch) -> bool {
        let is_empty = || self.there.is_empty() && self.starts.is_empty();
        self.wanted.apart
            && match mismatch {
                Mismatch::OtherPool { .. } => true,
                Mismatch::NoSegments { .. } => is_empty(),
                _ => false,
            }
    }

    /// Calls `report` for each mismatch, and stops at its first error.
    fn judge(&self, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let Some(pool) = &self.pool else { return self.judge_without_pool(report) };
        self.judge_state(pool, report)?;
        if let Found::There(copy) = self.copy {
            self.judge_part("the second copy", pool, &copy.into(), report)?;
            self.judge_laps(&copy, report)?;
        }
        for (path, state) in &self.starts {
            let begun = if state.mark == 0 { " (a recovery that was begun)" } else { "" };
            self.judge_part(&format!("{}{begun}", path.display()), pool, &(*state).into(), report)?;
        }
        for (id, header) in &self.headers {
            let Some(origin) = header.origin else { continue };
            let part = format!("segment {id}");
            let origin =
                Origin { pool: origin.pool, boot: id.boot(), mark: origin.mark, batch: origin.batch };
            self.judge_part(&part, pool, &origin, report)?;
        }
        let later = self.there.iter().map(|(id, _)| id).find(|id| id.boot() > pool.boot);
        if let Some(id) = later {
            let (part, found, known) = (format!("segment {id}"), id.boot(), pool.boot);
            report(Mismatch::LaterStart { part, found, known })?;
        }
        self.judge_segments(report)?;
        self.judge_log(pool, report)
    }

    /// The laps of the log are recorded in the pool's directory first. So the second copy knows no later ones, unless the pool's STATE was
    /// put back from a backup. Its metadata may have followed the second copy's since, so this alone would show it.
    fn judge_laps(&self, copy: &State, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let Found::There(own) = self.own else { return Ok(()) };
        if own.boot != copy.boot || copy.log.last <= own.log.last {
            return Ok(());
        }
        report(Mismatch::StateBehindCopy { found: own.log.last, known: copy.log.last })
    }

    /// The log belongs to this pool and this history, is no newer than the metadata, and is whole.
    fn judge_log(&self, pool: &PoolRecord, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let part = "the intent log";
        if let Some(other) = self.log.pools().find(|named| *named != pool.id) {
            let (found, known) = (other.to_string(), pool.id.to_string());
            report(Mismatch::OtherPool { part: part.to_owned(), found, known })?;
        }
        for head in self.log.heads() {
            let origin = Origin { pool: head.pool, boot: head.boot, mark: head.mark, batch: head.batch };
            self.judge_part(part, pool, &origin, report)?;
        }
        let flaws = self.log.flaws.iter();
        let since = self.log.since();
        flaws.cloned().try_for_each(|log::Flaw { file, state, offset }| {
            report(Mismatch::Log { file, state, offset, since })
        })
    }

    /// Handles metadata without a pool record. Only a new pool may lack it.
    fn judge_without_pool(&self, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let segments = self.there.len();
        if let (Some((path, state)), 0) = (self.starts.first(), segments) {
            let there = format!("{} is of start {} of pool {}", path.display(), state.boot, state.pool);
            return Err(Error::refused(Mismatch::Empty { there }));
        }
        let there = match (segments, self.own, self.wanted.is_new) {
            (0, _, true) => return Ok(()),
            (0, Found::There(state), false) => {
                format!("STATE is of start {} of pool {}", state.boot, state.pool)
            }
            (0, _, false) => "the FORMAT file says that a pool was made".to_owned(),
            (count, ..) => format!("{count} segments are there"),
        };
        // Nothing can be opened, even if mismatches are accepted.
        report(Mismatch::Empty { there: there.clone() })?;
        Err(Error::refused(Mismatch::Empty { there }))
    }

    fn judge_state(&self, pool: &PoolRecord, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let state = match self.own {
            Found::There(state) if self.wanted.has_state => state,
            _ if !self.wanted.has_state => return Ok(()),
            Found::Missing => return report(Mismatch::NoState { state: "missing" }),
            _ => return report(Mismatch::NoState { state: "damaged" }),
        };
        // The state names a start before the metadata counts it.
        let is_early = state.phase == Phase::Opening && state.boot == pool.boot + 1;
        if state.boot < pool.boot {
            return report(Mismatch::StateOld { found: state.boot, known: pool.boot });
        }
        let boot = if is_early { pool.boot } else { state.boot };
        let mark = if is_early { self.mark(boot) } else { state.mark };
        let origin = Origin { boot, mark, ..state.into() };
        self.judge_part("STATE", pool, &origin, report)
    }

    fn mark(&self, boot: u64) -> u32 {
        self.marks.get(&boot).copied().unwrap_or_default()
    }

    /// Judges a part that names a pool, a start and a batch.
    fn judge_part(
        &self,
        part: &str,
        pool: &PoolRecord,
        origin: &Origin,
        report: &mut dyn FnMut(Mismatch) -> Result<()>,
    ) -> Result<()> {
        let part = part.to_owned();
        if origin.pool != pool.id {
            let (found, known) = (origin.pool.to_string(), pool.id.to_string());
            return report(Mismatch::OtherPool { part, found, known });
        }
        if origin.boot > pool.boot {
            return report(Mismatch::LaterStart { part, found: origin.boot, known: pool.boot });
        }
        if origin.mark != self.mark(origin.boot) {
            return report(Mismatch::OtherHistory { part, found: origin.boot });
        }
        if origin.batch > self.position.written {
            let (found, known) = (self.position.written, origin.batch);
            return report(Mismatch::Behind { found, known, witness: part });
        }
        Ok(())
    }

    /// The directory of segments must hold at least one of the segments that the metadata names.
    fn judge_segments(&self, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let live = self.named.iter().filter(|(_, record)| record.bytes_live > 0).map(|(id, _)| id);
        let (mut count, mut any) = (0, false);
        let there: BTreeMap<SegmentId, u64> = self.there.iter().copied().collect();
        for id in live {
            count += 1;
            any |= there.contains_key(id);
        }
        if count == 0 || any {
            return Ok(());
        }
        report(Mismatch::NoSegments { directory: PathBuf::from("segments"), named: count })
    }

    fn verdict(self, mismatches: Vec<Mismatch>) -> Verdict {
        let boot = self.pool.as_ref().map_or(0, |pool| pool.boot);
        let closed = match self.own {
            Found::There(state) if self.wanted.has_state => {
                state.phase == Phase::Closed && state.boot == boot && mismatches.is_empty()
            }
            _ => false,
        };
        let named = &self.named;
        let unnamed: Vec<(SegmentId, u64)> =
            self.there.iter().copied().filter(|(id, _)| !named.contains_key(id)).collect();
        // After accepted mismatches, the next start must come after every start that any part names.
        let states = [self.own, self.copy].into_iter().filter_map(Found::state);
        let states = states.chain(self.starts.iter().map(|(_, state)| *state)).map(|state| state.boot);
        let seen = self.there.iter().map(|(id, _)| id.boot()).chain(states);
        let last = if mismatches.is_empty() { boot } else { seen.fold(boot, u64::max) };
        // A log that does not fit the metadata does not count. One with flaws counts as far as it can be read.
        let counts = mismatches.iter().all(|mismatch| matches!(mismatch, Mismatch::Log { .. }));
        let held = self.log.held(counts);
        let last_stop = match (boot, closed, self.wanted.has_state) {
            (0, ..) => LastStop::First,
            (_, true, _) => LastStop::Clean,
            (_, false, true) => LastStop::Unclean,
            (_, false, false) => LastStop::Unknown,
        };
        Verdict {
            boot,
            boot_next: last + 1,
            closed,
            last_stop,
            mismatches,
            there: self.there,
            unnamed,
            held,
            apart: self.wanted.apart,
        }
    }
}

/// Describes where a part comes from, as the part itself says.
struct Origin {
    pool: PoolId,
    boot: u64,
    mark: u32,
    batch: u64,
}

impl From<State> for Origin {
    fn from(state: State) -> Origin {
        Origin { pool: state.pool, boot: state.boot, mark: state.mark, batch: state.batch }
    }
}

/// A segment that must not stay where it is, and does.
fn left(id: SegmentId) -> Error {
    let cause = "the metadata does not name it, and it cannot be read, or not be moved to lost+found; see who may write to lost+found \
                 beside the segments, and try again";
    Error::Unusable { path: format!("segment {id}").into(), cause: cause.to_owned() }
}

/// Prepares the segments before a start creates new ones. A named segment is sealed at its recorded length, because it may
/// have been open, with preallocated space. An unnamed segment is deleted if it holds no frame. It is also deleted if the
/// last start made it and closed the pool cleanly, because the metadata is then known to be complete. Any other unnamed
/// segment is set aside. Returns the number of segments set aside.
///
/// After accepted mismatches, those that no record names may belong to a history that is given up. None may stay: it would not fit the next start
/// either. In a pool's directory its STATE file decides, so there one may stay that nobody can move.
///
/// Only what the examination has seen is touched. On storage that several machines reach, another one may have taken the pool since: its
/// segments are new.
pub(crate) fn tidy(store: &dyn SegmentStore, verdict: &Verdict) -> Result<usize> {
    let (mut aside, mut given_up, is_given_up) = (0, Vec::new(), !verdict.mismatches.is_empty());
    let (mut changed, unnamed): (bool, BTreeMap<_, _>) = (false, verdict.unnamed.iter().copied().collect());
    for (id, bytes) in &verdict.there {
        if !unnamed.contains_key(id) {
            store.seal(*id, *bytes)?;
            continue;
        }
        changed = true;
        if is_given_up && store.keeps_objects() {
            given_up.push(*id);
            continue;
        }
        let is_leftover = verdict.closed && id.boot() == verdict.boot;
        match remove_unnamed(store, *id, *bytes, is_leftover)? {
            Fate::Aside => aside += 1,
            Fate::Left if is_given_up && verdict.apart => return Err(left(*id)),
            Fate::Left | Fate::Deleted => {}
        }
    }
    // Whatever they hold: to look into each takes longer than to move it.
    store.set_aside_all(&given_up)?;
    aside += given_up.len();
    if changed {
        store.sync_deletions()?;
    }
    Ok(aside)
}
