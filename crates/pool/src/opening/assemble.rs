//! Assembles a pool from its directories, for use or for reading.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::sources::{SystemClock, SystemEntropy};
use crate::engine::Engine;
use crate::format::FORMAT_DOUBLED;
use crate::format::frames::Naming;
use crate::format::keys;
use crate::format::records::{PoolRecord, Record};
use crate::opening::examine::{Wanted, examine};
use crate::opening::lifecycle::Foundation;
use crate::parts::registry::Volumes;
use crate::parts::segment_table::SegmentTable;
use crate::store::Backends;
use crate::store::copies::CopiesMark;
use crate::store::home::{Home, count_segments};
use crate::store::log::{FileLog, LogFiles, LogStore};
use crate::store::meta::{
    CopyPlace, Expected, Extent, FjallMeta, MetaFiles, SecondMeta, View, remove_leftovers,
};
use crate::store::room::FileSystemRoom;
use crate::store::segment::{FileSegments, SegmentCopies, SegmentFiles};
use crate::store::witness::{DirectoryWitness, Found, MetaWitness, Witness};
use crate::{Assessment, Error, Mismatch, PoolOptions, Result};

/// Opens the pool in `directory`, or creates one there. With `accept`, opens it despite mismatches, with the metadata that
/// it finds.
pub(crate) fn to_use(directory: &Path, options: PoolOptions, accept: bool) -> Result<Arc<Engine>> {
    let assemble = || {
        options.permit.confirm()?;
        let home = Home::open(directory)?;
        if accept && home.is_new() {
            return Err(Error::refused(Mismatch::NoPool));
        }
        options.permit.confirm()?;
        remove_leftovers(directory);
        options.permit.confirm()?;
        let copy = second_copy(&home, &options)?;
        let witness = Arc::new(DirectoryWitness::of(home.path(), copy.clone()));
        let wanted =
            Wanted { is_new: home.is_new(), has_state: home.has_state(), accept, ..Wanted::default() };
        let expected = Expected { permit: options.permit.clone(), ..expected(&*witness, wanted, directory)? };
        let first = Arc::new(FjallMeta::open(&home.meta(), &expected)?);
        // An older release does not know that the metadata has a second copy.
        let doubled = copy.clone().filter(|_| home.format_in_use() >= FORMAT_DOUBLED);
        let second = doubled.map(|(mark, directory)| -> Arc<dyn SecondMeta> {
            Arc::new(CopyPlace::of(directory, mark, options.permit.clone()))
        });
        let foundation = Foundation {
            meta: MetaFiles::of(first, second),
            segments: segments(&home, &options, copy.clone()),
            room: Box::new(FileSystemRoom(directory.to_path_buf())),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy::new()?),
            witness,
            wanted,
            naming: Naming::Keyed,
            log: Some(log(&home, &options, copy)),
            #[cfg(test)]
            broken: None,
            home: Some(home),
        };
        Engine::open(foundation, options)
    };
    assemble().map_err(|error| in_pool(error, directory))
}

/// Opens the pool in `directory` for reading, and changes nothing there. The view must outlive the engine. With `accept`,
/// opens it despite mismatches.
pub(crate) fn to_read(directory: &Path, options: PoolOptions, accept: bool) -> Result<(Arc<Engine>, View)> {
    let assemble = || {
        let home = Home::open_to_read(directory)?;
        let copy = second_copy_to_read(&home, &options)?;
        let witness = Arc::new(DirectoryWitness::of(home.path(), copy.clone()));
        let wanted = Wanted { has_state: home.has_state(), accept, read_only: true, ..Wanted::default() };
        let expected = expected(&*witness, wanted, &std::env::temp_dir())?;
        // Examine the store itself first, so that errors name its files and not those of the view.
        FjallMeta::examine(&home.meta(), &expected)?;
        let view = View::make(&home.meta(), &std::env::temp_dir(), Extent::All)?;
        let foundation = Foundation {
            meta: MetaFiles::single(Arc::new(FjallMeta::open(view.directory(), &expected)?)),
            segments: segments_to_read(&home, copy.clone()),
            room: Box::new(FileSystemRoom(directory.to_path_buf())),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy::new()?),
            witness,
            wanted,
            naming: Naming::Keyed,
            log: Some(log(&home, &options, copy)),
            #[cfg(test)]
            broken: None,
            home: Some(home),
        };
        Ok((Engine::open(foundation, options)?, view))
    };
    assemble().map_err(|error| in_pool(error, directory))
}

/// Opens the pool in stores that are not a directory, or creates one there. With `accept`, opens a pool that is there despite mismatches, with the
/// metadata that it finds.
pub(crate) fn on(backends: Backends, options: PoolOptions, accept: bool) -> Result<Arc<Engine>> {
    let Backends { metadata, segments, room, notes } = backends;
    let is_new = metadata.get(&keys::pool())?.is_none();
    let witness = Arc::new(MetaWitness::of(metadata.clone(), notes));
    let wanted = Wanted { is_new, has_state: true, accept, apart: true, read_only: false };
    if accept && is_new {
        return Err(Error::refused(Mismatch::NoPool));
    }
    let foundation = Foundation {
        witness,
        meta: MetaFiles::single(metadata),
        segments: SegmentFiles::single(segments),
        room,
        clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy::new()?),
        wanted,
        naming: Naming::Keyed,
        log: None,
        #[cfg(test)]
        broken: None,
        home: None,
    };
    Engine::open(foundation, options)
}

