//! `forebay volume` and `forebay snapshot`: ask the running daemon, print its answer.

mod volume;

pub use volume::{run, run_snapshot};

use anyhow::{Result, bail};

use crate::admin::protocol::Answer;

/// The error for an answer to another question.
pub fn unexpected<T>(answer: &Answer) -> Result<T> {
    bail!("the daemon answered something else than was asked: {answer:?}; is it another release?")
}
