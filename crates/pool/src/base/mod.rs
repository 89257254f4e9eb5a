//! The ground floor: what all other floors use. It knows nothing of a pool.
//!
//! Errors, the types of the interface, the counters, and the seams to time, randomness, locks and threads. This floor uses no
//! other floor. Open `types.rs` first for the words of the interface, and then `sync.rs` for the locks, which the simulation
//! takes over.

pub(crate) mod bucket;
pub(crate) mod calendar;
pub(crate) mod counters;
pub(crate) mod deadline;
pub(crate) mod error;
pub(crate) mod histogram;
pub(crate) mod lasting;
pub(crate) mod limits;
pub(crate) mod mismatch;
pub(crate) mod names;
pub(crate) mod options;
pub(crate) mod pace;
pub(crate) mod permit;
pub(crate) mod queue;
pub(crate) mod recovery;
pub(crate) mod signals;
pub(crate) mod sources;
pub(crate) mod sync;
pub(crate) mod types;
pub(crate) mod volume;
