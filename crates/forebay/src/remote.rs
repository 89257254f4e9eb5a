//! `forebay volume`, `snapshot`, `export` and `nfs`: ask the running daemon, print its answer.

pub mod export;
pub mod nfs;
mod volume;

pub use volume::{run, run_snapshot};

use anyhow::{Result, bail};

use crate::admin::protocol::Answer;

/// The error for an answer to another question.
pub fn unexpected<T>(answer: &Answer) -> Result<T> {
    bail!("the daemon answered something else than was asked: {answer:?}; is it another release?")
}
