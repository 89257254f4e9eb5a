//! Determines the paths of open files, where possible.
//!
//! A file is opened by a name in a directory, which is stored with the open. Whether the file still has that
//! name is checked on request, and so are the names of the parent directories. Only for operators, since it
//! reads directories.

use std::collections::HashMap;

use forebay_pool::{Handle, Pool};

use crate::state::OpenedAs;

/// Directories deeper than this are shown without a path.
const DEPTH_MAX: usize = 128;
/// Number of directory entries read at a time.
const BATCH_ENTRIES: usize = 1024;

/// Finds paths, and caches the directories it has read.
pub struct Paths {
    pool: Pool,
    listings: HashMap<Handle, HashMap<Handle, String>>,
    directories: HashMap<Handle, Option<String>>,
}

impl Paths {
    /// Finds paths in the volumes of `pool`.
    pub fn new(pool: Pool) -> Paths {
        Paths { pool, listings: HashMap::new(), directories: HashMap::new() }
    }

    /// The path of a file from the server's root, if it still has the name by which it was opened.
    pub async fn of_file(&mut self, file: Handle, opened_as: Option<OpenedAs>) -> Option<String> {
        let (directory, name) = opened_as?;
        let found = self.pool.lookup(directory, &name).await.ok()?;
        if found.handle != file {
            return None;
        }
        let above = self.of_directory(directory).await?;
        Some(format!("{above}/{}", name.escape_ascii()))
    }

    async fn of_directory(&mut self, directory: Handle) -> Option<String> {
        if let Some(known) = self.directories.get(&directory) {
            return known.clone();
        }
        let path = self.climb(directory).await;
        self.directories.insert(directory, path.clone());
        path
    }

    async fn climb(&mut self, directory: Handle) -> Option<String> {
        let mut names = Vec::new();
        let mut at = directory;
        for _ in 0..DEPTH_MAX {
            match self.pool.parent(at).await.ok()? {
                None => {
                    let volume = self.pool.volume_by_id(at.volume).ok()?;
                    names.push(volume.spec.junction_path);
                    names.reverse();
                    return Some(names.join("/"));
                }
                Some(above) => {
                    names.push(self.name_in(above.handle, at).await?);
                    at = above.handle;
                }
            }
        }
        None
    }

    async fn name_in(&mut self, above: Handle, directory: Handle) -> Option<String> {
        if !self.listings.contains_key(&above) {
            let listing = self.list(above).await?;
            self.listings.insert(above, listing);
        }
        self.listings.get(&above)?.get(&directory).cloned()
    }

    async fn list(&self, directory: Handle) -> Option<HashMap<Handle, String>> {
        let (mut names, mut cookie) = (HashMap::new(), 0);
        loop {
            let page = self.pool.readdir(directory, cookie, BATCH_ENTRIES).await.ok()?;
            let empty = page.entries.is_empty();
            for entry in page.entries {
                cookie = entry.cookie;
                names.insert(entry.attributes.handle, entry.name.escape_ascii().to_string());
            }
            if page.end || empty {
                return Some(names);
            }
        }
    }
}
