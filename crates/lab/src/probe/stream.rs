//! Writes files one after the other, like the segments of a log, then reads all of them back and compares every byte.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use rustix::fs::{Advice, fadvise};
use serde::{Deserialize, Serialize};

use super::random::Random;

/// The size of a write and of a read, in bytes.
const PIECE_BYTES: usize = 1 << 20;
/// The number of pieces between two progress lines.
const REPORT_EVERY: u64 = 32;

/// The arguments.
#[derive(Debug, Args)]
pub struct StreamArgs {
    /// An empty folder on the storage
    folder: PathBuf,
    /// Number of files
    files: u64,
    /// MiB per file
    file_mib: u64,
    /// Seed of the content
    seed: u64,
}

/// The progress, which is printed repeatedly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streamed {
    /// Bytes written so far.
    pub written: u64,
    /// Bytes read back and compared so far.
    pub compared: u64,
}

/// The last progress line in the probe's output.
pub fn latest(printed: &str) -> Streamed {
    printed.lines().rev().find_map(|line| serde_json::from_str(line).ok()).unwrap_or_default()
}

/// Writes, then reads.
pub fn run(args: &StreamArgs) -> Result<()> {
    let mut streamed = Streamed::default();
    let mut pieces = 0;
    let mut tell = |streamed: &Streamed, last: bool| -> Result<()> {
        pieces += 1;
        if pieces % REPORT_EVERY == 0 || last {
            println!("{}", serde_json::to_string(streamed)?);
        }
        Ok(())
    };
    for number in 0..args.files {
        let path = path(&args.folder, number);
        let file = File::create_new(&path).with_context(|| format!("create {}", path.display()))?;
        for (offset, bytes) in pieces_of(args, number) {
            file.write_all_at(&bytes, offset)
                .with_context(|| format!("write at {offset} of {}", path.display()))?;
            streamed.written += bytes.len() as u64;
            tell(&streamed, false)?;
        }
        file.sync_data().with_context(|| format!("fsync {}", path.display()))?;
        // Otherwise the client's cache would grow until it fills the memory.
        fadvise(&file, 0, None, Advice::DontNeed).with_context(|| format!("forget {}", path.display()))?;
    }
    for number in 0..args.files {
        let path = path(&args.folder, number);
        let file = File::open(&path).with_context(|| format!("open {}", path.display()))?;
        let mut found = vec![0; PIECE_BYTES];
        for (offset, expected) in pieces_of(args, number) {
            file.read_exact_at(&mut found, offset)
                .with_context(|| format!("read at {offset} of {}", path.display()))?;
            ensure!(found == expected, "{} has wrong data in the MiB at {offset}", path.display());
            streamed.compared += expected.len() as u64;
            tell(&streamed, false)?;
        }
        fadvise(&file, 0, None, Advice::DontNeed).with_context(|| format!("forget {}", path.display()))?;
    }
    tell(&streamed, true)
}

fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:06}.log"))
}

/// The offset and the content of each piece of a file.
fn pieces_of(args: &StreamArgs, number: u64) -> impl Iterator<Item = (u64, Vec<u8>)> + '_ {
    (0..args.file_mib).map(move |piece| {
        let mut random = Random::new(args.seed ^ number.rotate_left(40) ^ piece.rotate_left(20));
        (piece * PIECE_BYTES as u64, random.bytes(PIECE_BYTES))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_and_compared_and_no_piece_is_like_another() {
        let folder = std::env::temp_dir().join(format!("forebay-lab-stream-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let args = StreamArgs { folder: folder.clone(), files: 2, file_mib: 2, seed: 3 };
        let written = run(&args);
        std::fs::remove_dir_all(&folder).unwrap();
        written.unwrap();
        let first: Vec<_> = pieces_of(&args, 0).collect();
        assert_eq!(first.len(), 2);
        assert_ne!(first[0].1, first[1].1);
        assert_ne!(first[0].1, pieces_of(&args, 1).next().unwrap().1);
    }

    #[test]
    fn the_latest_line_counts() {
        let printed = "{\"written\":1,\"compared\":0}\n{\"written\":9,\"compared\":4}\n{\"writ";
        assert_eq!(latest(printed), Streamed { written: 9, compared: 4 });
    }
}
