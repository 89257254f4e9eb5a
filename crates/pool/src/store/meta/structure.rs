//! Inspects the files of fjall's store before fjall opens them. fjall recreates missing parts and deletes unreferenced files,
//! so missing parts must be found first. Changes nothing.
//!
//! ```text
//! version                  "FJL" and a version
//! N.jnl                    journals, see [`super::journal_repair`]
//! keyspaces/0              a tree: the names of the keyspaces
//! keyspaces/1              a tree: the one keyspace of the pool
//!     current              version:8, XXH3-128 of the file that describes it:16, 00 (little-endian)
//!     vVERSION             which tables the version has, and the checksum of each
//!     tables/N             tables
//! ```
//! A tree writes a new version, with a higher number, whenever it writes or merges tables. When fjall opens a tree, it checks
//! that all tables of the version exist and are not truncated. Each block of a table has a checksum.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::format::codec::{Decoded, Decoder};
use crate::{Error, Mismatch, Result};

const VERSION_MARKER: &str = "version";
const VERSION_MAGIC: &[u8] = b"FJL";
const CURRENT: &str = "current";

/// The directory of a tree: 0 for the names of keyspaces, 1 for the pool's keyspace.
pub(super) fn tree(directory: &Path, number: u64) -> PathBuf {
    directory.join("keyspaces").join(number.to_string())
}

/// Returns the versions of the trees. Returns an error if the store in `directory` lacks a part, or a tree is older than
/// `known`.
pub(super) fn inspect(directory: &Path, known: [u64; 2]) -> Result<[u64; 2]> {
    match fs::read_dir(directory) {
        Ok(mut entries) => {
            if entries.next().is_none() {
                return Err(bad(directory, "empty"));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(bad(directory, "missing")),
        Err(source) => {
            let path = directory.to_path_buf();
            return Err(Error::Io { path, action: "list the metadata store", source });
        }
    }
    require_marker(&directory.join(VERSION_MARKER))?;
    require_no_other_trees(&directory.join("keyspaces"))?;
    let mut versions = [0; 2];
    for (number, (version, known)) in versions.iter_mut().zip(known).enumerate() {
        let tree = tree(directory, number as u64);
        *version = version_of(&tree)?;
        if *version < known {
            let part = tree.join(CURRENT);
            return Err(Error::refused(Mismatch::MetadataOld { part, found: *version, known }));
        }
    }
    Ok(versions)
}

fn bad(part: &Path, state: &'static str) -> Error {
    Error::refused(Mismatch::MetadataPart { part: part.to_path_buf(), state })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    match fs::read(path) {
        Ok(bytes) if bytes.is_empty() => Err(bad(path, "empty")),
        Ok(bytes) => Ok(bytes),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(bad(path, "missing"))
        }
        Err(source) => Err(Error::Io { path: path.to_path_buf(), action: "read the file", source }),
    }
}

fn require_marker(path: &Path) -> Result<()> {
    if read(path)?.starts_with(VERSION_MAGIC) { Ok(()) } else { Err(bad(path, "damaged")) }
}

fn require_no_other_trees(trees: &Path) -> Result<()> {
    let Ok(entries) = fs::read_dir(trees) else { return Err(bad(trees, "missing")) };
    for entry in entries.flatten() {
        if entry.path().is_dir() && !["0", "1"].iter().any(|known| entry.file_name() == *known) {
            return Err(bad(&entry.path(), "not a part of it"));
        }
    }
    Ok(())
}

/// The current version of a tree. Its description must exist and match its checksum.
fn version_of(tree: &Path) -> Result<u64> {
    let current = tree.join(CURRENT);
    let (version, checksum) = parse_current(&read(&current)?).map_err(|_| bad(&current, "damaged"))?;
    let description = tree.join(format!("v{version}"));
    if xxhash_rust::xxh3::xxh3_128(&read(&description)?) != checksum {
        return Err(bad(&description, "damaged"));
    }
    let tables = tree.join("tables");
    if tables.is_dir() { Ok(version) } else { Err(bad(&tables, "missing")) }
}

fn parse_current(bytes: &[u8]) -> Decoded<(u64, u128)> {
    let mut decoder = Decoder::new(bytes);
    let (version, checksum, kind) = (decoder.u64()?, u128::from_le_bytes(decoder.array()?), decoder.u8()?);
    decoder.finish()?;
    if kind == 0 { Ok((version, checksum)) } else { Err(crate::format::codec::Malformed) }
}
