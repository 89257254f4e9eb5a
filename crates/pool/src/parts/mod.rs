//! The parts of an open pool: its state in memory, and its three threads.
//!
//! Each part is a field of [`crate::engine::Engine`] and does not know the engine. A part is filled from the metadata
//! store at opening or starts empty, and the layers above report changes to it. Open `inode/mod.rs` first, then
//! `registry.rs`.

pub(crate) mod chunk_cache;
pub(crate) mod cleaner;
pub(crate) mod committer;
pub(crate) mod compared;
pub(crate) mod dirty;
pub(crate) mod early;
pub(crate) mod fingerprints;
pub(crate) mod held;
pub(crate) mod inline_files;
pub(crate) mod inode;
pub(crate) mod loads;
pub(crate) mod log;
pub(crate) mod orphan_queue;
pub(crate) mod own_actions;
pub(crate) mod readers;
pub(crate) mod registry;
pub(crate) mod scrub;
pub(crate) mod segment_table;
pub(crate) mod storer;
pub(crate) mod tails;
pub(crate) mod timekeeper;
pub(crate) mod view;
pub(crate) mod xattr_presence;
