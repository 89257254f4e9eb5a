//! `forebay volume`.

mod arguments;
mod recovery;
mod run;
pub mod settings;
mod traffic;

pub use arguments::VolumeCommand;
pub use run::run;
