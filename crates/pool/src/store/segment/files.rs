//! Segments as files in a directory, named by their id in hexadecimal.
//!
//! A new file's name is durable before the file's first sync returns: the directory is synced right after the file is created.
//! Files whose name does not parse are ignored. Space is preallocated, so that appending to an open segment cannot run out of
//! space, and the unused part is released when the segment is sealed.
//!
//! Segments that are set aside move to the subdirectory `lost+found`.
//!
//! Large writes bypass the page cache (see [`super::direct`]) if the file system allows it; reads and small writes use the
//! cache. The two never touch the same block.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rustix::fs::{CWD, FallocateFlags, RenameFlags};
use rustix::io::Errno;

use super::buffers::Buffers;
use super::direct::DirectFiles;
use super::{SegmentCopies, SegmentStore};
use crate::base::sync;
use crate::format::keys::SegmentId;
use crate::{Error, Result};

/// Files kept open for reading.
const FILES_OPEN_MAX: usize = 256;
/// Buffers passed to one `pwritev`; Linux takes at most 1024.
const PARTS_MAX: usize = 512;

/// The directory for segments that were set aside.
pub(crate) const ASIDE: &str = "lost+found";

/// The file, beside the directory of a second copy, that is there while the copy has everything.
const COMPLETE_FILE: &str = "COMPLETE";

/// See the module.
pub struct FileSegments {
    directory: PathBuf,
    /// Whether the store refuses to change anything in the directory.
    read_only: bool,
    files: Mutex<HashMap<SegmentId, Arc<File>>>,
    direct: Option<DirectFiles>,
    /// Memory for reads.
    buffers: Buffers,
}

impl FileSegments {
    /// Opens the segments in `directory`, which need not exist before [`SegmentStore::prepare`]. With `direct`, large writes
    /// bypass the page cache.
    pub fn open(directory: &Path, direct: bool) -> FileSegments {
        FileSegments {
            directory: directory.to_path_buf(),
            read_only: false,
            files: Mutex::default(),
            direct: direct.then(DirectFiles::default),
            buffers: Buffers::default(),
        }
    }

    /// Opens the segments in `directory` for reading. Operations that would change them fail, except `seal`, which does
    /// nothing.
    pub(crate) fn open_to_read(directory: &Path) -> FileSegments {
        FileSegments { read_only: true, ..FileSegments::open(directory, false) }
    }

    fn require_writable(&self) -> Result<()> {
        if self.read_only { Err(Error::ReadOnly) } else { Ok(()) }
    }

    fn path(&self, id: SegmentId) -> PathBuf {
        self.directory.join(format!("{id}.seg"))
    }

    /// Says that the copy in this directory has everything.
    fn complete(&self) -> PathBuf {
        self.directory.with_file_name(COMPLETE_FILE)
    }

    fn path_aside(&self, id: SegmentId) -> PathBuf {
        self.directory.join(ASIDE).join(format!("{id}.seg"))
    }

    /// Closes the open files of a segment.
    fn forget(&self, id: SegmentId) {
        sync::lock(&self.files).remove(&id);
        self.direct.iter().for_each(|direct| direct.forget(id));
    }

    /// The error for a failed system call on a segment; a full disk is [`Error::NoSpace`].
    fn failed(&self, id: SegmentId, action: &'static str, source: io::Error) -> Error {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Error::NoSpace,
            _ => Error::Io { path: self.path(id), action, source },
        }
    }

    fn remember(&self, id: SegmentId, file: Arc<File>) {
        let mut files = sync::lock(&self.files);
        if files.len() >= FILES_OPEN_MAX {
            files.clear();
        }
        files.insert(id, file);
    }

    fn file(&self, id: SegmentId) -> io::Result<Arc<File>> {
        if let Some(file) = sync::lock(&self.files).get(&id) {
            return Ok(file.clone());
        }
        let file = Arc::new(OpenOptions::new().read(true).write(!self.read_only).open(self.path(id))?);
        self.remember(id, file.clone());
        Ok(file)
    }

    fn create_directory(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.directory)?;
        match self.directory.parent() {
            Some(above) => File::open(above)?.sync_all(),
            None => Ok(()),
        }
    }

    fn sync_directory(&self) -> io::Result<()> {
        absent(File::open(&self.directory).and_then(|directory| directory.sync_all()))
    }
}

