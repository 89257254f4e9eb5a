//! The simulation: random histories of a pool whose time, randomness, disk and scheduling are controlled by the test.
//!
//! ```text
//!   history   lives of one pool: open, verify, work, crash or close; finally deletes everything and checks that nothing is left
//!     client    draws operations (ops), runs them on the pool, compares the answers
//!     model     the expected state: names, attributes, records; file: the bytes that a reader may see and a crash may leave;
//!               tree: the content of snapshots
//!     buckets   the same for buckets and objects
//!     verify    after an opening: compares all of the model with all of the pool, and runs the pool's own check
//!   takeover  another node opens the pool while the first one is stopped; then both take turns (relay)
//!   schedule  decides which thread of a node runs
//!   faulty    the disk
//! ```
//! A history depends only on its seed, so a failure can be repeated. Read `history` and `file` for the checks, and
//! `ops` for the operations.

mod at_rest;
mod bucket_crash_tests;
mod bucket_cut_tests;
mod buckets;
mod client;
pub(crate) mod clone_ends;
mod content;
mod copy_tests;
mod early_tests;
mod effect;
mod elsewhere;
mod fault_tests;
pub(crate) mod faulty;
mod file;
mod file_tests;
mod flips;
mod history;
mod log_tests;
mod model;
mod ops;
pub(crate) mod random;
mod range_crash_tests;
mod recorded_crash_tests;
mod recovery_tests;
mod relay;
pub(crate) mod schedule;
mod shelf;
mod snapshot_crash_tests;
mod takeover;
mod tests;
mod tree;
mod verify;
