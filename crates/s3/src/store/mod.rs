//! What the S3 server stores in a bucket of the pool: its tables, and the rules of versions.
//!
//! Every change here is a function of a [`forebay_pool::BucketChange`], so it is part of one atomic batch. Such a function runs in the
//! pool's committer: it decides and stages, and does nothing slow. A refusal is a value ([`Decided`]), so that it is answered only
//! when what it rests on is durable.
//!
//! ```text
//!   table           key                       version             content   facts
//!   OBJECTS         the object's key          its number          yes       ObjectFacts (facts/object.rs)
//!   UPLOADS         the object's key          the upload's        no        UploadFacts
//!   PARTS           upload:8 part:4           0                   yes       PartFacts
//!   SETTINGS        the setting's name        0                   no        JSON of the setting
//!   PART_LISTS      inode of the object:8     the chunk's index   no        a chunk of a long list of parts
//!   NULL_VERSIONS   the object's key          0                   no        the number of the null version, 8 bytes
//!   ENDED_UPLOADS   upload:8                  0                   no        none: its parts are to be removed
//! ```

mod entries;
mod publish;
mod remove;
mod settings;
mod source;
mod tables;
mod uploads;
mod version;

pub use entries::{Entries, Stored};
pub use publish::{NewVersion, Published, publish, replace_facts};
pub use remove::{Removal, Removed, remove};
pub use settings::{BucketFacts, Setting, versioning};
pub use source::{TableSource, object_of};
pub(crate) use tables::refuse_if_err;
pub use tables::{Decided, ENDED_UPLOADS, NULL_VERSIONS, OBJECTS, PART_LISTS, PARTS, SETTINGS, UPLOADS};
pub use uploads::{
    UploadNumber, end_upload, new_upload, part_key, parts_after, put_part, remove_ended_parts, upload_of,
};
pub use version::{Version, current, find, newest, part_list};
