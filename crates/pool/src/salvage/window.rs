//! Reads a segment file from beginning to end, whatever the state of the disk.
//!
//! The file is opened for reading only, and is read ahead in large pieces. A block that the disk cannot read counts as
//! zeros, which are not a frame, and is remembered.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::format::frames::BLOCK_BYTES;

/// The number of bytes to read at once.
const AHEAD_BYTES: usize = 4 << 20;

/// A part of a file in memory that moves along the file.
pub(super) struct Window {
    file: File,
    length: u64,
    start: u64,
    bytes: Vec<u8>,
    unreadable: Vec<Range<u64>>,
}

impl Window {
    pub(super) fn open(path: &Path) -> io::Result<Window> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Window { file, length, start: 0, bytes: Vec::new(), unreadable: Vec::new() })
    }

    /// The size of the file.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Ranges that the disk could not read.
    pub(super) fn unreadable(&self) -> &[Range<u64>] {
        &self.unreadable
    }

    /// The `length` bytes at `at`, or fewer at the end of the file.
    pub(super) fn bytes(&mut self, at: u64, length: usize) -> &[u8] {
        let left = usize::try_from(self.length.saturating_sub(at)).unwrap_or(usize::MAX);
        let length = length.min(left);
        let has = |window: &Window| {
            let from = usize::try_from(at.checked_sub(window.start)?).ok()?;
            let range = from..from.checked_add(length)?;
            (range.end <= window.bytes.len()).then_some(range)
        };
        if has(self).is_none() {
            self.fill(at, left.min(length.max(AHEAD_BYTES)));
        }
        has(self).and_then(|range| self.bytes.get(range)).unwrap_or_default()
    }

    /// The first place of `needle` from `from` on, if it is before `end`.
    pub(super) fn find(&mut self, needle: &[u8], from: u64, end: u64) -> Option<u64> {
        let mut at = from;
        while at < end {
            let length = usize::try_from(end - at).unwrap_or(usize::MAX).min(AHEAD_BYTES);
            let bytes = self.bytes(at, length);
            if let Some(place) = memchr::memmem::find(bytes, needle) {
                return Some(at + place as u64);
            }
            // The needle may start in the last of these bytes.
            let next = bytes.len().saturating_sub(needle.len().saturating_sub(1)) as u64;
            if next == 0 || at + bytes.len() as u64 >= end {
                return None;
            }
            at += next;
        }
        None
    }

    /// Whether a range contains only zeros.
    pub(super) fn is_zero(&mut self, range: Range<u64>) -> bool {
        let mut at = range.start;
        while at < range.end {
            let length = usize::try_from(range.end - at).unwrap_or(usize::MAX).min(AHEAD_BYTES);
            let bytes = self.bytes(at, length);
            if bytes.is_empty() {
                return true;
            }
            if !crate::format::cut::all_zero(bytes) {
                return false;
            }
            at += bytes.len() as u64;
        }
        true
    }

    fn fill(&mut self, at: u64, length: usize) {
        self.start = at;
        self.bytes.resize(length, 0);
        let mut done = 0;
        while let Some(rest) = self.bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let here = at + done as u64;
            match self.file.read_at(rest, here) {
                // The file has been truncated.
                Ok(0) => {
                    self.bytes.truncate(done);
                    return;
                }
                Ok(count) => done += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => done += self.fill_by_blocks(at, done),
            }
        }
    }

    /// Reads block by block from `done` on, up to the end of the first block that cannot be read. Returns the number of
    /// bytes covered.
    fn fill_by_blocks(&mut self, at: u64, done: usize) -> usize {
        let mut now = 0;
        while let Some(rest) = self.bytes.get_mut(done + now..).filter(|rest| !rest.is_empty()) {
            let here = at + (done + now) as u64;
            let to_boundary = (here + 1).next_multiple_of(BLOCK_BYTES) - here;
            let count = rest.len().min(usize::try_from(to_boundary).unwrap_or(usize::MAX));
            let Some(block) = rest.get_mut(..count) else { break };
            let is_read = self.file.read_exact_at(block, here).is_ok();
            if !is_read {
                block.fill(0);
                self.note_unreadable(here..here + count as u64);
            }
            now += count;
            if !is_read {
                break;
            }
        }
        now.max(1)
    }

    fn note_unreadable(&mut self, range: Range<u64>) {
        // This block was read before.
        if self.unreadable.iter().any(|known| known.start <= range.start && range.end <= known.end) {
            return;
        }
        match self.unreadable.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => self.unreadable.push(range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_found_where_they_are_also_across_what_is_read_at_once() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        let mut content = vec![0; 2 * AHEAD_BYTES + 100];
        let at = AHEAD_BYTES - 2;
        content[at..at + 4].copy_from_slice(b"FBFR");
        std::fs::write(&path, &content).unwrap();
        let mut window = Window::open(&path).unwrap();
        assert_eq!(window.find(b"FBFR", 0, content.len() as u64), Some(at as u64));
        assert_eq!(window.find(b"FBFR", at as u64 + 1, content.len() as u64), None);
        assert_eq!(window.bytes(at as u64, 4), b"FBFR");
        assert_eq!(window.bytes(content.len() as u64 - 3, 10), [0; 3]);
        assert_eq!(window.bytes(u64::MAX, 10), [0; 0]);
        assert!(window.is_zero(0..at as u64) && !window.is_zero(0..content.len() as u64));
    }
}
