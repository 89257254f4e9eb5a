//! Buckets in the random histories.
//!
//! All changes of buckets run in the committer, one after the other. Each is a function of the test, which notes in a log that
//! it ran (`model.rs`). So the model knows their order, and the state that each of them must have seen. A reader must see a
//! state that the buckets had during its call. A crash must leave a state that they had, with every change that was
//! acknowledged, and with everything that an acknowledged refusal rested on (`verify.rs`).
//!
//! ```text
//!   model     the log, and the states that follow from it; the bytes of all contents
//!   ops       the operations, drawn at random
//!   perform   runs them on the pool, and compares the answers
//!   content   writes, copies and joins the contents of drafts
//!   readers   looks at entries, and reads contents while others replace them
//!   verify    compares everything after an opening
//! ```

mod content;
pub(super) mod model;
pub(super) mod ops;
mod perform;
mod readers;
#[cfg(test)]
mod tests;
pub(super) mod verify;

pub(super) use readers::Reader;
