//! Keeps an open file's inode alive after its last name is removed.

use forebay_pool::{Handle, Pool};

use crate::status::OrStatus;
use forebay_nfs_proto::xdr::Status;

/// A hold on an inode of the pool, released when dropped. Each open has its own, so that the inode is
/// released however the open ends (CLOSE, expiry, a client's restart).
pub(super) struct Hold {
    pool: Pool,
    file: Handle,
    release: bool,
}

impl Hold {
    /// Holds an inode. Returns [`Status::Stale`] if it is gone.
    pub fn new(pool: &Pool, file: Handle) -> Result<Hold, Status> {
        pool.hold(file).or_status()?;
        Ok(Hold { pool: pool.clone(), file, release: true })
    }

    /// The inode.
    pub fn file(&self) -> Handle {
        self.file
    }

    /// Keeps the inode held for as long as the pool is open. Used at shutdown: clients will reclaim their
    /// open files, including deleted ones, after the next start.
    pub fn leave(mut self) {
        self.release = false;
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        if self.release {
            self.pool.release(self.file);
        }
    }
}
