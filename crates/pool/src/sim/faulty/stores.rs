//! The pool's interfaces to the disk: its segments, its log and its witness.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::node::{Outcome, failure};
use super::{FaultyDisk, Lie, Segment, write_at};
use crate::format::keys::SegmentId;
use crate::store::log::LogStore;
use crate::store::segment::{SegmentCopies, SegmentStore};
use crate::store::witness::{Found, State, Witness};
use crate::{Error, Result};

/// The length of a file of the log.
const LOG_FILE_BYTES: u64 = 40 << 10;

/// A copy of the intent log. Its files survive whole, once they are prepared.
pub(super) struct FaultyLog {
    pub(super) disk: Arc<FaultyDisk>,
    pub(super) copy: usize,
}

impl LogStore for FaultyLog {
    fn file_bytes(&self) -> u64 {
        LOG_FILE_BYTES
    }
    fn files(&self) -> u32 {
        self.disk.inner().log_files
    }
    fn read(&self, file: u32, _bytes: u64) -> Result<Option<Vec<u8>>> {
        Ok(self.disk.inner().log[self.copy].get(&file).and_then(|file| file.seen.clone()))
    }
    fn prepare(&self, file: u32) -> Result<()> {
        self.disk.change("prepare", u64::from(file), 0).check()?;
        let mut inner = self.disk.inner();
        let zeros = vec![0; LOG_FILE_BYTES as usize];
        let whole =
            || Segment { durable: zeros.clone(), seen: Some(zeros), created: true, ..Segment::default() };
        inner.log[self.copy].entry(file).or_insert_with(whole);
        Ok(())
    }
    fn write(&self, file: u32, offset: u64, bytes: &[u8]) -> Result<()> {
        let outcome = self.disk.change("log", u64::from(file), offset);
        let mut inner = self.disk.inner();
        if outcome != Outcome::Dead
            && let Some(file) = inner.log[self.copy].get_mut(&file)
        {
            file.writes.push((offset, Bytes::copy_from_slice(bytes)));
            if let Some(seen) = &mut file.seen {
                write_at(seen, offset, bytes);
            }
        }
        outcome.check()
    }
    fn sync(&self, file: u32) -> Result<()> {
        let slow = self.disk.inner().slow_log;
        self.disk.linger(slow);
        self.disk.change("logsync", u64::from(file), 0).check()?;
        let fails = self.disk.sync_fails();
        let mut inner = self.disk.inner();
        let lies = inner.lie == Some(Lie::Log);
        if let Some(file) = inner.log[self.copy].get_mut(&file) {
            match (fails, lies) {
                // The pages that could not be written are gone, although readers see them.
                (true, _) => file.writes.clear(),
                (false, true) => {}
                (false, false) => file.make_durable(),
            }
        }
        if fails { Err(failure("sync the log")) } else { Ok(()) }
    }
    fn remove(&self, file: u32) -> Result<()> {
        if !self.disk.is_cut_off() {
            self.disk.inner().log[self.copy].remove(&file);
        }
        Ok(())
    }
}

/// The states of the pool. The disk writes them as whole sectors, in order.
pub(super) struct FaultyWitness {
    pub(super) disk: Arc<FaultyDisk>,
}

impl Witness for FaultyWitness {
    fn own(&self) -> Result<Found> {
        self.disk.read()?;
        Ok(self.disk.inner().states.last().map_or(Found::Missing, |state| Found::There(*state)))
    }
    fn copy(&self) -> Result<Found> {
        Ok(self.disk.state_in_copy())
    }
    fn note_in_copy(&self, state: &State, durably: bool, may_replace: &dyn Fn(&Found) -> bool) -> Result<()> {
        self.disk.note_state_in_copy(state, durably, may_replace)
    }
    fn establish(&self, state: &State) -> Result<()> {
        let outcome = self.disk.change("state", state.boot, state.batch);
        let mut inner = self.disk.inner();
        match outcome {
            Outcome::Works => inner.states = vec![*state],
            // The state may be stored or not.
            Outcome::FailsNow => inner.states.push(*state),
            Outcome::Dead => {}
        }
        outcome.check()
    }
    fn note(&self, state: &State) -> Result<()> {
        if !self.disk.is_cut_off() {
            self.disk.inner().states.push(*state);
        }
        Ok(())
    }
}

/// One copy of the segments. Only the first copy has failures of its own; both lose what is unsynced when the power fails.
pub(super) struct FaultySegments {
    pub(super) disk: Arc<FaultyDisk>,
    pub(super) copy: usize,
}

fn missing(id: SegmentId) -> Error {
    let source = std::io::Error::new(std::io::ErrorKind::NotFound, "the segment does not exist");
    Error::Io { path: format!("segment {id}").into(), action: "find", source }
}

