//! The bytes of files: writing, flushing, reading, holes and clones.
//!
//! A write goes into memory (`write.rs`), and a flush makes it durable: `flush/mod.rs` takes the dirty data, `plan.rs` and
//! `stretch/` cut it into chunks and append them, and one transaction of the engine names them. A read combines the data in
//! memory with the extents (`read.rs`), and gets verified chunks from `chunk.rs`. Open `flush/mod.rs` first: its
//! documentation says why a crash at any point is safe. A small sync is answered by the intent log (`secure.rs`) before its bytes are
//! flushed.

pub(crate) mod chunk;
pub(crate) mod clone_range;
pub(crate) mod early;
pub(crate) mod flush;
pub(crate) mod holes;
pub(crate) mod inline;
pub(crate) mod limit;
pub(crate) mod plan;
pub(crate) mod read;
pub(crate) mod read_ahead;
pub(crate) mod repair;
pub(crate) mod secure;
pub(crate) mod stretch;
pub(crate) mod write;
