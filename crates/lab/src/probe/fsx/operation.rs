//! The operations, and how often each is done.

use crate::probe::random::Random;

/// A kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Write,
    Read,
    /// A write through a memory mapping of the file.
    MappedWrite,
    /// A read through a memory mapping of the file.
    MappedRead,
    /// Sets any length, larger or smaller than the current one.
    Truncate,
    /// `fallocate` with `FALLOC_FL_PUNCH_HOLE`.
    PunchHole,
    /// `fallocate` with `FALLOC_FL_ZERO_RANGE`.
    ZeroRange,
    /// `fallocate` without flags.
    Allocate,
    /// `copy_file_range` to another file, and from there back to another offset.
    Copy,
    /// `FICLONE` to another file, which is then compared.
    Clone,
    /// `lseek` with `SEEK_DATA` and `SEEK_HOLE`.
    Seek,
    Sync,
    /// Drops the client's cached pages, so that the next reads come from the server.
    DropCache,
    Reopen,
}

/// Each operation, its name, and its frequency per [`TOTAL`]. Operations that always go to the server are rare, so that a million
/// operations take minutes.
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
    /// Chooses an operation at random, according to the frequencies.
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
