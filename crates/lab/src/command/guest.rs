//! `forebay lab guest`.

use anyhow::Result;
use clap::Args;

use super::args::CacheArgs;
use super::setup::provide;
use crate::client::{GuestRequest, MountSource};
use crate::host::{Needs, check_prerequisites};
use crate::run::client::{self, Outcome};
use crate::run::{self, supervisor};
use crate::toolbox::Toolset;

/// The guest could not be started. Few programs exit with this status.
pub const STATUS_NO_GUEST: u8 = 125;
/// Shells report a program that a signal ended as this plus the signal number.
const STATUS_SIGNAL: i32 = 128;

/// The options of `guest`.
#[derive(Debug, Clone, Args)]
pub struct ClientArgs {
    /// Mount this path of this server below /mnt in the guest; can be given several times
    ///
    /// localhost:/kafka, for example, is mounted on /mnt/kafka. The server can be any that this host reaches. This process forwards the guest's
    /// connections, so the host's network stays unchanged, and the server sees a client at this host's address.
    #[arg(long, value_name = "SERVER:/PATH")]
    mount: Vec<MountSource>,
    /// Port that the servers listen on
    #[arg(long, default_value_t = 2049, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// Mount options, as the kernel reads them
    #[arg(long, short = 'O', default_value = "vers=4.2", value_name = "OPTIONS")]
    options: String,
    /// Memory of the guest in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(128..=65536))]
    memory: u32,
    #[command(flatten)]
    cache: CacheArgs,
    /// Program to run in the guest, with its arguments; the default is a shell
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
    provide(&cache, &[Toolset::Guests], None)?;
    let request = GuestRequest {
        mounts: args.mount,
        port: args.port,
        options: args.options,
        memory_mib: args.memory,
        command: args.command,
        is_typed: client::is_typed(),
        cache,
    };
    Ok(match client::run(&request)? {
        Outcome::Exited(exit) => {
            let signal = |number: i32| STATUS_SIGNAL.saturating_add(number);
            exit.code.or(exit.signal.map(signal)).and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
        }
        Outcome::CouldNotRun => STATUS_NO_GUEST,
        Outcome::Interrupted => supervisor::STATUS_INTERRUPTED,
    })
}
