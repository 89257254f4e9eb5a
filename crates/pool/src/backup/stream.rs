//! The file with the metadata of a backup: all keys and values of one instant, in the order of the keys.
//!
//! ```text
//! "FBBACKUP", version = 1 u32
//! blocks:  bytes u32, bytes stored u32, sum u64 (XXH3-64 of what is stored), a Zstandard frame with
//!          records: length of the key u32, length of the value u32, key, value
//! the end: a block of 0 bytes without content, number of records u64, BLAKE3-256 of all blocks' bytes
//! ```
//! Numbers are little-endian. Nothing follows the end, and a file without one is not whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64;

use crate::format::keys::Key;
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"FBBACKUP";
const VERSION: u32 = 1;
/// A block is written when it has this many bytes.
const BLOCK_BYTES: usize = 1 << 20;
/// The largest block that is read: a block and the longest record that can be.
const BLOCK_BYTES_MAX: u32 = 64 << 20;
const LEVEL: i32 = 1;

/// What was written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) records: u64,
    /// BLAKE3-256 of the records.
    pub(crate) hash: [u8; 32],
}

/// Writes the file.
pub(crate) struct Writer {
    path: PathBuf,
    file: BufWriter<File>,
    block: Vec<u8>,
    hasher: blake3::Hasher,
    records: u64,
}

impl Writer {
    pub(crate) fn create(path: &Path) -> Result<Writer> {
        let create = || {
            let mut file = BufWriter::with_capacity(BLOCK_BYTES, super::files::create_private(path)?);
            file.write_all(MAGIC)?;
            file.write_all(&VERSION.to_le_bytes())?;
            Ok(file)
        };
        let file = create().map_err(super::files::failed(path, "write the metadata of a backup"))?;
        Ok(Writer {
            path: path.to_path_buf(),
            file,
            block: Vec::with_capacity(BLOCK_BYTES),
            hasher: blake3::Hasher::new(),
            records: 0,
        })
    }

