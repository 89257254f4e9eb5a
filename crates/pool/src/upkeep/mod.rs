//! Maintenance of a pool: verifying, cleaning, freeing, and reporting its state.
//!
//! The background tasks (`background.rs`) and the operator start this work. It reads what the layers below have stored,
//! moves or repairs it through their transactions, and returns reports. Open `background.rs` first, which says what runs
//! when.

pub(crate) mod background;
pub(crate) mod check;
pub(crate) mod cleaner;
pub(crate) mod counters;
pub(crate) mod efficiency;
pub(crate) mod headers;
pub(crate) mod log;
pub(crate) mod lost_and_found;
pub(crate) mod metadata_copy;
pub(crate) mod reaper;
pub(crate) mod scrub;
pub(crate) mod scrub_metadata;
pub(crate) mod snapshot_space;
pub(crate) mod survey;
pub(crate) mod sweep;
