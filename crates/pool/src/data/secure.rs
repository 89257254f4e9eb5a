//! Makes a file's bytes durable in the intent log, or by a flush if the log cannot take them.
//!
//! Only a stable write and a COMMIT may rely on the log. Whoever needs the bytes in extents, such as a snapshot, flushes.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::engine::Engine;
use crate::format::log::LogRecord;
use crate::parts::inode::{Inode, State};
use crate::parts::log::{Log, Logged, Rule};
use crate::{Result, VolumeId};

/// More bytes than this are flushed: logging them would write them twice to no one's gain. Less in tests, so that they do both.
const LOGGED_BYTES_MAX: u64 = if cfg!(test) { 16 << 10 } else { 256 << 10 };
/// Records with more pieces are flushed.
const LOGGED_PIECES_MAX: usize = if cfg!(test) { 8 } else { 1024 };
/// What the pool must have room for, so that what is logged can be flushed later.
const ROOM_BYTES: u64 = 64 << 20;

/// How bytes become durable.
enum Way {
    /// By a flush.
    Flush,
    /// When the logger answers.
    Logger(oneshot::Receiver<Logged>),
    /// They are.
    Done,
}

impl Engine {
    /// Makes everything durable that has been written to the file so far, in the log if possible.
    pub(crate) async fn secure(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        let Some(log) = self.log.clone().filter(|_| self.has_log(inode.handle.volume)) else {
            return self.flush(inode).await;
        };
        match self.hand_over(&log, inode)? {
            Way::Flush => {
                self.meters.log_refused.add(1);
                return self.flush_refused(inode).await;
            }
            // Without an answer, or with a bad one, the bytes are still in memory.
            Way::Logger(answer) => match answer.await {
                Ok(Logged::Yes) => {}
                _ => return self.flush_refused(inode).await,
            },
            Way::Done => {}
        }
        self.stopped.check()?;
        // An earlier record, perhaps of another caller, may have been refused.
        if inode.state().has_refused() && log.keeps(Rule::FlushRefused) {
            return self.flush_refused(inode).await;
        }
        // The file's creation, or a flush of bytes that were never logged, may be visible and not durable. Read after the group is
        // durable.
        let batch = inode.state().batch;
        if batch > self.stores.meta.position().durable {
            self.settle_changes().await?;
        }
        Ok(())
    }

    /// Flushes the file, and with it what the logger has refused so far.
    async fn flush_refused(self: &Arc<Self>, inode: &Arc<Inode>) -> Result<()> {
        let refused = inode.state().refused;
        self.flush(inode).await?;
        let mut state = inode.state();
        state.refused_flushed = state.refused_flushed.max(refused);
        Ok(())
    }

    /// Whether bytes of the volume are logged.
    pub(crate) fn has_log(&self, volume: VolumeId) -> bool {
        self.log.as_ref().is_some_and(|log| !log.is_off()) && !self.volumes.is_bucket(volume)
    }

    fn hand_over(&self, log: &Log, inode: &Arc<Inode>) -> Result<Way> {
        let mut state = inode.live()?;
        // Under the state lock, so that a close that follows flushes what is handed over here.
        if state.log_closed > 0 || log.is_off() {
            return Ok(Way::Flush);
        }
        let takes_flushing = log.keeps(Rule::LogTaken);
        let flushing = if takes_flushing { state.unlogged_flushing.bytes() } else { 0 };
        let bytes = state.unlogged.bytes() + flushing;
        if bytes == 0 && !state.has_unlogged_attributes() {
            // Another caller's group may hold what this one wants durable, even if a flush has absorbed it meanwhile: neither may be
            // durable yet.
            let waits = state.logged_from.is_some() || log.keeps(Rule::WaitForOvertaken);
            let is_logging = state.logging > 0 && waits && log.keeps(Rule::WaitForLogging);
            drop(state);
            let waiting = if is_logging { log.after_all() } else { None };
            return Ok(match waiting {
                Some(answer) => Way::Logger(answer),
                None if is_logging => Way::Flush,
                None => Way::Done,
            });
        }
        let pieces = state.unlogged.count() + state.unlogged_flushing.count();
        let is_much = bytes > LOGGED_BYTES_MAX || pieces > LOGGED_PIECES_MAX;
        if is_much || !log.is_ready() || self.require_room(ROOM_BYTES + log.bytes_live()).is_err() {
            if !is_much {
                log.want_file();
            }
            return Ok(Way::Flush);
        }
        let handed = log.hand_over(inode, |position| record(inode, &mut state, position, takes_flushing));
        drop(state);
        Ok(handed.map_or(Way::Flush, Way::Logger))
    }

    /// Lets nothing be logged of the inode until the result is dropped, and flushes what was. So a change of extents can say that it
    /// absorbs everything. Nothing has to be flushed for a truncation to `size` if everything that was logged is behind that. The
    /// caller must hold the inode's `order` lock.
    pub(crate) async fn close_log(
        self: &Arc<Self>,
        inode: &Arc<Inode>,
        size: Option<u64>,
    ) -> Result<Option<ClosedLog>> {
        if !self.log.as_ref().is_some_and(|log| log.keeps(Rule::Close)) {
            return Ok(None);
        }
        let closed = ClosedLog::close(inode);
        let must_flush = inode.state().logged_from.is_some_and(|from| size.is_none_or(|size| from < size));
        if must_flush {
            self.flush_written_ordered(inode).await?;
        }
        Ok(Some(closed))
    }
}

/// Takes what a record must hold.
fn record(inode: &Inode, state: &mut State, position: u64, takes_flushing: bool) -> LogRecord {
    let pieces = if takes_flushing { state.take_unlogged() } else { std::mem::take(&mut state.unlogged) };
    let pieces: Vec<_> = pieces.iter().map(|(offset, piece)| (offset, piece.clone())).collect();
    state.note_logged(position, &pieces);
    state.logging += 1;
    let shown = state.attributes(inode.handle);
    LogRecord {
        key: inode.key(),
        generation: inode.handle.generation,
        position,
        size: shown.size,
        change: shown.change,
        mtime: shown.mtime,
        ctime: shown.ctime,
        pieces,
    }
}

/// While it lives, nothing is logged of the inode.
pub(crate) struct ClosedLog(Arc<Inode>);

impl ClosedLog {
    fn close(inode: &Arc<Inode>) -> ClosedLog {
        inode.state().log_closed += 1;
        ClosedLog(inode.clone())
    }
}

impl Drop for ClosedLog {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.log_closed = state.log_closed.saturating_sub(1);
    }
}
