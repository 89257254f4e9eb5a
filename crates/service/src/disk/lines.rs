//! Files of lines. A line is its CRC-32C in eight hexadecimal digits, a space, and JSON.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// No file of lines is larger. Of one that is, nothing is read.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Hexadecimal digits of the checksum.
const DIGITS: usize = 8;

/// A record as a line.
pub fn to_line(record: &impl Serialize) -> String {
    // Records consist of strings, numbers and lists, which JSON can express.
    let text = serde_json::to_string(record).unwrap_or_default();
    format!("{:08x} {text}\n", crc32c::crc32c(text.as_bytes()))
}

/// The record of a line without its checksum; `None` if it is of another release.
pub fn from_line<Record: DeserializeOwned>(line: &str) -> Option<Record> {
    serde_json::from_str(line).ok()
}

/// The intact lines of a file.
pub fn read(path: &Path) -> Vec<String> {
    let Some(content) = content(path, FILE_BYTES_MAX) else { return Vec::new() };
    let (mut intact, mut damaged) = (Vec::new(), 0u64);
    for line in content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match checked(line) {
            Some(text) => intact.push(text.to_owned()),
            None => damaged = damaged.saturating_add(1),
        }
    }
    if damaged > 0 {
        tracing::warn!(file = %path.display(), lines = damaged, "lines that are damaged or were cut are left out");
    }
    intact
}

/// The text of a line whose checksum is right.
fn checked(line: &[u8]) -> Option<&str> {
    let (digits, rest) = line.split_at_checked(DIGITS)?;
    let text = rest.strip_prefix(b" ")?;
    let digits = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    let expected = u32::from_str_radix(digits, 16).ok()?;
    if crc32c::crc32c(text) == expected { std::str::from_utf8(text).ok() } else { None }
}

/// The content of a file of at most `bytes_max` bytes; `None` if there is no such file.
pub fn content(path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
    let read = |path: &Path| -> io::Result<Vec<u8>> {
        let mut content = Vec::new();
        File::open(path)?.take(bytes_max.saturating_add(1)).read_to_end(&mut content)?;
        Ok(content)
    };
    match read(path) {
        Ok(content) if content.len() as u64 <= bytes_max => Some(content),
        Ok(_) => {
            tracing::warn!(file = %path.display(), bytes_max, "is larger than anything that was written there, and is not read");
            None
        }
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(file = %path.display(), %error, "cannot be read");
            }
            None
        }
    }
}

/// Replaces a file. After a crash it has either the old or the new content.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(&new)?;
    file.write_all(content)?;
    file.sync_data()?;
    drop(file);
    std::fs::rename(&new, path)?;
    sync_folder(path)
}

/// Makes the names of files in the folder of `path` durable.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_or_changed_at_any_byte_yields_only_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let written: Vec<String> =
            (0..5).map(|number| format!("event {number}: äöü \n \"quoted\"")).collect();
        let content = written.iter().map(to_line).collect::<String>().into_bytes();
        let records = |content: &[u8]| -> Vec<String> {
            std::fs::write(&path, content).unwrap();
            read(&path).iter().map(|line| from_line(line).unwrap()).collect()
        };
        assert_eq!(records(&content), written);
        for cut in 0..content.len() {
            let found = records(&content[..cut]);
            // A line is whole without its line break, too.
            let whole = content[..cut].iter().filter(|byte| **byte == b'\n').count();
            assert!(found == written[..whole] || found == written[..whole + 1], "cut at {cut}");
            let mut changed = content.clone();
            changed[cut] ^= 0x10;
            assert!(records(&changed).iter().all(|record| written.contains(record)), "changed at {cut}");
        }
    }

    #[test]
    fn a_file_that_is_too_large_or_missing_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        assert_eq!(read(&path), Vec::<String>::new());
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(content(&path, 5), Some(b"12345".to_vec()));
        assert_eq!(content(&path, 4), None);
        assert_eq!(content(folder.path(), 4), None);
    }
}
