//! What a pool does for itself: verifying, cleaning, freeing, and telling how it stands.
//!
//! The background tasks (`background.rs`) and the operator start this work; it reads what the floors below have stored, moves or
//! mends it through their transactions, and returns reports. Open `background.rs` first for what runs when.

pub(crate) mod background;
pub(crate) mod check;
pub(crate) mod cleaner;
pub(crate) mod counters;
pub(crate) mod efficiency;
pub(crate) mod headers;
pub(crate) mod lost_and_found;
pub(crate) mod reaper;
pub(crate) mod scrub;
pub(crate) mod scrub_metadata;
