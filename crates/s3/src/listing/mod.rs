//! Pages of ListObjects, ListObjectsV2, ListObjectVersions and ListMultipartUploads.
//!
//! A request becomes a [`Query`]. [`page`](fn@page) answers it from a [`Source`], which yields a bucket's entries in the order of
//! their keys, and of their ranks within a key. Keys that share a common prefix are counted once and then skipped
//! by seeking past the prefix, so the cost of a page does not depend on how many keys lie below it.

mod encoding;
mod page;
mod position;
mod query;
mod token;

pub use encoding::Encoding;
pub use page::{Listed, Page, page};
pub use position::{Entry, Position, Source};
pub use query::{Query, Select, Start, check_version_marker, page_size};
pub use token::ContinuationToken;
