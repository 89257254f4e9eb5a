//! Conditional requests.
//!
//! [`ReadConditions`] are those of GET, HEAD and the source of a copy; [`WriteConditions`] those of requests that
//! replace the current object; [`DeleteConditions`] those of requests that remove one. Writes and deletes check them
//! in the same atomic step that changes the bucket.

mod delete;
mod etags;
mod read;
mod write;

pub use delete::DeleteConditions;
pub use read::{ReadConditions, Unmet, Validators};
pub use write::WriteConditions;

use s3s::{S3Error, S3ErrorCode};

/// Returns the error for a condition that does not hold.
fn precondition_failed() -> S3Error {
    let message = "At least one of the pre-conditions you specified did not hold.";
    S3Error::with_message(S3ErrorCode::PreconditionFailed, message)
}
