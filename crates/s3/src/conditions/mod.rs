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
