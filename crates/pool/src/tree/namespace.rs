//! Changes directories: create, link, remove, rename. Each is one job in the committer, and therefore one atomic batch.

use std::sync::Arc;

use bytes::Bytes;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::{InodeKey, Item};
use crate::format::records::{EntryRecord, InodeRecord, OrphanRecord};
use crate::parts::inode::Inode;
use crate::tree::directory::{check_name, shown};
use crate::{
    ChangeInfo, Created, Error, FILE_SIZE_MAX, Handle, InodeId, Kind, NewInode, Object, RecordOf, Removed,
    Renamed, Result,
};

/// The maximum number of names of an inode.
const LINKS_MAX: u32 = 65_000;
/// The maximum length of a symbolic link's target.
const SYMLINK_BYTES_MAX: usize = 4096;

impl Engine {
    pub(crate) async fn create(
        self: &Arc<Self>,
        directory: Handle,
        name: &[u8],
        new: NewInode,
        record: Option<RecordOf<Created>>,
    ) -> Result<Created> {
        check_name(name)?;
        check_new(&new)?;
        let name = Bytes::copy_from_slice(name);
        self.transact(move |txn| {
            let parent = txn.inode(directory)?;
            let parent_record = directory_record(txn, &parent)?;
            if find(txn, &parent, &name)?.is_some() {
                return Err(Error::Exists(Object::Entry(shown(&name))));
            }
            txn.engine.require_room_for_inode()?;
            let inode = new_inode(txn, &parent, new)?;
            add_entry(txn, &parent, &name, &inode)?;
            let attributes = txn.record(&inode)?.attributes(inode.handle);
            let subdirectories = i64::from(attributes.kind == Kind::Directory);
            let directory = change_entries(txn, &parent, parent_record, 1, subdirectories)?;
            let created = Created { attributes, directory };
            txn.put_record_of(record, &created)?;
            Ok(created)
        })
        .await
    }

    pub(crate) async fn link(
        self: &Arc<Self>,
        handle: Handle,
        directory: Handle,
        name: &[u8],
        record: Option<RecordOf<ChangeInfo>>,
    ) -> Result<ChangeInfo> {
        check_name(name)?;
        if handle.volume != directory.volume {
            return Err(Error::CrossVolume);
        }
        let name = Bytes::copy_from_slice(name);
        self.transact(move |txn| {
            let inode = txn.inode(handle)?;
            let parent = txn.inode(directory)?;
            let parent_record = directory_record(txn, &parent)?;
            let mut inode_record = txn.record(&inode)?;
            if inode_record.is_directory() {
                return Err(Error::IsDirectory);
            }
            if find(txn, &parent, &name)?.is_some() {
                return Err(Error::Exists(Object::Entry(shown(&name))));
            }
            // An orphan never gets another name.
            if inode_record.nlink == 0 {
                return Err(Error::Stale);
            }
            if inode_record.nlink >= LINKS_MAX {
                return Err(Error::TooManyLinks);
            }
            inode_record.nlink += 1;
            txn.touch(&inode, inode_record);
            add_entry(txn, &parent, &name, &inode)?;
            let change = change_entries(txn, &parent, parent_record, 1, 0)?;
            txn.put_record_of(record, &change)?;
            Ok(change)
        })
        .await
    }

    pub(crate) async fn remove(
        self: &Arc<Self>,
        directory: Handle,
        name: &[u8],
        record: Option<RecordOf<Removed>>,
    ) -> Result<Removed> {
        check_name(name)?;
        let name = Bytes::copy_from_slice(name);
        self.transact(move |txn| {
            let parent = txn.inode(directory)?;
            let parent_record = directory_record(txn, &parent)?;
            let inode = require(txn, &parent, &name)?;
            let subdirectories = lose_name(txn, &inode)?;
            txn.remove_item(directory.volume, &txn.engine.entry(parent.key(), &name))?;
            let directory = change_entries(txn, &parent, parent_record, -1, -subdirectories)?;
            let removed = Removed { handle: inode.handle, directory };
            txn.put_record_of(record, &removed)?;
            Ok(removed)
        })
        .await
    }

