//! `forebay export`.

mod arguments;
mod run;

pub use arguments::ExportCommand;
pub use run::run;
