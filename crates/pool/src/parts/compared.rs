//! The contents that a plan names, for the comparison of bytes ([`crate::engine::compare`]).

use std::collections::HashMap;

use bytes::Bytes;

use crate::format::keys::{ChunkId, SegmentId};
use crate::format::records::ChunkRecord;
use crate::{Error, Result};

/// Where a chunk is.
pub(crate) type Place = (SegmentId, u64);

/// Where the record says that the chunk is.
pub(crate) fn place_of(record: &ChunkRecord) -> Place {
    (record.segment, record.offset)
}

/// See the module. Empty if nothing is compared.
#[derive(Default)]
pub(crate) struct Compared(HashMap<ChunkId, (Bytes, Option<Place>)>);

impl Compared {
    /// Compares a content with what the plan already names so. Returns false if the plan does not name it yet.
    pub(crate) fn has(&self, id: ChunkId, content: &Bytes) -> Result<bool> {
        match self.0.get(&id) {
            Some((known, _)) if known == content => Ok(true),
            Some(_) => Err(name_is_taken()),
            None => Ok(false),
        }
    }

    /// Adds a content, with the place where the pool was seen to have the same.
    pub(crate) fn add(&mut self, id: ChunkId, content: Bytes, place: Option<Place>) {
        self.0.insert(id, (content, place));
    }

    /// The content that the plan names so, and the place where the pool was seen to have the same.
    pub(crate) fn get(&self, id: ChunkId) -> Option<(&Bytes, Option<Place>)> {
        self.0.get(&id).map(|(content, place)| (content, *place))
    }
}

/// Two contents have one name.
pub(crate) fn name_is_taken() -> Error {
    Error::Damaged(
        "two contents have the same name, so the second was not stored; somebody may know the pool's key: move the data to a new pool"
            .to_owned(),
    )
}
