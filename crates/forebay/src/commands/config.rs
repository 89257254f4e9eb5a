//! `forebay config`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;

use crate::config::{Config, print};
use crate::output;

/// `forebay config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print a commented configuration file with all defaults
    #[command(after_long_help = "Example:\n  forebay config init > forebay.toml\n")]
    Init {
        /// Print the file that packages install: paths below /var/lib, /run and /etc, defaults commented out
        #[arg(long)]
        installed: bool,
    },

    /// Check a configuration file
    ///
    /// Prints `FILE: ok` and exits with status 0, or names the line, the key and what would be valid, and
    /// exits with status 2. Only the file is checked, not the environment.
    Check {
        /// The configuration file.
        file: PathBuf,
    },
}

/// Carries out a `forebay config` command.
pub fn run(command: ConfigCommand) -> Result<()> {
    match command {
        ConfigCommand::Init { installed: false } => output::print_own(&print::annotated_default()),
        ConfigCommand::Init { installed: true } => output::print_own(&print::annotated_installed()),
        ConfigCommand::Check { file } => {
            Config::read(&file)?;
            output::print_line(&format!("{}: ok", file.display()))
        }
    }
}
