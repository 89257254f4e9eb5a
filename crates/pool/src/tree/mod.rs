//! The tree of a volume: directories, names, attributes, extended attributes, and inodes that have lost their name.
//!
//! Each operation on a handle becomes one transaction of the engine, and is durable when it returns. The bytes of files are below
//! (`data`), whole volumes above (`volumes`). Open `namespace.rs` first.

pub(crate) mod attributes;
pub(crate) mod directory;
pub(crate) mod namespace;
pub(crate) mod orphans;
pub(crate) mod xattrs;
