//! Buckets, as those who run the server manage them: creating, listing, changing and deleting them, their settings, and their
//! contents page by page. Users, groups and keys are in [`crate::auth::users`].
//!
//! Nobody's policies matter here: the caller decides who may do this. Documents are checked by the same code as those of S3's
//! clients ([`crate::configuration`], [`crate::auth::policy`]). `buckets.rs` has the life cycle, `settings.rs` the documents, and
//! `contents.rs` the listings. `copy_in.rs` makes objects of files.

mod buckets;
mod contents;
mod copy_in;
mod error;
mod rules;
mod settings;

pub use buckets::{
    BucketChanges, BucketPage, ManagedBucket, NewBucket, bucket, buckets, create, delete, modify,
};
pub use contents::{ObjectPage, ObjectQuery, VersionPage, VersionQuery, objects, versions};
pub use copy_in::{CopiedFile, FileToCopy, copy_file};
pub use error::{Error, Result};
pub use rules::{CorsRule, LifecycleRule};
pub use settings::{
    cors, delete_cors, delete_lifecycle, delete_policy, lifecycle, policy, put_cors, put_lifecycle,
    put_policy,
};
