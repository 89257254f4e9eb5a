//! Makes the directory of the second copy a pool of its own, when the first copy is lost.
//! docs/decisions/0046-second-copy-of-the-metadata.md says when that is right.
//!
//! Nothing is changed before everything that the directory holds has been compared. Then the mark goes first by which the first pool
//! knows its copy, and FORMAT comes last. An interrupted promotion is repeated.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::format::records::{PoolRecord, Record, SegmentRecord, StartRecord, malformed};
use crate::format::{FORMAT, keys};
use crate::opening::examine::{self, Wanted};
use crate::store::copies;
use crate::store::home::{self, Home};
use crate::store::log::{FileLog, LogFiles};
use crate::store::meta::{Expected, Extent, FjallMeta, MetaStore, MetaView, Named, View, pair_of};
use crate::store::segment::{FileSegments, SegmentCopies, SegmentStore};
use crate::store::witness::{Found, LogSpan, MemoryWitness, Phase, State, StateFile, Witness};
use crate::{CopyAssessment, Error, Mismatch, PoolOptions, Result};

/// The name of a pool's metadata store.
const STORE: &str = "meta";

/// What a promotion begins with.
struct Basis {
    assessment: CopyAssessment,
    state: State,
    /// The metadata store, locked.
    store: PathBuf,
    lock: std::fs::File,
}

/// Says what a promotion of the second copy in `directory` would find. Changes nothing.
pub(crate) fn assess(directory: &Path, options: &PoolOptions) -> Result<CopyAssessment> {
    Ok(examine_copy(directory, options)?.assessment)
}

/// Makes the second copy in `directory` a pool. Without `accept`, refuses to if anything is missing.
pub(crate) fn promote(directory: &Path, options: &PoolOptions, accept: bool) -> Result<CopyAssessment> {
    let _directory = home::lock_directory(directory)?;
    let Basis { assessment, state, store, lock: _lock } = examine_copy(directory, options)?;
    if let (false, Some(mismatch)) = (accept, assessment.mismatches.first()) {
        return Err(in_copy(Error::refused(mismatch.clone()), directory));
    }
    copies::give_up_mark(directory)?;
    let wanted = directory.join(STORE);
    if store != wanted {
        let renamed =
            std::fs::rename(&store, &wanted).and_then(|()| std::fs::File::open(directory)?.sync_all());
        renamed.map_err(|source| Error::Io { path: store, action: "rename the metadata store", source })?;
    }
    StateFile::of(directory).write(&state, true)?;
    home::write_format(directory, FORMAT)?;
    Named::remove(directory)?;
    copies::forget_mark(directory)?;
    Ok(assessment)
}

fn in_copy(error: Error, directory: &Path) -> Error {
    error.in_pool(directory, || home::count_segments(&directory.join("segments")))
}

/// The metadata store, and whether META says that it counts.
fn store_in(directory: &Path) -> Result<(PathBuf, bool)> {
    let none = |cause: &str| Error::NotPool { path: directory.to_path_buf(), cause: cause.to_owned() };
    if Home::is_in(directory) {
        return Err(none("it is a pool already: name it as pool.directory, and start the daemon"));
    }
    if !copies::is_copy(directory) {
        return Err(none("it is not the second copy of a pool: it has no FOREBAY-COPY file"));
    }
    let Some(named) = Named::read(directory)? else {
        return Err(none(
            "it has no copy of the metadata (no META file), only segments; `forebay pool salvage` reads records out of them",
        ));
    };
    let store = directory.join(&named.store);
    // An interrupted promotion has renamed it.
    let store = if store.is_dir() { store } else { directory.join(STORE) };
    Ok((store, named.is_whole))
}

fn examine_copy(directory: &Path, options: &PoolOptions) -> Result<Basis> {
    examine_all(directory, options).map_err(|error| in_copy(error, directory))
}

