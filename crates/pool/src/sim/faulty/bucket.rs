//! A bucket: each segment is an object, which is there as a whole or not at all.
//!
//! A node gathers a segment in its own memory and stores it when it is synced. A request that fails may have been carried out. A node that was
//! replaced can still store and delete objects, at any later time.

use std::sync::Arc;

use bytes::Bytes;

use super::node::{Outcome, failure};
use super::{FaultyDisk, Segment, write_at};
use crate::Result;
use crate::format::keys::SegmentId;
use crate::store::segment::SegmentStore;

/// The segments as objects.
pub(super) struct FaultyBucket {
    pub(super) disk: Arc<FaultyDisk>,
}

impl FaultyBucket {
    /// Whether a request that failed was carried out.
    fn was_carried_out(&self) -> bool {
        self.disk.inner().trace & 1 == 1
    }

    fn store(&self, id: SegmentId, bytes: &[u8]) {
        let segment = Segment {
            durable: bytes.to_vec(),
            seen: Some(bytes.to_vec()),
            created: true,
            ..Segment::default()
        };
        let before = self.disk.inner().copies[0].insert(id, segment);
        assert!(before.is_none(), "segment {id} is stored twice");
    }

    /// What is seen of a segment.
    fn with<T>(&self, id: SegmentId, look: impl FnOnce(&Vec<u8>) -> T) -> Option<T> {
        if let Some(gathered) = self.disk.node().gathered.get(&id) {
            return Some(look(gathered));
        }
        self.disk.inner().copies[0].get(&id).map(|segment| look(&segment.durable))
    }
}

impl SegmentStore for FaultyBucket {
    fn keeps_objects(&self) -> bool {
        true
    }
    fn create(&self, id: SegmentId, _bytes: u64) -> Result<()> {
        self.disk.change_object("create", id.0, 0).check()?;
        self.disk.node().gathered.insert(id, Vec::new());
        Ok(())
    }
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        self.disk.write()?;
        let sum: u64 =
            parts.iter().map(|part| xxhash_rust::xxh3::xxh3_64(part)).fold(offset, u64::wrapping_add);
        self.disk.change_object("write", id.0, sum).check()?;
        let mut node = self.disk.node();
        let gathered = node.gathered.get_mut(&id).expect("a segment is written to after it was stored");
        let mut at = offset;
        for part in parts {
            write_at(gathered, at, part);
            at += part.len() as u64;
        }
        Ok(())
    }
    fn sync(&self, id: SegmentId) -> Result<()> {
        let slow = self.disk.inner().slow;
        self.disk.linger(slow);
        let outcome = self.disk.change_object("put", id.0, 0);
        let Some(bytes) = self.disk.node().gathered.get(&id).cloned() else { return outcome.check() };
        let fails = outcome == Outcome::Works && self.disk.sync_fails();
        match outcome {
            Outcome::Works if !fails => {
                self.store(id, &bytes);
                self.disk.node().gathered.remove(&id);
            }
            Outcome::Works | Outcome::FailsNow if self.was_carried_out() => self.store(id, &bytes),
            _ => {}
        }
        if fails { Err(failure("store an object")) } else { outcome.check() }
    }
    fn seal(&self, _id: SegmentId, _bytes: u64) -> Result<()> {
        Ok(())
    }
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.disk.reach(id)?;
        self.disk.read_object()?;
        let range = usize::try_from(offset).ok().and_then(|from| Some(from..from.checked_add(length)?));
        let bytes = self.with(id, |bytes| Some(Bytes::copy_from_slice(bytes.get(range?)?)));
        Ok(bytes.flatten())
    }
    fn delete(&self, id: SegmentId) -> Result<bool> {
        self.disk.reach(id)?;
        let outcome = self.disk.change_object("delete", id.0, 0);
        if outcome == Outcome::Works || outcome == Outcome::FailsNow && self.was_carried_out() {
            self.disk.node().gathered.remove(&id);
            self.disk.inner().copies[0].remove(&id);
        }
        outcome.check().map(|()| true)
    }
    fn sync_deletions(&self) -> Result<bool> {
        Ok(true)
    }
    fn set_aside(&self, id: SegmentId) -> Result<()> {
        self.disk.change_object("aside", id.0, 0).check()?;
        let mut inner = self.disk.inner();
        if let Some(segment) = inner.copies[0].remove(&id) {
            inner.aside[0].insert(id, segment.durable);
        }
        Ok(())
    }
    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        Ok(self.disk.inner().aside[0].iter().map(|(id, bytes)| (*id, bytes.len() as u64)).collect())
    }
    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        self.disk.change_object("unaside", id.0, 0).check()?;
        self.disk.inner().aside[0].remove(&id);
        Ok(())
    }
    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        self.disk.reach(id)?;
        self.disk.read_object()?;
        Ok(self.with(id, |bytes| bytes.len() as u64))
    }
    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.disk.read_object()?;
        let gathered: Vec<_> =
            self.disk.node().gathered.iter().map(|(id, bytes)| (*id, bytes.len() as u64)).collect();
        let inner = self.disk.inner();
        let stored = inner.copies[0].iter().map(|(id, segment)| (*id, segment.durable.len() as u64));
        let stored: Vec<_> =
            stored.filter(|(id, _)| !gathered.iter().any(|(known, _)| known == id)).collect();
        Ok([gathered, stored].concat())
    }
}
