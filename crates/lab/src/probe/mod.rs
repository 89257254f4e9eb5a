//! Programs that experiments run inside a guest, on a mounted storage, or (the load generator) on the host. Each prints JSON when all went well, and fails with
//! the reason when something was not as it must be.

pub mod cases;
pub mod churn;
mod create;
pub mod fsx;
pub mod hold;
mod hostile;
mod load;
mod mapped;
mod peer;
pub mod random;
mod ranges;
pub mod stream;
mod tree;

use anyhow::Result;
use clap::Subcommand;

pub use create::Created;
pub use hostile::Attack;
pub use load::LoadDone;
pub use tree::TreeDone;

use crate::executable;
use crate::host::GuestCommand;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum ProbeCommand {
    /// Create empty files in a new folder, and say how long it took
    Create(create::CreateArgs),
    /// Do random operations on a file, and compare with a copy in memory
    Fsx(fsx::FsxArgs),
    /// Do what programs do with files, and see whether it has the effects that POSIX says
    Cases(cases::CasesArgs),
    /// Do what the cases of another process ask for
    Peer(peer::PeerArgs),
    /// Create, rename, list and remove a tree of files
    Tree(tree::TreeArgs),
    /// Keep a file open, unlinked, while the server comes and goes
    Hold(hold::HoldArgs),
    /// Be in an NFS server's way
    Hostile(hostile::HostileArgs),
    /// Load an NFS server from this process, and say how fast it was
    Load(load::LoadArgs),
    /// Write, overwrite, create, rename and remove, and compare everything on request
    Churn(churn::ChurnArgs),
    /// Write files one after the other, and read them back
    Stream(stream::StreamArgs),
}

/// Does it.
pub fn main(command: ProbeCommand) -> Result<()> {
    match command {
        ProbeCommand::Create(args) => create::run(&args),
        ProbeCommand::Fsx(args) => fsx::run(&args),
        ProbeCommand::Cases(args) => cases::run(&args),
        ProbeCommand::Peer(args) => peer::run(&args),
        ProbeCommand::Tree(args) => tree::run(&args),
        ProbeCommand::Hold(args) => hold::run(&args),
        ProbeCommand::Hostile(args) => hostile::run(&args),
        ProbeCommand::Load(args) => load::run(&args),
        ProbeCommand::Churn(args) => churn::run(&args),
        ProbeCommand::Stream(args) => stream::run(&args),
    }
}

/// The command that runs a probe in a guest, whose program is the host's.
pub fn guest_command(words: &[&str]) -> Result<GuestCommand> {
    let program = executable::lab()?;
    Ok(GuestCommand::new(program.to_string_lossy()).args(["probe"]).args(words.iter().copied()))
}
