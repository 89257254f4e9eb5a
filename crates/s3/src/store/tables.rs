//! The tables of a bucket, and the outcome of a change.

use forebay_pool::Table;
use s3s::S3Error;

/// Objects and delete markers.
pub const OBJECTS: Table = Table(1);
/// Multipart uploads in progress.
pub const UPLOADS: Table = Table(2);
/// The parts of uploads.
pub const PARTS: Table = Table(3);
/// Settings of the bucket.
pub const SETTINGS: Table = Table(4);
/// Long lists of the parts of completed objects.
pub const PART_LISTS: Table = Table(5);
/// The null version of keys whose newest version is another one.
pub const NULL_VERSIONS: Table = Table(6);
/// Uploads that were completed or aborted, and whose parts are being removed.
pub const ENDED_UPLOADS: Table = Table(7);

/// The outcome of a change: what was done, or a refusal.
pub type Decided<T> = forebay_pool::Result<Result<T, S3Error>>;

/// Returns a refusal from a change.
macro_rules! refuse_if_err {
    ($outcome:expr) => {
        match $outcome {
            Ok(value) => value,
            Err(error) => return Ok(Err(error)),
        }
    };
}
pub(crate) use refuse_if_err;
