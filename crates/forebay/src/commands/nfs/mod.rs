//! `forebay nfs`.

mod arguments;
mod run;

pub use arguments::NfsCommand;
pub use run::run;
