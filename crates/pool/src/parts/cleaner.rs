//! What the cleaner remembers from one round to the next.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tokio::time::Instant;

use crate::format::keys::SegmentId;

/// Segments that could not be cleaned, because something in them cannot be read, and when they are tried again.
#[derive(Default)]
pub(crate) struct Cleaner {
    pub(crate) given_up: Mutex<BTreeMap<SegmentId, Instant>>,
}
