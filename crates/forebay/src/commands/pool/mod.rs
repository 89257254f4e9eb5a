//! `forebay pool`.

mod arguments;
mod recovery;
mod run;
mod salvage;

pub use arguments::PoolCommand;
pub use run::{Differences, run, show_efficiency};
