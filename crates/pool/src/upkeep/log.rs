//! Keeps files of the intent log ready, and absorbs its oldest laps.

use std::sync::Arc;

use crate::base::sync;
use crate::engine::Engine;
use crate::format::keys::InodeKey;
use crate::parts::log::Log;
use crate::{Error, Result};

/// The number of inodes that are absorbed at the same time.
const ABSORBED_MAX: usize = 16;

impl Engine {
    /// Prepares files, and absorbs the oldest laps if few are free.
    pub(crate) async fn log_round(self: &Arc<Self>) -> Result<()> {
        let Some(log) = self.log.clone() else { return Ok(()) };
        self.prepare_laps(&log).await?;
        self.absorb_laps(&log, false).await?;
        self.prepare_laps(&log).await
    }

    async fn prepare_laps(self: &Arc<Self>, log: &Arc<Log>) -> Result<()> {
        let (engine, log) = (self.clone(), log.clone());
        sync::blocking(move || log.prepare(&*engine.entropy, &*engine.clock)).await
    }

    /// Makes durable elsewhere what the oldest laps hold; with `all`, what any lap holds.
    pub(crate) async fn absorb_laps(self: &Arc<Self>, log: &Log, all: bool) -> Result<()> {
        for (lap, live) in log.to_absorb(all) {
            let live: Vec<(InodeKey, u64)> = live.into_iter().collect();
            for some in live.chunks(ABSORBED_MAX) {
                let mut absorbing = tokio::task::JoinSet::new();
                for (key, position) in some.iter().copied() {
                    let engine = self.clone();
                    absorbing.spawn(async move { engine.absorb_up_to(key, position).await });
                }
                while let Some(outcome) = absorbing.join_next().await {
                    outcome.map_err(|_| Error::Closed)??;
                }
            }
            // What was absorbed, or is gone, may be visible and not durable.
            self.settle_changes().await?;
            log.absorbed(&[lap]);
        }
        Ok(())
    }

    /// Absorbs what the log holds of an inode up to a position.
    async fn absorb_up_to(self: &Arc<Self>, key: InodeKey, position: u64) -> Result<()> {
        let Ok(volume) = self.volumes.record(key.volume) else { return Ok(()) };
        let inode = match self.inode_by_key(key) {
            Ok(Some(inode)) => inode,
            // Opening, or whoever found the damage, has reported it.
            Ok(None) | Err(Error::Damaged(_)) => return Ok(()),
            Err(error) => return Err(error),
        };
        let known = {
            let state = inode.state();
            if state.freed { u64::MAX } else { state.record.absorbed.max(volume.log_floor) }
        };
        if known >= position { Ok(()) } else { self.absorb(&inode).await }
    }
}