impl SegmentStore for FileSegments {
    fn prepare(&self) -> Result<()> {
        self.create_directory().map_err(|source| Error::Io {
            path: self.directory.clone(),
            action: "create the directory of segments",
            source,
        })
    }

    fn create(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.require_writable()?;
        let path = self.path(id);
        // A file that was there already is not deleted below.
        let created = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = created.map_err(|error| self.failed(id, "create a segment", error))?;
        let create = || -> io::Result<()> {
            match rustix::fs::fallocate(&file, FallocateFlags::KEEP_SIZE, 0, bytes.max(1)) {
                Ok(()) | Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
                Err(errno) => return Err(errno.into()),
            }
            self.sync_directory()
        };
        match create() {
            Ok(()) => {
                self.remember(id, Arc::new(file));
                Ok(())
            }
            Err(error) => {
                // Nothing was written to it. If it cannot be deleted now, the next opening deletes it.
                let _ = std::fs::remove_file(&path);
                Err(self.failed(id, "create a segment", error))
            }
        }
    }

    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        self.require_writable()?;
        let write = || -> io::Result<()> {
            if let Some(direct) = &self.direct
                && direct.write(id, &self.path(id), offset, parts)?
            {
                return Ok(());
            }
            let file = self.file(id)?;
            let mut at = offset;
            for parts in parts.chunks(PARTS_MAX) {
                at += write_all_vectored(&file, at, parts)?;
            }
            Ok(())
        };
        write().map_err(|error| self.failed(id, "write to the segment", error))
    }

    fn sync(&self, id: SegmentId) -> Result<()> {
        self.file(id).and_then(|file| file.sync_data()).map_err(|source| Error::Io {
            path: self.path(id),
            action: "sync the segment",
            source,
        })
    }

    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        if self.read_only {
            return Ok(());
        }
        self.direct.iter().for_each(|direct| direct.forget(id));
        // A file that is shorter has lost its end. It must not be extended with zeros.
        self.file(id)
            .and_then(|file| file.set_len(bytes.min(file.metadata()?.len())))
            .map_err(|error| self.failed(id, "seal the segment", error))
    }

    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        let read = || -> io::Result<Bytes> {
            let file = self.file(id)?;
            let Some(mut buffer) = self.buffers.take(length) else {
                return read_exact_at(&file, offset, length).map(Bytes::from);
            };
            file.read_exact_at(buffer.space(length), offset)?;
            Ok(buffer.freeze(length))
        };
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) => match error.kind() {
                // An offset larger than any file's counts as beyond the end.
                io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => {
                    Ok(None)
                }
                _ => Err(self.failed(id, "read from the segment", error)),
            },
        }
    }

    fn delete(&self, id: SegmentId) -> Result<bool> {
        self.require_writable()?;
        self.forget(id);
        let removed = std::fs::remove_file(self.path(id));
        absent(removed).map_err(|error| self.failed(id, "delete the segment", error))?;
        Ok(true)
    }

    fn sync_deletions(&self) -> Result<bool> {
        self.sync_directory().map_err(|source| Error::Io {
            path: self.directory.clone(),
            action: "sync the directory of segments",
            source,
        })?;
        Ok(true)
    }

    fn set_aside(&self, id: SegmentId) -> Result<()> {
        self.require_writable()?;
        self.forget(id);
        let aside = self.directory.join(ASIDE);
        let set_aside = || {
            match std::fs::create_dir(&aside) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let (from, to) = (self.path(id), self.path_aside(id));
            absent(rename_to_new(&from, &to))?;
            File::open(&aside)?.sync_all()?;
            self.sync_directory()
        };
        set_aside().map_err(|error| self.failed(id, "move the segment to lost+found", error))
    }

    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        let aside = self.directory.join(ASIDE);
        // The lost+found of the file system itself belongs to root.
        match list(&aside) {
            Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
                Ok(Vec::new())
            }
            listed => listed,
        }
    }

    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        self.require_writable()?;
        let removed = std::fs::remove_file(self.path_aside(id));
        absent(removed).map_err(|error| self.failed(id, "delete the segment from lost+found", error))
    }

    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        list(&self.directory)
    }

    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        match std::fs::metadata(self.path(id)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            found => found
                .map(|found| Some(found.len()))
                .map_err(|error| self.failed(id, "ask for the segment's length", error)),
        }
    }
}

