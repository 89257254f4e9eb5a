//! Buckets: volumes with tables of entries in place of directories.
//!
//! An entry has a key, a version and bytes of the protocol's own (its *facts*), and may own an inode with content. Entries of
//! a table are ordered by key, byte by byte, and the versions of a key by version, newest first ([`crate::format::bucket_keys`]).
//!
//! New content is a *draft* (`draft.rs`): an inode that is an orphan from its creation on. A change (`change.rs`) is one
//! function of the caller that runs in the committer. It looks at entries, decides, and stages new entries; an entry takes a
//! draft as its content. All of that is one atomic batch. What loses its entry becomes an orphan in the same batch, and is
//! freed when nobody reads it any more.
//!
//! ```text
//!   draft_create → write → commit → bucket_change { put(entry, draft) } → durable
//!                                        │ crash before: the draft is freed at the next opening
//! ```
//! A draft can also be assembled from the contents of other entries without moving bytes (`concatenate.rs`). Open `change.rs` first.

pub(crate) mod bucket;
pub(crate) mod change;
pub(crate) mod concatenate;
pub(crate) mod draft;
pub(crate) mod look;
#[cfg(test)]
mod tests;