fn examine_all(directory: &Path, options: &PoolOptions) -> Result<Basis> {
    let (store, is_whole) = store_in(directory)?;
    let lock = home::lock_file(&store.join("lock"))?;
    let view_parent = std::env::temp_dir();
    let expected = Expected { view_parent: view_parent.clone(), is_copy: true, ..Expected::default() };
    FjallMeta::examine(&store, &expected)?;
    let view = View::make(&store, &view_parent, Extent::All)?;
    let meta = FjallMeta::open(view.directory(), &expected)?;
    let state_file = StateFile::of(directory);
    let (state, mut mismatches) = promoted_state(&meta, state_file.read()?, is_whole)?;
    let segments = FileSegments::open_to_read(&directory.join("segments"));
    let log_directory = directory.join("log");
    let bytes = FileLog::bytes_for(&log_directory, options);
    let log =
        LogFiles::single(std::sync::Arc::new(FileLog::of(&log_directory, bytes, options.permit.clone())));
    let witness = MemoryWitness::default();
    witness.note(&state)?;
    let wanted = Wanted { has_state: true, accept: true, read_only: true, ..Wanted::default() };
    let verdict = examine::examine(&meta, &segments, Some(&log), &witness, wanted)?;
    mismatches.extend(verdict.mismatches);
    mismatches.extend(missing_segments(&meta, &segments)?);
    if !segments.is_complete()? {
        mismatches.push(Mismatch::CopyIncomplete);
    }
    let written = std::fs::metadata(directory.join(crate::store::witness::STATE_FILE));
    let written: Option<SystemTime> = written.and_then(|written| written.modified()).ok();
    let assessment =
        CopyAssessment { pool: state.pool, start: state.boot, batch: state.batch, written, mismatches };
    drop(meta);
    drop(view);
    Ok(Basis { assessment, state, store, lock })
}

/// The state of a pool that is made of a second copy with this metadata and this state, and what is wrong.
pub(crate) fn promoted_state(
    meta: &dyn MetaStore,
    found: Found,
    is_whole: bool,
) -> Result<(State, Vec<Mismatch>)> {
    let key = keys::pool();
    let Some(value) = meta.get(&key)? else {
        return Err(Error::refused(Mismatch::Empty { there: "META names it".to_owned() }));
    };
    let pool = PoolRecord::decode(&key, &value)?;
    let mut mismatches = Vec::new();
    if !is_whole || pair_of(meta)?.is_none() {
        mismatches.push(Mismatch::CopyStale);
    }
    let part = "the STATE file of the copy";
    let known = match found {
        Found::There(state) => Some(state),
        Found::Missing | Found::Damaged => None,
    };
    let mark_of = |boot: u64| -> Result<u32> {
        let key = keys::start(boot);
        let value = meta.get(&key)?;
        Ok(value.map(|value| StartRecord::decode(&key, &value)).transpose()?.map_or(0, |start| start.mark))
    };
    let written = meta.position().written;
    match known {
        None => {
            let state = if found == Found::Missing { "missing" } else { "damaged" };
            mismatches.push(Mismatch::NoState { state });
        }
        Some(state) if state.pool != pool.id => {
            let (found, known) = (state.pool.to_string(), pool.id.to_string());
            mismatches.push(Mismatch::OtherPool { part: part.to_owned(), found, known });
        }
        Some(state) if state.boot > pool.boot => {
            let (found, known) = (state.boot, pool.boot);
            mismatches.push(Mismatch::LaterStart { part: part.to_owned(), found, known });
        }
        Some(state) if state.mark != mark_of(state.boot)? => {
            mismatches.push(Mismatch::OtherHistory { part: part.to_owned(), found: state.boot });
        }
        Some(state) if state.batch > written => {
            let (found, known, witness) = (written, state.batch, part.to_owned());
            mismatches.push(Mismatch::Behind { found, known, witness });
        }
        Some(_) => {}
    }
    let log = known.map_or_else(LogSpan::default, |state| state.log);
    let log = if log.is_empty() || log.is_doubled(log.from) {
        log
    } else {
        mismatches.push(Mismatch::CopyLog);
        LogSpan { from: log.last + 1, ..log }
    };
    let state = State {
        pool: pool.id,
        boot: pool.boot,
        mark: mark_of(pool.boot)?,
        phase: Phase::Running,
        batch: written,
        tables: [0; 2],
        log: LogSpan { doubled: 0, ..log },
    };
    Ok((state, mismatches))
}

/// Segments with live data that are not there.
fn missing_segments(meta: &dyn MetaView, segments: &dyn SegmentStore) -> Result<Option<Mismatch>> {
    let there: BTreeSet<_> = segments.list()?.into_iter().map(|(id, _)| id).collect();
    let mut missing = 0;
    meta.scan(keys::segments(), &mut |key, value| {
        let id = keys::segment_in(key).ok_or_else(|| malformed(SegmentRecord::NAME, key))?;
        let is_live = SegmentRecord::decode(key, value)?.bytes_live > 0;
        missing += usize::from(is_live && !there.contains(&id));
        Ok(ControlFlow::Continue(()))
    })?;
    Ok((missing > 0).then_some(Mismatch::CopySegments { missing }))
}
