//! The simulation: random histories of a pool whose time, randomness, disk and scheduling are the test's.
//!
//! ```text
//!   history   lives of one pool: open, verify, work, crash or close; at last delete everything and find nothing left
//!     client    draws operations (ops), has the pool do them, compares the answers
//!     model     what must be there: names, attributes, records; file: which bytes a reader may see, a crash may leave;
//!               tree: what snapshots show
//!     verify    after an opening: all of the model against all of the pool, and the pool's own check
//!   schedule  who runs when
//!   faulty    the disk
//! ```
//! A history follows from its seed alone, so a failure can be repeated. To see what is checked, read `history` and
//! `file`; to see what is done, `ops`.

mod client;
mod content;
mod effect;
mod fault_tests;
pub(crate) mod faulty;
mod file;
mod history;
mod model;
mod ops;
pub(crate) mod random;
mod range_crash_tests;
pub(crate) mod schedule;
mod snapshot_crash_tests;
mod tests;
mod tree;
mod verify;
