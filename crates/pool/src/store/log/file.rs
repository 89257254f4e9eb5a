//! The intent log in a directory. Its files are written with zeros once, so that a sync never allocates.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::LogStore;
use crate::base::sync;
use crate::{Error, Permit, PoolOptions, Result};

/// The length of a file.
const FILE_BYTES: u64 = 8 << 20;
/// The fewest files with which a log is worth having: one is written, one is ready, and two are being absorbed.
const FILES_MIN: u64 = 4;
/// The log takes no more than this part of the file system.
const ROOM_PART: u64 = 64;
/// Zeros are written in parts of this size.
const PART_BYTES: usize = 1 << 20;

/// See the module.
pub(crate) struct FileLog {
    directory: PathBuf,
    files: u32,
    permit: Permit,
    open: Mutex<HashMap<u32, Arc<File>>>,
}

impl FileLog {
    /// The log in `directory`, which need not exist. A new ring has up to `bytes`, or no files if that is too little. `permit` is
    /// asked while a file is filled, which takes many writes.
    pub(crate) fn of(directory: &Path, bytes: u64, permit: Permit) -> FileLog {
        let files = u32::try_from(bytes / FILE_BYTES).unwrap_or(u32::MAX);
        let files = if u64::from(files) >= FILES_MIN { files } else { 0 };
        FileLog { directory: directory.to_path_buf(), files, permit, open: Mutex::default() }
    }

    /// The bytes that a log in `directory` should have: not more than may be dirty in memory and a quarter more, nor than a small part
    /// of the file system.
    pub(crate) fn bytes_for(directory: &Path, options: &PoolOptions) -> u64 {
        let useful = options.dirty_bytes_max.saturating_add(options.dirty_bytes_max / 4);
        // The directory may not exist yet.
        let there = directory.ancestors().find_map(|there| rustix::fs::statvfs(there).ok());
        let room = there.map_or(0, |room| room.f_blocks.saturating_mul(room.f_frsize));
        options.log_bytes_max.min(useful).min(room / ROOM_PART)
    }

    fn path(&self, file: u32) -> PathBuf {
        self.directory.join(format!("{file:04}.log"))
    }

    fn failed(&self, file: u32, action: &'static str) -> impl Fn(io::Error) -> Error {
        let path = self.path(file);
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::NoSpace,
            _ => Error::Io { path: path.clone(), action, source },
        }
    }

    fn file(&self, file: u32) -> io::Result<Arc<File>> {
        if let Some(open) = sync::lock(&self.open).get(&file) {
            return Ok(open.clone());
        }
        let opened = Arc::new(OpenOptions::new().read(true).write(true).open(self.path(file))?);
        sync::lock(&self.open).insert(file, opened.clone());
        Ok(opened)
    }

    /// The next owner of the pool uses a file of the same name, so zeros that are written after it was replaced would be written over
    /// its records.
    fn fill(&self, file: u32) -> Result<()> {
        let (path, failed) = (self.path(file), self.failed(file, "create a file of the intent log"));
        if std::fs::metadata(&path).is_ok_and(|known| known.len() == FILE_BYTES) {
            return Ok(());
        }
        std::fs::create_dir_all(&self.directory).map_err(&failed)?;
        self.permit.confirm()?;
        let opened = OpenOptions::new().write(true).create(true).truncate(true).open(&path);
        let filled = opened.map_err(&failed)?;
        let zeros = vec![0; PART_BYTES];
        for part in 0..FILE_BYTES / PART_BYTES as u64 {
            self.permit.confirm()?;
            filled.write_all_at(&zeros, part * PART_BYTES as u64).map_err(&failed)?;
        }
        self.sync_new(&filled).map_err(&failed)
    }

    /// Makes a new file, its name and the name of the directory durable.
    fn sync_new(&self, file: &File) -> io::Result<()> {
        file.sync_all()?;
        File::open(&self.directory)?.sync_all()?;
        match self.directory.parent() {
            Some(above) => File::open(above)?.sync_all(),
            None => Ok(()),
        }
    }
}

impl LogStore for FileLog {
    fn file_bytes(&self) -> u64 {
        FILE_BYTES
    }

    fn files(&self) -> u32 {
        self.files
    }

    fn read(&self, file: u32, bytes: u64) -> Result<Option<Vec<u8>>> {
        let read = || {
            let mut content = Vec::new();
            File::open(self.path(file))?.take(bytes).read_to_end(&mut content)?;
            Ok(content)
        };
        match read() {
            Ok(content) => Ok(Some(content)),
            Err::<_, io::Error>(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed(file, "read a file of the intent log")(error)),
        }
    }

    fn prepare(&self, file: u32) -> Result<()> {
        self.fill(file)
    }

    fn write(&self, file: u32, offset: u64, bytes: &[u8]) -> Result<()> {
        let write = || self.file(file)?.write_all_at(bytes, offset);
        write().map_err(self.failed(file, "write to the intent log"))
    }

    fn sync(&self, file: u32) -> Result<()> {
        let sync = || self.file(file)?.sync_data();
        sync().map_err(self.failed(file, "sync the intent log"))
    }

    fn remove(&self, file: u32) -> Result<()> {
        sync::lock(&self.open).remove(&file);
        match std::fs::remove_file(self.path(file)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(self.failed(file, "remove a file of the intent log")(error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_file_is_whole_before_it_is_used_and_keeps_what_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().join("log");
        let of = |bytes| FileLog::of(&place, bytes, Permit::default());
        assert_eq!(of(FILE_BYTES * FILES_MIN - 1).files(), 0);
        let log = of(FILE_BYTES * 5);
        assert_eq!((log.files(), log.read(3, u64::MAX).unwrap()), (5, None));
        // A creation that was cut short is done again.
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(log.path(3), b"part").unwrap();
        log.prepare(3).unwrap();
        log.write(3, 4096, b"group").unwrap();
        log.sync(3).unwrap();
        log.prepare(3).unwrap();
        let content = of(FILE_BYTES * 5).read(3, u64::MAX).unwrap().unwrap();
        assert_eq!(content.len() as u64, FILE_BYTES);
        assert_eq!((&content[..4], &content[4096..4101]), (&[0; 4][..], &b"group"[..]));
        for _ in 0..2 {
            log.remove(3).unwrap();
            assert_eq!(log.read(3, u64::MAX).unwrap(), None);
        }
    }

    /// Another node took the pool and filled the same file, which now holds its records.
    #[test]
    fn a_node_that_is_replaced_while_it_fills_a_file_writes_no_zeros_over_the_next_ones_records() {
        let directory = tempfile::tempdir().unwrap();
        let second = FileLog::of(directory.path(), FILE_BYTES * 5, Permit::default());
        // The look before the file is created and three more succeed; then this node stops, and is replaced.
        let (looks, path, records) = (AtomicU64::new(4), second.path(3), vec![7; FILE_BYTES as usize]);
        let replaced = {
            let (path, records) = (path.clone(), records.clone());
            Permit::asking(move || {
                let left = looks.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
                left.map(drop).map_err(|_| {
                    std::fs::write(&path, &records).unwrap();
                    "another node has the pool".to_owned()
                })
            })
        };
        let first = FileLog::of(directory.path(), FILE_BYTES * 5, replaced);
        assert!(matches!(first.prepare(3), Err(Error::NotPermitted(_))));
        assert!(second.read(3, u64::MAX).unwrap() == Some(records), "zeros were written over the records");
    }
}
