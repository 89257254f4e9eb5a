//! Performs the operations on the file and on its copy in memory.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{
    Advice, FallocateFlags, SeekFrom, copy_file_range, fadvise, fallocate, ioctl_ficlone, seek,
};
use rustix::io::Errno;

use super::FsxDone;
use super::operation::Operation;
use crate::probe::mapped::Mapped;
use crate::probe::random::Random;

/// Maximum length of the file, in bytes.
const FILE_BYTES_MAX: usize = 256 << 10;
/// Maximum length of a read, write, hole or copy, in bytes.
const OPERATION_BYTES_MAX: usize = 64 << 10;
/// One in this many checks of the file's length uses stat.
const STAT_EVERY: usize = 32;
const PAGE_BYTES: usize = 4096;
/// The number of recent operations that are printed when one fails.
const HISTORY: usize = 16;

pub struct Work<'a> {
    path: &'a Path,
    file: File,
    /// A second file, to which parts are copied and from which they are copied back.
    side_path: PathBuf,
    side: File,
    /// Whether dirty data is synced before operations that depend on the server's state: see [`Work::settle`].
    server_restarts: bool,
    /// The expected content of the file.
    model: Vec<u8>,
    random: Random,
    compared_bytes: u64,
    done: BTreeMap<Operation, (u64, Duration)>,
    unsupported: BTreeSet<Operation>,
    recent: VecDeque<String>,
}

impl<'a> Work<'a> {
    /// Starts with an empty file.
    pub fn start(path: &'a Path, seed: u64, server_restarts: bool) -> Result<Self> {
        let side_path = path.with_extension("side");
        let (file, side) = (open(path)?, open(&side_path)?);
        file.set_len(0).with_context(|| format!("truncate {}", path.display()))?;
        side.set_len(0).with_context(|| format!("truncate {}", side_path.display()))?;
        Ok(Self {
            path,
            file,
            side_path,
            side,
            server_restarts,
            model: Vec::new(),
            random: Random::new(seed),
            compared_bytes: 0,
            done: BTreeMap::new(),
            unsupported: BTreeSet::new(),
            recent: VecDeque::new(),
        })
    }

    /// Does one operation.
    pub fn step(&mut self) -> Result<()> {
        let operation = Operation::choose(&mut self.random);
        if self.unsupported.contains(&operation) {
            return Ok(());
        }
        let begun = Instant::now();
        let result = self.perform(operation);
        if !self.unsupported.contains(&operation) {
            let (count, time) = self.done.entry(operation).or_default();
            *count += 1;
            *time += begun.elapsed();
        }
        result
    }

    fn perform(&mut self, operation: Operation) -> Result<()> {
        match operation {
            Operation::Write => self.write(),
            Operation::Read => self.read(),
            Operation::MappedWrite => self.mapped_write(),
            Operation::MappedRead => self.mapped_read(),
            Operation::Truncate => self.truncate(),
            Operation::PunchHole => self.punch_hole(),
            Operation::ZeroRange => self.zero_range(),
            Operation::Allocate => self.allocate(),
            Operation::Copy => self.copy(),
            Operation::Clone => self.clone_file(),
            Operation::Seek => self.seek(),
            Operation::Sync => self.sync(),
            Operation::DropCache => self.drop_cache(),
            Operation::Reopen => self.reopen(),
        }
    }

