//! What keeps an open file's inode alive after its last name is gone.

use crate::fs::OrStatus;
use forebay_pool::{Handle, Pool};

use forebay_nfs_proto::xdr::Status;

/// One hold on an inode of the pool, released when dropped. Each open has one, so that no way of losing the
/// open (CLOSE, expiry, a client's restart) can forget to give the inode free.
pub(super) struct Hold {
    pool: Pool,
    file: Handle,
    release: bool,
}

impl Hold {
    /// Holds an inode; [`Status::Stale`] if it is gone.
    pub fn new(pool: &Pool, file: Handle) -> Result<Hold, Status> {
        pool.hold(file).or_status()?;
        Ok(Hold { pool: pool.clone(), file, release: true })
    }

    /// The inode.
    pub fn file(&self) -> Handle {
        self.file
    }

    /// Leaves the inode held for as long as the pool is open: the server goes down, and its clients will come
    /// back for their open files, orphans among them, at the next start.
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