/// Says what opening the pool in these stores with its metadata as it is would do. Writes to nothing. Lists all segments.
pub(crate) fn assess_on(backends: Backends) -> Result<Assessment> {
    let Backends { metadata, segments, notes, .. } = backends;
    let key = keys::pool();
    let Some(value) = metadata.get(&key)? else { return Err(Error::refused(Mismatch::NoPool)) };
    let pool = PoolRecord::decode(&key, &value)?;
    let witness = MetaWitness::of(metadata.clone(), notes);
    let wanted = Wanted { has_state: true, accept: true, apart: true, read_only: true, ..Wanted::default() };
    let verdict = examine(&*metadata, &*segments, None, &witness, wanted)?;
    // As the next start would see it.
    let table = SegmentTable::load(&*metadata, pool.boot + 1)?;
    table.found(&segments.list()?);
    let volumes = Volumes::load(&*metadata, Arc::new(SystemClock))?;
    Ok(Assessment::of(verdict.mismatches, verdict.unnamed, &table, &volumes))
}

/// The second copy: its mark and its directory.
type Copy = (CopiesMark, PathBuf);

/// The second copy, if the pool keeps one.
fn second_copy(home: &Home, options: &PoolOptions) -> Result<Option<Copy>> {
    let Some(directory) = options.copies_directory.clone() else { return Ok(None) };
    require_no_pool(&directory)?;
    Ok(Some((home.copies_mark(&directory)?, directory)))
}

/// A copy that was promoted is newer than the pool that it was a copy of.
fn require_no_pool(directory: &Path) -> Result<()> {
    if !Home::is_in(directory) {
        return Ok(());
    }
    let cause = "pool.copies_directory names it, but it is a pool of its own: if the second copy was promoted, it is the pool now, so \
                 name it as pool.directory and keep this one aside";
    Err(Error::NotPool { path: directory.to_path_buf(), cause: cause.to_owned() })
}

/// Like [`second_copy`], but changes nothing.
fn second_copy_to_read(home: &Home, options: &PoolOptions) -> Result<Option<Copy>> {
    let Some(directory) = options.copies_directory.clone() else { return Ok(None) };
    require_no_pool(&directory)?;
    Ok(home.copies_mark_known(&directory)?.map(|mark| (mark, directory)))
}

/// The files of the intent log, and their copies if the pool keeps a second copy.
fn log(home: &Home, options: &PoolOptions, copy: Option<Copy>) -> LogFiles {
    let directory = options.log_directory.clone().unwrap_or_else(|| home.log());
    let (bytes, permit) = (FileLog::bytes_for(&directory, options), options.permit.clone());
    let Some((mark, copies)) = copy else {
        return LogFiles::single(Arc::new(FileLog::of(&directory, bytes, permit)));
    };
    let second = copies.join("log");
    let bytes = FileLog::bytes_for(&second, options).min(bytes);
    let first = Arc::new(FileLog::of(&directory, bytes, permit.clone()));
    let open_second = move || -> Result<Arc<dyn LogStore>> {
        mark.require(&copies)?;
        Ok(Arc::new(FileLog::of(&second, bytes, permit.clone())))
    };
    LogFiles { first, second: Some(Box::new(open_second)) }
}

fn in_pool(error: Error, directory: &Path) -> Error {
    error.in_pool(directory, || count_segments(&directory.join("segments")))
}

/// What the witness requires of the metadata store.
fn expected(witness: &dyn Witness, wanted: Wanted, view_parent: &Path) -> Result<Expected> {
    let Wanted { is_new, has_state, accept, .. } = wanted;
    let own = if has_state { witness.own()? } else { Found::Missing };
    if let (true, false, Found::Missing | Found::Damaged) = (has_state, accept, own) {
        let state = if own == Found::Missing { "missing" } else { "damaged" };
        return Err(Error::refused(Mismatch::NoState { state }));
    }
    let mut expected =
        Expected { is_new, accept, view_parent: view_parent.to_path_buf(), ..Expected::default() };
    if let Found::There(state) = own {
        (expected.batch, expected.witness) = (state.batch, "STATE".to_owned());
        expected.tables = if accept { [0; 2] } else { state.tables };
    }
    Ok(expected)
}

/// The segments in the pool's directory, and their second copies if the pool keeps them.
fn segments(home: &Home, options: &PoolOptions, copy: Option<Copy>) -> SegmentFiles {
    let direct = options.direct_io;
    segment_files(copy, &home.segments(), move |directory| FileSegments::open(directory, direct))
}

fn segments_to_read(home: &Home, copy: Option<Copy>) -> SegmentFiles {
    segment_files(copy, &home.segments(), FileSegments::open_to_read)
}

fn segment_files(
    copy: Option<Copy>,
    first: &Path,
    open: impl Fn(&Path) -> FileSegments + Send + Sync + 'static,
) -> SegmentFiles {
    let first = Arc::new(open(first));
    let Some((mark, directory)) = copy else { return SegmentFiles::single(first) };
    let open_second = move || -> Result<Arc<dyn SegmentCopies>> {
        mark.require(&directory)?;
        Ok(Arc::new(open(&directory.join("segments"))))
    };
    SegmentFiles { first, second: Some(Box::new(open_second)) }
}