    pub(crate) fn record(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        for part in [key, value] {
            let length = u32::try_from(part.len()).map_err(|_| {
                Error::Damaged(format!("a record of {} bytes is longer than any that is written", part.len()))
            })?;
            self.block.extend_from_slice(&length.to_le_bytes());
        }
        self.block.extend_from_slice(key);
        self.block.extend_from_slice(value);
        self.records += 1;
        if self.block.len() >= BLOCK_BYTES { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<()> {
        if self.block.is_empty() {
            return Ok(());
        }
        self.hasher.update(&self.block);
        let mut write = || -> io::Result<()> {
            let packed = zstd::bulk::compress(&self.block, LEVEL)?;
            let too_long = || io::Error::from(io::ErrorKind::InvalidData);
            let bytes = u32::try_from(self.block.len()).map_err(|_| too_long())?;
            let stored = u32::try_from(packed.len()).map_err(|_| too_long())?;
            self.file.write_all(&bytes.to_le_bytes())?;
            self.file.write_all(&stored.to_le_bytes())?;
            self.file.write_all(&xxh3_64(&packed).to_le_bytes())?;
            self.file.write_all(&packed)
        };
        write().map_err(super::files::failed(&self.path, "write the metadata of a backup"))?;
        self.block.clear();
        Ok(())
    }

    /// Ends the file, and makes it durable.
    pub(crate) fn finish(mut self) -> Result<Totals> {
        self.end_block()?;
        let totals = Totals { records: self.records, hash: *self.hasher.finalize().as_bytes() };
        let mut write = || -> io::Result<()> {
            self.file.write_all(&[0; 16])?;
            self.file.write_all(&totals.records.to_le_bytes())?;
            self.file.write_all(&totals.hash)?;
            self.file.flush()?;
            self.file.get_ref().sync_all()
        };
        write().map_err(super::files::failed(&self.path, "write the metadata of a backup"))?;
        Ok(totals)
    }
}

/// The callback of [`read`]: gets each key and value.
pub(crate) type Visit<'a> = dyn FnMut(&[u8], Bytes) -> Result<()> + 'a;

/// Reads the file at `path`, and calls `visit` with each key and value. What `visit` gets is whole, but whether the file is, is known only
/// at the end.
pub(crate) fn read(path: &Path, visit: &mut Visit<'_>) -> Result<Totals> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged(path, "it is cut short"),
        _ => super::files::failed(path, "read the metadata of a backup")(error),
    };
    let file = File::open(path).map_err(failed)?;
    let mut reader = Reader { path, file: BufReader::with_capacity(BLOCK_BYTES, file) };
    if reader.array::<8>().map_err(failed)? != *MAGIC {
        return Err(damaged(path, "it is not the metadata of a backup"));
    }
    let version = u32::from_le_bytes(reader.array().map_err(failed)?);
    if version != VERSION {
        return Err(damaged(path, &format!("it has version {version}, and this release reads {VERSION}")));
    }
    let (mut hasher, mut records, mut last) = (blake3::Hasher::new(), 0_u64, Key::new());
    while let Some(block) = reader.block().map_err(failed)? {
        let block = Bytes::from(block?);
        hasher.update(&block);
        let mut at = 0;
        while at < block.len() {
            let (key, value) =
                record_at(&block, &mut at).ok_or_else(|| damaged(path, "a record is malformed"))?;
            if *last >= *key {
                return Err(damaged(path, "its keys are not in order"));
            }
            last = key.to_vec();
            records += 1;
            visit(&key, value)?;
        }
    }
    let counted = u64::from_le_bytes(reader.array().map_err(failed)?);
    let hash: [u8; 32] = reader.array().map_err(failed)?;
    if !reader.file.fill_buf().map_err(failed)?.is_empty() {
        return Err(damaged(path, "something follows its end"));
    }
    let totals = Totals { records, hash: *hasher.finalize().as_bytes() };
    if totals != (Totals { records: counted, hash }) {
        return Err(damaged(path, "its records are not those that were written"));
    }
    Ok(totals)
}

/// The next record of a block. `at` moves behind it.
fn record_at(block: &Bytes, at: &mut usize) -> Option<(Bytes, Bytes)> {
    let number = |from: usize| {
        let bytes = block.get(from..from.checked_add(4)?)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    let (key, value) = (number(*at)?, number(at.checked_add(4)?)?);
    let start = at.checked_add(8)?;
    let middle = start.checked_add(key)?;
    let end = middle.checked_add(value)?;
    if key == 0 || end > block.len() {
        return None;
    }
    *at = end;
    Some((block.slice(start..middle), block.slice(middle..end)))
}

fn damaged(path: &Path, cause: &str) -> Error {
    Error::Damaged(format!("the backup's metadata in {} cannot be used: {cause}", path.display()))
}

struct Reader<'a> {
    path: &'a Path,
    file: BufReader<File>,
}

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// The next block's bytes; `None` at the end.
    fn block(&mut self) -> io::Result<Option<Result<Vec<u8>>>> {
        let [bytes, stored] = [self.array()?, self.array()?].map(u32::from_le_bytes);
        let sum = u64::from_le_bytes(self.array()?);
        if (bytes, stored, sum) == (0, 0, 0) {
            return Ok(None);
        }
        if bytes == 0 {
            return Ok(Some(Err(damaged(self.path, "a block has no content"))));
        }
        if bytes > BLOCK_BYTES_MAX || stored > BLOCK_BYTES_MAX {
            return Ok(Some(Err(damaged(self.path, "a block has an impossible length"))));
        }
        let mut packed = vec![0; stored as usize];
        self.file.read_exact(&mut packed)?;
        if xxh3_64(&packed) != sum {
            return Ok(Some(Err(damaged(self.path, "a block does not match its checksum"))));
        }
        let block = zstd::bulk::decompress(&packed, bytes as usize);
        Ok(Some(match block {
            Ok(block) if block.len() == bytes as usize => Ok(block),
            _ => Err(damaged(self.path, "a block cannot be unpacked")),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, count: u32) -> Totals {
        let mut writer = Writer::create(path).unwrap();
        for number in 0..count {
            writer.record(&number.to_be_bytes(), &vec![7; (number % 3000) as usize]).unwrap();
        }
        writer.finish().unwrap()
    }

    #[test]
    fn what_was_written_is_read_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("metadata");
        let written = write(&path, 2000);
        let mut next = 0_u32;
        let read = read(&path, &mut |key, value| {
            assert_eq!((key, value.len()), (&next.to_be_bytes()[..], (next % 3000) as usize));
            next += 1;
            Ok(())
        });
        assert_eq!((read.unwrap(), next), (written, 2000));
    }

    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("metadata");
        write(&path, 40);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(matches!(read(&path, &mut |_, _| Ok(())), Err(Error::Damaged(_))), "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 0x41;
            std::fs::write(&path, &changed).unwrap();
            assert!(matches!(read(&path, &mut |_, _| Ok(())), Err(Error::Damaged(_))), "changed at {at}");
        }
        std::fs::write(&path, [&whole[..], b"x"].concat()).unwrap();
        assert!(matches!(read(&path, &mut |_, _| Ok(())), Err(Error::Damaged(_))), "longer");
    }
}
