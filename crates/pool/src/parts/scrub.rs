//! The progress of the scrub, the damage that it has found, and the part of both that is durable.

use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use crate::Result;
use crate::base::sync;
use crate::format::codec::{Decoded, Decoder, Encoder};
use crate::format::keys::{self, SegmentId};
use crate::format::records::Record;
use crate::store::meta::MetaStore;

pub(crate) const NAMESPACE: &str = "pool.scrub";
pub(crate) const KEY: &[u8] = b"state";
/// The maximum number of damage descriptions that are kept. Further damage is only counted.
const DESCRIBED_MAX: usize = 100;

/// The durable state of the scrub. Times are in seconds since 1970, 0 for never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScrubRecord {
    pub(crate) running: bool,
    /// All segments up to this one are done.
    pub(crate) done: u64,
    pub(crate) started: u64,
    /// When the last scrub ended.
    pub(crate) finished: u64,
    /// When the pool was first used. The first scrub is due one period later.
    pub(crate) since: u64,
    pub(crate) frames: u64,
    pub(crate) bytes: u64,
    pub(crate) repaired: u64,
    pub(crate) damaged: u64,
}

impl Record for ScrubRecord {
    const NAME: &'static str = "scrub";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        let encoder = encoder.u8(u8::from(self.running)).u64(self.done).u64(self.started).u64(self.finished);
        let encoder = encoder.u64(self.since);
        encoder.u64(self.frames).u64(self.bytes).u64(self.repaired).u64(self.damaged)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = ScrubRecord {
            running: decoder.u8()? != 0,
            done: decoder.u64()?,
            started: decoder.u64()?,
            finished: decoder.u64()?,
            since: decoder.u64()?,
            frames: decoder.u64()?,
            bytes: decoder.u64()?,
            repaired: decoder.u64()?,
            damaged: decoder.u64()?,
        };
        decoder.finish()?;
        Ok(record)
    }
}

/// See the module.
pub(crate) struct Scrub {
    /// Held while a segment is copied or its headers are rewritten. Until then a header may be missing in a copy.
    pub(crate) restoring: Mutex<()>,
    pub(crate) state: Mutex<State>,
    /// The number of the scrub, counted from 1, for which all metadata has been read; see
    /// [`crate::upkeep::scrub_metadata`].
    pub(crate) metadata_read: AtomicU64,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) record: ScrubRecord,
    /// Damage to all copies that was found since the pool was opened.
    pub(crate) described: Vec<String>,
    /// The number of frames that readers found damaged in one copy and that were repaired.
    pub(crate) repaired_by_readers: u64,
    /// What the segments' copies had missed when the scrub began, unless one was missing. At its end the copies are complete, if that is
    /// all.
    pub(crate) vouches: Option<u64>,
    /// Whether a scrub is needed because a copy has missed a write.
    pub(crate) wanted: bool,
    /// The last segment that may lack a write in a copy, if such a scrub waits until those segments are no longer in use.
    pub(crate) retired: Option<SegmentId>,
    /// The last segment that was there when the scrub began, without the ones that were made since.
    pub(crate) last: Option<SegmentId>,
    /// Counts the scrubs that began since the pool was opened.
    pub(crate) generation: u64,
    /// The scrub whose inline bytes have all been checked.
    pub(crate) walked: Option<u64>,
}

impl State {
    /// Counts and describes something that is damaged in every copy.
    pub(crate) fn describe(&mut self, damage: String) {
        self.record.damaged += 1;
        if self.described.len() < DESCRIBED_MAX {
            self.described.push(damage);
        }
    }
}

impl Scrub {
    pub(crate) fn load(meta: &dyn MetaStore) -> Result<Scrub> {
        let key = keys::record(NAMESPACE, KEY);
        let record = meta.get(&key)?.map(|value| ScrubRecord::decode(&key, &value)).transpose()?;
        let state = State { record: record.unwrap_or_default(), ..State::default() };
        Ok(Scrub { restoring: Mutex::new(()), state: Mutex::new(state), metadata_read: AtomicU64::new(0) })
    }

    /// The generation of the current scrub, if one is running.
    pub(crate) fn running(&self) -> Option<u64> {
        let state = sync::lock(&self.state);
        state.record.running.then_some(state.generation)
    }

    /// Counts copies that were written again.
    pub(crate) fn count_repaired(&self, copies: u64) {
        sync::lock(&self.state).record.repaired += copies;
    }

    /// Counts, describes and logs damage that cannot be repaired.
    pub(crate) fn count_damage(&self, described: String) {
        tracing::error!(described, "scrub: damage that cannot be mended");
        let mut state = sync::lock(&self.state);
        state.record.damaged += 1;
        if state.described.len() < DESCRIBED_MAX {
            state.described.push(described);
        }
    }
}
