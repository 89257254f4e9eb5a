//! Writes files: bytes become dirty pieces in memory. A stable write is flushed before it is answered.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::engine::Engine;
use crate::parts::dirty::{WRITE_BEHIND_BYTES, Waited};
use crate::parts::inode::Inode;
use crate::{Attributes, Error, FILE_SIZE_MAX, Handle, Result, Stability};

/// Shorter writes are copied, so that a small piece does not keep a caller's large buffer in memory.
const COPY_BYTES_MAX: usize = 16 << 10;

/// How often a writer that waits for room checks whether flushing can still help.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

impl Engine {
    pub(crate) async fn write(
        self: &Arc<Self>,
        handle: Handle,
        offset: u64,
        data: Bytes,
        stability: Stability,
    ) -> Result<Attributes> {
        self.write_within(handle, offset, data, stability, true).await
    }

    /// As `write`. Without `is_limited` the volume's size does not matter: the bytes are about to replace others.
    pub(crate) async fn write_within(
        self: &Arc<Self>,
        handle: Handle,
        offset: u64,
        data: Bytes,
        stability: Stability,
        is_limited: bool,
    ) -> Result<Attributes> {
        self.stopped.check()?;
        self.volumes.require_writable(handle.volume)?;
        let inode = self.inode(handle)?;
        inode.live()?.require_file()?;
        let bytes = data.len() as u64;
        let end = offset.checked_add(bytes).filter(|end| *end <= FILE_SIZE_MAX).ok_or(Error::FileTooLarge)?;
        if bytes > 0 {
            self.reserve(bytes).await?;
            let data = if data.len() < COPY_BYTES_MAX { Bytes::copy_from_slice(&data) } else { data };
            let growth = if is_limited { self.reserve_growth(&inode, offset..end).await } else { Ok(0) };
            let gate = self.writes.gate.read().await;
            let inserted = growth.and_then(|growth| self.insert(&inode, offset, data, growth));
            drop(gate);
            self.writes.dirty.release(inserted.inspect_err(|_| self.writes.dirty.release(bytes))?);
            self.meters.writes.add(1);
            self.meters.bytes_written.add(bytes);
        }
        if stability != Stability::Unstable {
            self.secure(&inode).await?;
        }
        inode.attributes()
    }

    /// Takes room among the dirty bytes. Waits for it if necessary, but not for ever if flushing does not help.
    async fn reserve(&self, bytes: u64) -> Result<()> {
        let mut waited = false;
        loop {
            self.stopped.check()?;
            self.require_open()?;
            self.require_room(bytes)?;
            let reserved = tokio::time::timeout(LOOK_AGAIN, self.writes.dirty.reserve(bytes)).await;
            if !waited && reserved != Ok(Waited::No) {
                waited = true;
                self.meters.write_waits.add(1);
            }
            if reserved.is_ok() {
                return Ok(());
            }
            if self.writes.dirty.is_refused() {
                return Err(Error::NoSpace);
            }
        }
    }

    /// Adds a dirty piece, for which `growth` is reserved. Returns how many dirty bytes it replaced.
    fn insert(self: &Arc<Self>, inode: &Arc<Inode>, offset: u64, data: Bytes, growth: u64) -> Result<u64> {
        let now = self.clock.now();
        let has_log = self.has_log(inode.handle.volume);
        let release = |_: &Error| self.volumes.release(inode.handle.volume, growth);
        // The volume may have been deleted while the writer waited, and its inodes stay if it can be recovered.
        self.volumes.require_writable(inode.handle.volume).inspect_err(release)?;
        let mut state = inode.live().inspect_err(release)?;
        state.growth += growth;
        let before = state.dirty.bytes();
        let bytes = data.len() as u64;
        let end = offset + bytes;
        if has_log {
            state.unlogged.insert(offset, data.clone());
        }
        state.dirty.insert(offset, data);
        let replaced = (before + bytes).saturating_sub(state.dirty.bytes());
        let shown = state.attributes(inode.handle);
        let change = state.change_next();
        let unstable = &mut state.unstable;
        unstable.size = unstable.size.max(end);
        unstable.change = change;
        unstable.mtime = Some(now);
        unstable.ctime = Some(now.max(shown.ctime));
        state.dirty_since.get_or_insert_with(Instant::now);
        let bytes_dirty = state.dirty.bytes();
        let (is_much, is_early_due) = (bytes_dirty >= WRITE_BEHIND_BYTES, state.early.is_due(bytes_dirty));
        drop(state);
        self.writes.dirty.note(inode);
        if is_early_due {
            self.begin_early(inode);
        }
        if is_much {
            self.signals.pressure.notify_one();
        }
        Ok(replaced)
    }

    pub(crate) async fn commit(self: &Arc<Self>, handle: Handle) -> Result<()> {
        self.stopped.check()?;
        let inode = self.inode(handle)?;
        inode.live()?.require_file()?;
        self.secure(&inode).await
    }
}
