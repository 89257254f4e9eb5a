//! The number of segments in the tier, from Kafka's topic with their metadata.

use std::process::Child;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::records::follow;
use super::tools::Tools;

/// How often a wait looks.
const PAUSE: Duration = Duration::from_millis(100);

/// How many segments are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub struct SegmentCounts {
    /// Segments in the tier: copied, and not being deleted.
    pub live: u64,
    /// The size of their records.
    pub live_bytes: u64,
    /// Segments whose copy has begun.
    pub copying: u64,
    /// Segments whose delete has begun.
    pub deleting: u64,
    /// Segments that were in the tier and are deleted.
    pub deleted: u64,
    /// The size of their records.
    pub deleted_bytes: u64,
    /// Segments that are deleted because their copy was not finished.
    pub abandoned: u64,
    /// Gaps between the offsets of a partition's copied segments. `records-segments.log` names them.
    pub gaps: u64,
}

/// A watch on the metadata of segments. Dropping it ends it.
#[derive(Debug)]
pub struct SegmentsWatch {
    child: Child,
    latest: Arc<Mutex<Option<(Instant, SegmentCounts)>>>,
}

impl Tools {
    /// Starts to watch, and calls `each` about once a second.
    pub fn watch_segments(
        &self,
        mut each: impl FnMut(&SegmentCounts) + Send + 'static,
    ) -> Result<SegmentsWatch> {
        let (mut child, _) = self.start_records(&["segments", "--bootstrap", &self.bootstrap()])?;
        let latest = Arc::<Mutex<Option<(Instant, SegmentCounts)>>>::default();
        let theirs = Arc::clone(&latest);
        // The thread ends with the program's output.
        follow(&mut child, move |line| {
            if let Ok(counts) = serde_json::from_value::<SegmentCounts>(Value::Object(line.clone())) {
                each(&counts);
                *theirs.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), counts));
            }
        })
        .map(drop)?;
        Ok(SegmentsWatch { child, latest })
    }
}

impl SegmentsWatch {
    /// The latest counts; zeros before the first.
    pub fn latest(&self) -> SegmentCounts {
        self.get().map(|(_, counts)| counts).unwrap_or_default()
    }

    /// The first counts after now.
    ///
    /// # Errors
    /// If there are none within `patience`.
    pub fn read(&self, patience: Duration) -> Result<SegmentCounts> {
        let since = Instant::now();
        while since.elapsed() < patience {
            if let Some((at, counts)) = self.get()
                && at > since
            {
                return Ok(counts);
            }
            std::thread::sleep(PAUSE);
        }
        None.context("the metadata of segments cannot be read; see records-segments.log")
    }

    /// Waits until the counts stay the same for a while. Returns the latest counts, and whether they did within `patience`.
    pub fn settle(&self, quiet: Duration, patience: Duration) -> Result<(SegmentCounts, bool)> {
        let begun = Instant::now();
        let mut counts = self.read(patience)?;
        let mut since = Instant::now();
        while since.elapsed() < quiet {
            if begun.elapsed() > patience {
                return Ok((counts, false));
            }
            let now = self.read(patience)?;
            if now != counts {
                (counts, since) = (now, Instant::now());
            }
        }
        Ok((counts, true))
    }

    fn get(&self) -> Option<(Instant, SegmentCounts)> {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for SegmentsWatch {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
