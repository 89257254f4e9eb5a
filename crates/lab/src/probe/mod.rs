//! Programs that experiments run inside a guest, on a mounted storage, or (the load generator) on the host. Each prints its result as
//! JSON, or fails with the reason.

pub mod cases;
pub mod churn;
mod create;
pub mod fsx;
pub mod hold;
mod hostile;
mod load;
mod mapped;
mod null;
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

/// The probes.
#[derive(Debug, Subcommand)]
pub enum ProbeCommand {
    /// Create empty files in a new folder, and print the time
    Create(create::CreateArgs),
    /// Do random operations on a file, and compare with a copy in memory
    Fsx(fsx::FsxArgs),
    /// Use files as programs do, and check the effects against POSIX
    Cases(cases::CasesArgs),
    /// Execute the requests of cases in another process
    Peer(peer::PeerArgs),
    /// Create, rename, list and remove a tree of files
    Tree(tree::TreeArgs),
    /// Keep a file open, unlinked, while the server is killed and restarted
    Hold(hold::HoldArgs),
    /// Attack an NFS server
    Hostile(hostile::HostileArgs),
    /// Load an NFS server from this process, and print its speed
    Load(load::LoadArgs),
    /// Serve NFS without doing any work, to show what a load's client and the network take
    NullServer(null::NullServerArgs),
    /// Write, overwrite, create, rename and remove files, and compare everything on request
    Churn(churn::ChurnArgs),
    /// Write files one after the other, and read them back
    Stream(stream::StreamArgs),
}

/// Runs a probe.
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
        ProbeCommand::NullServer(args) => null::run(&args),
        ProbeCommand::Churn(args) => churn::run(&args),
        ProbeCommand::Stream(args) => stream::run(&args),
    }
}

/// The command that runs a probe in a guest, where this program has the same path as on the host.
pub fn guest_command(words: &[&str]) -> Result<GuestCommand> {
    let program = executable::lab()?;
    Ok(GuestCommand::new(program.to_string_lossy()).args(["probe"]).args(words.iter().copied()))
}
