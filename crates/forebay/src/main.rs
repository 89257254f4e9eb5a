//! The `forebay` binary: command line, configuration, and the wiring of the parts.
//!
//! [`cli`] is what can be typed; [`config`] is what can be set; [`serve`] opens the pool and starts the
//! servers on it; [`admin`] is the local socket through which `forebay volume`, `forebay pool` and others reach
//! the daemon. Start reading at [`serve`].

mod admin;
mod cli;
mod config;
mod logging;
mod output;
mod pool_commands;
mod reference;
mod remote;
mod serve;
mod signals;
mod sizing;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use cli::{Cli, Command, ConfigCommand};
use config::{Config, ConfigError};
use pool_commands::Differences;

/// Something failed.
const STATUS_FAILED: u8 = 1;
/// The command line or the configuration is wrong. clap uses the same.
const STATUS_USAGE: u8 = 2;
/// A check was done, and found differences.
const STATUS_DIFFERENCES: u8 = 4;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Serve(settings) => {
            settings.load().map_err(Into::into).and_then(|config| serve::run(&config))
        }
        Command::Config(command) => run_config(command),
        Command::Volume(command) => remote::run(command),
        Command::Snapshot(command) => remote::run_snapshot(command),
        Command::Export(command) => remote::export::run(command),
        Command::Nfs(command) => remote::nfs::run(command),
        Command::Pool(command) => pool_commands::run(command),
        Command::Size(wanted) => sizing::run(&wanted),
        Command::Lab(command) => return forebay_lab::main(command),
        Command::Reference { page } => output::print(&reference::page(page)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("forebay: {error:#}");
            ExitCode::from(if error.is::<ConfigError>() {
                STATUS_USAGE
            } else if error.is::<Differences>() {
                STATUS_DIFFERENCES
            } else {
                STATUS_FAILED
            })
        }
    }
}

fn run_config(command: ConfigCommand) -> Result<()> {
    match command {
        ConfigCommand::Init => output::print(&config::print::annotated_default()),
        ConfigCommand::Check { file } => {
            Config::read(&file)?;
            output::print(&format!("{}: ok\n", file.display()))
        }
    }
}
