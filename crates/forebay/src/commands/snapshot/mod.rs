//! `forebay snapshot`.

mod arguments;
mod run;

pub use arguments::SnapshotCommand;
pub use run::run;
