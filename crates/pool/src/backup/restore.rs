//! Makes a pool of a backup.
//!
//! Segments are copied, then the metadata, each into its place, and FORMAT comes last. The file RESTORING says which backup it is meanwhile,
//! so an interrupted restore is repeated, and no daemon takes the directory for a pool.
//!
//! The pool keeps its id. Its numbers of starts and eras jump, so that no number is given again that the former pool gave after the backup:
//! clients may have seen it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::files::{self, failed};
use super::manifest::Manifest;
use super::repository::{Hold, Repository, segment_in};
use super::verify::{self, Needs};
use super::{BackupWatch, VerifyReport};
use crate::base::permit::Permit;
use crate::base::sources::{Entropy, SystemEntropy};
use crate::base::sync;
use crate::format::keys::{self, SegmentId};
use crate::format::records::{Counters, PoolRecord, Record, StartRecord, malformed};
use crate::format::{ERAS_GIVEN_UP, FORMAT, FORMAT_KEPT};
use crate::store::home::{self, Home, RESTORING_FILE};
use crate::store::meta::{Batch, FjallMeta, NewCopy, PairedMeta};
use crate::store::segment::{FileSegments, SegmentStore};
use crate::store::witness::{LogSpan, Phase, STATE_FILE, State, StateFile};
use crate::{Error, Result};

const RESTORING_WORD: &str = "forebay-restoring 1";
/// Records that are written at once.
const PART_KEYS: usize = 2000;
const PART_BYTES: usize = 256 << 10;

