//! `forebay config`.

use std::path::PathBuf;

use anyhow::Result;
use clap::Subcommand;
use forebay_admin::views::{List, SettingView};

use crate::admin::client::Client;
use crate::arguments::Remote;
use crate::config::settings::settings;
use crate::config::value::Setting;
use crate::config::{Config, print};
use crate::output;

/// `forebay config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print a commented configuration file with all defaults
    #[command(after_long_help = "Example:\n  forebay config init > forebay.toml\n")]
    Init {
        /// Print the file that packages install, with paths below /var/lib, /run and /etc, and defaults commented out
        #[arg(long)]
        installed: bool,

        /// Print the file of the container image: the same, with the console and metrics reachable from outside
        #[arg(long, conflicts_with = "installed")]
        container: bool,
    },

    /// Check a configuration file
    ///
    /// Prints `FILE: ok` and exits with status 0, or prints the line, the key and the valid values, and exits with
    /// status 2. Only the file is checked, not the environment.
    Check {
        /// The configuration file.
        file: PathBuf,
    },

    /// Show the effective settings of the daemon
    Show {
        /// Show only settings that differ from the default
        #[arg(long)]
        changed: bool,

        /// Where the daemon is.
        #[command(flatten)]
        remote: Remote,
    },
}

/// Carries out a `forebay config` command.
pub fn run(command: ConfigCommand) -> Result<()> {
    match command {
        ConfigCommand::Init { container: true, .. } => output::print_own(&print::annotated_container()),
        ConfigCommand::Init { installed: true, .. } => output::print_own(&print::annotated_installed()),
        ConfigCommand::Init { .. } => output::print_own(&print::annotated_default()),
        ConfigCommand::Check { file } => {
            Config::read(&file)?;
            output::print_line(&format!("{}: ok", file.display()))
        }
        ConfigCommand::Show { changed, remote } => {
            let settings: List<SettingView> = Client::new(&remote)?.get("config")?;
            let mut settings = settings.items;
            settings.retain(|setting| !changed || !setting.is_default);
            output::print_as(remote.format(), &settings, |settings| show(settings))
        }
    }
}

fn show(settings: &[SettingView]) -> Result<()> {
    let row = |setting: &SettingView| {
        let origin = if setting.is_default { "default" } else { "set" };
        vec![format!("{}.{}", setting.section, setting.key), setting.value.clone(), origin.to_owned()]
    };
    output::print_columns(&["setting", "value", "from"], settings.iter().map(row))
}

/// All settings of a configuration.
pub fn effective(config: &Config) -> Vec<SettingView> {
    let default = Config::default();
    let view = |setting: &Setting| {
        let value = (setting.get)(config);
        let is_default = value == (setting.get)(&default);
        SettingView { section: setting.section.to_owned(), key: setting.key.to_owned(), value, is_default }
    };
    settings().map(view).collect()
}