impl FaultySegments {
    /// Uses the segments of this copy.
    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<SegmentId, Segment>) -> T) -> T {
        work(&mut self.disk.inner().copies[self.copy])
    }
}

impl SegmentStore for FaultySegments {
    fn create(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.disk.change("create", id.0, bytes).check()?;
        // This also syncs the directory, and with it earlier deletions.
        self.with(|segments| {
            segments.retain(|_, segment| segment.seen.is_some());
            segments.insert(id, Segment { seen: Some(Vec::new()), ..Segment::default() });
        });
        Ok(())
    }
    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        if self.copy == 0 {
            self.disk.write()?;
        }
        let sum: u64 =
            parts.iter().map(|part| xxhash_rust::xxh3::xxh3_64(part)).fold(offset, u64::wrapping_add);
        let outcome = self.disk.change("write", id.0, sum);
        if outcome == Outcome::Dead {
            return outcome.check();
        }
        let mut inner = self.disk.inner();
        let segment = inner.copies[self.copy].get_mut(&id).ok_or_else(|| missing(id))?;
        let mut at = offset;
        for part in parts {
            segment.writes.push((at, part.clone()));
            if let Some(seen) = segment.seen.as_mut().filter(|_| outcome == Outcome::Works) {
                write_at(seen, at, part);
            }
            at += part.len() as u64;
        }
        outcome.check()
    }
    fn sync(&self, id: SegmentId) -> Result<()> {
        self.disk.change("sync", id.0, 0).check()?;
        let fails = self.copy == 0 && self.disk.sync_fails();
        let mut inner = self.disk.inner();
        let lie = inner.lie;
        let segment = inner.copies[self.copy].get_mut(&id).ok_or_else(|| missing(id))?;
        if fails {
            segment.writes.clear();
            return Err(failure("sync a segment"));
        }
        if lie != Some(Lie::Segments) {
            segment.make_durable();
        }
        Ok(())
    }
    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        self.disk.change("seal", id.0, bytes).check()?;
        let mut inner = self.disk.inner();
        let segment = inner.copies[self.copy].get_mut(&id).ok_or_else(|| missing(id))?;
        if let Some(seen) = &mut segment.seen {
            seen.truncate(bytes as usize);
        }
        segment.sealed = Some(bytes);
        Ok(())
    }
    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        self.disk.reach(id)?;
        self.disk.read()?;
        let inner = self.disk.inner();
        let seen = inner.copies[self.copy].get(&id).and_then(|segment| segment.seen.as_ref());
        let range = usize::try_from(offset).ok().and_then(|from| Some(from..from.checked_add(length)?));
        let bytes = seen.and_then(|seen| seen.get(range?));
        Ok(bytes.map(Bytes::copy_from_slice))
    }
    fn delete(&self, id: SegmentId) -> Result<bool> {
        self.disk.reach(id)?;
        self.disk.change("delete", id.0, 0).check()?;
        self.with(|segments| {
            if let Some(segment) = segments.get_mut(&id) {
                segment.seen = None;
            }
        });
        Ok(true)
    }
    fn sync_deletions(&self) -> Result<bool> {
        self.disk.change("settle", 0, 0).check()?;
        self.with(|segments| segments.retain(|_, segment| segment.seen.is_some()));
        Ok(true)
    }
    fn set_aside(&self, id: SegmentId) -> Result<()> {
        self.disk.change("aside", id.0, 0).check()?;
        let mut inner = self.disk.inner();
        if let Some(segment) = inner.copies[self.copy].remove(&id) {
            inner.aside[self.copy].insert(id, segment.durable);
        }
        Ok(())
    }
    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        Ok(self.disk.inner().aside[self.copy].iter().map(|(id, bytes)| (*id, bytes.len() as u64)).collect())
    }
    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        if !self.disk.is_cut_off() {
            self.disk.inner().aside[self.copy].remove(&id);
        }
        Ok(())
    }
    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        self.disk.reach(id)?;
        self.disk.read()?;
        let inner = self.disk.inner();
        let seen = inner.copies[self.copy].get(&id).and_then(|segment| segment.seen.as_ref());
        Ok(seen.map(|bytes| bytes.len() as u64))
    }
    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        self.disk.read()?;
        let inner = self.disk.inner();
        let seen =
            inner.copies[self.copy].iter().filter_map(|(id, segment)| Some((*id, segment.seen.as_ref()?)));
        Ok(seen.map(|(id, bytes)| (id, bytes.len() as u64)).collect())
    }
}

impl SegmentCopies for FaultySegments {}