/// Makes a pool in `target` of the backup with this name; without one, of the newest. Returns what was read. Frames that are damaged in the
/// backup are restored as they are, and reported.
pub(crate) async fn restore(
    directory: &Path,
    name: Option<String>,
    target: &Path,
    watch: Arc<BackupWatch>,
) -> Result<VerifyReport> {
    let (directory, target) = (directory.to_path_buf(), target.to_path_buf());
    let work = sync::blocking(move || Work::begin(&directory, name.as_deref(), &target, watch)).await?;
    let work = Arc::new(work);
    let copying = work.clone();
    let (store, state) = sync::blocking(move || {
        copying.copy_segments()?;
        copying.write_metadata()
    })
    .await?;
    // The first batch with a number must be in a table, so that the journal begins with its successor.
    loop {
        let written = store.clone();
        if sync::blocking(move || written.is_written_out()).await? {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    sync::blocking(move || work.finish(store, state)).await
}

/// A restore that has begun.
struct Work {
    repository: Repository,
    manifest: Manifest,
    metadata: PathBuf,
    needs: Needs,
    target: PathBuf,
    watch: Arc<BackupWatch>,
    _held: Hold,
    _lock: File,
}

impl Work {
    fn begin(directory: &Path, name: Option<&str>, target: &Path, watch: Arc<BackupWatch>) -> Result<Work> {
        let repository = Repository::open_to_read(directory)?;
        let (manifest, held) = repository.hold(name)?;
        if manifest.format > FORMAT {
            let (found, known) = (manifest.format, FORMAT);
            return Err(Error::NewerFormat { path: directory.to_path_buf(), found, known });
        }
        std::fs::create_dir_all(target).map_err(failed(target, "create the directory for the pool"))?;
        let lock = home::lock_directory(target)?;
        mark(&manifest, target)?;
        let metadata = repository.metadata(&manifest.name);
        // Before anything is copied, so that a backup whose metadata is damaged is refused at once.
        let (needs, _) = verify::needs_of(&manifest, &metadata, &mut |_, _| watch.go_on())?;
        watch.expect(manifest.bytes());
        let target = target.to_path_buf();
        Ok(Work { repository, manifest, metadata, needs, target, watch, _held: held, _lock: lock })
    }

    fn finish(&self, store: Arc<dyn PairedMeta>, state: State) -> Result<VerifyReport> {
        let state = State { batch: store.position().durable, ..state };
        drop(store);
        let (manifest, target) = (&self.manifest, &self.target);
        let segments = FileSegments::open_to_read(&target.join("segments"));
        let report = verify::report(manifest, &self.metadata, &segments, &self.needs, &self.watch)?;
        if report.damaged > 0 {
            tracing::error!(
                damaged = report.damaged,
                "the backup has damaged frames; the files that use them cannot be read there"
            );
        }
        StateFile::of(target).write(&state, true)?;
        home::write_format(target, self.manifest.format.max(FORMAT_KEPT))?;
        files::remove(&target.join(RESTORING_FILE))?;
        files::sync_directory(target)?;
        tracing::info!(backup = manifest.name, pool = %target.display(), "restored");
        Ok(report)
    }

    fn copy_segments(&self) -> Result<()> {
        let (from, to) = (self.repository.segments(), self.target.join("segments"));
        std::fs::create_dir_all(&to).map_err(failed(&to, "create the directory of segments"))?;
        let there: BTreeMap<SegmentId, u64> = FileSegments::open_to_read(&to).list()?.into_iter().collect();
        for (id, bytes) in self.manifest.segments()? {
            self.watch.go_on()?;
            // A file gets its name when it is whole.
            if there.get(&id) != Some(&bytes) {
                copy_segment(&segment_in(&from, id), &segment_in(&to, id), bytes, &self.watch)?;
            }
            self.watch.count(bytes);
        }
        files::sync_directory(&to)
    }

    /// Writes the metadata store. Returns it, and the state of the new pool.
    fn write_metadata(&self) -> Result<(Arc<dyn PairedMeta>, State)> {
        let directory = self.target.join("meta");
        match std::fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(&directory, "remove an unfinished metadata store")(error));
            }
            _ => {}
        }
        files::remove(&self.target.join(STATE_FILE))?;
        std::fs::create_dir(&directory).map_err(failed(&directory, "create a directory for the metadata"))?;
        let store = Arc::new(FjallMeta::create_copy(&directory, &Permit::default())?);
        let (mut batch, mut bytes) = (Batch::default(), 0);
        let (mut pool, mut counters) = (None, None);
        verify::needs_of(&self.manifest, &self.metadata, &mut |key, value| {
            if key == keys::pool() {
                pool = Some(PoolRecord::decode(key, &value)?);
            } else if key == keys::counters() {
                counters = Some(Counters::decode(key, &value)?);
            }
            bytes += key.len() + value.len();
            batch.changes.push((key.to_vec(), Some(value)));
            if batch.changes.len() >= PART_KEYS || bytes >= PART_BYTES {
                self.watch.go_on()?;
                store.fill(std::mem::take(&mut batch))?;
                bytes = 0;
            }
            Ok(())
        })?;
        store.fill(batch)?;
        let mut pool = pool.ok_or_else(|| malformed(PoolRecord::NAME, &keys::pool()))?;
        let mut counters = counters.ok_or_else(|| malformed(Counters::NAME, &keys::counters()))?;
        let mut mark = [0; 4];
        SystemEntropy::new()?.fill(&mut mark)?;
        let start = StartRecord { mark: u32::from_le_bytes(mark).max(1) };
        pool.boot = pool.boot.saturating_add(ERAS_GIVEN_UP);
        counters.era = counters.era.saturating_add(ERAS_GIVEN_UP);
        let store = store.numbered(self.manifest.batch)?;
        store.write(Batch {
            changes: vec![
                (keys::pool(), Some(pool.encode().into())),
                (keys::counters(), Some(counters.encode().into())),
                (keys::start(pool.boot), Some(start.encode().into())),
            ],
        })?;
        store.make_durable()?;
        store.begin_write_out()?;
        let state = State {
            pool: pool.id,
            boot: pool.boot,
            mark: start.mark,
            phase: Phase::Closed,
            batch: 0,
            tables: [0; 2],
            log: LogSpan::default(),
        };
        Ok((store, state))
    }
}

