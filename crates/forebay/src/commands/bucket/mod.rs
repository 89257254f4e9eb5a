//! `forebay bucket`.

mod arguments;
mod contents;
mod documents;
mod run;
mod settings;

pub use arguments::BucketCommand;
pub use run::run;
