//! A file that is unlinked right after it was opened, and grows while it is open. At a certain size another file replaces it.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rustix::fs::{AtFlags, StatxFlags, statx};

use super::batch::batch;
use super::gate::Gate;
use super::names::settle;
use super::{Verified, Work, compare, ensure_length, forget};

/// The size at which the file is closed and another one replaces it, in bytes.
const FILE_BYTES: u64 = 2 << 20;

/// The file.
pub struct Held {
    folder: PathBuf,
    seed: u64,
    files: u64,
    open: Option<Open>,
}

struct Open {
    path: PathBuf,
    file: File,
    bytes: u64,
    batches: u64,
}

impl Held {
    pub fn create(folder: &Path, seed: u64) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        Ok(Self { folder: folder.to_owned(), seed, files: 0, open: None })
    }

    fn open(&mut self, gate: &Gate) -> Result<Open> {
        let path = self.folder.join(format!("unlinked-{}", self.files));
        self.files += 1;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
        let file = file.with_context(|| format!("create {}", path.display()))?;
        settle(fs::remove_file(&path), || !path.exists(), gate)
            .with_context(|| format!("remove {}", path.display()))?;
        Ok(Open { path, file, bytes: 0, batches: 0 })
    }

    fn content(&self, number: u64) -> Vec<u8> {
        batch(self.seed ^ self.files.rotate_left(40), number)
    }
}

impl Work for Held {
    fn step(&mut self, gate: &Gate) -> Result<()> {
        let mut open = match self.open.take() {
            Some(open) if open.bytes < FILE_BYTES => open,
            _ => self.open(gate)?,
        };
        let bytes = self.content(open.batches);
        let told = || format!("append at {} to {}, which is unlinked", open.bytes, open.path.display());
        open.file.write_all_at(&bytes, open.bytes).with_context(told)?;
        open.file.sync_data().with_context(told)?;
        open.bytes += bytes.len() as u64;
        open.batches += 1;
        self.open = Some(open);
        Ok(())
    }

    fn verify(&mut self) -> Result<Verified> {
        let mut verified = Verified::default();
        let left =
            fs::read_dir(&self.folder).with_context(|| format!("list {}", self.folder.display()))?.count();
        ensure!(left == 0, "{} still lists {left} names of unlinked files", self.folder.display());
        if let Some(open) = &self.open {
            forget(&open.file, &open.path)?;
            ensure_length(&open.file, &open.path, open.bytes)?;
            let links = links_of(&open.file).context("stat an unlinked file")?;
            ensure!(links == 0, "{} has {links} links and must have none", open.path.display());
            let mut offset = 0;
            for number in 0..open.batches {
                let expected = self.content(number);
                compare(&open.file, &open.path, offset, &expected)?;
                offset += expected.len() as u64;
            }
            verified.add(open.bytes);
        }
        Ok(verified)
    }
}

/// The number of names, as the server says. If the reply to a removal was lost, the server refuses the repeated request, and the
/// client keeps the number that it knows for a few seconds.
fn links_of(file: &File) -> std::io::Result<u32> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC;
    Ok(statx(file, "", flags, StatxFlags::NLINK)?.stx_nlink)
}
