//! Whole volumes: creating, cloning, rolling back and deleting them, and their snapshots.
//!
//! Each of these is one transaction that writes a few records, however large the volume is. Records that no view shows any
//! more are freed later (`purge.rs`). Open `snapshot.rs` first.

pub(crate) mod purge;
pub(crate) mod recovery;
pub(crate) mod rollback;
pub(crate) mod schedule;
pub(crate) mod snapshot;
pub(crate) mod staging;
pub(crate) mod volume;
