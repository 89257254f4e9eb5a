//! The state that the cleaner keeps between rounds.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tokio::time::Instant;

use crate::format::keys::SegmentId;

/// The segments that could not be cleaned because part of them is unreadable, and when to try each again.
#[derive(Default)]
pub(crate) struct Cleaner {
    pub(crate) given_up: Mutex<BTreeMap<SegmentId, Instant>>,
}
