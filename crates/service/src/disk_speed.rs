//! How fast a directory's disk makes data durable, measured in about a second and a half.
//!
//! Brokers wait for syncs, so their number per second matters more than the throughput of large writes. What must hold: the file has no
//! name, so nothing is left behind, not even by a crash; and the bytes are bounded, so that a disk that is nearly full is not filled.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, fstatvfs, open};

/// How long each of the two measurements takes.
const LASTS: Duration = Duration::from_millis(700);
/// Bytes of a small write: those of a file system's block.
const SMALL_BYTES: usize = 4 << 10;
/// Bytes of a large write between two syncs.
const LARGE_BYTES: usize = 8 << 20;
/// Bytes of all large writes together.
const LARGE_BYTES_MAX: u64 = 1 << 30;
/// No more than this part of the free space is used.
const FREE_SHARE: u64 = 16;
/// Below this rate brokers wait noticeably.
pub const SYNCS_PER_SECOND_MIN: f64 = 500.0;

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskSpeed {
    /// Small writes that were made durable one after the other, per second.
    pub syncs_per_second: f64,
    /// Bytes per second of large writes that were made durable.
    pub write_bytes_per_second: f64,
    /// Bytes of the file system.
    pub bytes_total: u64,
    /// Bytes of it that are free.
    pub bytes_free: u64,
    /// Whether the directory is the root of a file system.
    pub own_file_system: bool,
}

impl DiskSpeed {
    /// Whether brokers would wait noticeably.
    pub fn is_slow(&self) -> bool {
        self.syncs_per_second < SYNCS_PER_SECOND_MIN
    }
}

/// Measures the disk of a directory, which must exist. Blocks.
pub fn measure(directory: &Path) -> io::Result<DiskSpeed> {
    let file = nameless(directory)?;
    let space = fstatvfs(&file)?;
    let bytes_free = space.f_bavail.saturating_mul(space.f_frsize);
    let bytes_max = (bytes_free / FREE_SHARE).min(LARGE_BYTES_MAX);
    if bytes_max < SMALL_BYTES as u64 {
        return Err(io::Error::other("there is too little free space to measure"));
    }
    let block = noise(LARGE_BYTES.min(usize::try_from(bytes_max).unwrap_or(LARGE_BYTES)));
    let syncs_per_second = small_writes(&file, &block)?;
    let write_bytes_per_second = large_writes(file, &block, bytes_max)?;
    Ok(DiskSpeed {
        syncs_per_second,
        write_bytes_per_second,
        bytes_total: space.f_blocks.saturating_mul(space.f_frsize),
        bytes_free,
        own_file_system: is_root_of_file_system(directory)?,
    })
}

/// Syncs per second of small writes to one place.
fn small_writes(file: &File, block: &[u8]) -> io::Result<f64> {
    let small = &block[..SMALL_BYTES.min(block.len())];
    let begun = Instant::now();
    let mut syncs = 0u32;
    while begun.elapsed() < LASTS {
        file.write_all_at(small, 0)?;
        file.sync_data()?;
        syncs = syncs.saturating_add(1);
    }
    Ok(f64::from(syncs) / begun.elapsed().as_secs_f64())
}

/// Bytes per second of large writes, one after the other.
fn large_writes(mut file: File, block: &[u8], bytes_max: u64) -> io::Result<f64> {
    let begun = Instant::now();
    let mut bytes = 0u64;
    while begun.elapsed() < LASTS && bytes < bytes_max {
        file.write_all(block)?;
        file.sync_data()?;
        bytes = bytes.saturating_add(block.len() as u64);
    }
    Ok(bytes as f64 / begun.elapsed().as_secs_f64())
}

/// A file without a name, or one whose name is removed at once.
fn nameless(directory: &Path) -> io::Result<File> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match open(directory, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(file.into()),
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::ISDIR | rustix::io::Errno::INVAL) => {
            let path = directory.join(format!(".forebay-speed-{}", std::process::id()));
            let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
            std::fs::remove_file(&path)?;
            Ok(file)
        }
        Err(error) => Err(error.into()),
    }
}

fn is_root_of_file_system(directory: &Path) -> io::Result<bool> {
    let directory = directory.canonicalize()?;
    let Some(parent) = directory.parent() else { return Ok(true) };
    Ok(std::fs::metadata(&directory)?.dev() != std::fs::metadata(parent)?.dev())
}

/// Bytes that no file system compresses.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_is_short_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let begun = Instant::now();
        let measured = measure(folder.path()).unwrap();
        assert!(measured.syncs_per_second > 0.0 && measured.write_bytes_per_second > 0.0, "{measured:?}");
        assert!(measured.bytes_total >= measured.bytes_free && !measured.own_file_system);
        assert!(begun.elapsed() < Duration::from_secs(60));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(measure(&folder.path().join("missing")).is_err());
    }
}
