//! Extended attributes: small named values of files and directories. They have versions, like all records of an inode.
//!
//! Like directory entries, they are found by the keyed hashes of their names, and listed in that order. The hash is the
//! cookie, and stays valid whatever is set or removed meanwhile. They are not part of the inode's record, so freeing an
//! inode needs a lookup for them, although almost no inode has any. A pool that holds no extended attributes at all skips
//! that lookup.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::{self, InodeKey, Item};
use crate::format::records::{Record, XattrRecord, malformed};
use crate::parts::inode::{Inode, State};
use crate::parts::view::BATCH_ITEMS;
use crate::tree::directory::shown;
use crate::{
    ChangeInfo, Error, Handle, Kind, NAME_BYTES_MAX, Object, RecordOf, Result, SetXattr, XATTR_BYTES_MAX,
    XATTR_NAMES_BYTES_MAX, XATTRS_BYTES_MAX, XattrPage,
};

/// The bytes that a name takes in a list of names, apart from its own: Linux's prefix `user.`, and a NUL.
const NAME_OVERHEAD_BYTES: u64 = 6;

/// Cookie, name and value.
type Found = (u64, Bytes, XattrRecord);

impl Engine {
    pub(crate) fn xattr_get(&self, handle: Handle, name: &[u8]) -> Result<Bytes> {
        let inode = self.inode(handle)?;
        require_kind(&*inode.live()?)?;
        check_name(name)?;
        let found: Option<XattrRecord> = self.item(handle.volume, &self.xattr(inode.key(), name))?;
        found.map(|record| record.value).ok_or_else(|| missing(name))
    }

    /// Returns up to `count` names after `cookie`. Names with the same cookie stay together.
    pub(crate) fn xattr_list(&self, handle: Handle, cookie: u64, count: usize) -> Result<XattrPage> {
        let inode = self.inode(handle)?;
        require_kind(&*inode.live()?)?;
        let (found, end) = self.xattrs_after(inode.key(), cookie, count.max(1))?;
        Ok(XattrPage { names: found.into_iter().map(|(cookie, name, _)| (cookie, name)).collect(), end })
    }

    pub(crate) async fn xattr_set(
        self: &Arc<Self>,
        handle: Handle,
        name: &[u8],
        value: Bytes,
        how: SetXattr,
        record: Option<RecordOf<ChangeInfo>>,
    ) -> Result<ChangeInfo> {
        check_name(name)?;
        if value.len() > XATTR_BYTES_MAX {
            return Err(Error::XattrTooLarge);
        }
        let name = Bytes::copy_from_slice(name);
        self.transact(move |txn| {
            let inode = txn.inode(handle)?;
            require_kind(&*inode.live()?)?;
            let item = txn.engine.xattr(inode.key(), &name);
            let before: Option<XattrRecord> = txn.item(handle.volume, &item)?;
            match how {
                SetXattr::Create if before.is_some() => {
                    return Err(Error::Exists(Object::ExtendedAttribute(shown(&name))));
                }
                SetXattr::Replace if before.is_none() => return Err(missing(&name)),
                _ => {}
            }
            txn.engine.require_room(value.len() as u64)?;
            require_room(txn, &inode, &name, &value)?;
            let attribute = XattrRecord { value };
            txn.engine.xattrs.begin();
            txn.put_item(handle.volume, &item, &attribute)?;
            account(txn, &inode, attribute.bytes() - before.map_or(0, |before| before.bytes()))?;
            let change = changed(txn, &inode)?;
            txn.put_record_of(record, &change)?;
            Ok(change)
        })
        .await
    }

    pub(crate) async fn xattr_remove(
        self: &Arc<Self>,
        handle: Handle,
        name: &[u8],
        record: Option<RecordOf<ChangeInfo>>,
    ) -> Result<ChangeInfo> {
        check_name(name)?;
        let name = Bytes::copy_from_slice(name);
        self.transact(move |txn| {
            let inode = txn.inode(handle)?;
            require_kind(&*inode.live()?)?;
            let item = txn.engine.xattr(inode.key(), &name);
            let before: XattrRecord = txn.item(handle.volume, &item)?.ok_or_else(|| missing(&name))?;
            txn.remove_item(handle.volume, &item)?;
            account(txn, &inode, -before.bytes())?;
            let change = changed(txn, &inode)?;
            txn.put_record_of(record, &change)?;
            Ok(change)
        })
        .await
    }

    fn xattr(&self, key: InodeKey, name: &[u8]) -> Item {
        Item::xattr(key.inode, self.name_hash(name), name)
    }

    /// The first `count` of an inode's attributes after `cookie`, any others with the last one's cookie, and whether these
    /// are all.
    fn xattrs_after(&self, key: InodeKey, cookie: u64, count: usize) -> Result<(Vec<Found>, bool)> {
        let range = |volume| keys::xattrs_after(InodeKey { volume, ..key }, cookie);
        self.look(key.volume, |view| {
            let mut found: Vec<Found> = Vec::new();
            let mut end = true;
            view.scan(
                &*self.stores.meta,
                &range,
                count.saturating_add(1).min(BATCH_ITEMS),
                &mut |key, value| {
                    let (hash, name) =
                        keys::entry_in(key).ok_or_else(|| malformed(XattrRecord::NAME, key))?;
                    let twin = found.last().is_some_and(|(last, _, _)| *last == hash);
                    if found.len() >= count && !twin {
                        end = false;
                        return Ok(ControlFlow::Break(()));
                    }
                    found.push((hash, Bytes::copy_from_slice(name), XattrRecord::decode(key, value)?));
                    Ok(ControlFlow::Continue(()))
                },
            )?;
            Ok((found, end))
        })
    }
}

