//! `forebay object`.

mod arguments;
mod run;

pub use arguments::ObjectCommand;
pub use run::run;
