//! `forebay pool salvage`.

mod arguments;
mod run;

pub use arguments::{EXAMPLES, SalvageArgs};
pub use run::run;
