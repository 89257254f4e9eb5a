//! The `forebay` binary: command line, configuration, and the wiring of the parts.
//!
//! [`cli`] is what can be typed; [`config`] is what can be set; [`serve`] opens the pool and starts the
//! servers on it; [`notify`] tells an init system how that goes; [`remote`] are the commands that ask a daemon, which [`admin`]
//! reaches, and [`support`] gathers all of it into a file. Start reading at [`serve`].

mod admin;
mod cli;
mod config;
mod first;
mod logging;
mod notify;
mod output;
mod pool_commands;
mod reference;
mod remote;
mod serve;
mod signals;
mod sizing;
mod support;
mod traces;

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser};

use cli::{Cli, Command, ConfigCommand, LabCommand};
use config::{Config, ConfigError};
use pool_commands::Differences;

/// Gives memory back to the system soon after a load has ended, which the C library's does not. Its settings are in .cargo/config.toml.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

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
        Command::Init(settings) => settings.load().map_err(Into::into).and_then(|config| first::run(&config)),
        Command::Config(command) => run_config(command),
        Command::Volume(command) => remote::run(command),
        Command::Snapshot(command) => remote::run_snapshot(command),
        Command::Export(command) => remote::export::run(command),
        Command::Nfs(command) => remote::nfs::run(command),
        Command::Pool(command) => pool_commands::run(command),
        Command::User(command) => remote::account::run_user(command),
        Command::Token(command) => remote::account::run_token(command),
        Command::Event(command) => remote::watch::run_event(command),
        Command::Job(command) => remote::watch::run_job(command),
        Command::Profile(command) => remote::profile::run(command),
        Command::Support(command) => support::run(command),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "forebay", &mut script);
            output::print(&String::from_utf8_lossy(&script))
        }
        Command::Man { directory } => reference::manual(&directory),
        Command::Size(wanted) => sizing::run(&wanted),
        Command::Lab(LabCommand::Here(command)) => return forebay_lab::main(command),
        Command::Lab(LabCommand::Reports { remote }) => remote::lab::reports(&remote),
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
        ConfigCommand::Init { installed: false } => output::print(&config::print::annotated_default()),
        ConfigCommand::Init { installed: true } => output::print(&config::print::annotated_installed()),
        ConfigCommand::Check { file } => {
            Config::read(&file)?;
            output::print(&format!("{}: ok\n", file.display()))
        }
    }
}
