//! Settings of a bucket: parsed, validated, and stored as JSON.
//!
//! Each setting is made from the document of a request by `from_dto`, with AWS's limits and errors, and returned to
//! callers by `to_dto`. [`encode`] and [`decode`] put a setting into, and read it from, the bucket's table of settings.

mod object_lock;
mod ownership;
mod public_access_block;
mod stored;
mod versioning;

pub mod cors;
pub mod lifecycle;

pub use object_lock::{DefaultRetention, ObjectLock, Period};
pub use ownership::ObjectOwnership;
pub use public_access_block::PublicAccessBlock;
pub use stored::{decode, encode};
pub use versioning::Versioning;
