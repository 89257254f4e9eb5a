//! Drafts: content that no entry owns yet.

use std::sync::{Arc, Weak};

use tokio::sync::oneshot;

use crate::engine::Engine;
use crate::engine::txn::Txn;
use crate::format::keys::Item;
use crate::format::records::{InodeRecord, OrphanRecord};
use crate::parts::inode::Inode;
use crate::{Error, Handle, InodeId, Kind, Result, VolumeId};

/// Content of a bucket that no entry owns yet. It is written like a file, by its handle.
///
/// When it is dropped before an entry has taken it, it is freed. After a crash it is freed too.
pub struct Draft {
    pub(crate) handle: Handle,
    engine: Weak<Engine>,
}

impl Draft {
    /// The handle for writing and reading the content.
    pub fn handle(&self) -> Handle {
        self.handle
    }
}

impl std::fmt::Debug for Draft {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Draft").field(&self.handle).finish()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.upgrade() {
            engine.release(self.handle);
        }
    }
}

impl Engine {
    /// Creates an empty draft. Returns before it is durable: nobody can miss a draft that a crash takes, and the batch that
    /// makes it the content of an entry comes after the one that creates it.
    pub(crate) async fn draft_create(self: &Arc<Self>, bucket: VolumeId) -> Result<Draft> {
        let (applied, at_once) = oneshot::channel();
        let (sender, receiver) = oneshot::channel();
        let engine = Arc::downgrade(self);
        let job = move |txn: &mut Txn<'_>| {
            require_bucket(txn.engine, bucket)?;
            txn.engine.require_room_for_inode()?;
            let inode = new_orphan(txn, bucket)?;
            inode.state().holds = 1;
            let draft = Draft { handle: inode.handle, engine };
            // If the caller is gone, the draft is dropped here.
            txn.then(move |_| drop(applied.send(draft)));
            Ok(())
        };
        self.submit(job, sender)?;
        match at_once.await {
            Ok(draft) => Ok(draft),
            Err(_) => {
                receiver.await.map_err(|_| Error::Closed)??;
                Err(Error::Closed)
            }
        }
    }
}

/// Returns [`Error::Stale`] unless this is a bucket.
pub(crate) fn require_bucket(engine: &Engine, bucket: VolumeId) -> Result<()> {
    if engine.volumes.is_bucket(bucket) { Ok(()) } else { Err(Error::Stale) }
}

/// Stages a file without a name, with the record of an orphan.
fn new_orphan(txn: &mut Txn<'_>, bucket: VolumeId) -> Result<Arc<Inode>> {
    let engine = txn.engine;
    let now = engine.clock.now();
    let inode = txn.create_inode(
        bucket,
        InodeRecord {
            generation: engine.generation()?,
            kind: Kind::File,
            mode: 0,
            uid: 0,
            gid: 0,
            nlink: 0,
            size: 0,
            space_used: 0,
            change: engine.change_first(),
            atime: now,
            mtime: now,
            ctime: now,
            btime: now,
            parent: InodeId(0),
            entries: 0,
            create_verifier: None,
            absorbed: 0,
        },
    )?;
    txn.put_item(bucket, &Item::orphan(inode.handle.inode), &OrphanRecord { freeing: false })?;
    txn.usage(bucket)?.orphans += 1;
    Ok(inode)
}
