//! Sets attributes. Setting the size is a truncation.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::base::lasting::Lasting;
use crate::data::stretch;
use crate::engine::Engine;
use crate::engine::extents::ExtentChange;
use crate::engine::txn::Txn;
use crate::format::records::InodeRecord;
use crate::parts::compared::Compared;
use crate::parts::inode::{Cleared, Inode};
use crate::{Attributes, Error, FILE_SIZE_MAX, Handle, Kind, Result, SetAttributes, SetTime};

impl Engine {
    pub(crate) async fn setattr(self: &Arc<Self>, handle: Handle, set: SetAttributes) -> Result<Attributes> {
        let inode = self.inode(handle)?;
        let is_file = {
            let state = inode.live()?;
            if let Some(size) = set.size {
                state.require_file()?;
                if size > FILE_SIZE_MAX {
                    return Err(Error::FileTooLarge);
                }
            }
            state.record.kind == Kind::File
        };
        // A flush carries size and times from before it began, so it must not end after these are set. The job takes the
        // lock with it, and runs even if the caller is cancelled.
        let ordered = is_file && (set.size.is_some() || set.mtime.is_some() || set.atime.is_some());
        let order = if ordered { Some(inode.order.clone().lock_owned().await) } else { None };
        let (engine, file, is_resized) = (self.clone(), inode.clone(), set.size.is_some());
        let change = async move {
            let closed = match set.size {
                Some(size) => engine.close_log(&file, Some(size)).await?,
                None => None,
            };
            let job = move |txn: &mut Txn<'_>| {
                // Release the lock when the batch is applied, or when it is dropped.
                txn.then(move |_| drop((order, closed)));
                apply(txn, &file, &set)
            };
            engine.transact(job).await
        };
        // What was logged may have to be flushed before.
        if is_resized {
            Lasting::new(change).await?
        } else {
            change.await?
        };
        inode.attributes()
    }
}

/// Stages the attributes.
pub(crate) fn apply(txn: &mut Txn<'_>, inode: &Arc<Inode>, set: &SetAttributes) -> Result<()> {
    let mut record = txn.record(inode)?;
    let now = txn.engine.clock.now();
    let time = |time: SetTime| match time {
        SetTime::Now => now,
        SetTime::To(time) => time,
    };
    record.mode = set.mode.map_or(record.mode, |mode| mode & 0o7777);
    record.uid = set.uid.unwrap_or(record.uid);
    record.gid = set.gid.unwrap_or(record.gid);
    if let Some(size) = set.size {
        truncate(txn, inode, &mut record, size)?;
        record.mtime = now;
    }
    if let Some(atime) = set.atime {
        record.atime = time(atime);
        let inode = inode.clone();
        txn.then(move |_| inode.state().unstable.atime = None);
    }
    if let Some(mtime) = set.mtime {
        record.mtime = time(mtime);
    }
    match set.size {
        Some(size) => txn.touch_and_clear(inode, record, Cleared::Behind(size)),
        None if set.mtime.is_some() => txn.touch_with_mtime(inode, record),
        None => txn.touch(inode, record),
    };
    Ok(())
}

/// Stages the new size, and removes all extents beyond it, so that the truncated bytes never come back.
fn truncate(txn: &mut Txn<'_>, inode: &Arc<Inode>, record: &mut InodeRecord, size: u64) -> Result<()> {
    // No extents lie beyond the size, not even after a failed flush. So a truncation that extends the file has nothing to
    // scan.
    if size < record.size {
        let before = txn.engine.extents(inode.key(), size..u64::MAX)?;
        let after = stretch::up_to(&before, size);
        let change = ExtentChange { before, after };
        if !txn.change_extents(
            inode,
            &change,
            &BTreeMap::new(),
            &Compared::default(),
            &mut record.space_used,
        )? {
            return Err(Error::Damaged("a truncated extent points to a chunk that has no record".into()));
        }
    }
    record.size = size;
    Ok(())
}
