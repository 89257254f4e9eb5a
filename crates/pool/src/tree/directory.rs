//! Reads directories. Names are in the order of their hashes.
//!
//! The key of a directory entry holds the keyed hash of its name, and the hash is the entry's cookie. So a cookie stays
//! valid whatever is created or removed meanwhile, and no client can craft names that collide. Entries with equal hashes are
//! extremely rare. They are told apart by their names, and never split across pages.

use std::ops::ControlFlow;

use bytes::Bytes;

use crate::engine::Engine;
use crate::format::keys::{self, InodeKey, Item};
use crate::format::records::{EntryRecord, Record, malformed};
use crate::parts::inode::Inode;
use crate::{Attributes, DirectoryEntry, DirectoryPage, Error, Handle, NAME_BYTES_MAX, Object, Result};

/// Returns an error unless the name is valid in a directory.
pub(crate) fn check_name(name: &[u8]) -> Result<()> {
    if name.len() > NAME_BYTES_MAX {
        return Err(Error::NameTooLong);
    }
    if name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') || name.contains(&0) {
        return Err(Error::invalid("name", "must not be empty, . or .., nor contain / or NUL"));
    }
    Ok(())
}

/// The hash of a name under the pool's key for names, which is also its cookie: 3 to `i64::MAX`.
pub(crate) fn name_hash(key: &[u8; 32], name: &[u8]) -> u64 {
    let hash = blake3::keyed_hash(key, name);
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    (u64::from_le_bytes(first) >> 1).max(3)
}

/// A name as messages show it.
pub(crate) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// Cookie, name and entry.
type Found = (u64, Bytes, EntryRecord);

impl Engine {
    /// See [`name_hash`].
    pub(crate) fn name_hash(&self, name: &[u8]) -> u64 {
        name_hash(&self.identity.name_key, name)
    }

    /// A name's entry.
    pub(crate) fn entry(&self, directory: InodeKey, name: &[u8]) -> Item {
        Item::entry(directory.inode, self.name_hash(name), name)
    }

    pub(crate) fn lookup(&self, directory: Handle, name: &[u8]) -> Result<Attributes> {
        let inode = self.inode(directory)?;
        inode.live()?.require_directory()?;
        check_name(name)?;
        let missing = || Error::NotFound(Object::Entry(shown(name)));
        let entry = self.entry(inode.key(), name);
        let entry: EntryRecord = self.item(directory.volume, &entry)?.ok_or_else(missing)?;
        // An entry without an inode has just been removed.
        self.entry_attributes(directory, entry)?.ok_or_else(missing)
    }

    pub(crate) fn parent(&self, directory: Handle) -> Result<Option<Attributes>> {
        let inode = self.inode(directory)?;
        let parent = {
            let state = inode.live()?;
            state.require_directory()?;
            state.parent()
        };
        if parent == directory.inode {
            return Ok(None);
        }
        let key = InodeKey { volume: directory.volume, inode: parent };
        let parent = self.inode_by_key(key)?.ok_or(Error::Stale)?;
        parent.attributes().map(Some)
    }

    pub(crate) fn readdir(
        &self,
        directory: Handle,
        cookie: u64,
        entries_max: usize,
    ) -> Result<DirectoryPage> {
        let inode = self.inode(directory)?;
        inode.live()?.require_directory()?;
        let mut after = cookie;
        loop {
            let (found, end) = self.entries_after(&inode, after, entries_max.max(1))?;
            let mut page = DirectoryPage { entries: Vec::with_capacity(found.len()), end };
            for (cookie, name, entry) in found {
                after = cookie;
                if let Some(attributes) = self.entry_attributes(directory, entry)? {
                    page.entries.push(DirectoryEntry { name, cookie, attributes });
                }
            }
            // If all entries of the page have just been removed, the caller would get no cookie to continue with.
            if end || !page.entries.is_empty() {
                return Ok(page);
            }
        }
    }

    /// Entries after `cookie`, and whether they are the last.
    fn entries_after(
        &self,
        directory: &Inode,
        cookie: u64,
        entries_max: usize,
    ) -> Result<(Vec<Found>, bool)> {
        let key = directory.key();
        let range = |volume| keys::entries_after(InodeKey { volume, ..key }, cookie);
        self.look(key.volume, |view| {
            let mut found: Vec<Found> = Vec::new();
            let mut end = true;
            // Ask for one more, to see whether another entry follows.
            view.scan(&*self.stores.meta, &range, entries_max.saturating_add(1), &mut |key, value| {
                let (hash, name) = keys::entry_in(key).ok_or_else(|| malformed(EntryRecord::NAME, key))?;
                if found.len() >= entries_max && found.last().is_some_and(|(last, _, _)| *last != hash) {
                    end = false;
                    return Ok(ControlFlow::Break(()));
                }
                found.push((hash, Bytes::copy_from_slice(name), EntryRecord::decode(key, value)?));
                Ok(ControlFlow::Continue(()))
            })?;
            Ok((found, end))
        })
    }

    /// The attributes of an entry's inode, or `None` if the inode is gone. Listing a large directory does not evict other
    /// inodes from memory.
    fn entry_attributes(&self, directory: Handle, entry: EntryRecord) -> Result<Option<Attributes>> {
        let key = InodeKey { volume: directory.volume, inode: entry.inode };
        let handle = Handle { volume: key.volume, inode: key.inode, generation: entry.generation };
        loop {
            if let Some(inode) = self.inodes.peek(key) {
                return Ok(inode.attributes().ok());
            }
            let record = self.inode_record(key)?;
            // The inode may have been loaded and changed meanwhile.
            if self.inodes.peek(key).is_none() {
                return Ok(record.map(|record| record.attributes(handle)));
            }
        }
    }
}
