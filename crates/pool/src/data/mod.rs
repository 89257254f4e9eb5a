//! The bytes of files: writing, flushing, reading, holes, clones.
//!
//! A write goes into memory (`write.rs`) and becomes durable with a flush: `flush/mod.rs` takes what is dirty, `plan.rs` and
//! `stretch/` cut it into chunks and append them, and one transaction of the engine names them. A read puts together what is in
//! memory and what extents name (`read.rs`), and gets chunks verified from `chunk.rs`. Open `flush/mod.rs` first: its
//! documentation says why a crash cannot hurt.

pub(crate) mod chunk;
pub(crate) mod clone_range;
pub(crate) mod flush;
pub(crate) mod holes;
pub(crate) mod inline;
pub(crate) mod limit;
pub(crate) mod plan;
pub(crate) mod read;
pub(crate) mod read_ahead;
pub(crate) mod repair;
pub(crate) mod stretch;
pub(crate) mod write;