    pub(crate) async fn rename(
        self: &Arc<Self>,
        from: Handle,
        from_name: &[u8],
        to: Handle,
        to_name: &[u8],
        record: Option<RecordOf<Renamed>>,
    ) -> Result<Renamed> {
        check_name(from_name)?;
        check_name(to_name)?;
        if from.volume != to.volume {
            return Err(Error::CrossVolume);
        }
        let (from_name, to_name) = (Bytes::copy_from_slice(from_name), Bytes::copy_from_slice(to_name));
        self.transact(move |txn| {
            let (renamed, changed) = rename(txn, from, &from_name, to, &to_name)?;
            txn.put_record_of(record.filter(|_| changed), &renamed)?;
            Ok(renamed)
        })
        .await
    }
}

/// Returns false with the result if nothing has changed.
fn rename(
    txn: &mut Txn<'_>,
    from: Handle,
    from_name: &[u8],
    to: Handle,
    to_name: &[u8],
) -> Result<(Renamed, bool)> {
    let (source, target) = (txn.inode(from)?, txn.inode(to)?);
    directory_record(txn, &source)?;
    directory_record(txn, &target)?;
    let inode = require(txn, &source, from_name)?;
    let existing = find(txn, &target, to_name)?;
    if existing.as_ref().is_some_and(|existing| existing.handle == inode.handle) {
        let same = |inode: &Inode| {
            let change = inode.state().change();
            ChangeInfo { before: change, after: change }
        };
        let (from_directory, to_directory) = (same(&source), same(&target));
        let renamed = Renamed { handle: inode.handle, replaced: None, from_directory, to_directory };
        return Ok((renamed, false));
    }
    let record = txn.record(&inode)?;
    if record.is_directory() && source.handle != target.handle {
        require_not_below(txn, &target, inode.handle.inode)?;
    }
    let mut replaced_subdirectories = 0;
    if let Some(existing) = &existing {
        match (record.is_directory(), txn.record(existing)?.is_directory()) {
            (true, false) => return Err(Error::NotDirectory),
            (false, true) => return Err(Error::IsDirectory),
            _ => replaced_subdirectories = lose_name(txn, existing)?,
        }
    }
    move_entry(txn, &source, from_name, &target, to_name, &inode)?;
    let moved = i64::from(record.is_directory());
    let mut record = record;
    if record.is_directory() {
        record.parent = target.handle.inode;
    }
    txn.touch(&inode, record);
    let gained = i64::from(existing.is_none());
    let (from_directory, to_directory) = if source.handle == target.handle {
        let record = txn.record(&source)?;
        let change = change_entries(txn, &source, record, gained - 1, -replaced_subdirectories)?;
        (change, change)
    } else {
        let (source_record, target_record) = (txn.record(&source)?, txn.record(&target)?);
        let left = change_entries(txn, &source, source_record, -1, -moved)?;
        let came = change_entries(txn, &target, target_record, gained, moved - replaced_subdirectories)?;
        (left, came)
    };
    let replaced = existing.map(|existing| existing.handle);
    Ok((Renamed { handle: inode.handle, replaced, from_directory, to_directory }, true))
}

fn check_new(new: &NewInode) -> Result<()> {
    if new.size > FILE_SIZE_MAX {
        return Err(Error::FileTooLarge);
    }
    match &new.kind {
        Kind::Symlink(target) if target.is_empty() => {
            Err(Error::invalid_arguments("a symbolic link must not be empty"))
        }
        Kind::Symlink(target) if target.len() > SYMLINK_BYTES_MAX => Err(Error::NameTooLong),
        kind if *kind != Kind::File && new.size != 0 => {
            Err(Error::invalid_arguments("only a regular file can have a size"))
        }
        _ => Ok(()),
    }
}

/// The record of a directory, for changing it.
fn directory_record(txn: &Txn<'_>, directory: &Inode) -> Result<InodeRecord> {
    let record = txn.record(directory)?;
    if !record.is_directory() {
        return Err(Error::NotDirectory);
    }
    // The directory was removed while a client held it.
    if record.nlink == 0 {
        return Err(Error::Stale);
    }
    Ok(record)
}

/// The inode that `name` refers to, if the name exists.
fn find(txn: &Txn<'_>, directory: &Inode, name: &[u8]) -> Result<Option<Arc<Inode>>> {
    let entry = txn.engine.entry(directory.key(), name);
    let Some(entry) = txn.item::<EntryRecord>(directory.handle.volume, &entry)? else { return Ok(None) };
    let inode_key = InodeKey { volume: directory.handle.volume, inode: entry.inode };
    let inode = txn.engine.inode_by_key(inode_key)?;
    inode.map(Some).ok_or_else(|| {
        Error::Damaged(format!("entry {} names inode {}, which does not exist", shown(name), entry.inode.0))
    })
}

