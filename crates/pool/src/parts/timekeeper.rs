//! The clocks of deadlines: the time of day, and the time for which the pool has been open, which is stored about once a minute
//! while there is a deadline. See [`crate::base::deadline`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::time::Instant;

use crate::Result;
use crate::base::deadline::Moment;
use crate::base::sources::{Clock, seconds_of};
use crate::format::codec::{Decoded, Decoder, Encoder};
use crate::format::keys::{self, Key};
use crate::format::records::Record;
use crate::store::meta::MetaStore;

const NAMESPACE: &str = "pool.clock";
const KEY: &[u8] = b"open";

/// How much of the time a crash may lose, in seconds.
const LOST_MAX: u64 = 60;

/// The durable part: the seconds for which the pool has been open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenRecord(pub(crate) u64);

impl Record for OpenRecord {
    const NAME: &'static str = "clock";
    fn encode_fields(&self, encoder: Encoder) -> Encoder {
        encoder.u64(self.0)
    }
    fn decode_fields(mut decoder: Decoder<'_>) -> Decoded<Self> {
        let record = OpenRecord(decoder.u64()?);
        decoder.finish()?;
        Ok(record)
    }
}

/// See the module.
pub(crate) struct Timekeeper {
    clock: Arc<dyn Clock>,
    /// Seconds for which the pool was open before this start.
    before: u64,
    opened: Instant,
    stored: AtomicU64,
}

impl Timekeeper {
    /// Reads the stored time.
    pub(crate) fn load(meta: &dyn MetaStore, clock: Arc<dyn Clock>) -> Result<Timekeeper> {
        let key = Self::key();
        let stored = meta.get(&key)?.map(|value| OpenRecord::decode(&key, &value)).transpose()?;
        let before = stored.unwrap_or_default().0;
        Ok(Timekeeper { clock, before, opened: Instant::now(), stored: AtomicU64::new(before) })
    }

    /// The key of the stored time.
    pub(crate) fn key() -> Key {
        keys::record(NAMESPACE, KEY)
    }

    /// What the clocks show.
    pub(crate) fn now(&self) -> Moment {
        Moment {
            day: seconds_of(self.clock.now()),
            open: self.before.saturating_add(self.opened.elapsed().as_secs()),
        }
    }

    /// Whether the time should be stored again.
    pub(crate) fn is_due(&self) -> bool {
        self.now().open.saturating_sub(self.stored.load(Ordering::SeqCst)) >= LOST_MAX
    }

    /// Notes that this time is stored.
    pub(crate) fn stored(&self, open: u64) {
        self.stored.fetch_max(open, Ordering::SeqCst);
    }
}
