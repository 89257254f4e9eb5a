//! What the S3 server stores with objects, uploads and parts: *facts*, JSON with short names.
//!
//! A bucket's tables keep facts as opaque bytes. The names are short because every object has them, and they are
//! JSON because people and later releases read them. A field that this release does not know, or another
//! [`Format`], is an error and never ignored: a release must not rewrite facts that it understands only in part.
//!
//! Start with [`ObjectFacts`].

mod content_headers;
mod defaults;
mod format;
mod lock;
mod object;
mod parts;
mod storage_class;
mod tags;
mod upload;
mod user_metadata;
mod version_id;

pub use content_headers::ContentHeaders;
pub use format::{FactsError, Format};
pub(crate) use format::{decode, encode};
pub use lock::{Lock, Retention, RetentionMode};
pub use object::ObjectFacts;
pub use parts::{PARTS_INLINE_MAX, PartRecord, Parts, part_bytes};
pub use storage_class::StorageClass;
pub use tags::{BUCKET_TAGS_MAX, OBJECT_TAGS_MAX, Tags};
pub use upload::{PartFacts, UploadFacts};
pub use user_metadata::UserMetadata;
pub use version_id::VersionId;
