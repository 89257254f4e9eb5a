//! A file of lines that grows, and the one before it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};

use super::{Place, lines};

/// The largest file. A line that would exceed it begins the next one.
const BYTES_MAX: u64 = 16 << 20;

/// Appends lines to `NAME`. When it is full, it becomes `NAME.old`, so the last `lines_max` lines are always there.
pub struct Journal {
    name: &'static str,
    lines_max: usize,
    lines: usize,
    bytes: u64,
    file: Option<File>,
    /// Whether the file may end within a line.
    torn: bool,
    unsynced: bool,
}

impl Journal {
    /// Opens a journal, and returns its intact lines, oldest first.
    pub fn open(place: &Place, name: &'static str, lines_max: usize) -> (Journal, Vec<String>) {
        let mut all = place.lines(&old(name));
        let current = place.lines(name);
        let bytes = std::fs::metadata(place.path(name)).map_or(0, |metadata| metadata.len());
        let journal = Journal {
            name,
            lines_max,
            lines: current.len(),
            bytes,
            file: None,
            torn: bytes > 0,
            unsynced: false,
        };
        all.extend(current);
        (journal, all)
    }

    /// Appends lines, each with its line break. They survive the end of the process, and after [`Journal::sync`] that of the machine.
    pub fn append(&mut self, place: &Place, new: &[String]) -> io::Result<()> {
        for line in new {
            let is_full =
                self.lines >= self.lines_max || self.bytes.saturating_add(line.len() as u64) > BYTES_MAX;
            if is_full && self.lines > 0 {
                self.rotate(place)?;
            }
            self.append_one(place, line)?;
        }
        Ok(())
    }

    fn append_one(&mut self, place: &Place, line: &str) -> io::Result<()> {
        if self.file.is_none() {
            place.prepare()?;
            let path = place.path(self.name);
            self.file = Some(OpenOptions::new().append(true).create(true).open(&path)?);
            lines::sync_folder(&path)?;
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        // What a crash or a full disk has cut becomes a line of its own, which is damaged.
        let text = if self.torn { format!("\n{line}") } else { line.to_owned() };
        self.torn = true;
        file.write_all(text.as_bytes())?;
        (self.torn, self.unsynced) = (false, true);
        self.lines = self.lines.saturating_add(1);
        self.bytes = self.bytes.saturating_add(text.len() as u64);
        Ok(())
    }

    /// Makes everything that was appended durable.
    pub fn sync(&mut self) -> io::Result<()> {
        if let (Some(file), true) = (&self.file, self.unsynced) {
            file.sync_data()?;
            self.unsynced = false;
        }
        Ok(())
    }

    fn rotate(&mut self, place: &Place) -> io::Result<()> {
        self.sync()?;
        place.prepare()?;
        self.file = None;
        std::fs::rename(place.path(self.name), place.path(&old(self.name)))?;
        (self.lines, self.bytes, self.torn) = (0, 0, false);
        Ok(())
    }
}

fn old(name: &str) -> String {
    format!("{name}.old")
}

#[cfg(test)]
mod tests {
    use forebay_pool::Permit;

    use super::super::{from_line, to_line};
    use super::*;

    fn numbers(lines: &[String]) -> Vec<u64> {
        lines.iter().map(|line| from_line(line).unwrap()).collect()
    }

    fn line(number: u64) -> Vec<String> {
        vec![to_line(&number)]
    }

    #[test]
    fn the_last_lines_are_kept_in_bounded_files() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path(), Permit::default());
        for life in 0..7u64 {
            let (mut journal, kept) = Journal::open(&place, "events", 10);
            let kept = numbers(&kept);
            let written = life * 6;
            assert_eq!(kept, (written - kept.len() as u64..written).collect::<Vec<_>>());
            assert!(kept.len() as u64 >= written.min(10) && kept.len() <= 20, "{kept:?}");
            for number in 0..6 {
                journal.append(&place, &line(written + number)).unwrap();
            }
        }
    }

    #[test]
    fn a_line_that_a_crash_has_cut_costs_no_other_one() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path(), Permit::default());
        let (mut journal, _) = Journal::open(&place, "events", 100);
        journal.append(&place, &[to_line(&1), to_line(&2)]).unwrap();
        let path = place.path("events");
        let content = std::fs::read(&path).unwrap();
        for cut in 0..=content.len() {
            std::fs::write(&path, &content[..cut]).unwrap();
            let (mut journal, before) = Journal::open(&place, "events", 100);
            journal.append(&place, &line(3)).unwrap();
            let mut expected = numbers(&before);
            expected.push(3);
            assert_eq!(numbers(&Journal::open(&place, "events", 100).1), expected, "cut at {cut}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_later_lines_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path(), Permit::default());
        std::fs::write(folder.path().join(super::super::FOLDER), b"a file").unwrap();
        let (mut journal, _) = Journal::open(&place, "events", 100);
        assert!(journal.append(&place, &line(1)).is_err());
        std::fs::remove_file(folder.path().join(super::super::FOLDER)).unwrap();
        journal.append(&place, &line(2)).unwrap();
        journal.sync().unwrap();
        assert_eq!(numbers(&Journal::open(&place, "events", 100).1), [2]);
    }
}
