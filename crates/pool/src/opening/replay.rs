//! Puts what the intent log holds back into memory, as dirty bytes that are logged.
//!
//! A record counts if its position is above what its inode has absorbed, and above its volume's floor. Nothing else decides: the
//! metadata may be ahead of the log or behind it.
//!
//! This comes before orphans are freed: freeing drops what an inode has in memory.

use std::sync::Arc;

use tokio::time::Instant;

use crate::engine::Engine;
use crate::format::log::LogRecord;
use crate::parts::inode::Inode;
use crate::parts::log::Held;
use crate::{Error, Kind, Result};

impl Engine {
    /// Applies what the log held, in the order of the positions.
    pub(crate) fn replay(&self, held: Held) -> Result<()> {
        let mut records: Vec<LogRecord> = held.laps.into_values().flatten().collect();
        records.sort_by_key(|record| record.position);
        let (mut count, mut bytes) = (0_u64, 0);
        for record in records {
            if let Some(inode) = self.inode_to_replay(&record)? {
                count += 1;
                bytes += self.replay_record(&inode, record);
            }
        }
        if count > 0 {
            tracing::info!(count, bytes, "synced writes were taken back from the intent log");
        }
        Ok(())
    }

    /// The inode that the record belongs to, if the record counts.
    fn inode_to_replay(&self, record: &LogRecord) -> Result<Option<Arc<Inode>>> {
        let key = record.key;
        let Ok(volume) = self.volumes.record(key.volume) else { return Ok(None) };
        let is_volume = volume.snapshot.is_none() && !volume.is_bucket;
        if !is_volume || record.position <= volume.log_floor {
            return Ok(None);
        }
        let found = match self.inode_by_key(key) {
            // The file cannot be read anyway, and the others must not wait for it.
            Err(error @ Error::Damaged(_)) => {
                let (volume, inode) = (key.volume.0, key.inode.0);
                tracing::error!(%error, volume, inode, "the intent log holds bytes of a file that cannot be read");
                None
            }
            found => found?,
        };
        let Some(inode) = found else { return Ok(None) };
        let is_wanted = {
            let state = inode.state();
            let is_same = inode.handle.generation == record.generation && state.record.kind == Kind::File;
            is_same && record.position > state.record.absorbed
        };
        Ok(is_wanted.then_some(inode))
    }

    /// Applies a record. Returns how many bytes it has.
    fn replay_record(&self, inode: &Arc<Inode>, record: LogRecord) -> u64 {
        let bytes: u64 = record.pieces.iter().map(|(_, piece)| piece.len() as u64).sum();
        // The bytes were promised, whatever the limits are now.
        self.writes.dirty.reserve_promised(bytes);
        self.volumes.reserve_promised(inode.handle.volume, bytes);
        let mut state = inode.state();
        state.growth += bytes;
        let before = state.dirty.bytes();
        for (offset, piece) in record.pieces.iter().cloned() {
            state.dirty.insert(offset, piece);
        }
        let replaced = (before + bytes).saturating_sub(state.dirty.bytes());
        if record.change > state.record.change {
            state.unstable.mtime = Some(record.mtime);
            state.unstable.ctime = Some(record.ctime);
        }
        state.unstable.size = state.unstable.size.max(record.size);
        state.unstable.change = state.change_next();
        state.note_logged(record.position, &record.pieces);
        state.dirty_since.get_or_insert_with(Instant::now);
        drop(state);
        self.writes.dirty.note(inode);
        self.writes.dirty.release(replaced);
        bytes
    }
}
