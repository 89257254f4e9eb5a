//! `forebay lab guest`.

use anyhow::Result;
use clap::Args;

use super::args::CacheArgs;
use super::setup::provide;
use crate::client::{MountSource, Order};
use crate::host::{Needs, check_prerequisites};
use crate::run::client::{self, Outcome};
use crate::run::{self, supervisor};
use crate::toolbox::Toolset;

/// The guest could not be had. Programs seldom end with it.
pub const STATUS_NO_GUEST: u8 = 125;
/// What shells add to the number of a signal that ended a program.
const STATUS_SIGNAL: i32 = 128;

/// What `guest` can be told.
#[derive(Debug, Clone, Args)]
pub struct ClientArgs {
    /// Mount a path of a server, on /mnt and that path in the guest; may be given several times
    ///
    /// The server is one that this host reaches, such as localhost:/kafka. Nothing of this host's network is changed: what the guest sends to
    /// the server is carried by this process, and the server sees it come from this host.
    #[arg(long, value_name = "SERVER:/PATH")]
    mount: Vec<MountSource>,
    /// Port at which the servers listen
    #[arg(long, default_value_t = 2049, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// Options of the mounts, as the kernel takes them
    #[arg(long, short = 'O', default_value = "vers=4.2", value_name = "OPTIONS")]
    options: String,
    /// Memory of the guest in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(128..=65536))]
    memory: u32,
    #[command(flatten)]
    cache: CacheArgs,
    /// The program to run in the guest, with its arguments; a shell if none is given
    #[arg(last = true)]
    command: Vec<String>,
}

/// Runs a guest; returns the exit status.
pub fn run(args: ClientArgs) -> u8 {
    match try_run(args) {
        Ok(status) => status,
        Err(error) => {
            eprintln!("forebay lab: {error:#}");
            STATUS_NO_GUEST
        }
    }
}

fn try_run(args: ClientArgs) -> Result<u8> {
    check_prerequisites(Needs { namespaces: true, guests: true, kafka: false })?;
    let cache = args.cache.resolve()?;
    run::sweep(&cache.folder);
    provide(&cache, &[Toolset::Guests], false)?;
    let order = Order {
        mounts: args.mount,
        port: args.port,
        options: args.options,
        memory_mib: args.memory,
        command: args.command,
        is_typed: client::is_typed(),
        cache,
    };
    Ok(match client::run(&order)? {
        Outcome::Exited(exit) => {
            let signal = |number: i32| STATUS_SIGNAL.saturating_add(number);
            exit.code.or(exit.signal.map(signal)).and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
        }
        Outcome::CouldNotRun => STATUS_NO_GUEST,
        Outcome::Interrupted => supervisor::STATUS_INTERRUPTED,
    })
}
