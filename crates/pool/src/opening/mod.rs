//! From a directory to an open pool.
//!
//! `assemble.rs` opens the stores in a directory, and `examine.rs` shows that what is in them belongs together, before anything is
//! changed. Open `assemble.rs` first.

pub(crate) mod assemble;
pub(crate) mod examine;
pub(crate) mod lifecycle;
