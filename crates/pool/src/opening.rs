//! Opening a pool: shows that what was found belongs together, before anything is changed, and then deals with segments that no record
//! names. Why it is so is in docs/decisions/0001-opening-proves-the-pool.md.
//!
//! The rules rest on two facts. Batches of metadata are numbered without a gap, and every witness (the state files, the headers of segments)
//! only names batches that were durable. And the record of a segment goes only after its file is gone for good, so a file without a record
//! was never named by any batch that the metadata holds.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::keys;
use crate::meta::{MetaStore, Position};
use crate::records::{PoolRecord, Record, SegmentRecord, StartRecord, malformed};
use crate::segment::{SegmentHeader, SegmentId, SegmentStore, frames_in, header_of};
use crate::witness::{Found, Phase, State, Witness};
use crate::{Error, Mismatch, PoolId, Result};

/// Named segments whose headers are looked at: the newest.
const NAMED_HEADERS: usize = 8;

/// What kind of pool the caller expects, and what it wants to happen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// There is no pool yet.
    pub(crate) is_new: bool,
    /// The pool says how far its metadata reached: one of format 2 does not.
    pub(crate) has_state: bool,
    /// What does not fit is collected, and the pool opened all the same, with the metadata that is there.
    pub(crate) accept: bool,
    /// Nothing but the metadata store, which is a view, may be written to.
    pub(crate) read_only: bool,
}

/// What opening has come to know.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// The start before this one.
    pub(crate) boot: u64,
    /// The start that this one becomes.
    pub(crate) boot_next: u64,
    /// Everything is as it was when the pool was closed in order.
    pub(crate) closed: bool,
    /// What did not fit, if that was accepted.
    pub(crate) mismatches: Vec<Mismatch>,
    /// Segments that no record names, with their length in bytes.
    pub(crate) unnamed: Vec<(SegmentId, u64)>,
}

/// What was found.
struct Evidence {
    wanted: Wanted,
    position: Position,
    pool: Option<PoolRecord>,
    /// The mark of every start that the metadata knows of.
    marks: BTreeMap<u64, u32>,
    own: Found,
    copy: Found,
    named: BTreeMap<SegmentId, SegmentRecord>,
    there: Vec<(SegmentId, u64)>,
    /// Of the unnamed segments that are there, and of some that are named.
    headers: Vec<(SegmentId, SegmentHeader)>,
}

/// Looks at everything and judges it. Changes nothing.
pub(crate) fn examine(
    meta: &dyn MetaStore,
    store: &dyn SegmentStore,
    witness: &dyn Witness,
    wanted: Wanted,
) -> Result<Verdict> {
    let evidence = Evidence::gather(meta, store, witness, wanted)?;
    let mut mismatches = Vec::new();
    evidence.judge(&mut |mismatch| {
        if !wanted.accept {
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
        let there = store.list()?;
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
        Ok(Evidence { wanted, position, pool, marks, own, copy, named, there, headers })
    }

    /// Calls `report` with all that does not fit, and ends with its first error.
    fn judge(&self, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let Some(pool) = &self.pool else { return self.judge_without_pool(report) };
        self.judge_state(pool, report)?;
        if let Found::There(copy) = self.copy {
            self.judge_part("the second copy", pool, &copy.into(), report)?;
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
        self.judge_segments(report)
    }

    /// The metadata has no pool in it: right for a new pool, and only for that.
    fn judge_without_pool(&self, report: &mut dyn FnMut(Mismatch) -> Result<()>) -> Result<()> {
        let segments = self.there.len();
        let there = match (segments, self.own, self.wanted.is_new) {
            (0, _, true) => return Ok(()),
            (0, Found::There(state), false) => {
                format!("STATE is of start {} of pool {}", state.boot, state.pool)
            }
            (0, _, false) => "the FORMAT file says that a pool was made".to_owned(),
            (count, ..) => format!("{count} segments are there"),
        };
        // Nothing can be opened here, whatever is accepted.
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

    /// A part that says which pool, which start of it and which batch it knows of.
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

    /// The directory of segments is the pool's: some of what is named is there.
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
        // Whatever was seen is behind the next start, also if it was accepted although it should not be there.
        let states = [self.own, self.copy].into_iter().filter_map(Found::state).map(|state| state.boot);
        let seen = self.there.iter().map(|(id, _)| id.boot()).chain(states);
        let last = if mismatches.is_empty() { boot } else { seen.fold(boot, u64::max) };
        Verdict { boot, boot_next: last + 1, closed, mismatches, unnamed }
    }
}

/// What a part says of where it comes from.
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

/// An error unless what a part says is of this pool, of this history of it, and no newer than the metadata.
pub(crate) fn require_fits(part: &str, meta: &dyn MetaStore, pool: PoolId, state: &State) -> Result<()> {
    let key = keys::start(state.boot);
    let mark = meta.get(&key)?.map(|value| StartRecord::decode(&key, &value)).transpose()?;
    let (part, position) = (part.to_owned(), meta.position());
    let mismatch = if state.pool != pool {
        Mismatch::OtherPool { part, found: state.pool.to_string(), known: pool.to_string() }
    } else if mark.is_none_or(|known| known.mark != state.mark) {
        Mismatch::OtherHistory { part, found: state.boot }
    } else if state.batch > position.written {
        Mismatch::Behind { found: position.written, known: state.batch, witness: part }
    } else {
        return Ok(());
    };
    Err(Error::refused(mismatch))
}

/// Deals with the segments that are there, before a start makes new ones: those that are named are sealed as they are, for one may have been
/// open, with space preallocated. An unnamed one that holds no whole frame is deleted; so is one that the last start left when it was closed
/// in order, for the metadata was known to be complete then. Any other is set aside. Returns how many were.
pub(crate) fn tidy(store: &dyn SegmentStore, verdict: &Verdict, there: &[(SegmentId, u64)]) -> Result<usize> {
    let mut aside = 0;
    let (mut changed, unnamed): (bool, BTreeMap<_, _>) = (false, verdict.unnamed.iter().copied().collect());
    for (id, bytes) in there {
        if !unnamed.contains_key(id) {
            store.seal(*id, *bytes)?;
            continue;
        }
        changed = true;
        let is_leftover = verdict.closed && id.boot() == verdict.boot;
        if is_leftover || frames_in(store, *id, *bytes)?.is_empty() {
            store.delete(*id)?;
        } else if set_aside(store, *id, *bytes)? {
            aside += 1;
        }
    }
    if changed {
        store.sync_deletions()?;
    }
    Ok(aside)
}

fn set_aside(store: &dyn SegmentStore, id: SegmentId, bytes: u64) -> Result<bool> {
    match store.set_aside(id) {
        Ok(()) => {
            tracing::warn!(
                segment = %id, bytes,
                "a segment that the metadata does not name was moved to lost+found; after a crash it usually holds only what was \
                 never acknowledged; `forebay pool lost-found` lists such segments and deletes them"
            );
            Ok(true)
        }
        // A file system's own lost+found belongs to root.
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::PermissionDenied => {
            tracing::warn!(segment = %id, bytes, %source, "a segment that the metadata does not name stays where it is");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}