impl Txn<'_> {
    /// Stages the removal of up to about `budget` attributes of an inode that is being freed. Returns how many, and whether
    /// there are more.
    pub(crate) fn free_xattrs(&mut self, inode: &Inode, budget: usize) -> Result<(usize, bool)> {
        if !self.engine.xattrs.may_be() {
            return Ok((0, false));
        }
        let key = inode.key();
        let (found, end) = self.engine.xattrs_after(key, 0, budget)?;
        for (hash, name, record) in &found {
            self.remove_item(key.volume, &Item::xattr(key.inode, *hash, name))?;
            account(self, inode, -record.bytes())?;
        }
        Ok((found.len(), !end))
    }
}

/// Only files and directories can have extended attributes, as on Linux.
fn require_kind(state: &State) -> Result<()> {
    match state.record.kind {
        Kind::File | Kind::Directory => Ok(()),
        _ => Err(Error::NotFile),
    }
}

fn check_name(name: &[u8]) -> Result<()> {
    if name.len() > NAME_BYTES_MAX {
        return Err(Error::NameTooLong);
    }
    if name.is_empty() || name.contains(&0) {
        return Err(Error::invalid_arguments("an attribute's name must not be empty, nor contain NUL"));
    }
    Ok(())
}

fn missing(name: &[u8]) -> Error {
    Error::NotFound(Object::ExtendedAttribute(shown(name)))
}

/// Returns [`Error::NoSpace`] if the inode would exceed its limit.
fn require_room(txn: &Txn<'_>, inode: &Inode, name: &[u8], value: &[u8]) -> Result<()> {
    let (found, _) = txn.engine.xattrs_after(inode.key(), 0, usize::MAX)?;
    let others = found.iter().filter(|(_, other, _)| other != name);
    let (mut names, mut bytes) = (NAME_OVERHEAD_BYTES + name.len() as u64, value.len() as u64);
    for (_, name, record) in others {
        names += NAME_OVERHEAD_BYTES + name.len() as u64;
        bytes += record.value.len() as u64;
    }
    if names > XATTR_NAMES_BYTES_MAX || bytes > XATTRS_BYTES_MAX { Err(Error::NoSpace) } else { Ok(()) }
}

/// In a volume with versions, the code that writes the versions counts the stored bytes.
fn account(txn: &mut Txn<'_>, inode: &Inode, difference: i64) -> Result<()> {
    let volume = inode.handle.volume;
    if txn.is_plain(volume) {
        let usage = txn.usage(volume)?;
        usage.bytes_inline = usage.bytes_inline.saturating_add_signed(difference);
    }
    Ok(())
}

/// The inode gets a new `change` and ctime, but keeps its mtime, which belongs to the data.
fn changed(txn: &mut Txn<'_>, inode: &Arc<Inode>) -> Result<ChangeInfo> {
    let record = txn.record(inode)?;
    let before = inode.state().change();
    let after = txn.touch(inode, record);
    Ok(ChangeInfo { before, after })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening::examine::Wanted;
    use crate::opening::lifecycle::Foundation;
    use crate::store::segment::MemorySegments;
    use crate::testing::Watched;
    use crate::{NewInode, Pool, PoolOptions, VolumeSpec};

    fn open(meta: &Arc<Watched>, store: &Arc<MemorySegments>) -> Pool {
        let foundation = Foundation {
            wanted: Wanted { is_new: true, ..Wanted::default() },
            ..Foundation::in_memory(meta.clone(), store.clone()).unwrap()
        };
        Pool::on(Engine::open(foundation, PoolOptions::default()).unwrap()).unwrap()
    }

    /// Creates a file and frees it. Returns the number of lookups of extended attributes.
    async fn looks_to_free(pool: &Pool, meta: &Watched, xattr: bool) -> usize {
        let root = pool.volume("v").unwrap().root;
        let made = pool.create(root, b"file", NewInode::new(Kind::File, 0o600)).await.unwrap();
        if xattr {
            let value = Bytes::from_static(b"value");
            pool.xattr_set(made.attributes.handle, b"name", value, SetXattr::Either).await.unwrap();
        }
        meta.forget_questions();
        pool.remove(root, b"file").await.unwrap();
        pool.settle().await.unwrap();
        meta.asked(keys::XATTR).alone
    }

    #[tokio::test]
    async fn files_are_freed_without_a_look_for_extended_attributes_where_there_are_none() {
        let (meta, store) = (Arc::<Watched>::default(), Arc::<MemorySegments>::default());
        let pool = open(&meta, &store);
        pool.volume_create(VolumeSpec::new("v", "/v")).await.unwrap();
        pool.reap_orphans().await.unwrap();
        assert_eq!(looks_to_free(&pool, &meta, false).await, 0);
        assert!(looks_to_free(&pool, &meta, true).await > 0, "here there are some");
        pool.close().await.unwrap();
        // Attributes that a snapshot shows count as well, even after the next opening.
        let pool = open(&meta, &store);
        pool.reap_orphans().await.unwrap();
        assert_eq!(looks_to_free(&pool, &meta, false).await, 0);
        let root = pool.volume("v").unwrap().root;
        pool.xattr_set(root, b"name", Bytes::from_static(b"value"), SetXattr::Create).await.unwrap();
        pool.snapshot_create(&["v".to_owned()], "then").await.unwrap();
        pool.xattr_remove(root, b"name").await.unwrap();
        pool.close().await.unwrap();
        let pool = open(&meta, &store);
        pool.reap_orphans().await.unwrap();
        assert!(looks_to_free(&pool, &meta, false).await > 0);
        assert_eq!(pool.check(true).await.unwrap(), [""; 0]);
    }
}