fn require(txn: &Txn<'_>, directory: &Inode, name: &[u8]) -> Result<Arc<Inode>> {
    find(txn, directory, name)?.ok_or_else(|| Error::NotFound(Object::Entry(shown(name))))
}

/// Returns an error if `directory` is `inode`, or lies anywhere below it.
fn require_not_below(txn: &Txn<'_>, directory: &Arc<Inode>, inode: InodeId) -> Result<()> {
    let volume = directory.handle.volume;
    let mut at = directory.clone();
    loop {
        let id = at.handle.inode;
        if id == inode {
            return Err(Error::invalid_arguments("a directory cannot be moved below itself"));
        }
        let parent = txn.record(&at)?.parent;
        if parent == id {
            return Ok(());
        }
        at = txn.engine.inode_by_key(InodeKey { volume, inode: parent })?.ok_or(Error::Stale)?;
    }
}

fn new_inode(txn: &mut Txn<'_>, parent: &Inode, new: NewInode) -> Result<Arc<Inode>> {
    let engine = txn.engine;
    let now = engine.clock.now();
    let directory = new.kind == Kind::Directory;
    let size = match &new.kind {
        Kind::Symlink(target) => target.len() as u64,
        _ => new.size,
    };
    txn.create_inode(
        parent.handle.volume,
        InodeRecord {
            generation: engine.generation()?,
            nlink: if directory { 2 } else { 1 },
            kind: new.kind,
            mode: new.mode & 0o7777,
            uid: new.uid,
            gid: new.gid,
            size,
            space_used: 0,
            change: engine.change_first(),
            atime: new.atime.unwrap_or(now),
            mtime: new.mtime.unwrap_or(now),
            ctime: now,
            btime: now,
            parent: if directory { parent.handle.inode } else { InodeId(0) },
            entries: 0,
            create_verifier: new.create_verifier,
            absorbed: 0,
        },
    )
}

fn add_entry(txn: &mut Txn<'_>, directory: &Inode, name: &[u8], inode: &Inode) -> Result<()> {
    let entry = EntryRecord { inode: inode.handle.inode, generation: inode.handle.generation };
    txn.put_item(directory.handle.volume, &txn.engine.entry(directory.key(), name), &entry)
}

fn move_entry(
    txn: &mut Txn<'_>,
    source: &Inode,
    from_name: &[u8],
    target: &Inode,
    to_name: &[u8],
    inode: &Inode,
) -> Result<()> {
    txn.remove_item(source.handle.volume, &txn.engine.entry(source.key(), from_name))?;
    add_entry(txn, target, to_name, inode)
}

/// Records that the directory holds `entries` more names, and `subdirectories` more directories.
fn change_entries(
    txn: &mut Txn<'_>,
    directory: &Arc<Inode>,
    mut record: InodeRecord,
    entries: i64,
    subdirectories: i64,
) -> Result<ChangeInfo> {
    record.entries = record.entries.saturating_add_signed(entries);
    let links = i64::from(record.nlink) + subdirectories;
    record.nlink = u32::try_from(links).map_err(|_| Error::TooManyLinks)?;
    record.mtime = txn.engine.clock.now();
    let before = directory.state().change();
    let after = txn.touch_with_mtime(directory, record);
    Ok(ChangeInfo { before, after })
}

/// Removes one name of the inode. Without any name, the inode becomes an orphan. Returns 1 for a directory, otherwise 0.
pub(crate) fn lose_name(txn: &mut Txn<'_>, inode: &Arc<Inode>) -> Result<i64> {
    let mut record = txn.record(inode)?;
    let directory = record.is_directory();
    if directory {
        if record.entries > 0 {
            return Err(Error::NotEmpty);
        }
        record.nlink = 0;
    } else {
        record.nlink = record.nlink.saturating_sub(1);
    }
    let orphan = record.nlink == 0;
    txn.touch(inode, record);
    if orphan {
        txn.put_item(
            inode.handle.volume,
            &Item::orphan(inode.handle.inode),
            &OrphanRecord { freeing: false },
        )?;
        txn.usage(inode.handle.volume)?.orphans += 1;
        let inode = inode.clone();
        txn.then(move |engine| engine.consider_orphan(&inode));
    }
    Ok(i64::from(directory))
}
