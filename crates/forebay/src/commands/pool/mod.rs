//! `forebay pool`.

mod arguments;
mod backup;
mod capacity;
mod create;
mod recovery;
mod run;
mod salvage;
mod set_back;

pub use arguments::PoolCommand;
pub use backup::DamagedFrames;
pub use capacity::in_words;
pub use run::{Differences, efficiency_pairs, run};
