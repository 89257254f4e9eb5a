//! The tree of a volume: directories, names, attributes, extended attributes, and orphans.
//!
//! Each operation on a handle is one transaction of the engine, and is durable when it returns. The layer below holds the
//! bytes of files (`data`), and the layer above handles whole volumes (`volumes`). Open `namespace.rs` first.

pub(crate) mod attributes;
pub(crate) mod directory;
pub(crate) mod namespace;
pub(crate) mod orphans;
pub(crate) mod xattrs;
