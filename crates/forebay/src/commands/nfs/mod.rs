//! `forebay nfs`.

mod arguments;
mod run;
mod top;

pub use arguments::NfsCommand;
pub use run::run;
