//! `forebay volume`, `forebay snapshot` and `forebay pool`: ask the running daemon, print its answer.

mod volume;

pub use volume::{run, run_snapshot};

use anyhow::{Result, bail};

use crate::admin::client::call;
use crate::admin::protocol::{Answer, Command, PoolView};
use crate::cli::PoolCommand;
use crate::config::size;
use crate::output::{print, print_json, print_pairs};

/// Carries out a `forebay pool` command.
pub fn run_pool(command: PoolCommand) -> Result<()> {
    match command {
        PoolCommand::Show { json, settings } => {
            match call(&settings.load()?.admin_socket(), Command::PoolShow {})? {
                Answer::Pool(pool) if json => print_json(&pool),
                Answer::Pool(pool) => show_pool(&pool),
                other => unexpected(&other),
            }
        }
        PoolCommand::Check { read, settings } => {
            match call(&settings.load()?.admin_socket(), Command::PoolCheck { read_chunks: read })? {
                Answer::Differences(differences) => report(&differences),
                other => unexpected(&other),
            }
        }
    }
}

fn report(differences: &[String]) -> Result<()> {
    if differences.is_empty() {
        return print("the pool is consistent\n");
    }
    print(&format!("{}\n", differences.join("\n")))?;
    bail!(
        "the pool is not consistent: {} differences; keep the pool's directory, and report them together with the \
         daemon's log",
        differences.len()
    )
}

fn unexpected<T>(answer: &Answer) -> Result<T> {
    bail!("the daemon answered something else than was asked: {answer:?}; is it another release?")
}

fn show_pool(pool: &PoolView) -> Result<()> {
    print_pairs(&[
        ("directory", pool.directory.clone()),
        ("id", pool.id.clone()),
        ("release", pool.release.clone()),
        ("starts", pool.boot.to_string()),
        ("size", size::rounded(pool.bytes_total)),
        ("free", size::rounded(pool.bytes_free)),
        ("used", size::rounded(pool.bytes_logical)),
        ("volumes", pool.volumes.to_string()),
        ("inodes", pool.inodes_used.to_string()),
        ("orphans", pool.orphans.to_string()),
    ])
}
