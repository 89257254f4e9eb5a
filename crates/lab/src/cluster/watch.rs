//! Watches which replicas of a cluster are in sync, with the records tool.

use std::process::Child;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::records::{Summary, follow};
use super::tools::Tools;

/// One reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct InSync {
    /// Partitions of all topics, Kafka's own too.
    pub partitions: u32,
    /// Those that lack a replica in sync.
    pub under_replicated: u32,
    /// Those without a leader.
    pub leaderless: u32,
}

/// A watch on a cluster. Dropping it ends it.
#[derive(Debug)]
pub struct SyncWatch {
    child: Child,
    latest: Arc<Latest>,
    _reader: JoinHandle<Option<Summary>>,
}

#[derive(Debug, Default)]
struct Latest {
    look: Mutex<Option<(Instant, InSync)>>,
    changed: Condvar,
}

impl Tools {
    /// Starts to watch, and calls `each` for every reading.
    pub fn watch_sync(&self, mut each: impl FnMut(InSync) + Send + 'static) -> Result<SyncWatch> {
        let (mut child, _) = self.start_records(&["watch", "--bootstrap", &self.bootstrap()])?;
        let latest = Arc::<Latest>::default();
        let theirs = Arc::clone(&latest);
        let reader = follow(&mut child, move |line| {
            // A failed reading has an error instead.
            if let Ok(look) = serde_json::from_value::<InSync>(Value::Object(line.clone())) {
                *theirs.look.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), look));
                theirs.changed.notify_all();
                each(look);
            }
        })?;
        Ok(SyncWatch { child, latest, _reader: reader })
    }
}

impl SyncWatch {
    /// Waits for a reading after `since` for which `holds` returns true. Returns its time.
    ///
    /// # Errors
    /// If there is none within `patience`.
    pub fn wait(
        &self,
        since: Instant,
        patience: Duration,
        holds: impl Fn(InSync) -> bool,
    ) -> Result<Instant> {
        let deadline = Instant::now() + patience;
        let mut look = self.latest.look.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some((at, found)) = *look
                && at > since
                && holds(found)
            {
                return Ok(at);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("{} after {} s", Self::told(*look), patience.as_secs());
            }
            look = self.latest.changed.wait_timeout(look, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn told(look: Option<(Instant, InSync)>) -> String {
        look.map_or_else(
            || "the cluster does not answer".to_owned(),
            |(_, look)| {
                format!(
                    "{} of {} partitions lack a replica in sync, {} a leader",
                    look.under_replicated, look.partitions, look.leaderless
                )
            },
        )
    }
}

impl Drop for SyncWatch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
