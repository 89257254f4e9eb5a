//! Programs that experiments run inside a guest, on a mounted storage. Each prints one JSON object.

mod create;

pub use create::Created;

use anyhow::Result;
use clap::Subcommand;

/// What to do in the guest.
#[derive(Debug, Subcommand)]
pub enum ProbeCommand {
    /// Create empty files in a new folder, and say how long it took
    Create(create::CreateArgs),
}

/// Does it.
pub fn main(command: ProbeCommand) -> Result<()> {
    match command {
        ProbeCommand::Create(args) => create::run(&args),
    }
}
