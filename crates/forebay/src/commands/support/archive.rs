//! The bundle's file: a gzipped tar, readable only by its owner. The same contents give the same bytes, apart
//! from the time.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

/// A bundle that is being written.
pub struct Archive {
    tar: Builder<GzEncoder<File>>,
    folder: &'static str,
    made: u64,
}

impl Archive {
    /// Creates the file, which must not exist.
    pub fn create(path: &Path, folder: &'static str) -> io::Result<Archive> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        let made = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Ok(Archive { tar: Builder::new(GzEncoder::new(file, Compression::default())), folder, made })
    }

    /// Adds a file below the bundle's folder.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o600);
        header.set_mtime(self.made);
        header.set_size(bytes.len() as u64);
        self.tar.append_data(&mut header, format!("{}/{name}", self.folder), bytes)
    }

    /// Finishes the file and syncs it to disk.
    pub fn finish(self) -> io::Result<()> {
        self.tar.into_inner()?.finish()?.sync_all()
    }
}
