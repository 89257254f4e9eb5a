//! Two copies of every segment, in two stores: two directories, preferably on two disks.
//!
//! Every write goes to both copies, and both are synced, concurrently, before anything is acknowledged. The first copy is
//! authoritative: if it fails, the operation fails. If the second fails, the store drops it, writes one line to the log, and
//! continues with one copy, *degraded*, until [`SegmentCopies::revive`] finds the second again. The scrub then copies what the
//! second has missed. Readers use the first copy; a reader that finds it damaged reads the other one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use bytes::Bytes;

use super::{LARGE_BYTES, SegmentCopies, SegmentStore, SingleSegments};
use crate::base::sync;
use crate::format::keys::SegmentId;
use crate::{Error, Result};

/// Opens the second store, or returns why it is not available.
pub(crate) type OpenSecond = Box<dyn Fn() -> Result<Arc<dyn SegmentCopies>> + Send + Sync>;

/// Called with what the second copy does not know.
pub(crate) type Forsake = Box<dyn Fn(&str) + Send + Sync>;

/// The copies of the segments.
pub(crate) struct SegmentFiles {
    pub(crate) first: Arc<dyn SegmentStore>,
    /// `None` if the pool keeps one copy.
    pub(crate) second: Option<OpenSecond>,
}

impl SegmentFiles {
    pub(crate) fn single(first: Arc<dyn SegmentStore>) -> SegmentFiles {
        SegmentFiles { first, second: None }
    }

    /// All copies as one store. If the second copy is not available, the store starts degraded. `forsake` is called when the second copy
    /// has missed something and could not be told.
    pub(crate) fn store(self, forsake: Forsake) -> Arc<dyn SegmentCopies> {
        match self.second {
            None => Arc::new(SingleSegments(self.first)),
            Some(open_second) => Arc::new(MirroredSegments::open(self.first, open_second, forsake)),
        }
    }
}

/// Bytes copied at once. Less than a large write, because a large write may write beyond its end.
const COPY_BYTES: u64 = LARGE_BYTES / 2;

/// See the module.
struct MirroredSegments {
    first: Arc<dyn SegmentStore>,
    /// `None` while degraded.
    second: RwLock<Option<Arc<dyn SegmentCopies>>>,
    open_second: OpenSecond,
    forsake: Forsake,
    misses: AtomicU64,
}

impl MirroredSegments {
    /// A store with `first`, and the second store that `open_second` opens. If that fails, the pool starts degraded.
    fn open(first: Arc<dyn SegmentStore>, open_second: OpenSecond, forsake: Forsake) -> MirroredSegments {
        let second = open_second().inspect_err(|error| warn_degraded("open", error)).ok();
        let misses = AtomicU64::new(u64::from(second.is_none()));
        MirroredSegments { first, second: RwLock::new(second), open_second, forsake, misses }
    }

    fn second(&self) -> Option<Arc<dyn SegmentCopies>> {
        sync::read(&self.second).clone()
    }

    /// Runs `work` on the second copy, if there is one. If that fails, drops the second copy.
    fn in_second(&self, action: &'static str, work: impl FnOnce(&dyn SegmentStore) -> Result<()>) {
        let Some(second) = self.second() else { return };
        if let Err(error) = work(&*second) {
            self.degrade(action, &error);
        }
    }

    /// Before anything is acknowledged that the second copy lacks, it says so, or its metadata does not count any more.
    fn degrade(&self, action: &'static str, error: &Error) {
        let Some(second) = sync::write(&self.second).take() else { return };
        warn_degraded(action, error);
        self.misses.fetch_add(1, Ordering::SeqCst);
        if let Err(untold) = second.declare_complete(false) {
            (self.forsake)(&format!("{action} in the second copy: {error}; {untold}"));
        }
    }

    fn copy(&self, copy: usize) -> Option<Arc<dyn SegmentStore>> {
        if copy == 0 { Some(self.first.clone()) } else { Some(self.second()?) }
    }
}

fn warn_degraded(action: &str, error: &Error) {
    tracing::error!(
        action, %error,
        "the second copy of the pool is not there: going on with one copy; mount or repair it, it is looked for \
         again every minute and filled by the scrub"
    );
}

/// Writes to a segment that may have been created while there was no second copy.
fn write_or_create(store: &dyn SegmentStore, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
    match store.write(id, offset, parts) {
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            store.create(id, 0)?;
            store.write(id, offset, parts)
        }
        outcome => outcome,
    }
}