    /// Compares the whole file with the server's data. Returns a summary.
    pub fn finish(mut self, operations: u64) -> Result<FsxDone> {
        self.compare_all().context("compare the whole file at the end")?;
        self.file.sync_all().context("fsync at the end")?;
        std::fs::remove_file(&self.side_path).context("remove the side file")?;
        let kinds = self.done.iter().map(|(kind, (count, time))| {
            (kind.name().to_owned(), *count, u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
        });
        Ok(FsxDone {
            operations,
            kinds: kinds.collect(),
            compared_bytes: self.compared_bytes,
            file_bytes: u64::try_from(self.model.len())?,
            unsupported: self.unsupported.iter().map(|kind| kind.name().to_owned()).collect(),
        })
    }

    /// A random range that is not empty and ends at or before the maximum length.
    fn stretch(&mut self) -> (usize, usize) {
        let offset = self.random.below(FILE_BYTES_MAX);
        (offset, 1 + self.random.below(OPERATION_BYTES_MAX.min(FILE_BYTES_MAX - offset)))
    }

    /// A random range inside the file. It is empty only if the file is empty.
    fn stretch_inside(&mut self) -> (usize, usize) {
        let offset = self.random.below(self.model.len());
        (offset, (1 + self.random.below(OPERATION_BYTES_MAX)).min(self.model.len() - offset))
    }

    fn write(&mut self) -> Result<()> {
        let (offset, length) = self.stretch();
        self.note(format!("write {length}@{offset}"));
        let bytes = self.random.bytes(length);
        self.file.write_all_at(&bytes, offset as u64).context("write")?;
        self.put(offset, &bytes);
        self.check_length()
    }

    fn put(&mut self, offset: usize, bytes: &[u8]) {
        let end = offset + bytes.len();
        if self.model.len() < end {
            self.model.resize(end, 0);
        }
        self.model.splice(offset..end, bytes.iter().copied());
    }

    fn read(&mut self) -> Result<()> {
        let (offset, length) = self.stretch_inside();
        self.note(format!("read {length}@{offset}"));
        self.compare(offset, length)
    }

    /// Maps the pages that contain a range. Also returns the range's offset in the mapping.
    fn map(&self, offset: usize, length: usize) -> Result<(Mapped, usize)> {
        let start = offset / PAGE_BYTES * PAGE_BYTES;
        let map = Mapped::new(&self.file, start as u64, offset + length - start).context("mmap")?;
        Ok((map, offset - start))
    }

    fn mapped_write(&mut self) -> Result<()> {
        let (offset, length) = self.stretch_inside();
        if length == 0 {
            return Ok(());
        }
        let sync = self.random.below(16) == 0;
        self.note(format!("mmap-write {length}@{offset}{}", if sync { " msync" } else { "" }));
        let bytes = self.random.bytes(length);
        let (mut map, at) = self.map(offset, length)?;
        map.write(at, &bytes).context("write to the mapping")?;
        if sync {
            map.sync().context("msync")?;
        }
        self.put(offset, &bytes);
        Ok(())
    }

    fn mapped_read(&mut self) -> Result<()> {
        let (offset, length) = self.stretch_inside();
        if length == 0 {
            return Ok(());
        }
        self.note(format!("mmap-read {length}@{offset}"));
        let (map, at) = self.map(offset, length)?;
        let mut found = vec![0; length];
        map.read(at, &mut found).context("read from the mapping")?;
        self.compare_bytes(offset, &found)
    }

    fn truncate(&mut self) -> Result<()> {
        let length = self.random.below(FILE_BYTES_MAX);
        self.note(format!("truncate {} to {length}", self.model.len()));
        self.settle()?;
        self.file.set_len(length as u64).context("truncate")?;
        self.model.resize(length, 0);
        self.check_length()
    }

    /// Punches a hole, which does not change the file's length.
    fn punch_hole(&mut self) -> Result<()> {
        let (offset, length) = self.stretch();
        self.note(format!("punch-hole {length}@{offset}"));
        let how = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        let result = fallocate(&self.file, how, offset as u64, length as u64);
        if !self.supported(Operation::PunchHole, result)? {
            return Ok(());
        }
        let end = (offset + length).min(self.model.len());
        if let Some(zeroed) = self.model.get_mut(offset..end) {
            zeroed.fill(0);
        }
        self.check_length()
    }

    /// Zeroes a range. Extends the file if the range goes beyond its end.
    fn zero_range(&mut self) -> Result<()> {
        let (offset, length) = self.stretch();
        self.note(format!("zero-range {length}@{offset}"));
        let result = fallocate(&self.file, FallocateFlags::ZERO_RANGE, offset as u64, length as u64);
        if self.supported(Operation::ZeroRange, result)? {
            self.put(offset, &vec![0; length]);
        }
        self.check_length()
    }

    fn allocate(&mut self) -> Result<()> {
        let (offset, length) = self.stretch();
        self.note(format!("allocate {length}@{offset}"));
        let result = fallocate(&self.file, FallocateFlags::empty(), offset as u64, length as u64);
        if self.supported(Operation::Allocate, result)? {
            self.model.resize(self.model.len().max(offset + length), 0);
        }
        self.check_length()
    }

    fn copy(&mut self) -> Result<()> {
        let (from, length) = self.stretch_inside();
        if length == 0 {
            return Ok(());
        }
        let to = self.random.below(FILE_BYTES_MAX - length + 1);
        self.note(format!("copy {length}@{from} through the side file to {to}"));
        // Before a COPY the Linux client writes back only the dirty data of the range itself. If dirty data after the range extends the
        // file, the server does not know the new length yet, and refuses a range beyond the old one with NFS4ERR_INVAL (RFC 7862
        // section 15.2.3).
        self.file.sync_data().context("fdatasync before a copy")?;
        let there = copy_whole(&self.file, from, &self.side, 0, length);
        if !self.supported(Operation::Copy, there)? {
            return Ok(());
        }
        let back = copy_whole(&self.side, 0, &self.file, to, length);
        self.supported(Operation::Copy, back)?;
        let bytes = self.model.get(from..from + length).context("copy past the model's end")?.to_vec();
        self.put(to, &bytes);
        self.check_length()
    }

    fn clone_file(&mut self) -> Result<()> {
        self.note("clone to the side file".into());
        self.settle()?;
        // A clone does not shorten a longer target file.
        self.side.set_len(0).context("truncate the side file")?;
        if !self.supported(Operation::Clone, ioctl_ficlone(&self.side, &self.file))? {
            return Ok(());
        }
        let length = self.side.metadata().context("stat the side file")?.len();
        ensure!(length == self.model.len() as u64, "the clone is {length} bytes long");
        let mut found = vec![0; self.model.len()];
        self.side.read_exact_at(&mut found, 0).context("read the clone")?;
        self.compare_bytes(0, &found).context("the clone")
    }

    /// Checks that the holes that `lseek` reports contain only zeros. The file system may also report zeros as data.
    fn seek(&mut self) -> Result<()> {
        let (offset, _) = self.stretch_inside();
        self.note(format!("seek from {offset}"));
        if self.model.is_empty() {
            return Ok(());
        }
        self.settle()?;
        let data = match seek(&self.file, SeekFrom::Data(offset as u64)) {
            Ok(data) => usize::try_from(data)?,
            // There is no data between the offset and the end.
            Err(Errno::NXIO) => self.model.len(),
            Err(error) => return Err(error).context("SEEK_DATA"),
        };
        let skipped = self.model.get(offset..data).context("SEEK_DATA returned an offset out of range")?;
        ensure!(skipped.iter().all(|byte| *byte == 0), "SEEK_DATA from {offset} skipped data up to {data}");
        let hole = seek(&self.file, SeekFrom::Hole(offset as u64)).context("SEEK_HOLE")?;
        ensure!(
            (offset as u64..=self.model.len() as u64).contains(&hole),
            "SEEK_HOLE from {offset} returned {hole}, which is not in the rest of the file"
        );
        Ok(())
    }

    /// Syncs the file, if the server may restart. Before a truncation, a clone or a seek, Linux's NFS client writes and commits dirty
    /// data only once (`nfs_wb_all`). If the server restarts in between, it loses the uncommitted data, and the client only marks those
    /// pages dirty again. It then sends them after the operation, and in the last page also the bytes that were cut off. fsync, in
    /// contrast, repeats this until everything is committed.
    fn settle(&self) -> Result<()> {
        if self.server_restarts {
            self.file.sync_data().context("fdatasync before an operation on the server")?;
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.note("fsync".into());
        self.file.sync_all().context("fsync")
    }

    fn drop_cache(&mut self) -> Result<()> {
        self.note("drop cache".into());
        self.file.sync_data().context("fdatasync")?;
        fadvise(&self.file, 0, None, Advice::DontNeed).context("drop the file's cached pages")
    }

    fn reopen(&mut self) -> Result<()> {
        self.note("close, open".into());
        self.file = open(self.path)?;
        self.check_length()
    }

    /// Returns false if the operation is not supported. It is then skipped from now on.
    fn supported(&mut self, operation: Operation, result: Result<(), Errno>) -> Result<bool> {
        match result {
            Ok(()) => Ok(true),
            Err(Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS) => {
                self.unsupported.insert(operation);
                Ok(false)
            }
            Err(error) => Err(error).context(operation.name()),
        }
    }

    /// Checks the length, usually with `lseek`. It seldom uses stat, because before a stat an NFS client writes back all dirty data,
    /// and then mappings and caches would hardly be tested.
    fn check_length(&mut self) -> Result<()> {
        let length = match self.random.below(STAT_EVERY) {
            0 => self.file.metadata().context("stat")?.len(),
            _ => seek(&self.file, SeekFrom::End(0)).context("SEEK_END")?,
        };
        if length != self.model.len() as u64 {
            bail!("the file is {length} bytes long, expected {}", self.model.len());
        }
        Ok(())
    }

    fn compare(&mut self, offset: usize, length: usize) -> Result<()> {
        let mut found = vec![0; length];
        self.file.read_exact_at(&mut found, offset as u64).context("read")?;
        self.compare_bytes(offset, &found)
    }

    fn compare_bytes(&mut self, offset: usize, found: &[u8]) -> Result<()> {
        let length = found.len();
        self.compared_bytes += length as u64;
        let expected = self.model.get(offset..offset + length).context("read past the model's end")?;
        if found == expected {
            return Ok(());
        }
        let differs = |(found, expected): &(&u8, &u8)| found != expected;
        let wrong = || found.iter().zip(expected);
        let at = wrong().position(|pair| differs(&pair)).unwrap_or(0);
        let count = wrong().filter(differs).count();
        bail!(
            "byte {} is {:?}, expected {:?} ({count} of the {length} bytes from offset {offset} are wrong)",
            offset + at,
            found.get(at),
            expected.get(at)
        )
    }

    fn compare_all(&mut self) -> Result<()> {
        self.drop_cache()?;
        self.check_length()?;
        self.compare(0, self.model.len())
    }

    fn note(&mut self, operation: String) {
        if self.recent.len() == HISTORY {
            self.recent.pop_front();
        }
        self.recent.push_back(operation);
    }

    /// The last operations, the newest last.
    pub fn history(&self) -> String {
        self.recent.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
    }
}

/// Copies a whole range, with as many calls as necessary.
fn copy_whole(
    from: &File,
    from_offset: usize,
    to: &File,
    to_offset: usize,
    length: usize,
) -> Result<(), Errno> {
    let (mut source, mut target) = (from_offset as u64, to_offset as u64);
    let end = source + length as u64;
    while source < end {
        let left = usize::try_from(end - source).unwrap_or(length);
        // The kernel advances both offsets.
        if copy_file_range(from, Some(&mut source), to, Some(&mut target), left)? == 0 {
            return Err(Errno::IO);
        }
    }
    Ok(())
}

fn open(path: &Path) -> Result<File> {
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    file.with_context(|| format!("open {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wrong_byte_is_found() {
        let path = std::env::temp_dir().join(format!("forebay-lab-fsx-wrong-{}", std::process::id()));
        let mut work = Work::start(&path, 7, false).unwrap();
        while work.model.len() < 1000 {
            work.write().unwrap();
        }
        let right = work.model[500];
        work.file.write_all_at(&[!right], 500).unwrap();
        let error = work.compare_all().unwrap_err().to_string();
        std::fs::remove_file(&work.side_path).unwrap();
        std::fs::remove_file(path).unwrap();
        assert!(error.contains("byte 500") && error.contains("(1 of"), "{error}");
    }
}
