//! The pool's format.

use super::*;
use crate::format::{FORMAT, FORMAT_KEPT};
use crate::opening::upgrade;

/// What each format added, for operators.
const ADDED: &[(u32, &str)] = &[
    (3, "a record of how far the metadata reached, which detects lost metadata"),
    (4, "buckets"),
    (5, "shorter names of chunks, with a key of the pool"),
    (6, "the intent log, which answers small synced writes"),
    (7, "a second copy of the metadata in pool.copies_directory"),
    (7, "deleted volumes that can be recovered, and snapshots that expire or are locked"),
];

impl Pool {
    /// The pool's format: what is stored, and which releases can read it.
    pub fn format(&self) -> Result<PoolFormat> {
        Ok(described(self.engine()?.identity.format()))
    }
    /// The format of the pool in `directory`, which may be open, and what a start of this release would do to it.
    pub async fn format_of(directory: &Path) -> Result<PoolFormat> {
        let directory = directory.to_path_buf();
        sync::blocking(move || upgrade::format_of(&directory)).await.map(described)
    }
    /// Lets the pool have the newest format. From then on, an older release cannot open it.
    pub async fn finalize(&self) -> Result<PoolFormat> {
        let engine = self.engine()?;
        sync::blocking(move || upgrade::finalize(&engine)).await?;
        self.format()
    }
}

fn described(found: u32) -> PoolFormat {
    let news = ADDED.iter().filter(|(format, _)| *format > found && *format <= FORMAT);
    PoolFormat {
        found,
        newest: FORMAT,
        is_kept: found >= FORMAT_KEPT,
        news: news.map(|(_, what)| (*what).to_owned()).collect(),
    }
}
