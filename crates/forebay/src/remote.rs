//! `forebay volume`, `forebay snapshot` and `forebay pool`: ask the running daemon, print its answer.

mod pool;
mod volume;

pub use pool::{Differences, run as run_pool};
pub use volume::{run, run_snapshot};

use anyhow::{Result, bail};

use crate::admin::protocol::Answer;

fn unexpected<T>(answer: &Answer) -> Result<T> {
    bail!("the daemon answered something else than was asked: {answer:?}; is it another release?")
}
