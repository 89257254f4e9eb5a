//! `forebay s3`: users, access keys and groups of the S3 server.

mod arguments;
pub mod documents;
mod groups;
mod keys;
mod users;

use anyhow::Result;

pub use arguments::S3Command;

/// Carries out a `forebay s3` command.
pub fn run(command: S3Command) -> Result<()> {
    match command {
        S3Command::User(command) => users::run(command),
        S3Command::Key(command) => keys::run(command),
        S3Command::Group(command) => groups::run(command),
    }
}