fn sync_or_create(store: &dyn SegmentStore, id: SegmentId) -> Result<()> {
    match store.sync(id) {
        // No write to it since the second copy came back.
        Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

/// The union of two lists, with the larger length of each segment.
fn union(first: Vec<(SegmentId, u64)>, second: Vec<(SegmentId, u64)>) -> Vec<(SegmentId, u64)> {
    let mut segments: BTreeMap<SegmentId, u64> = first.into_iter().collect();
    for (id, bytes) in second {
        let known = segments.entry(id).or_default();
        *known = bytes.max(*known);
    }
    segments.into_iter().collect()
}

impl SegmentStore for MirroredSegments {
    fn prepare(&self) -> Result<()> {
        self.first.prepare()?;
        self.in_second("create the directory of segments", |second| second.prepare());
        Ok(())
    }

    fn create(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.first.create(id, bytes)?;
        self.in_second("create a segment", |second| second.create(id, bytes));
        Ok(())
    }

    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        self.first.write(id, offset, parts)?;
        self.in_second("write", |second| write_or_create(second, id, offset, parts));
        Ok(())
    }

    fn sync(&self, id: SegmentId) -> Result<()> {
        let Some(second) = self.second() else { return self.first.sync(id) };
        let (first, other) = sync::both(|| self.first.sync(id), || sync_or_create(&*second, id));
        if let Err(error) = other.unwrap_or(Err(Error::Closed)) {
            self.degrade("sync", &error);
        }
        first
    }

    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        match self.first.seal(id, bytes) {
            // The first copy has lost the segment. The second copy may have it, and the scrub restores it.
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {}
            outcome => outcome?,
        }
        if let Some(second) = self.second()
            && let Err(error) = second.seal(id, bytes)
        {
            // The second copy may not have the segment; the scrub copies it.
            tracing::debug!(segment = %id, %error, "not sealed in the second copy");
        }
        Ok(())
    }

    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        match self.first.read(id, offset, length) {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            missing => match self.read_copy(1, id, offset, length) {
                Ok(Some(bytes)) => Ok(Some(bytes)),
                _ => missing,
            },
        }
    }

    fn delete(&self, id: SegmentId) -> Result<bool> {
        self.first.delete(id)?;
        self.in_second("delete a segment", |second| second.delete(id).map(drop));
        Ok(!self.is_degraded())
    }

    fn sync_deletions(&self) -> Result<bool> {
        self.first.sync_deletions()?;
        self.in_second("sync deletions", |second| second.sync_deletions().map(drop));
        Ok(!self.is_degraded())
    }

    fn set_aside(&self, id: SegmentId) -> Result<()> {
        self.first.set_aside(id)?;
        self.in_second("move a segment to lost+found", |second| second.set_aside(id));
        Ok(())
    }

    /// The segments of both copies, with the larger length.
    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        let second = self.second().map_or(Ok(Vec::new()), |second| second.list_aside())?;
        Ok(union(self.first.list_aside()?, second))
    }

    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        self.first.delete_aside(id)?;
        self.in_second("delete from lost+found", |second| second.delete_aside(id));
        Ok(())
    }

    /// The segments of both copies, with the larger length, so that a segment is not truncated because its other copy is short.
    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        Ok(union(self.first.list()?, self.list_copy(1)?.unwrap_or_default()))
    }

    /// The larger length of both copies.
    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        let second = self.second().map_or(Ok(None), |second| second.length(id))?;
        Ok(self.first.length(id)?.max(second))
    }
}

impl SegmentCopies for MirroredSegments {
    fn copies(&self) -> usize {
        2
    }

    fn is_degraded(&self) -> bool {
        self.second().is_none()
    }

    fn misses(&self) -> u64 {
        self.misses.load(Ordering::SeqCst)
    }

    fn is_complete(&self) -> Result<bool> {
        self.second().map_or(Ok(false), |second| second.is_complete())
    }

    fn declare_complete(&self, is_complete: bool) -> Result<()> {
        self.second().map_or(Ok(()), |second| second.declare_complete(is_complete))
    }

    fn revive(&self, require_fits: &dyn Fn() -> Result<()>) -> Result<bool> {
        if self.second().is_some() {
            return Ok(false);
        }
        let second = (self.open_second)()?;
        require_fits()?;
        second.declare_complete(false)?;
        second.prepare()?;
        *sync::write(&self.second) = Some(second);
        tracing::info!("the second copy of the pool is available again");
        Ok(true)
    }

    fn list_copy(&self, copy: usize) -> Result<Option<Vec<(SegmentId, u64)>>> {
        self.copy(copy).map(|store| store.list()).transpose()
    }

    fn read_copy(&self, copy: usize, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.copy(copy).map_or(Ok(None), |store| store.read(id, offset, length))
    }

    fn restore(&self, copy: usize, id: SegmentId, offset: u64, bytes: &Bytes) -> Result<()> {
        let Some(store) = self.copy(copy) else { return Ok(()) };
        let mut at = offset;
        for part in bytes.chunks(COPY_BYTES as usize) {
            store.write(id, at, &[bytes.slice_ref(part)])?;
            at = at.saturating_add(part.len() as u64);
        }
        store.sync(id)
    }

    fn copy_over(&self, to: usize, id: SegmentId, bytes: u64) -> Result<()> {
        let (Some(from), Some(to)) = (self.copy(1 - to.min(1)), self.copy(to)) else { return Ok(()) };
        let mut at = 0;
        while at < bytes {
            let length = COPY_BYTES.min(bytes - at);
            if let Some(part) = from.read(id, at, length as usize)? {
                write_or_create(&*to, id, at, &[part])?;
            }
            at += length;
        }
        sync_or_create(&*to, id)
    }
}
