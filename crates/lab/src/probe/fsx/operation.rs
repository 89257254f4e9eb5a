//! What is done to the file, and how often.

use crate::probe::random::Random;

/// A kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Write,
    Read,
    /// Through a map of the file's pages.
    MappedWrite,
    /// Through a map of the file's pages.
    MappedRead,
    /// To a length above or below the file's own.
    Truncate,
    /// `fallocate` with `FALLOC_FL_PUNCH_HOLE`.
    PunchHole,
    /// `fallocate` with `FALLOC_FL_ZERO_RANGE`.
    ZeroRange,
    /// `fallocate` without flags.
    Allocate,
    /// `copy_file_range` to another file and back to another place.
    Copy,
    /// `FICLONE` to another file, which is compared.
    Clone,
    /// `lseek` with `SEEK_DATA` and `SEEK_HOLE`.
    Seek,
    Sync,
    /// The next reads come from the server.
    DropCache,
    Reopen,
}

/// Each kind, its name, and how often it comes in [`TOTAL`]. What goes to the server each time is rare, so that a million
/// operations are minutes.
const KINDS: [(Operation, &str, usize); 14] = [
    (Operation::Write, "write", 320),
    (Operation::Read, "read", 290),
    (Operation::MappedWrite, "mmap-write", 125),
    (Operation::MappedRead, "mmap-read", 125),
    (Operation::Truncate, "truncate", 30),
    (Operation::PunchHole, "punch-hole", 30),
    (Operation::ZeroRange, "zero-range", 8),
    (Operation::Allocate, "allocate", 8),
    (Operation::Copy, "copy", 8),
    (Operation::Clone, "clone", 4),
    (Operation::Seek, "seek", 12),
    (Operation::Sync, "fsync", 15),
    (Operation::DropCache, "drop-cache", 15),
    (Operation::Reopen, "reopen", 10),
];

const TOTAL: usize = 1000;

impl Operation {
    /// The next one.
    pub fn choose(random: &mut Random) -> Self {
        let mut left = random.below(TOTAL);
        for (operation, _, share) in KINDS {
            match left.checked_sub(share) {
                Some(rest) => left = rest,
                None => return operation,
            }
        }
        Self::Read
    }

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        KINDS.iter().find(|(kind, ..)| *kind == self).map_or("", |(_, name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_add_up() {
        assert_eq!(KINDS.iter().map(|(.., share)| share).sum::<usize>(), TOTAL);
    }
}