impl SegmentCopies for FileSegments {
    fn is_complete(&self) -> Result<bool> {
        let path = self.complete();
        path.try_exists().map_err(|source| Error::Io { path, action: "look for the file", source })
    }

    /// The file is there while the copy is complete: a file can be removed from a disk that is full.
    fn declare_complete(&self, is_complete: bool) -> Result<()> {
        self.require_writable()?;
        let path = self.complete();
        let declare = || {
            match is_complete {
                true => File::create(&path)?.sync_all()?,
                false => match std::fs::remove_file(&path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                    removed => removed?,
                },
            }
            path.parent().map_or(Ok(()), |above| File::open(above)?.sync_all())
        };
        declare().map_err(|source| Error::Io {
            path: path.clone(),
            action: "declare what the copy has",
            source,
        })
    }
}

/// Renames a file, and replaces none.
fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // NFS and CephFS know no flags of a rename. A target that is there is seen before that, also the one that an interrupted try has made.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::EXIST) => link_to_new(from, to),
        renamed => renamed.map_err(io::Error::from),
    }
}

/// The same, for a file system that cannot do it in one step: for a moment the file has both names.
fn link_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::hard_link(from, to) {
        // This was interrupted before.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_same_file(from, to)? => {}
        linked => linked?,
    }
    std::fs::remove_file(from)
}

fn is_same_file(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (std::fs::symlink_metadata(one)?, std::fs::symlink_metadata(other)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Treats a missing file or directory as success.
fn absent(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The segments in a directory.
fn list(directory: &Path) -> Result<Vec<(SegmentId, u64)>> {
    let failed = |source| Error::Io { path: directory.to_path_buf(), action: "list the segments", source };
    let mut segments = Vec::new();
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(segments),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let id = name.to_str().and_then(|name| name.strip_suffix(".seg"));
        let Some(id) = id.and_then(|id| u64::from_str_radix(id, 16).ok()) else { continue };
        segments.push((SegmentId(id), entry.metadata().map_err(failed)?.len()));
    }
    Ok(segments)
}

/// Writes all parts at `offset`; returns how many bytes they are.
fn write_all_vectored(file: &File, offset: u64, parts: &[Bytes]) -> io::Result<u64> {
    let total: u64 = parts.iter().map(|part| part.len() as u64).sum();
    let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut remaining = &mut slices[..];
    let mut at = offset;
    while at < offset + total {
        match rustix::io::pwritev(file, remaining, at) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                at += written as u64;
                IoSlice::advance_slices(&mut remaining, written);
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(total)
}

/// Reads into memory that is not zeroed first.
fn read_exact_at(file: &File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        let at = offset.checked_add(bytes.len() as u64).ok_or(io::ErrorKind::InvalidInput)?;
        match rustix::io::pread(file, rustix::buffer::spare_capacity(&mut bytes), at) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    // The memory may be larger than requested.
    bytes.truncate(length);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_moved_without_flags_and_replaces_no_other_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("from"), b"bytes").unwrap();
        std::fs::write(path("other"), b"of another file").unwrap();
        let refused = link_to_new(&path("from"), &path("other")).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        // As an interruption leaves it.
        std::fs::hard_link(path("from"), path("to")).unwrap();
        rename_to_new(&path("from"), &path("to")).unwrap();
        assert_eq!(std::fs::read(path("to")).unwrap(), b"bytes");
        assert!(!path("from").exists());
        link_to_new(&path("to"), &path("from")).unwrap();
        assert!(path("from").exists() && !path("to").exists());
        assert!(rename_to_new(&path("from"), &path("other")).is_err());
        assert_eq!(std::fs::read(path("other")).unwrap(), b"of another file");
        let absent = link_to_new(&path("absent"), &path("new")).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
    }
}
