//! Segments in memory, lost when dropped.

use std::collections::HashMap;
use std::sync::RwLock;

use bytes::Bytes;

use super::SegmentStore;
use crate::base::sync;
use crate::format::keys::SegmentId;
use crate::{Error, Result};

/// See the module.
#[derive(Default)]
pub struct MemorySegments {
    segments: RwLock<HashMap<SegmentId, Vec<u8>>>,
    aside: RwLock<HashMap<SegmentId, Vec<u8>>>,
}

fn missing(id: SegmentId) -> Error {
    Error::Damaged(format!("segment {id} does not exist"))
}

impl SegmentStore for MemorySegments {
    fn create(&self, id: SegmentId, _bytes: u64) -> Result<()> {
        sync::write(&self.segments).insert(id, Vec::new());
        Ok(())
    }

    fn write(&self, id: SegmentId, offset: u64, parts: &[Bytes]) -> Result<()> {
        let mut segments = sync::write(&self.segments);
        let segment = segments.get_mut(&id).ok_or_else(|| missing(id))?;
        let mut at = usize::try_from(offset).map_err(|_| Error::NoSpace)?;
        for part in parts {
            let end = at.checked_add(part.len()).ok_or(Error::NoSpace)?;
            if segment.len() < end {
                segment.resize(end, 0);
            }
            if let Some(place) = segment.get_mut(at..end) {
                place.copy_from_slice(part);
            }
            at = end;
        }
        Ok(())
    }

    fn sync(&self, id: SegmentId) -> Result<()> {
        if sync::read(&self.segments).contains_key(&id) { Ok(()) } else { Err(missing(id)) }
    }

    fn seal(&self, id: SegmentId, bytes: u64) -> Result<()> {
        let mut segments = sync::write(&self.segments);
        let segment = segments.get_mut(&id).ok_or_else(|| missing(id))?;
        segment.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
        Ok(())
    }

    fn read(&self, id: SegmentId, offset: u64, length: usize) -> Result<Option<Bytes>> {
        let segments = sync::read(&self.segments);
        let range = usize::try_from(offset).ok().and_then(|from| Some(from..from.checked_add(length)?));
        let bytes = segments.get(&id).and_then(|segment| segment.get(range?));
        Ok(bytes.map(Bytes::copy_from_slice))
    }

    fn delete(&self, id: SegmentId) -> Result<bool> {
        sync::write(&self.segments).remove(&id);
        Ok(true)
    }

    fn sync_deletions(&self) -> Result<bool> {
        Ok(true)
    }

    fn set_aside(&self, id: SegmentId) -> Result<()> {
        if let Some(segment) = sync::write(&self.segments).remove(&id) {
            sync::write(&self.aside).insert(id, segment);
        }
        Ok(())
    }

    fn list_aside(&self) -> Result<Vec<(SegmentId, u64)>> {
        let aside = sync::read(&self.aside);
        Ok(aside.iter().map(|(id, bytes)| (*id, bytes.len() as u64)).collect())
    }

    fn delete_aside(&self, id: SegmentId) -> Result<()> {
        sync::write(&self.aside).remove(&id);
        Ok(())
    }

    fn length(&self, id: SegmentId) -> Result<Option<u64>> {
        Ok(sync::read(&self.segments).get(&id).map(|bytes| bytes.len() as u64))
    }

    fn list(&self) -> Result<Vec<(SegmentId, u64)>> {
        Ok(sync::read(&self.segments).iter().map(|(id, bytes)| (*id, bytes.len() as u64)).collect())
    }
}