/// Marks the directory, if it is empty or has the same mark.
fn mark(manifest: &Manifest, target: &Path) -> Result<()> {
    let refuse = |cause: String| Error::Unusable { path: target.to_path_buf(), cause };
    if Home::is_in(target) {
        return Err(refuse(
            "it holds a pool already, which a restore would overwrite: name an empty directory".to_owned(),
        ));
    }
    let text = format!("{RESTORING_WORD} {} {}\n", manifest.pool, manifest.name);
    match files::read(&target.join(RESTORING_FILE))? {
        Some(found) if found == text => return Ok(()),
        Some(found) => {
            let found =
                found.trim_end().strip_prefix(RESTORING_WORD).unwrap_or_default().trim_start().to_owned();
            return Err(refuse(format!(
                "the restore of another backup ({found}) was interrupted there: name that one, or an empty directory"
            )));
        }
        None => {}
    }
    let new = format!("{RESTORING_FILE}.new");
    let entries = std::fs::read_dir(target).map_err(failed(target, "list the directory"))?;
    for entry in entries {
        let there = entry.map_err(failed(target, "list the directory"))?.file_name();
        if there != "lost+found" && there != *new {
            let there = there.to_string_lossy();
            return Err(refuse(format!(
                "it holds {there}: name an empty directory, or one that does not exist"
            )));
        }
    }
    files::put(target, RESTORING_FILE, &text)
}

fn copy_segment(from: &Path, to: &Path, bytes: u64, watch: &BackupWatch) -> Result<()> {
    let source = match File::open(from) {
        Ok(source) => source,
        // The report says which chunks are missing.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(from, "open a segment of the backup")(error)),
    };
    let new = to.with_extension("new");
    let file = files::create_private(&new).map_err(failed(&new, "write a segment"))?;
    // Copies of the same file system share their blocks, where it can do that.
    if rustix::fs::ioctl_ficlone(&file, &source).is_err() {
        copy_bytes(&source, &file, bytes, &new, watch)?;
    }
    let finish = || {
        let length = file.metadata()?.len();
        file.set_len(bytes.min(length))?;
        file.sync_all()?;
        std::fs::rename(&new, to)
    };
    finish().map_err(failed(to, "write a segment"))
}

fn copy_bytes(source: &File, file: &File, bytes: u64, path: &Path, watch: &BackupWatch) -> Result<()> {
    let mut source = io::Read::take(source, bytes);
    let (mut buffer, mut file) = (vec![0; 1 << 20], file);
    loop {
        watch.go_on()?;
        let read =
            io::Read::read(&mut source, &mut buffer).map_err(failed(path, "read a segment of the backup"))?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { return Ok(()) };
        io::Write::write_all(&mut file, part).map_err(failed(path, "write a segment"))?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BackupOptions, Pool, PoolOptions};

    #[tokio::test]
    async fn a_backup_that_is_being_restored_is_not_pruned() {
        let places = tempfile::tempdir().unwrap();
        let at = |name: &str| places.path().join(name);
        let pool = Pool::open(&at("pool"), PoolOptions::default()).await.unwrap();
        let keep_one = async || {
            let options = BackupOptions { keep: Some(1), ..BackupOptions::default() };
            pool.backup(&at("backups"), options, Arc::default()).await.unwrap()
        };
        let first = keep_one().await.backup.name;
        let work = Work::begin(&at("backups"), None, &at("restored"), Arc::default()).unwrap();
        assert_eq!(keep_one().await.removed, 0);
        work.copy_segments().unwrap();
        drop(work.write_metadata().unwrap());
        drop(work);
        let third = keep_one().await;
        assert_eq!(third.removed, 2, "{first} and the one after it");
        let left = Pool::backups(&at("backups")).await.unwrap();
        assert_eq!(left.backups, [third.backup]);
        pool.close().await.unwrap();
    }
}
