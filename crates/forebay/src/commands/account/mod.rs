//! `forebay user` and `forebay token`.

mod arguments;
mod run;

pub use arguments::{TokenCommand, UserCommand};
pub use run::{run_token, run_user, whoami};
